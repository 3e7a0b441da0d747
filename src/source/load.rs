//! Loads a scenario: its manifest, its files and, below it, what it extends. Nothing in the files is
//! interpreted, save the manifest. `SCENARIO` on the command line is the name of a built-in one or a folder;
//! `extends` names a folder beside the scenario's own, or else a built-in one.

use std::path::{Path, PathBuf};

use super::folder::{self, AtFault, Folder, ListFault, ReadFault};
use super::manifest::{self, Manifest, Word};
use super::{FileId, Sources, Span, embedded, errors};
use crate::diagnostic::Sink;

/// The most rulesets that may stand on each other.
const STACK: usize = 16;
/// The most text that a scenario may have, with all that it extends.
const TOTAL_BYTES: u64 = 16 * 1024 * 1024;
/// The name under which the words of the command line are a source, so that a fault can point at one.
pub const COMMAND_LINE: &str = "command line";

/// A scenario's texts. Boards, scripts and tables carry the path by which a rules file names them.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The built-in scenario's name, or the folder's.
    pub id: String,
    pub manifest: Manifest,
    pub base: Option<Box<Scenario>>,
    /// The rules files of this ruleset alone, in the order in which they are read.
    pub rules: Vec<FileId>,
    pub boards: Vec<(String, FileId)>,
    pub scripts: Vec<(String, FileId)>,
    pub tables: Vec<(String, FileId)>,
    /// The folder on the disk; none for a built-in scenario.
    pub folder: Option<PathBuf>,
}

impl Scenario {
    /// The rulesets from the lowest, which extends none, up to this one.
    pub fn layers(&self) -> Vec<&Scenario> {
        let mut layers = self.base.as_ref().map_or_else(Vec::new, |base| base.layers());
        layers.push(self);
        layers
    }

    /// The allowed numbers of players, ascending: its own, or those of what it extends.
    pub fn players(&self) -> &[usize] {
        match &self.base {
            Some(base) if self.manifest.players.is_empty() => base.players(),
            _ => &self.manifest.players,
        }
    }

    /// A scenario that can be played: says in the sink if it is only there to be extended.
    pub fn check_playable(&self, sink: &mut Sink) -> bool {
        if self.manifest.is_abstract {
            sink.push(errors::abstract_is_not_played(Span::new(self.manifest.file, 0, 0), &self.manifest.name));
        }
        !self.manifest.is_abstract
    }
}

/// Does the word or path stand for a scenario?
pub fn is_there(name_or_path: &str) -> bool {
    let (asked, mut told) = (Span::default(), Sink::new());
    find(name_or_path, asked, &mut told).is_some_and(|folder| folder.has_manifest())
}

/// Loads a scenario by the name of a built-in one or the path of a folder. None if there is nothing to go on
/// with: it, or what it extends, is not there. Otherwise what could be read is given, and the sink says what
/// could not.
pub fn load(name_or_path: &str, sources: &mut Sources, sink: &mut Sink) -> Option<Scenario> {
    let file = sources.add(COMMAND_LINE, name_or_path);
    let asked = Span::new(file, 0, name_or_path.len());
    let folder = find(name_or_path, asked, sink)?;
    let mut loader = Loader { sources, sink, bytes: 0, opened: Vec::new() };
    loader.scenario(folder, name_or_path, String::new(), asked)
}

/// The transcripts of a scenario, `tests/*.play`, in the order of their names; those of what it extends are
/// not among them.
pub fn transcripts(scenario: &Scenario, sources: &mut Sources, sink: &mut Sink) -> Vec<(String, FileId)> {
    let folder = match &scenario.folder {
        Some(path) => Folder::Disk(path.clone()),
        None => Folder::BuiltIn(scenario.id.clone()),
    };
    let mut loader = Loader { sources, sink, bytes: 0, opened: Vec::new() };
    let files = loader.list(&folder, true, Span::new(scenario.manifest.file, 0, 0), &scenario.id);
    files.into_iter().filter_map(|name| loader.file(&folder, "", &name).map(|file| (name, file))).collect()
}

