//! A copy of the workspace whose code has the switches.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::{
    list::Mutant,
    render::{Rendered, render},
    switches::{self, Insertions},
};

const MODULE: &str = include_str!("mutant_switch.rs.in");

/// The copy, and the sources in it that have changes.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) folder: PathBuf,
    /// Where a running test learns which change is in force, and notes which it meets.
    pub(crate) state: PathBuf,
    files: HashMap<String, Source>,
    /// The file and the name of each change.
    changes: Vec<(String, String)>,
    /// The files that crates begin with.
    roots: BTreeSet<PathBuf>,
}

#[derive(Debug)]
struct Source {
    text: String,
    insertions: Insertions,
    rendered: Option<Rendered>,
}

impl Tree {
    /// Copies what git knows or would know of `workspace` into `folder`, and finds the places of the changes.
    pub(crate) fn new(workspace: &Path, folder: PathBuf, state: PathBuf, mutants: &[Mutant]) -> Result<Tree> {
        copy(workspace, &folder)?;
        fs::create_dir_all(&state)?;
        let mut files = HashMap::new();
        for mutant in mutants {
            if files.contains_key(&mutant.file) {
                continue;
            }
            let text = fs::read_to_string(workspace.join(&mutant.file)).context(mutant.file.clone())?;
            let of_file = mutants.iter().enumerate().filter(|(_, other)| other.file == mutant.file);
            let insertions = switches::of_file(&text, of_file).context(mutant.file.clone())?;
            files.insert(mutant.file.clone(), Source { text, insertions, rendered: None });
        }
        let roots = roots(&folder)?;
        let changes = mutants.iter().map(|mutant| (mutant.file.clone(), mutant.name.clone())).collect();
        Ok(Tree { folder, state, files, changes, roots })
    }

    /// A change by the text of its file and its name.
    fn key(&self, id: usize) -> Option<String> {
        let (file, name) = self.changes.get(id)?;
        let mut hasher = DefaultHasher::new();
        self.files.get(file)?.text.hash(&mut hasher);
        Some(format!("{:016x} {name}", hasher.finish()))
    }

    /// The changes that did not compile in an earlier run with the same text, with the compiler's codes.
    pub(crate) fn known_faults(&self) -> Result<BTreeMap<usize, String>> {
        let path = self.state.join("uncompiled");
        let text = if path.exists() { fs::read_to_string(path)? } else { String::new() };
        let known: HashMap<&str, &str> = text.lines().filter_map(|line| line.split_once('\t')).collect();
        let fault = |id| Some((id, (*known.get(&*self.key(id)?)?).to_owned()));
        Ok((0..self.changes.len()).filter_map(fault).collect())
    }

    /// Keeps them for the next run.
    pub(crate) fn keep_faults(&self, faults: &BTreeMap<usize, String>) -> Result<()> {
        let line = |(id, code): (&usize, &String)| Some(format!("{}\t{code}\n", self.key(*id)?));
        let text: String = faults.iter().filter_map(line).collect();
        Ok(fs::write(self.state.join("uncompiled"), text)?)
    }

    /// The changes that have a switch.
    pub(crate) fn placed(&self) -> BTreeSet<usize> {
        let wraps = self.files.values().flat_map(|source| &source.insertions.wraps);
        wraps.flat_map(|wrap| wrap.before.iter().map(|(id, _)| *id)).collect()
    }

    /// Writes every file with the switches of these changes.
    pub(crate) fn write(&mut self, kept: &BTreeSet<usize>) -> Result<()> {
        let module = self.module();
        for (name, source) in &mut self.files {
            let rendered = render(&source.text, &source.insertions, |id| kept.contains(&id));
            let path = self.folder.join(name);
            let module = if self.roots.contains(&path) { &*module } else { "" };
            write_changed(&path, format!("{}{module}", rendered.text).as_bytes())?;
            source.rendered = Some(rendered);
        }
        for root in &self.roots {
            let name = root.strip_prefix(&self.folder)?.display().to_string();
            if !self.files.contains_key(&name) {
                let text = fs::read_to_string(root)?;
                if !text.ends_with(&module) {
                    fs::write(root, text + &module)?;
                }
            }
        }
        Ok(())
    }

