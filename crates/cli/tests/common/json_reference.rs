//! docs/json.md, by which the results that the programs print as JSON are judged: each key is described, has
//! the type that is written there, and is there unless it is optional.

use std::{collections::BTreeMap, fs, path::Path, sync::OnceLock};

use serde_json::{Map, Value};

/// The tables of the page by the anchors of their headings, and the commands that print them.
struct Reference {
    tables: BTreeMap<String, Table>,
    /// The words of a command, such as `filterctl ladder info`, and the anchor of its table.
    commands: Vec<(String, String)>,
}

/// The table below a heading.
#[derive(Default)]
struct Table {
    /// Tables whose keys are in the object, too; true if they may be absent.
    others: Vec<(String, bool)>,
    keys: BTreeMap<String, Key>,
}

/// A row.
struct Key {
    kind: String,
    is_optional: bool,
    /// The table of the objects that it contains.
    item: Option<String>,
}

/// Fails unless the page describes what this command printed.
pub(super) fn assert_described(program: &str, arguments: &[String], printed: &Value) {
    let reference = reference();
    let words = [&[program.to_owned()], arguments].concat();
    let is_of = |command: &str| {
        let command: Vec<&str> = command.split(' ').collect();
        words.len() >= command.len() && words.iter().zip(&command).all(|(word, of)| word == of)
    };
    let commands = reference.commands.iter().filter(|(command, _)| is_of(command));
    let faults: Vec<Vec<String>> =
        commands.map(|(_, anchor)| reference.faults(anchor, printed, "")).collect();
    let is_described = faults.iter().any(Vec::is_empty);
    assert!(is_described, "docs/json.md does not describe what {words:?} prints: {faults:#?}\n{printed}");
}

fn reference() -> &'static Reference {
    static REFERENCE: OnceLock<Reference> = OnceLock::new();
    REFERENCE.get_or_init(|| {
        let root =
            Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|it| it.join("Cargo.lock").exists());
        Reference::read(&fs::read_to_string(root.unwrap().join("docs/json.md")).unwrap())
    })
}

impl Reference {
    fn read(page: &str) -> Reference {
        let mut reference = Reference { tables: BTreeMap::new(), commands: Vec::new() };
        let mut anchor = String::new();
        for line in page.lines() {
            if let Some(heading) =
                line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#'))
            {
                anchor = anchor_of(heading);
                reference.add_commands(heading, &anchor);
            } else if let Some(row) = line.strip_prefix("| `") {
                let (name, key) = Key::read(row);
                let is_new = reference.table(&anchor).keys.insert(name.to_owned(), key).is_none();
                assert!(is_new, "docs/json.md: {anchor} has two rows of {name}");
            } else if line.starts_with("The keys of ") {
                let other = linked(line).unwrap();
                reference.table(&anchor).others.push((other, line.contains(" if ")));
            }
        }
        reference
    }

    /// A heading names commands, each with what tells its results apart.
    fn add_commands(&mut self, heading: &str, anchor: &str) {
        for named in heading
            .split(", ")
            .filter(|named| named.starts_with("filterctl ") || named.starts_with("nearmiss-"))
        {
            let command = named.split(" of ").next().unwrap().split(" --").next().unwrap();
            self.commands.push((command.to_owned(), anchor.to_owned()));
        }
    }

    fn table(&mut self, anchor: &str) -> &mut Table {
        self.tables.entry(anchor.to_owned()).or_default()
    }

    /// What the page does not say of the value at `place`; none if it is as described.
    fn faults(&self, anchor: &str, value: &Value, place: &str) -> Vec<String> {
        let Value::Object(object) = value else { return vec![format!("{place} is no object")] };
        let described = self.keys(anchor, object);
        let printed = object.iter().filter(|(name, _)| !place.is_empty() || *name != "schema");
        let faults = printed.flat_map(|(name, value)| {
            let place = format!("{place}.{name}");
            match described.get(name.as_str()) {
                None => vec![format!("{place} is not described")],
                Some(key) if !is_of_kind(&key.kind, value) => vec![format!("{place} is no {}", key.kind)],
                Some(Key { item: Some(item), .. }) => self.item_faults(item, value, &place),
                Some(_) => Vec::new(),
            }
        });
        let absent = described.iter().filter(|(name, key)| !key.is_optional && !object.contains_key(**name));
        faults.chain(absent.map(|(name, _)| format!("{place}.{name} is absent"))).collect()
    }

    fn item_faults(&self, anchor: &str, value: &Value, place: &str) -> Vec<String> {
        match value {
            Value::Array(items) => items.iter().flat_map(|item| self.faults(anchor, item, place)).collect(),
            Value::Null => Vec::new(),
            value => self.faults(anchor, value, place),
        }
    }

    /// The rows for an object: its own, and the ones of other tables unless these are absent as a whole.
    fn keys(&self, anchor: &str, object: &Map<String, Value>) -> BTreeMap<&str, &Key> {
        assert!(self.tables.contains_key(anchor), "docs/json.md: no table for #{anchor}");
        let table = &self.tables[anchor];
        let mut keys = BTreeMap::new();
        for (other, may_be_absent) in &table.others {
            let others = self.keys(other, object);
            let own = |name: &str| table.keys.contains_key(name);
            if !may_be_absent || others.keys().any(|name| object.contains_key(*name) && !own(name)) {
                keys.extend(others);
            }
        }
        keys.extend(table.keys.iter().map(|(name, key)| (name.as_str(), key)));
        keys
    }
}

impl Key {
    /// Reads a row behind its first sign.
    fn read(row: &str) -> (&str, Key) {
        let mut cells = row.split(" | ");
        let name = cells.next().unwrap().trim_end_matches('`');
        let kind = cells.next().unwrap();
        let (kind, is_optional) = kind.strip_suffix(", optional").map_or((kind, false), |kind| (kind, true));
        let has_items = kind.starts_with("array") || kind.starts_with("object");
        let item = cells.next().filter(|_| has_items).and_then(linked);
        (name, Key { kind: kind.to_owned(), is_optional, item })
    }
}

fn is_of_kind(kind: &str, value: &Value) -> bool {
    if let Some((one, other)) = kind.split_once(" or ") {
        return is_of_kind(one, value) || is_of_kind(other, value);
    }
    if let Some(of) = kind.strip_prefix("array of ") {
        return value.as_array().is_some_and(|items| items.iter().all(|item| is_of_kind(of, item)));
    }
    if let Some(of) = kind.strip_prefix("object of ") {
        return value.as_object().is_some_and(|items| items.values().all(|item| is_of_kind(of, item)));
    }
    match kind {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => {
            assert_eq!(kind, "any", "docs/json.md: no type");
            true
        }
    }
}

/// The anchor of a heading, as it is in a link.
fn anchor_of(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    heading.to_lowercase().chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The anchor of the first link within the page.
fn linked(text: &str) -> Option<String> {
    let (_, link) = text.split_once("(#")?;
    Some(link.split_once(')')?.0.to_owned())
}