/// A file that a transcript names: it lies beside the transcript (`folder`; for one of a built-in scenario among its
/// tests) or in the scenario's own folder. Gives why it cannot be read.
pub fn beside(
    scenario: &Scenario,
    folder: Option<&Path>,
    name: &str,
    sources: &mut Sources,
) -> Result<FileId, &'static str> {
    let own = match &scenario.folder {
        Some(path) => Folder::Disk(path.clone()),
        None => Folder::BuiltIn(scenario.id.clone()),
    };
    let near = folder.map(|path| if path.as_os_str().is_empty() { Path::new(".") } else { path });
    let near = near.and_then(|path| Folder::at(path).ok()).map(|found| (found, name.to_owned()));
    let mut why = "it is not there";
    for (folder, path) in near.into_iter().chain([(own.clone(), format!("tests/{name}")), (own, name.to_owned())]) {
        match folder.read(&path) {
            Ok(text) => return Ok(sources.add(path, text)),
            Err(ReadFault::LeadsOut) => why = "its path leads out of the folder",
            Err(ReadFault::TooLarge) => why = "it is too large",
            Err(ReadFault::NotUtf8(..)) => why = "it is no text in UTF-8",
            Err(ReadFault::Io(_)) => {}
        }
    }
    Err(why)
}

fn find(name_or_path: &str, asked: Span, sink: &mut Sink) -> Option<Folder> {
    let is_path = name_or_path.contains(['/', std::path::MAIN_SEPARATOR]) || matches!(name_or_path, "." | "..");
    if !is_path && embedded::is_built_in(name_or_path) {
        return Some(Folder::BuiltIn(name_or_path.to_owned()));
    }
    sink.push(match Folder::at(Path::new(name_or_path)) {
        Ok(folder) => return Some(folder),
        Err(AtFault::File) => errors::not_a_folder(asked, name_or_path),
        Err(AtFault::Missing) if is_path => errors::no_such_folder(asked, name_or_path),
        Err(AtFault::Missing) => errors::unknown_scenario(asked, name_or_path, &embedded::names().collect::<Vec<_>>()),
    });
    None
}

struct Loader<'a> {
    sources: &'a mut Sources,
    sink: &'a mut Sink,
    bytes: u64,
    /// The rulesets under way, from the one that was asked for down, with their names: to see circles.
    opened: Vec<(Folder, String)>,
}

