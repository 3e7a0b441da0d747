//! Where a scenario's files lie, in the binary or on the disk, and the walls around them: nothing outside the
//! folder is read, no link is followed out of it, and sizes are bounded. This is the only place outside the command
//! line that touches the file system.
#![allow(clippy::disallowed_methods, reason = "reading files is what this module is for")]

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::embedded;

/// The most bytes that one file may have.
pub const FILE_BYTES: u64 = 1024 * 1024;
/// The most files of a scenario that are read, without what it extends and without its transcripts.
pub const FILES: usize = 256;
/// The most entries of a folder, of any kind, that are looked at.
pub const ENTRIES: usize = 4096;

/// What a scenario is made of; other files may lie in the folder and are left alone.
const ENDINGS: &[&str] = &["toml", "rules", "board", "rhai", "play"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Folder {
    /// The name of a scenario in the binary.
    BuiltIn(String),
    /// An absolute path without links in it.
    Disk(PathBuf),
}

/// Why a path is no folder.
#[derive(Debug)]
pub enum AtFault {
    Missing,
    File,
}

/// Why a folder could not be listed.
#[derive(Debug)]
pub enum ListFault {
    TooMany,
    Io(String),
}

/// Why a file could not be read.
#[derive(Debug)]
pub enum ReadFault {
    LeadsOut,
    TooLarge,
    /// The text with its wrong bytes replaced, and where the first of them is.
    NotUtf8(String, usize),
    Io(String),
}

impl Folder {
    /// The folder at a path; links on the way to it are followed, since the user named it.
    pub fn at(path: &Path) -> Result<Folder, AtFault> {
        let path = fs::canonicalize(path).map_err(|_| AtFault::Missing)?;
        if path.is_dir() { Ok(Folder::Disk(path)) } else { Err(AtFault::File) }
    }

    pub fn has_manifest(&self) -> bool {
        match self {
            Folder::BuiltIn(name) => embedded::is_built_in(name),
            Folder::Disk(path) => path.join("scenario.toml").exists(),
        }
    }

    /// Does it hold a `campaign.toml`?
    pub fn has_campaign(&self) -> bool {
        match self {
            Folder::BuiltIn(name) => embedded::has_campaign(name),
            Folder::Disk(path) => path.join("campaign.toml").exists(),
        }
    }

    /// The folder `name` beside this one, if it is there, is no link, and holds a manifest.
    pub fn beside(&self, name: &str) -> Option<Folder> {
        let Folder::Disk(own) = self else { return None };
        let path = own.parent()?.join(name);
        let is_folder = fs::symlink_metadata(&path).is_ok_and(|m| m.is_dir());
        (is_folder && path != *own && path.join("scenario.toml").is_file()).then_some(Folder::Disk(path))
    }

    /// The names of the scenarios that lie beside this one.
    pub fn neighbours(&self) -> Vec<String> {
        let Folder::Disk(own) = self else { return Vec::new() };
        let Some(Ok(entries)) = own.parent().map(fs::read_dir) else { return Vec::new() };
        let names = entries.take(ENTRIES).filter_map(|e| e.ok()?.file_name().into_string().ok());
        let mut found: Vec<String> = names.filter(|name| self.beside(name).is_some()).collect();
        found.sort();
        found
    }

    /// The scenario's files by their paths below the folder, `/` between the parts, sorted.
    pub fn list(&self) -> Result<Vec<String>, ListFault> {
        let mut files: Vec<String> = match self {
            Folder::BuiltIn(name) => embedded::files(name).map(|(path, _)| path.to_owned()).collect(),
            Folder::Disk(path) => {
                let mut walk = Walk { files: Vec::new(), entries: 0 };
                walk.folder(path, "")?;
                walk.files
            }
        };
        files.retain(|f| f.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending)));
        files.sort();
        Ok(files)
    }

    /// The text of one file that [`Folder::list`] gave, without a byte order mark.
    pub fn read(&self, name: &str) -> Result<String, ReadFault> {
        let bytes = match self {
            Folder::BuiltIn(scenario) => {
                let text = embedded::files(scenario).find(|(path, _)| *path == name).map(|(_, text)| text);
                return text.map(str::to_owned).ok_or_else(|| ReadFault::Io("it is not in the program".into()));
            }
            Folder::Disk(root) => read_inside(root, name)?,
        };
        match String::from_utf8(bytes) {
            Ok(text) => Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                Err(ReadFault::NotUtf8(String::from_utf8_lossy(error.as_bytes()).into_owned(), at))
            }
        }
    }
}

/// Is this path, as an author wrote it, one that stays in the folder by its form alone?
pub fn stays_inside(path: &str) -> bool {
    !path.is_empty()
        && !path.contains(['\\', ':', '\0'])
        && path.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
}

fn read_inside(root: &Path, name: &str) -> Result<Vec<u8>, ReadFault> {
    let io = |error: std::io::Error| ReadFault::Io(reason(&error));
    if !stays_inside(name) {
        return Err(ReadFault::LeadsOut);
    }
    let path = fs::canonicalize(root.join(name)).map_err(io)?;
    if !path.starts_with(root) {
        return Err(ReadFault::LeadsOut);
    }
    // A pipe or a device could keep the program waiting for ever.
    if !fs::metadata(&path).map_err(io)?.is_file() {
        return Err(ReadFault::Io("it is not a plain file".into()));
    }
    let mut bytes = Vec::new();
    fs::File::open(&path).map_err(io)?.take(FILE_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > FILE_BYTES { Err(ReadFault::TooLarge) } else { Ok(bytes) }
}

/// The system's reason in plain words, without its error number.
fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "it is not there".to_owned(),
        std::io::ErrorKind::PermissionDenied => "you may not read it".to_owned(),
        _ => error.to_string(),
    }
}

struct Walk {
    files: Vec<String>,
    entries: usize,
}

impl Walk {
    /// Links to folders are not followed, so the walk ends; hidden entries are no part of a scenario.
    fn folder(&mut self, path: &Path, prefix: &str) -> Result<(), ListFault> {
        let io = |error: std::io::Error| ListFault::Io(reason(&error));
        for entry in fs::read_dir(path).map_err(io)? {
            let entry = entry.map_err(io)?;
            self.entries += 1;
            if self.entries > ENTRIES {
                return Err(ListFault::TooMany);
            }
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with('.') {
                continue;
            }
            if entry.file_type().map_err(io)?.is_dir() {
                self.folder(&entry.path(), &format!("{prefix}{name}/"))?;
            } else {
                self.files.push(format!("{prefix}{name}"));
            }
        }
        Ok(())
    }
}
