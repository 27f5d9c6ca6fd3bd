//! Settings by which less is rejected than by the defaults, and files of settings that are not read.

use std::{
    fs,
    path::{Path, PathBuf},
};

use nearmiss_cli::{finding::Finding, keys};
use nearmiss_filters::{format::Match, storage::read_trusted};
use nearmiss_policy::{
    config::{Config, DEFAULT_DICTIONARY, Enforce, MAX_BYTES, OnError, UpdateRules, at, drop_in_folder},
    policy::{Policy, RULES, Rule, Section},
};

use super::CHECK;
use crate::{
    doctor::{Subject, remedy},
    filter_file::header::header_at,
    host::{left_behind::is_left_behind, settings_file::SettingsFile},
};

/// A warning for each setting that makes the check weak, and each file of settings that is not read.
pub(super) fn examine(subject: &Subject, config: &Config) -> Vec<Finding> {
    let settings = subject.settings();
    let weak = |key| move |message| Finding::warning(key, CHECK, message).fix(subject.changed_settings());
    let levels = levels(config).into_iter().map(weak(keys::SETTINGS_LEVEL));
    let parts = parts(config, &settings).into_iter().map(weak(keys::SETTINGS_WEAK));
    levels.chain(parts).chain(unread(&settings.path)).collect()
}

/// The levels below `reject`, and what they mean.
fn levels(config: &Config) -> Option<String> {
    let is_weak = |level: &Enforce| *level != Enforce::Reject;
    let shown = |level: Enforce| format!("enforce = \"{}\"", level.name());
    let mut levels: Vec<String> = Some(config.enforce).filter(is_weak).map(shown).into_iter().collect();
    for rule in &config.dictionaries {
        let own = rule.enforce.filter(is_weak).map(shown);
        levels.extend(own.map(|own| format!("{own} of {}", rule.file.display())));
    }
    levels.extend(config.ladder_enforce.filter(is_weak).map(|own| format!("{} of the ladders", shown(own))));
    let accepted = match (levels.as_slice(), config.strictest()) {
        ([], _) => return None,
        (_, Enforce::Reject) => "what only this finds weak is accepted",
        _ => "weak passwords are accepted",
    };
    Some(format!("{}: {accepted}", levels.join(", ")))
}

/// The rules that are weaker than by default, apart from single ones that are switched off.
fn parts(config: &Config, settings: &SettingsFile) -> Vec<String> {
    let (policy, least) = (&config.policy, Policy::default().min_length);
    let mut parts = Vec::new();
    if policy.min_length < least {
        parts.push(format!("min_length = {}: less than the default {least}", policy.min_length));
    }
    if config.on_error == OnError::Allow {
        parts.push(
            "on_error = \"allow\": while a filter cannot be used, weak passwords are accepted".to_owned(),
        );
    }
    for section in [Section::Policy, Section::Variants, Section::Context] {
        if RULES.iter().filter(|rule| rule.section == section).all(|rule| is_off(rule, policy)) {
            parts.push(format!("[{}]: everything is off", section.name()));
        }
    }
    parts.extend(exactly(config, settings).map(|what| format!("{what}: a word with one edit is accepted")));
    parts
}

/// What keeps the packaged filter of words from near matches: its section, the filter as it was built, or the
/// section by which the next update builds it.
fn exactly(config: &Config, settings: &SettingsFile) -> Option<String> {
    let packaged = at(&settings.root, Path::new(DEFAULT_DICTIONARY));
    let rule = config.dictionaries.iter().find(|rule| rule.file == packaged)?;
    if rule.matching == Some(Match::Exact) {
        return Some(format!("match = \"exact\" of {DEFAULT_DICTIONARY}"));
    }
    if header_at(&packaged).is_some_and(|header| header.matching == Match::Exact) {
        return Some(format!("{DEFAULT_DICTIONARY} was built for exact matches alone"));
    }
    let rules = UpdateRules::load_below(&settings.root, &settings.path).ok()?;
    (rules.spec.matching == Match::Exact)
        .then(|| "[update] builds filters for exact matches alone".to_owned())
}