impl Loader<'_> {
    /// `shown` is how the user or the manifest above calls it, `asked` where.
    fn scenario(&mut self, folder: Folder, shown: &str, prefix: String, asked: Span) -> Option<Scenario> {
        if !folder.has_manifest() {
            self.sink.push(errors::no_manifest(asked, shown));
            return None;
        }
        let file = self.file(&folder, &prefix, "scenario.toml")?;
        let text = self.sources.file(file).text.clone();
        let manifest = manifest::read(file, &text, self.sink);
        let id = match &folder {
            Folder::BuiltIn(name) => name.clone(),
            Folder::Disk(path) => path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned()),
        };
        self.opened.push((folder.clone(), id.clone()));
        let base = match &manifest.extends {
            Some(word) => Some(Box::new(self.base(&folder, word)?)),
            None => None,
        };
        self.opened.pop();

        let start = Span::new(file, 0, 0);
        let files = self.list(&folder, false, start, shown);
        let own: Vec<&str> = files.iter().map(String::as_str).collect();
        let rules = self.rules(&manifest, &own, base.is_some());
        let rules = rules.iter().filter_map(|name| self.file(&folder, &prefix, name)).collect();
        let boards = self.ending(&folder, &prefix, &own, ".board");
        let scripts = self.ending(&folder, &prefix, &own, ".rhai");
        let tables = self.ending(&folder, &prefix, &own, ".toml");
        let folder = match folder {
            Folder::BuiltIn(_) => None,
            Folder::Disk(path) => Some(path),
        };
        Some(Scenario { id, manifest, base, rules, boards, scripts, tables, folder })
    }

    fn base(&mut self, folder: &Folder, extends: &Word) -> Option<Scenario> {
        let name = &extends.text;
        let built_in = || embedded::is_built_in(name).then(|| Folder::BuiltIn(name.clone()));
        let Some(base) = folder.beside(name).or_else(built_in) else {
            // The folder's own name is found only here, where no built-in ruleset has it too.
            if self.opened.last().is_some_and(|(_, own)| own == name) {
                self.sink.push(errors::extends_in_a_circle(extends.span, &[name]));
            } else {
                let mut known = folder.neighbours();
                known.extend(embedded::names().map(str::to_owned));
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                self.sink.push(errors::unknown_base(extends.span, name, &known));
            }
            return None;
        };
        if let Some(at) = self.opened.iter().position(|(opened, _)| *opened == base) {
            let mut names: Vec<&str> = self.opened.iter().skip(at).map(|(_, id)| id.as_str()).collect();
            if names.len() > 1 {
                names.push(name);
            }
            self.sink.push(errors::extends_in_a_circle(extends.span, &names));
            return None;
        }
        if self.opened.len() >= STACK {
            self.sink.push(errors::extends_too_deep(extends.span, STACK));
            return None;
        }
        self.scenario(base, name, format!("{name}/"), extends.span)
    }

    /// The files that make the scenario, or its transcripts.
    fn list(&mut self, folder: &Folder, transcripts: bool, span: Span, shown: &str) -> Vec<String> {
        let is_transcript = |file: &String| file.starts_with("tests/") && file.ends_with(".play");
        let fault = match folder.list() {
            Ok(mut files) => {
                files.retain(|file| if transcripts { is_transcript(file) } else { !file.starts_with("tests/") });
                if transcripts || files.len() <= folder::FILES {
                    return files;
                }
                errors::too_many_files(span, folder::FILES)
            }
            Err(ListFault::TooMany) => errors::too_many_entries(span, folder::ENTRIES),
            Err(ListFault::Io(reason)) => errors::unreadable(span, shown, &reason),
        };
        self.sink.push(fault);
        Vec::new()
    }

    /// The rules files in their order: those that the manifest lists, or all.
    fn rules(&mut self, manifest: &Manifest, own: &[&str], has_base: bool) -> Vec<String> {
        let known: Vec<&str> = own.iter().copied().filter(|f| f.ends_with(".rules")).collect();
        let Some(words) = &manifest.files else {
            // An empty listing is a folder that could not be read, which was said already.
            if known.is_empty() && !has_base && !own.is_empty() {
                self.sink.push(errors::no_rules(Span::new(manifest.file, 0, 0)));
            }
            return known.into_iter().map(str::to_owned).collect();
        };
        let mut listed: Vec<&Word> = Vec::new();
        for word in words {
            let name = word.text.as_str();
            if !folder::stays_inside(name) {
                self.sink.push(errors::leads_out(word.span, name));
            } else if !name.ends_with(".rules") {
                self.sink.push(errors::not_a_rules_file(word.span, name));
            } else if !known.contains(&name) {
                self.sink.push(errors::no_such_file(word.span, name, &known));
            } else if let Some(first) = listed.iter().find(|w| w.text == word.text) {
                self.sink.push(errors::file_listed_twice(word.span, first.span, name));
            } else {
                listed.push(word);
            }
        }
        // Beside a misspelt name, the file that it meant would seem to be left out.
        if listed.len() == words.len() {
            for name in known.iter().filter(|name| words.iter().all(|w| w.text != **name)) {
                self.sink.push(errors::not_listed(manifest.files_span, name));
            }
        }
        listed.into_iter().map(|word| word.text.clone()).collect()
    }

    fn ending(&mut self, folder: &Folder, prefix: &str, own: &[&str], ending: &str) -> Vec<(String, FileId)> {
        let wanted = own.iter().filter(|f| f.ends_with(ending) && !matches!(**f, "scenario.toml" | "campaign.toml"));
        wanted.filter_map(|name| self.file(folder, prefix, name).map(|file| ((*name).to_owned(), file))).collect()
    }

    /// Reads a file into the sources. One that cannot be read is there as a place to point at, but is not
    /// given to the stages that follow, so that nothing else is said about it.
    fn file(&mut self, folder: &Folder, prefix: &str, name: &str) -> Option<FileId> {
        let shown = format!("{prefix}{name}");
        let fault = match folder.read(name) {
            Ok(text) if self.bytes + text.len() as u64 <= TOTAL_BYTES => {
                self.bytes += text.len() as u64;
                return Some(self.sources.add(shown, text));
            }
            Ok(_) => errors::too_much_text(Span::new(self.sources.add(&*shown, ""), 0, 0), TOTAL_BYTES),
            Err(ReadFault::NotUtf8(text, at)) => {
                let end = at + char::REPLACEMENT_CHARACTER.len_utf8();
                errors::not_utf8(Span::new(self.sources.add(&*shown, text), at, end), &shown)
            }
            Err(ReadFault::LeadsOut) => errors::leads_out(Span::new(self.sources.add(&*shown, ""), 0, 0), &shown),
            Err(ReadFault::TooLarge) => {
                errors::file_too_large(Span::new(self.sources.add(&*shown, ""), 0, 0), &shown, folder::FILE_BYTES)
            }
            Err(ReadFault::Io(reason)) => {
                errors::unreadable(Span::new(self.sources.add(&*shown, ""), 0, 0), &shown, &reason)
            }
        };
        self.sink.push(fault);
        None
    }
}
