//! The source of each setting. The defaults are the values in the file that the packages install; a test
//! compares them with the library's.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use nearmiss_cli::failure::Failure;
use nearmiss_filters::{format::Kind, text::is_steering};
use nearmiss_policy::config::{self, Config, ConfigError, Setting, UpdateRules, Value};
use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::{
    configuration,
    host::{pam_stack::StackEntry, settings_file::SettingsFile},
};

/// Every setting that has a default, commented out.
const DEFAULTS: &str = include_str!("../../../../packaging/conf/nearmiss.conf");

/// Options of the line that are settings of the same name.
const SWITCHES: [&str; 5] = ["enforce_for_root", "local_users_only", "codes", "debug", "hint"];

/// A setting in force.
#[derive(Clone, Debug)]
pub(super) struct Effective {
    pub(super) key: String,
    pub(super) value: Value,
    pub(super) source: SettingSource,
    /// True if the value differs from the default.
    pub(super) is_changed: bool,
}

impl Effective {
    /// Its lines in the syntax of nearmiss.conf(5), the first with its source: one, or a table.
    pub(super) fn lines(&self) -> Vec<(String, Option<String>)> {
        let Effective { key, value, source, .. } = self;
        let first = |line: String| (line, Some(source.to_string()));
        let Value::Table(entries) = value else { return vec![first(assigned(key, value))] };
        let entries = entries.iter().map(|(key, value)| (assigned(key, value), None));
        [first(format!("[[{key}]]"))].into_iter().chain(entries).collect()
    }
}

/// The assignment in TOML; a character that could steer a terminal can only be in a string, and is escaped as
/// there.
fn assigned(key: &str, value: &Value) -> String {
    let escaped = |c: char| if is_steering(c) { format!("\\U{:08X}", u32::from(c)) } else { c.to_string() };
    format!("{key} = {value}").chars().map(escaped).collect()
}

/// The source of a setting.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SettingSource {
    /// No file and no option sets it.
    Default,
    /// A file of the configuration, and its line.
    File(PathBuf, usize),
    /// The line of the PAM stack.
    PamLine(PathBuf, usize),
}

impl fmt::Display for SettingSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingSource::Default => f.write_str("default"),
            SettingSource::File(file, line) | SettingSource::PamLine(file, line) => {
                write!(f, "{}:{line}", file.display())
            }
        }
    }
}

/// The files of `conf` that are read, and their settings, overridden by the line of the stack.
///
/// # Errors
/// The configuration cannot be read, or has a mistake.
pub(super) fn settings(
    conf: &SettingsFile,
    line: Option<&StackEntry>,
) -> Result<(Vec<PathBuf>, Vec<Effective>), Failure> {
    let (config, rules) = (configuration::load_of(conf)?, configuration::update_rules(conf)?);
    let mut all = All(Vec::new());
    let unusable = |error| configuration::unusable(&error);
    let read = |path: &Path, text: &[u8]| config::settings(path, text).map_err(unusable);
    all.take(read(Path::new("nearmiss.conf"), &uncommented())?, |_| SettingSource::Default);
    all.set("retry", Value::Integer(1), SettingSource::Default);
    let mut defaults = All(all.0.clone());
    let mut files = Vec::new();
    for (file, bytes) in config::files_below(&conf.root, &conf.path).map_err(unusable)? {
        all.take(read(&file, &bytes)?, |line| SettingSource::File(file.clone(), line));
        files.push(file);
    }
    all.fit(&rules);
    defaults.fit(&defaults_of(rules.spec.kind).map_err(unusable)?);
    if let Some(line) = line {
        all.take_line(line, &config);
    }
    all.compare(&defaults);
    Ok((files, all.0))
}

/// The defaults of `[update]` for a filter of this kind.
fn defaults_of(kind: Kind) -> Result<UpdateRules, ConfigError> {
    let text = format!("[update]\nkind = \"{}\"\n", kind.name());
    UpdateRules::parse(Path::new("nearmiss.conf"), text.as_bytes())
}

/// The filter that a table names.
fn file_of(table: &Value) -> Option<&Value> {
    let Value::Table(entries) = table else { return None };
    entries.iter().find(|(key, _)| key == "file").map(|(_, file)| file)
}

/// The documented file with its settings in force.
fn uncommented() -> Vec<u8> {
    let settings = DEFAULTS.lines().map(|line| line.strip_prefix('#').unwrap_or(line));
    let settings = settings.filter(|line| !line.starts_with([' ', '#']));
    settings.flat_map(|line| [line, "\n"]).collect::<String>().into_bytes()
}

struct All(Vec<Effective>);

impl All {
    /// Replaces settings by the ones of one file.
    fn take(&mut self, settings: Vec<Setting>, source: impl Fn(usize) -> SettingSource) {
        for Setting { key, value, line } in settings {
            let source = source(line);
            if matches!(value, Value::Table(_)) {
                self.add(&key, value, source);
            } else {
                self.set(&key, value, source);
            }
        }
    }

