//! Writes the tables of texts that the binary carries: the scenarios, the standard library and the pages of
//! the error codes. A new game, or a new page, is a new file and no edit of any Rust code.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    reason = "a build script is all edge"
)]

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Files with another ending (pictures, say) may lie beside a game and are not carried.
const ENDINGS: &[&str] = &["toml", "rules", "board", "rhai", "play", "md"];

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    println!("cargo:rerun-if-changed=build.rs");
    fs::write(out.join("scenarios.in"), table(&root, "scenarios")?)?;
    fs::write(out.join("stdlib.in"), table(&root, "stdlib")?)?;
    fs::write(out.join("error_pages.in"), table(&root, "docs/errors")?)?;
    Ok(())
}

/// A Rust array of `(path below the folder, text)`, sorted by path.
fn table(root: &Path, folder: &str) -> Result<String, Box<dyn Error>> {
    println!("cargo:rerun-if-changed={folder}");
    let mut files = Vec::new();
    collect(&root.join(folder), "", &mut files)?;
    files.sort();
    let mut text = String::from("&[\n");
    for name in files {
        println!("cargo:rerun-if-changed={folder}/{name}");
        let path = root.join(folder).join(&name);
        writeln!(text, "    ({name:?}, include_str!({:?})),", path.display().to_string())?;
    }
    text.push_str("]\n");
    Ok(text)
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<String>) -> Result<(), Box<dyn Error>> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().into_string().map_err(|name| format!("{name:?} is not a plain name"))?;
        if name.starts_with('.') {
            continue;
        }
        let path = entry.path();
        if path.is_dir() {
            collect(&path, &format!("{prefix}{name}/"), files)?;
        } else if path.extension().and_then(|e| e.to_str()).is_some_and(|e| ENDINGS.contains(&e)) {
            files.push(format!("{prefix}{name}"));
        }
    }
    Ok(())
}