    /// Writes the file of a change with the change in force and nothing else of it; false if it has no place.
    /// The copy must be written again before another one.
    pub(crate) fn put(&self, mutant: &Mutant) -> Result<bool> {
        let changed = self.files.get(&mutant.file).and_then(|source| mutant.applied(&source.text));
        let Some(changed) = changed else { return Ok(false) };
        let path = self.folder.join(&mutant.file);
        let module = if self.roots.contains(&path) { self.module() } else { String::new() };
        write_changed(&path, format!("{changed}{module}").as_bytes())?;
        Ok(true)
    }

    /// Writes the file of a change with its switches again.
    pub(crate) fn put_back(&self, mutant: &Mutant) -> Result<()> {
        let path = self.folder.join(&mutant.file);
        let Some(rendered) = self.files.get(&mutant.file).and_then(|source| source.rendered.as_ref()) else {
            return Ok(());
        };
        let module = if self.roots.contains(&path) { self.module() } else { String::new() };
        write_changed(&path, format!("{}{module}", rendered.text).as_bytes())
    }

    /// The name of the package that a file of the workspace belongs to.
    pub(crate) fn package_of(&self, file: &str) -> Option<String> {
        let manifests = Path::new(file).ancestors().skip(1).map(|folder| folder.join("Cargo.toml"));
        let text = manifests.into_iter().find_map(|path| fs::read_to_string(self.folder.join(path)).ok())?;
        let name = text.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))?;
        Some(name.to_owned())
    }

    fn module(&self) -> String {
        MODULE.replace("@STATE@", &self.state.display().to_string())
    }

    /// The changes that an error in these bytes of a file is the fault of.
    pub(crate) fn at_fault(&self, file: &str, start: usize, end: usize) -> Vec<usize> {
        let rendered = self.files.get(file).and_then(|source| source.rendered.as_ref());
        rendered.map(|rendered| rendered.at_fault(start, end)).unwrap_or_default()
    }
}

fn listed(workspace: &Path) -> Result<BTreeSet<PathBuf>> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let output = Command::new("git").current_dir(workspace).args(arguments).output()?;
    ensure!(output.status.success(), "git: {}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8(output.stdout)?;
    Ok(names
        .split_terminator('\0')
        .map(PathBuf::from)
        .filter(|name| workspace.join(name).is_file())
        .collect())
}

/// Files that are the same already are left alone, so that cargo does not compile them again.
fn copy(workspace: &Path, folder: &Path) -> Result<()> {
    let names = listed(workspace)?;
    for name in &names {
        let (from, to) = (workspace.join(name), folder.join(name));
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent)?;
        }
        write_changed(&to, &fs::read(&from)?)?;
        fs::set_permissions(&to, fs::metadata(&from)?.permissions())?;
    }
    remove_others(folder, folder, &names)
}

fn write_changed(path: &Path, content: &[u8]) -> Result<()> {
    if fs::read(path).ok().as_deref() != Some(content) {
        fs::write(path, content).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

fn remove_others(top: &Path, folder: &Path, names: &BTreeSet<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.strip_prefix(top)?;
        if name == Path::new("target") {
            continue;
        }
        if path.is_dir() && !path.is_symlink() {
            remove_others(top, &path, names)?;
        } else if !names.contains(name) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

fn roots(folder: &Path) -> Result<BTreeSet<PathBuf>> {
    let arguments = ["metadata", "--no-deps", "--format-version", "1"];
    let output = Command::new("cargo").current_dir(folder).args(arguments).output()?;
    ensure!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let targets = packages.flat_map(|package| package["targets"].as_array().into_iter().flatten());
    let compiled = targets.filter(|target| target["kind"][0] != "custom-build");
    Ok(compiled.filter_map(|target| target["src_path"].as_str().map(PathBuf::from)).collect())
}
