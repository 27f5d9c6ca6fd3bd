//! Replaces the defaults, or the values of an earlier file, by the values of one file.

use std::path::{Path, PathBuf};

use nearmiss_filters::format::Match;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    Config, ConfigError, DictionaryRule, Enforce, FleetRules, GuessRules, Guidance, LineRules, LogRule,
    MAX_BITS, MAX_SUGGESTIONS, MIN_BITS, Network, OnError, Origin, Repeats,
    document::{self, Mistake, Table, Words, absolute_path},
    fleet::MAX_ALSO,
    keys,
};
use crate::policy::{Field, NeverWords, Policy, RULES, Rule, Section, Substring};

const ON_ERROR: Words<OnError> = ("reject allow", &[OnError::Reject, OnError::Allow]);
const ENFORCE: Words<Enforce> = (Enforce::NAMES, &Enforce::ALL);
const LOG: Words<LogRule> =
    ("decisions rejections none", &[LogRule::Decisions, LogRule::Rejections, LogRule::None]);
const REPEATS: Words<Repeats> =
    ("account account-and-network", &[Repeats::Account, Repeats::AccountAndNetwork]);
const ORIGINS: Words<Origin> = ("remote all", &[Origin::Remote, Origin::All]);
const MATCHING: Words<Match> = ("near exact", &[Match::Near, Match::Exact]);
const PARTS: Words<Substring> = (Substring::NAMES, &Substring::ALL);

/// The highest value of `retry`.
const MAX_TRIES: usize = 100;

/// Replaces the values of `config` that the file at `path` sets; after an error some may be replaced and
/// others not.
///
/// # Errors
/// [`ConfigError`], except the errors of reading files.
pub(super) fn apply(path: &Path, bytes: &[u8], config: &mut Config) -> Result<(), ConfigError> {
    let (text, document) = parsed(path, bytes)?;
    apply_document(&document, config).map_err(|mistake| ConfigError::value(path, text, mistake))
}

/// The text of a file, and the parsed document.
///
/// # Errors
/// [`ConfigError`]: it is not UTF-8 or not TOML.
pub(super) fn parsed<'d>(
    path: &Path,
    bytes: &'d [u8],
) -> Result<(&'d str, Spanned<DeTable<'d>>), ConfigError> {
    let text = utf8(path, bytes)?;
    let document = DeTable::parse(text).map_err(|error| {
        let mistake = Mistake::of_parser(error.span().unwrap_or_default(), error.message());
        ConfigError::value(path, text, mistake)
    })?;
    Ok((text, document))
}

/// The text of a file.
///
/// # Errors
/// [`ConfigError::NotUtf8`].
pub(super) fn utf8<'t>(path: &Path, bytes: &'t [u8]) -> Result<&'t str, ConfigError> {
    std::str::from_utf8(bytes).map_err(|_| ConfigError::NotUtf8 { path: path.to_owned() })
}

fn apply_document(document: &Spanned<DeTable<'_>>, config: &mut Config) -> Result<(), Mistake> {
    let table = Table::new(document, keys::TOP)?;
    apply_rules_in(&table, Section::Top, &mut config.policy)?;
    table.set("on_error", &mut config.on_error, |value| document::word(value, ON_ERROR))?;
    table.set_switch("private_copy", &mut config.private_copy)?;
    table.set_switch("packaged", &mut config.packaged)?;
    table.set("enforce", &mut config.enforce, enforce)?;
    table.set("log", &mut config.log, |value| document::word(value, LOG))?;
    apply_line(&table, &mut config.line)?;
    apply_dictionaries(&table, &mut config.dictionaries)?;
    apply_policy(&table, config)?;
    apply_guidance(&table, &mut config.guidance)?;
    apply_section(&table, Section::Variants, "", &mut config.policy)?;
    apply_section(&table, Section::Context, "", &mut config.policy)?;
    let ladder = table.table("ladder", keys::LADDER)?;
    ladder.set_path("file", &mut config.ladder.file)?;
    ladder.set("on_error", &mut config.ladder_on_error, |value| document::word(value, ON_ERROR))?;
    ladder.set("enforce", &mut config.ladder_enforce, |value| enforce(value).map(Some))?;
    ladder.set_path("key", &mut config.ladder.key)?;
    apply_guesses(&table, &mut config.guesses)?;
    table.table("logins", keys::LOGINS)?.set_switch("log_users", &mut config.log_users)?;
    apply_fleet(&table, &mut config.fleet)
}

/// Adds the dictionaries of a file to the dictionaries of earlier files: a package's file and a site's own
/// must not switch each other's off. A filter that is named again is replaced, and an empty list removes all.
fn apply_dictionaries(table: &Table<'_>, known: &mut Vec<DictionaryRule>) -> Result<(), Mistake> {
    let listed = table.read("dictionary", |value| document::list(value, dictionary))?;
    let Some(listed) = listed else { return Ok(()) };
    if listed.is_empty() {
        known.clear();
    }
    for rule in listed {
        // Comparing paths part by part would be 100 bytes of the module.
        known.retain(|known| known.file.as_os_str() != rule.file.as_os_str());
        known.push(rule);
    }
    Ok(())
}