    /// Adds a table to the tables before it, in any file; one of the same filter is replaced.
    fn add(&mut self, key: &str, value: Value, source: SettingSource) {
        let added = Effective { key: key.to_owned(), value, source, is_changed: true };
        // An empty list has removed the tables before it, and is not shown.
        self.0.retain(|own| own.key != key || matches!(own.value, Value::Table(_)));
        self.0.retain(|own| own.key != key || file_of(&own.value) != file_of(&added.value));
        let last = self.0.iter().rposition(|own| own.key == key);
        self.0.insert(last.map_or(self.0.len(), |at| at.saturating_add(1)), added);
    }

    /// Replaces all settings of the same key by one.
    fn set(&mut self, key: &str, value: Value, source: SettingSource) {
        let at = self.0.iter().position(|own| own.key == key);
        self.0.retain(|own| own.key != key);
        let at = at.unwrap_or(self.0.len());
        self.0.insert(at, Effective { key: key.to_owned(), value, source, is_changed: true });
    }

    /// The defaults that depend on other settings.
    fn fit(&mut self, rules: &UpdateRules) {
        let text = |path: &PathBuf| Value::Text(path.display().to_string());
        let folders = Value::List(rules.folders.iter().map(text).collect());
        let matching = if rules.is_auto { "auto" } else { rules.spec.matching.name() };
        let matching = Value::Text(matching.to_owned());
        let values = [("common", Value::Boolean(rules.common)), ("folders", folders), ("match", matching)];
        for (key, value) in values {
            let key = format!("update.{key}");
            let own = self.0.iter_mut().filter(|own| own.key == key && own.source == SettingSource::Default);
            own.for_each(|own| own.value = value.clone());
        }
    }

    /// Finds out which settings differ from their defaults; a table has none.
    fn compare(&mut self, defaults: &All) {
        for own in &mut self.0 {
            let is_default = |default: &Effective| default.key == own.key && default.value == own.value;
            own.is_changed = !defaults.0.iter().any(is_default);
        }
    }

    /// The options of the line override the files; an option that the module ignores is not a setting.
    fn take_line(&mut self, line: &StackEntry, config: &Config) {
        let source = || SettingSource::PamLine(line.file.clone(), line.number);
        for switch in SWITCHES.into_iter().filter(|switch| line.has(switch)) {
            self.set(switch, Value::Boolean(true), source());
        }
        for (name, numbers) in [("retry", 1..=100), ("suggest", 0..=9)] {
            let number = line.value(name).and_then(|text| text.parse().ok());
            if let Some(number) = number.filter(|number| numbers.contains(number)) {
                self.set(name, Value::Integer(number), source());
            }
        }
        let options = line.options();
        if let Some(level) = options.enforce {
            self.enforce_all(level.name(), &source());
        }
        if let Some(filter) = options.filter {
            let file = ("file".to_owned(), Value::Text(filter.display().to_string()));
            self.set("dictionary", Value::Table(vec![file]), source());
            let is_packaged = config.packaged && filter == Path::new(config::DEFAULT_DICTIONARY);
            self.set("packaged", Value::Boolean(is_packaged), source());
        }
    }

    /// A level on the line applies to every part.
    fn enforce_all(&mut self, level: &str, source: &SettingSource) {
        self.set("enforce", Value::Text(level.to_owned()), source.clone());
        self.0.retain(|own| own.key != "ladder.enforce");
        for own in self.0.iter_mut().filter(|own| own.key == "dictionary") {
            if let Value::Table(entries) = &mut own.value {
                entries.retain(|(key, _)| key != "enforce");
            }
        }
    }
}

impl Serialize for Effective {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (source, place) = match &self.source {
            SettingSource::Default => ("default", None),
            SettingSource::File(file, line) => ("file", Some((file, line))),
            SettingSource::PamLine(file, line) => ("pam-line", Some((file, line))),
        };
        let mut object = serializer.serialize_struct("Setting", 5)?;
        object.serialize_field("key", &self.key)?;
        object.serialize_field("value", &json(&self.value))?;
        object.serialize_field("source", source)?;
        object.serialize_field("file", &place.map(|(file, _)| file.display().to_string()))?;
        object.serialize_field("line", &place.map(|(_, line)| line))?;
        object.end()
    }
}

fn json(value: &Value) -> serde_json::Value {
    match value {
        Value::Boolean(is_so) => (*is_so).into(),
        Value::Integer(number) => (*number).into(),
        Value::Float(number) => (*number).into(),
        Value::Text(text) => text.clone().into(),
        Value::List(list) => list.iter().map(json).collect(),
        Value::Table(entries) => entries.iter().map(|(key, value)| (key.clone(), json(value))).collect(),
    }
}