fn is_off(rule: &Rule, policy: &Policy) -> bool {
    let mut without = policy.clone();
    rule.switch_off(&mut without);
    without == *policy
}

/// The files in the folder of drop-ins that somebody may take for drop-ins, and whose names do not end in
/// `.conf`.
fn unread(path: &Path) -> Vec<Finding> {
    let entries = fs::read_dir(drop_in_folder(path)).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|file| is_unread(file)).collect();
    files.sort();
    let finding = |file: &PathBuf| {
        let message = format!("{}: is not read: its name does not end in .conf", file.display());
        Finding::warning(keys::SETTINGS_UNREAD, CHECK, message).fix(renamed(file))
    };
    files.iter().map(finding).collect()
}

fn is_unread(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let is_text = name.starts_with('.') || name.to_uppercase().starts_with("README");
    file.is_file() && !name.ends_with(".conf") && !is_text && !is_left_behind(&name)
}

/// The command after which the file is read; an editor if it would make every change fail then, as one would
/// that others can write, or that names a file which cannot be read.
fn renamed(file: &Path) -> String {
    let stem = file.with_extension("");
    let is_ended = stem.extension().is_some_and(|end| end == "conf");
    let named = if is_ended { stem } else { file.with_extension("conf") };
    let has_its_words = |config: Config| {
        config.forbidden_words_file.is_none_or(|words| read_trusted(&words, MAX_BYTES).is_ok())
    };
    let text = read_trusted(file, MAX_BYTES).ok();
    let is_usable = text.is_some_and(|text| Config::parse(file, &text).is_ok_and(has_its_words));
    if is_usable && !named.exists() {
        return remedy::on_files("mv", [file, &named]);
    }
    remedy::on_files("vi", [file])
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use nearmiss_policy::config::DictionaryRule;

    use super::*;

    fn config(text: &str) -> Config {
        Config::parse(Path::new("/site.conf"), text.as_bytes()).unwrap()
    }

    fn parts_of(config: &Config) -> Vec<String> {
        parts(config, &SettingsFile::of_host(Path::new("/nonexistent/site.conf")))
    }

    /// The sections with each of their rules switched off.
    fn off(sections: &[Section]) -> Policy {
        let mut policy = Policy::default();
        RULES
            .iter()
            .filter(|rule| sections.contains(&rule.section))
            .for_each(|rule| rule.switch_off(&mut policy));
        policy
    }

    #[test]
    fn each_level_below_reject_is_named() {
        let both = |enforce: &str| {
            let one = |file| format!("[[dictionary]]\nfile = \"{file}\"\n{enforce}\n");
            format!("packaged = false\n{}{}", one("/a.filter"), one("/b.filter"))
        };
        for (text, expected) in [
            (String::new(), None),
            (both(""), None),
            ("enforce = \"warn\"".to_owned(), Some("enforce = \"warn\": weak passwords are accepted")),
            (
                both("enforce = \"audit\""),
                Some(
                    "enforce = \"audit\" of /a.filter, enforce = \"audit\" of /b.filter: what only this \
                     finds weak is accepted",
                ),
            ),
            (
                "[ladder]\nenforce = \"warn\"".to_owned(),
                Some("enforce = \"warn\" of the ladders: what only this finds weak is accepted"),
            ),
        ] {
            assert_eq!(levels(&config(&text)).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn rules_that_are_weaker_than_the_defaults_are_named() {
        assert_eq!(parts_of(&Config::default()), [""; 0]);
        assert_eq!(parts_of(&config("min_length = 8\n[policy]\nsequences = false")), [""; 0]);
        assert_eq!(parts_of(&config("min_length = 7")), ["min_length = 7: less than the default 8"]);
        let [open] = <[String; 1]>::try_from(parts_of(&config("on_error = \"allow\""))).unwrap();
        assert!(open.ends_with("while a filter cannot be used, weak passwords are accepted"), "{open}");
        let sections = [Section::Policy, Section::Variants, Section::Context];
        let without = Config { policy: off(&sections), ..Config::default() };
        let all = sections.map(|section| format!("[{}]: everything is off", section.name()));
        assert_eq!(parts_of(&without), all);
        let rule =
            DictionaryRule { matching: Some(Match::Exact), ..DictionaryRule::new(DEFAULT_DICTIONARY.into()) };
        let exact = Config { dictionaries: vec![rule], ..Config::default() };
        let [part] = <[String; 1]>::try_from(parts_of(&exact)).unwrap();
        assert!(part.starts_with("match = \"exact\" of /var/cache/nearmiss/words.filter"), "{part}");
    }

    #[test]
    fn a_packaged_filter_without_near_matches_is_named() {
        use nearmiss_filters::{
            dictionary::{Build, Spec},
            hash::Key,
        };

        let root = tempfile::tempdir().unwrap();
        let conf = root.path().join("etc/security/nearmiss.conf");
        let filter = at(root.path(), Path::new(DEFAULT_DICTIONARY));
        for file in [&conf, &filter] {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
        }
        let found = |text: &str, matching: Match| {
            fs::write(&conf, text).unwrap();
            let build = Build::new(Spec { matching, ..Spec::default() }, Key::new([1; 16]));
            fs::write(&filter, build.in_memory(&[b"elephant\n"]).unwrap()).unwrap();
            let settings = SettingsFile::below(root.path(), Path::new("/etc/security/nearmiss.conf"));
            parts(&settings.read().unwrap(), &settings)
        };
        assert_eq!(found("", Match::Near), [""; 0]);
        assert_eq!(found("packaged = false\n[update]\nmatch = \"exact\"\n", Match::Exact), [""; 0]);
        let built = format!(
            "{DEFAULT_DICTIONARY} was built for exact matches alone: a word with one edit is accepted"
        );
        assert_eq!(found("[update]\nmatch = \"exact\"\n", Match::Exact), [built]);
        let [next] = <[String; 1]>::try_from(found("[update]\nmatch = \"exact\"\n", Match::Near)).unwrap();
        assert!(next.starts_with("[update] builds filters for exact matches alone: "), "{next}");
    }

    #[test]
    fn a_drop_in_with_another_ending_is_named_and_renamed_if_it_can_be_used() {
        let folder = tempfile::tempdir().unwrap();
        let main = folder.path().join("site.conf");
        let drop_ins = folder.path().join("site.conf.d");
        fs::create_dir(&drop_ins).unwrap();
        let path = |name: &str| drop_ins.join(name).display().to_string();
        for read in [
            "10-site.conf",
            "10-site.conf~",
            ".hidden",
            ".ansible_tmpabc10-site.conf",
            "README",
            "10-site.conf.dpkg-old",
            "x.bak",
        ] {
            fs::write(drop_ins.join(read), "min_length = 9\n").unwrap();
        }
        assert!(unread(&main).is_empty(), "{:?}", unread(&main));
        for (name, text, fix) in [
            ("site.toml", "min_length = 20\n", format!("mv {} {}", path("site.toml"), path("site.conf"))),
            ("50-site", "min_length = 20\n", format!("mv {} {}", path("50-site"), path("50-site.conf"))),
            ("a.CONF", "min_length = 20\n", format!("mv {} {}", path("a.CONF"), path("a.conf"))),
            ("a.conf.txt", "min_length = 20\n", format!("mv {} {}", path("a.conf.txt"), path("a.conf"))),
            ("10-site.txt", "min_length = 20\n", format!("vi {}", path("10-site.txt"))),
            ("b.toml", "nonsense = 1\n", format!("vi {}", path("b.toml"))),
            ("c.toml", "forbidden_words_file = \"/none\"\n", format!("vi {}", path("c.toml"))),
            ("open.toml", "min_length = 20\n", format!("vi {}", path("open.toml"))),
        ] {
            fs::write(drop_ins.join(name), text).unwrap();
            if name == "open.toml" {
                fs::set_permissions(drop_ins.join(name), fs::Permissions::from_mode(0o666)).unwrap();
            }
            let [found] = <[Finding; 1]>::try_from(unread(&main)).unwrap();
            assert!(found.message.starts_with(&format!("{}: is not read", path(name))), "{found:?}");
            assert_eq!(found.fix, Some(fix), "{name}");
            fs::remove_file(drop_ins.join(name)).unwrap();
        }
    }
}