fn apply_fleet(table: &Table<'_>, rules: &mut FleetRules) -> Result<(), Mistake> {
    let FleetRules { socket, guessed, chosen, also, servers } = rules;
    let table = table.table("fleet", keys::FLEET)?;
    table.set_switch("servers", servers)?;
    table.set("also", also, |value| {
        let listed: Vec<PathBuf> = document::list(value, absolute_path)?;
        let words = || Mistake::new(value, "also may name at most two ladders");
        if listed.len() <= MAX_ALSO { Ok(listed) } else { Err(words()) }
    })?;
    let paths = [("socket", socket), ("guessed", guessed), ("chosen", chosen)];
    paths.into_iter().try_for_each(|(key, path)| table.set_path(key, path))
}

fn apply_guesses(table: &Table<'_>, rules: &mut GuessRules) -> Result<(), Mistake> {
    let table = table.table("guesses", keys::GUESSES)?;
    table.set_path("file", &mut rules.file)?;
    table.set_switch("reject", &mut rules.reject)?;
    table.set("repeats", &mut rules.repeats, |value| document::word(value, REPEATS))?;
    table.set("from", &mut rules.from, |value| document::word(value, ORIGINS))?;
    table.set("not_from", &mut rules.not_from, |value| document::list(value, network))?;
    table.set("memory", &mut rules.memory_days, |value| {
        // At most 365.
        document::number(value, "memory", 1..=365).map(|days| u32::try_from(days).unwrap_or(u32::MAX))
    })
}

fn apply_line(table: &Table<'_>, rules: &mut LineRules) -> Result<(), Mistake> {
    let LineRules { enforce_for_root, retry, local_users_only, codes, debug } = rules;
    table.set("retry", retry, |value| document::number(value, "retry", 1..=MAX_TRIES).map(Some))?;
    let switches = [
        ("enforce_for_root", enforce_for_root),
        ("local_users_only", local_users_only),
        ("codes", codes),
        ("debug", debug),
    ];
    switches.into_iter().try_for_each(|(key, switch)| table.set_switch(key, switch))
}

fn enforce(value: &Spanned<DeValue<'_>>) -> Result<Enforce, Mistake> {
    document::word(value, ENFORCE)
}

fn apply_guidance(table: &Table<'_>, guidance: &mut Guidance) -> Result<(), Mistake> {
    let Guidance { hint, suggest, suggest_bits, suggest_words } = guidance;
    table.set_switch("hint", hint)?;
    table.set_number("suggest", suggest, 0..=MAX_SUGGESTIONS)?;
    table.set_number("suggest_bits", suggest_bits, MIN_BITS..=MAX_BITS)?;
    table.set_path("suggest_words", suggest_words)
}

fn apply_policy(table: &Table<'_>, config: &mut Config) -> Result<(), Mistake> {
    let Config { forbidden_words_file, policy, .. } = config;
    let section = apply_section(table, Section::Policy, keys::POLICY, policy)?;
    section.set("forbidden_words", &mut policy.never, |value| {
        let mut words = NeverWords::default();
        let read = |word| document::string(word, |text| words.add(text.as_bytes()).map_err(Into::into));
        document::list(value, read).map(|_| words)
    })?;
    section.set("forbidden_words_file", forbidden_words_file, |value| absolute_path(value).map(Some))
}

/// Sets the rules of a section, which is returned for its `further` keys.
#[inline(never)]
fn apply_section<'d>(
    table: &Table<'d>,
    section: Section,
    further: &str,
    policy: &mut Policy,
) -> Result<Table<'d>, Mistake> {
    let mut known = further.to_owned();
    for rule in rules_of(section) {
        if !known.is_empty() {
            known.push(' ');
        }
        known.push_str(rule.key);
    }
    let table = table.table(section.name(), &known)?;
    apply_rules_in(&table, section, policy)?;
    Ok(table)
}

#[inline(never)]
fn apply_rules_in(table: &Table<'_>, section: Section, policy: &mut Policy) -> Result<(), Mistake> {
    for rule in rules_of(section) {
        apply_rule(table, rule, policy)?;
    }
    Ok(())
}

fn rules_of(section: Section) -> impl Iterator<Item = &'static Rule> {
    RULES.iter().filter(move |rule| rule.section == section)
}

fn apply_rule(table: &Table<'_>, rule: &Rule, policy: &mut Policy) -> Result<(), Mistake> {
    match &rule.field {
        Field::Switch(at, _) => table.set_switch(rule.key, at(policy)),
        Field::Number(at, range, _) => {
            let range = usize::from(*range.start())..=usize::from(*range.end());
            table.set_number(rule.key, at(policy), range)
        }
        Field::Part(at, _) => table.set(rule.key, at(policy), |value| document::word(value, PARTS)),
    }
}

fn network(value: &Spanned<DeValue<'_>>) -> Result<Network, Mistake> {
    document::string(value, |text| {
        Network::parse(text).ok_or_else(|| "a network is written as 10.0.0.0/8 or 2001:db8::/32".into())
    })
}

fn dictionary(value: &Spanned<DeValue<'_>>) -> Result<DictionaryRule, Mistake> {
    let table = document::table(value, "file match enforce logins")?;
    let file = table.require("file", absolute_path)?;
    let matching = table.read("match", |value| document::word(value, MATCHING))?;
    let enforce = table.read("enforce", enforce)?;
    let logins = table.read("logins", document::boolean)?.unwrap_or_default();
    Ok(DictionaryRule { file, matching, enforce, logins })
}
