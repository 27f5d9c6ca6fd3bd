//! The TOML document as it stands: every value optional, ready to be overridden by a drop-in's.

use std::path::{Component, Path, PathBuf};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    Config, ConfigError, DictionaryRule, OnError,
    document::{self, Mistake, Table},
};
use crate::{
    format::Match,
    policy::{ContextRules, MAX_PASSWORD_BYTES, VariantRules},
};

/// The values of one file.
#[derive(Default)]
pub(super) struct Values {
    min_length: Option<usize>,
    on_error: Option<OnError>,
    private_copy: Option<bool>,
    dictionary: Option<Vec<DictionaryRule>>,
    variants: Variants,
    context: ContextValues,
    ladder: Ladder,
}

#[derive(Default)]
struct Variants {
    accents: Option<bool>,
    leet: Option<bool>,
    reversed: Option<bool>,
    doubled: Option<bool>,
    affixes: Option<bool>,
    transpositions: Option<bool>,
}

#[derive(Default)]
struct ContextValues {
    user: Option<bool>,
    gecos: Option<bool>,
    host: Option<bool>,
    old_password: Option<bool>,
}

#[derive(Default)]
struct Ladder {
    file: Option<PathBuf>,
    key: Option<PathBuf>,
}

const KEYS: [&str; 7] =
    ["min_length", "on_error", "private_copy", "dictionary", "variants", "context", "ladder"];
const ON_ERROR: [(&str, OnError); 2] = [("reject", OnError::Reject), ("allow", OnError::Allow)];
const MATCHING: [(&str, Match); 2] = [("near", Match::Near), ("exact", Match::Exact)];

fn min_length(value: &Spanned<DeValue<'_>>) -> Result<usize, Mistake> {
    document::number(value, "min_length", 1..MAX_PASSWORD_BYTES + 1)
}

fn absolute_path(value: &Spanned<DeValue<'_>>) -> Result<PathBuf, Mistake> {
    document::string(value, |text| {
        let path = PathBuf::from(text);
        let is_plain = |part| matches!(part, Component::RootDir | Component::Normal(_));
        let is_legal = path.is_absolute() && path.components().all(is_plain);
        if is_legal { Ok(path) } else { Err("a file must be an absolute path without '..'".into()) }
    })
}

fn dictionary(value: &Spanned<DeValue<'_>>) -> Result<DictionaryRule, Mistake> {
    let table = document::table(value, &["file", "match"])?;
    let file = table.require("file", absolute_path)?;
    let matching = table.read("match", |value| document::word(value, &MATCHING))?;
    Ok(DictionaryRule { file, matching })
}

impl Values {
    pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<Values, ConfigError> {
        let text = str::from_utf8(bytes).map_err(|_| ConfigError::NotUtf8 { path: path.to_owned() })?;
        let document = DeTable::parse(text)
            .map_err(|source| ConfigError::Parse { path: path.to_owned(), source: Box::new(source) })?;
        Values::read(&document).map_err(|mistake| ConfigError::value(path, text, mistake))
    }

    fn read(document: &Spanned<DeTable<'_>>) -> Result<Values, Mistake> {
        let table = Table::new(document, &KEYS)?;
        Ok(Values {
            min_length: table.read("min_length", min_length)?,
            on_error: table.read("on_error", |value| document::word(value, &ON_ERROR))?,
            private_copy: table.read("private_copy", document::boolean)?,
            dictionary: table.read("dictionary", |value| document::list(value, dictionary))?,
            variants: Variants::read(&table)?,
            context: ContextValues::read(&table)?,
            ladder: Ladder::read(&table)?,
        })
    }

    pub(super) fn overridden_by(self, later: Values) -> Values {
        Values {
            min_length: later.min_length.or(self.min_length),
            on_error: later.on_error.or(self.on_error),
            private_copy: later.private_copy.or(self.private_copy),
            dictionary: later.dictionary.or(self.dictionary),
            variants: self.variants.overridden_by(&later.variants),
            context: self.context.overridden_by(&later.context),
            ladder: Ladder {
                file: later.ladder.file.or(self.ladder.file),
                key: later.ladder.key.or(self.ladder.key),
            },
        }
    }

    pub(super) fn into_config(self) -> Config {
        let mut config = Config::default();
        if let Some(length) = self.min_length {
            config.policy.min_length = length;
        }
        config.policy.variants = self.variants.into_rules();
        config.policy.context = self.context.into_rules();
        config.on_error = self.on_error.unwrap_or_default();
        config.private_copy = self.private_copy.unwrap_or_default();
        if let Some(list) = self.dictionary {
            config.dictionaries = list;
        }
        if let Some(file) = self.ladder.file {
            config.ladder.file = file;
        }
        if let Some(key) = self.ladder.key {
            config.ladder.key = key;
        }
        config
    }
}

impl Variants {
    fn read(root: &Table<'_>) -> Result<Variants, Mistake> {
        let known = ["accents", "leet", "reversed", "doubled", "affixes", "transpositions"];
        let table = root.table("variants", &known)?;
        Ok(Variants {
            accents: table.read("accents", document::boolean)?,
            leet: table.read("leet", document::boolean)?,
            reversed: table.read("reversed", document::boolean)?,
            doubled: table.read("doubled", document::boolean)?,
            affixes: table.read("affixes", document::boolean)?,
            transpositions: table.read("transpositions", document::boolean)?,
        })
    }

    fn overridden_by(&self, later: &Variants) -> Variants {
        Variants {
            accents: later.accents.or(self.accents),
            leet: later.leet.or(self.leet),
            reversed: later.reversed.or(self.reversed),
            doubled: later.doubled.or(self.doubled),
            affixes: later.affixes.or(self.affixes),
            transpositions: later.transpositions.or(self.transpositions),
        }
    }

    fn into_rules(self) -> VariantRules {
        let default = VariantRules::default();
        VariantRules {
            accents: self.accents.unwrap_or(default.accents),
            leet: self.leet.unwrap_or(default.leet),
            reversed: self.reversed.unwrap_or(default.reversed),
            doubled: self.doubled.unwrap_or(default.doubled),
            affixes: self.affixes.unwrap_or(default.affixes),
            transpositions: self.transpositions.unwrap_or(default.transpositions),
        }
    }
}

impl Ladder {
    fn read(root: &Table<'_>) -> Result<Ladder, Mistake> {
        let table = root.table("ladder", &["file", "key"])?;
        Ok(Ladder { file: table.read("file", absolute_path)?, key: table.read("key", absolute_path)? })
    }
}

impl ContextValues {
    fn read(root: &Table<'_>) -> Result<ContextValues, Mistake> {
        let table = root.table("context", &["user", "gecos", "host", "old_password"])?;
        Ok(ContextValues {
            user: table.read("user", document::boolean)?,
            gecos: table.read("gecos", document::boolean)?,
            host: table.read("host", document::boolean)?,
            old_password: table.read("old_password", document::boolean)?,
        })
    }

    fn overridden_by(&self, later: &ContextValues) -> ContextValues {
        ContextValues {
            user: later.user.or(self.user),
            gecos: later.gecos.or(self.gecos),
            host: later.host.or(self.host),
            old_password: later.old_password.or(self.old_password),
        }
    }

    fn into_rules(self) -> ContextRules {
        let default = ContextRules::default();
        ContextRules {
            user: self.user.unwrap_or(default.user),
            gecos: self.gecos.unwrap_or(default.gecos),
            host: self.host.unwrap_or(default.host),
            old_password: self.old_password.unwrap_or(default.old_password),
        }
    }
}
