//! What several test modules need: folders of the repo, scratch folders, comparing with a file.

use std::fs;
use std::path::{Path, PathBuf};

use regelwerk::diagnostic::{Diagnostic, Sink};
use regelwerk::pipeline;
use regelwerk::source::Sources;
use regelwerk::table::transcript;

/// A path below the repo's root.
pub fn repo(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// An empty folder that no other test uses.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("the scratch folder can be emptied");
    }
    fs::create_dir_all(&folder).expect("the scratch folder can be made");
    folder
}

/// Writes a file and the folders above it.
pub fn write(path: &Path, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("the folder can be made");
    fs::write(path, text).expect("the file can be written");
}

/// All files below a folder, sorted.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { open.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Compares a text with the file that holds what is expected, or writes the file under `BLESS`.
pub fn compare(actual: &str, file: &Path) -> Result<(), String> {
    if std::env::var_os("BLESS").is_some() {
        write(file, actual);
        return Ok(());
    }
    let expected = fs::read_to_string(file).unwrap_or_default().replace("\r\n", "\n");
    if actual == expected {
        return Ok(());
    }
    Err(format!("{} differs; what came out:\n{actual}\n(BLESS=1 writes it)", file.display()))
}

/// What is wrong with a transcript of a scenario that itself has no faults.
pub fn faults_of_play(scenario: &str, sources: &mut Sources, name: &str, text: &str) -> Vec<Diagnostic> {
    let mut sink = Sink::new();
    let ready = pipeline::ready(scenario, sources, &mut sink).expect("the game has no faults");
    let file = sources.add(name, text);
    let transcript = transcript::parse(file, text, &mut sink);
    if sink.has_errors() {
        return sink.sorted();
    }
    let mut opening = match transcript.opening(&ready.program) {
        Ok(opening) => opening,
        Err(fault) => return vec![fault],
    };
    match ready.code(&opening) {
        Err(faults) => faults,
        Ok(code) => {
            match ready.record(&transcript, &code, None, sources) {
                Ok(record) => opening.record = record,
                Err(found) => return found,
            }
            let reader = ready.reader(&code, &opening);
            transcript::run(&transcript, &code, opening, Some(reader)).faults
        }
    }
}
