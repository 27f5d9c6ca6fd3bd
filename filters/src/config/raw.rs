//! The TOML document as it stands: every value optional, ready to be overridden by a drop-in's.

use std::path::{Component, Path, PathBuf};

use serde::Deserialize;

use super::{Config, ConfigError, DictionaryRule, OnError};
use crate::{
    format::Match,
    policy::{ContextRules, MAX_PASSWORD_BYTES, VariantRules},
};

/// The values of one file.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Values {
    min_length: Option<MinLength>,
    on_error: Option<OnError>,
    dictionary: Option<Vec<Dictionary>>,
    #[serde(default)]
    variants: Variants,
    #[serde(default)]
    context: ContextValues,
    #[serde(default)]
    ladder: Ladder,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "i64")]
struct MinLength(usize);

impl TryFrom<i64> for MinLength {
    type Error = String;

    fn try_from(value: i64) -> Result<MinLength, String> {
        let legal = usize::try_from(value).ok().filter(|n| (1..=MAX_PASSWORD_BYTES).contains(n));
        legal.map(MinLength).ok_or_else(|| format!("min_length must be 1 to {MAX_PASSWORD_BYTES}"))
    }
}

#[derive(Clone, Deserialize)]
#[serde(try_from = "String")]
struct AbsolutePath(PathBuf);

impl TryFrom<String> for AbsolutePath {
    type Error = &'static str;

    fn try_from(value: String) -> Result<AbsolutePath, &'static str> {
        let path = PathBuf::from(value);
        let is_plain = |part| matches!(part, Component::RootDir | Component::Normal(_));
        if path.is_absolute() && path.components().all(is_plain) {
            Ok(AbsolutePath(path))
        } else {
            Err("a file must be an absolute path without '..'")
        }
    }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum MatchValue {
    Near,
    Exact,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Dictionary {
    file: AbsolutePath,
    #[serde(rename = "match")]
    matching: Option<MatchValue>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Variants {
    accents: Option<bool>,
    leet: Option<bool>,
    reversed: Option<bool>,
    doubled: Option<bool>,
    affixes: Option<bool>,
    transpositions: Option<bool>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ContextValues {
    user: Option<bool>,
    gecos: Option<bool>,
    host: Option<bool>,
    old_password: Option<bool>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ladder {
    file: Option<AbsolutePath>,
    key: Option<AbsolutePath>,
}

impl Values {
    pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<Values, ConfigError> {
        let text = str::from_utf8(bytes).map_err(|_| ConfigError::NotUtf8 { path: path.to_owned() })?;
        toml::from_str(text)
            .map_err(|source| ConfigError::Parse { path: path.to_owned(), source: Box::new(source) })
    }

    pub(super) fn overridden_by(self, later: Values) -> Values {
        Values {
            min_length: later.min_length.or(self.min_length),
            on_error: later.on_error.or(self.on_error),
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
        if let Some(MinLength(length)) = self.min_length {
            config.policy.min_length = length;
        }
        config.policy.variants = self.variants.into_rules();
        config.policy.context = self.context.into_rules();
        config.on_error = self.on_error.unwrap_or_default();
        if let Some(list) = self.dictionary {
            config.dictionaries = list.into_iter().map(Dictionary::into_rule).collect();
        }
        if let Some(AbsolutePath(file)) = self.ladder.file {
            config.ladder.file = file;
        }
        if let Some(AbsolutePath(key)) = self.ladder.key {
            config.ladder.key = key;
        }
        config
    }
}

impl Dictionary {
    fn into_rule(self) -> DictionaryRule {
        let matching = self.matching.map(|value| match value {
            MatchValue::Near => Match::Near,
            MatchValue::Exact => Match::Exact,
        });
        DictionaryRule { file: self.file.0, matching }
    }
}

impl Variants {
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

impl ContextValues {
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
