//! Writes the sentences of `packaging/po/` for `language.rs`: the English ones once, and each language's in
//! the same order, a line each. In the format of translators they would take more than twice the memory.
#![allow(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

const FOLDER: &str = "../../packaging/po";

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={FOLDER}");
    let template = fs::read_to_string(Path::new(FOLDER).join("nearmiss.pot"))?;
    let english: Vec<String> = template.lines().filter_map(|line| quoted(line, "msgid")).collect();
    let of_each = catalogues()?.into_iter().map(|path| {
        let source = fs::read_to_string(&path)?;
        let lines: Vec<String> = english.iter().map(|text| translation(&source, text)).collect();
        let tag = path.file_stem().unwrap_or_default().to_string_lossy();
        Ok(format!("    ({tag:?}, {:?}),\n", lines.join("\n")))
    });
    let of_each = of_each.collect::<io::Result<String>>()?;
    let english = english.join("\n");
    let text = format!(
        "const ENGLISH: &str = {english:?};\n\
         /// Each language with its sentences, in the order of the English ones; empty where there is none.\n\
         const CATALOGUES: &[(&str, &str)] = &[\n{of_each}];\n"
    );
    let folder = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    fs::write(Path::new(&folder).join("catalogues.rs"), text)
}

/// The paths of the catalogues, by name.
fn catalogues() -> io::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(FOLDER)?.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<io::Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "po"));
    paths.sort();
    Ok(paths)
}

/// The translation of a text in a catalogue; empty if it has none.
fn translation(catalogue: &str, text: &str) -> String {
    let mut lines = catalogue.lines();
    let found = lines.find(|line| quoted(line, "msgid").is_some_and(|own| own == text));
    found.and_then(|_| quoted(lines.next()?, "msgstr")).unwrap_or_default()
}

/// The text after a keyword of a catalogue; none for the empty text, which precedes the header.
fn quoted(line: &str, keyword: &str) -> Option<String> {
    let text = line.strip_prefix(keyword)?.trim().strip_prefix('"')?.strip_suffix('"')?;
    Some(text.replace("\\\"", "\"")).filter(|text| !text.is_empty())
}
