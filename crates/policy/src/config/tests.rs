use std::{fs, path::Path};

use nearmiss_filters::storage::Walk;

use super::{load::drop_ins, *};
use crate::policy::{Field, NeverWords, RULES, Rule, Section, Substring};

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(Path::new("/etc/test.conf"), text.as_bytes())
}

fn error(text: &str) -> String {
    parse(text).err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn nothing_means_defaults() {
    assert_eq!(parse("").unwrap(), Config::default());
}

/// The setting that a comment of the documented file is.
fn setting_in(line: &str) -> Option<&str> {
    line.strip_prefix('#').filter(|rest| !rest.starts_with([' ', '#']) && !rest.is_empty())
}

/// As the file says: each `#` before a setting can be removed without any other.
#[test]
fn each_line_of_the_documented_file_can_be_set_alone() {
    let text = include_str!("../../../../packaging/conf/nearmiss.conf");
    let lines: Vec<&str> = text.lines().collect();
    let mut section = "";
    let mut count = 0;
    for (at, line) in lines.iter().enumerate() {
        section = line.strip_prefix('[').map_or(section, |rest| rest.trim_end_matches(']'));
        let Some(setting) = setting_in(line) else { continue };
        let alone: Vec<&str> =
            lines.iter().enumerate().map(|(other, line)| if other == at { setting } else { line }).collect();
        let alone = alone.join("\n");
        let found = settings(Path::new("nearmiss.conf"), alone.as_bytes()).unwrap();
        let key = setting.split(' ').next().unwrap();
        let name = if section.is_empty() { key.to_owned() } else { format!("{section}.{key}") };
        let keys: Vec<&str> = found.iter().map(|setting| setting.key.as_str()).collect();
        assert_eq!(keys, [name], "{setting}");
        assert_eq!(parse(&alone).unwrap(), Config::default(), "{setting}");
        count += 1;
    }
    assert!(count > 50, "{count}");
}

/// The text that `filterctl config` and the packages show has every rule, every value being the default.
#[test]
fn the_documented_file_is_the_default() {
    let text = include_str!("../../../../packaging/conf/nearmiss.conf");
    assert_eq!(parse(text).unwrap(), Config::default());
    let uncommented: String =
        text.lines().map(|line| setting_in(line).unwrap_or(line)).flat_map(|line| [line, "\n"]).collect();
    assert_eq!(parse(&uncommented).unwrap(), Config::default());
    let shown = settings(Path::new("nearmiss.conf"), uncommented.as_bytes()).unwrap();
    let manual = include_str!("../../../../packaging/man/nearmiss.conf.5");
    for Rule { section, key, .. } in &RULES {
        let name =
            if *section == Section::Top { (*key).to_owned() } else { format!("{}.{key}", section.name()) };
        assert!(shown.iter().any(|setting| setting.key == name), "nearmiss.conf does not have {name}");
        assert!(manual.contains(&format!("{key} = ")), "nearmiss.conf(5) does not have {name}");
    }
}

#[test]
fn every_value_can_be_set() {
    let config = parse(
        "on_error = \"allow\"\nprivate_copy = true\npackaged = false\n\
         enforce = \"warn\"\nlog = \"rejections\"\nenforce_for_root = true\nretry = 3\n\
         local_users_only = true\ncodes = true\ndebug = true\n\
         hint = true\nsuggest = 3\nsuggest_bits = 70\nsuggest_words = \"/w.lst\"\n\
         [[dictionary]]\nfile = \"/a.filter\"\nmatch = \"exact\"\nenforce = \"audit\"\n\
         [[dictionary]]\nfile = \"/b.filter\"\nlogins = true\n\
         [logins]\nlog_users = true\n\
         [policy]\nforbidden_words = [\"Acme\"]\nforbidden_words_file = \"/n\"\n\
         [ladder]\nfile = \"/l\"\nkey = \"/k\"\non_error = \"reject\"\nenforce = \"reject\"\n\
         [update]\ncommon = false\n\
         [guesses]\nfile = \"/g\"\nreject = false\nrepeats = \"account-and-network\"\nfrom = \"all\"\n\
         not_from = [\"10.0.0.0/8\", \"::1\"]\nmemory = 30\n\
         [fleet]\nsocket = \"/s\"\nguessed = \"/f\"\nchosen = \"/h\"\nalso = [\"/i\"]\n",
    )
    .unwrap();
    assert_eq!((config.enforce, config.enforce_of_ladder()), (Enforce::Warn, Enforce::Reject));
    let levels: Vec<_> = config.dictionaries.iter().map(|rule| config.enforce_of(rule)).collect();
    assert_eq!((levels, config.log), (vec![Enforce::Audit, Enforce::Warn], LogRule::Rejections));
    let (is_on, retry) = (true, Some(3));
    let line =
        LineRules { enforce_for_root: is_on, retry, local_users_only: is_on, codes: is_on, debug: is_on };
    assert_eq!((config.line, config.ladder_on_error), (line, OnError::Reject));
    assert_eq!(config.on_error, OnError::Allow);
    assert!(config.private_copy);
    let files: Vec<_> = config.dictionaries.iter().map(|rule| rule.file.to_str().unwrap()).collect();
    assert_eq!(files, ["/a.filter", "/b.filter"]);
    assert_eq!(config.dictionaries.iter().map(|rule| rule.logins).collect::<Vec<_>>(), [false, true]);
    assert!(config.log_users);
    assert_eq!(config.dictionaries.first().and_then(|rule| rule.matching), Some(Match::Exact));
    let mut never = NeverWords::default();
    never.add(b"acme").unwrap();
    assert_eq!((&config.policy.never, &config.forbidden_words_file), (&never, &Some("/n".into())));
    assert_eq!(config.ladder.file, PathBuf::from("/l"));
    let rules = GuessRules {
        file: "/g".into(),
        seen: SEEN_FAILURES.into(),
        reject: false,
        repeats: Repeats::AccountAndNetwork,
        from: Origin::All,
        not_from: ["10.0.0.0/8", "::1"].map(|text| Network::parse(text).unwrap()).into(),
        memory_days: 30,
    };
    assert_eq!(config.guesses, rules);
    assert_eq!(config.guess_files(), LadderFiles { file: "/g".into(), key: "/k".into() });
    let guidance = Guidance { hint: true, suggest: 3, suggest_bits: 70, suggest_words: "/w.lst".into() };
    assert_eq!(config.guidance, guidance);
}

/// Each value of each rule: its own field is set and no other.
#[test]
fn every_rule_can_be_set() {
    for rule in &RULES {
        let name = rule.section.name();
        let section = if name.is_empty() { "" } else { &format!("[{name}]\n") };
        let mut expected = Config::default();
        let check = |value: &str, expected: &Config| {
            let text = format!("{section}{} = {value}\n", rule.key);
            assert_eq!(parse(&text).unwrap(), *expected, "{text}");
        };
        match &rule.field {
            Field::Switch(at, _) => {
                for is_on in [false, true] {
                    *at(&mut expected.policy) = is_on;
                    check(&is_on.to_string(), &expected);
                }
            }
            Field::Number(at, range, _) => {
                for number in [*range.start(), *range.end()] {
                    *at(&mut expected.policy) = number.into();
                    check(&number.to_string(), &expected);
                }
            }
            Field::Part(at, _) => {
                for (word, part) in Substring::NAMES.split(' ').zip(Substring::ALL) {
                    *at(&mut expected.policy) = part;
                    check(&format!("\"{word}\""), &expected);
                }
            }
        }
    }
}

#[test]
fn errors_point_at_the_line() {
    for (text, line, says) in [
        ("min_length = 8\nmin_lenght = 9\n", "line 2", "min_lenght"),
        ("\nmin_length = \"8\"\n", "line 2", "write a whole number, without quotes"),
        ("min_length = 0\n", "line 1", "1 to 511"),
        ("on_error = \"ignore\"\n", "line 1", "reject"),
        ("private_copy = \"yes\"\n", "line 1", "write true or false, without quotes"),
        ("[variants]\nleet = 1\n", "line 2", "write true or false"),
        ("[policy]\nmin_length = 9\n", "line 2", "`min_length`: it belongs above the first [section]"),
        ("[variants]\non_error = \"allow\"\n", "line 2", "it belongs above the first [section]"),
        ("two_words = true\n", "line 1", "`two_words`: it belongs in [policy]"),
        ("forbidden_words = []\n", "line 1", "it belongs in [policy]"),
        ("[policy]\nleet = true\n", "line 2", "it belongs in [variants]"),
        ("[policy]\nfile = \"/a\"\n", "line 2", "unknown key `file`; see nearmiss.conf(5)"),
        ("[[dictionary]]\nfile = \"/a\"\nlogins = 1\n", "line 3", "write true or false"),
        ("[logins]\nlog_user = true\n", "line 2", "log_users"),
        ("[policy]\ndigits_max = 512\n", "line 2", "0 to 511"),
        ("[policy]\nsubstring = \"all\"\n", "line 2", "two-thirds"),
        ("[policy]\nforbidden_words = [\"acme\", \"abc\"]\n", "line 2", "4 to 64"),
        ("[policy]\nforbidden_words = \"acme\"\n", "line 2", "write a list in brackets"),
        ("[policy]\nforbidden_words_file = \"n\"\n", "line 2", "absolute"),
        ("[policy]\ntwo_word = true\n", "line 2", "two_words"),
        ("[[dictionary]]\nfile = \"words.filter\"\n", "line 2", "absolute"),
        ("[[dictionary]]\nfile = \"/a/../b\"\n", "line 2", "absolute"),
        ("[[dictionary]]\nmatch = \"near\"\n", "line 1", "file"),
        ("[[dictionary]]\nfile = \"/a\"\nmatch = \"fuzzy\"\n", "line 3", "near"),
        ("suggest = 10\n", "line 1", "0 to 9"),
        ("suggest_bits = 49\n", "line 1", "50 to 256"),
        ("suggest_words = \"words\"\n", "line 1", "absolute"),
        ("hint = 1\n", "line 1", "write true or false"),
        ("[ladder\n", "line 1", "not TOML: unclosed"),
        // Text without quotes, whatever its first letter.
        ("[[dictionary]]\nfile = \"/a\"\nmatch = near\n", "line 3", "write text in quotes"),
        ("packaged = no\n", "line 1", "write text in quotes, and numbers, true and false without"),
        ("log = None\n", "line 1", "write text in quotes"),
        ("log = info\n", "line 1", "write text in quotes"),
        ("[policy]\nsubstring = two-thirds\n", "line 2", "write text in quotes"),
        ("[[dictionary]]\nfile = \"/a\"\nmatch = fuzzy\n", "line 3", "write text in quotes"),
        ("hint = True\n", "line 1", "write text in quotes, and numbers, true and false without"),
        ("[guesses]\nnot_from = [10.0.0.0/8]\n", "line 2", "write text in quotes"),
        ("on_error = reject # é\n", "line 1", "write text in quotes"),
        ("packaged = yes\n", "line 1", "write text in quotes"),
        ("[ladder]\nfile = /var/l\n", "line 2", "write text in quotes"),
        ("policy.leet = on", "line 1", "write text in quotes"),
        ("min_length = 8;\n", "line 1", "write text in quotes"),
        ("min_length =\nhint = true\n", "line 1", "write text in quotes, and numbers"),
        ("min_length = 8.5\n", "line 1", "write a whole number"),
        ("packaged = 'true'\n", "line 1", "write true or false, without quotes"),
        ("log = true\n", "line 1", "write the value in quotes"),
        ("[dictionary]\nfile = \"/a\"\n", "line 1", "[[dictionary]]"),
        ("[policy]\nforbidden_words = [\"acme\"\n\"b\"]\n", "line 3", "missing comma"),
        ("dictionary = [{ file = \"/a\", logins = \"true\" }]\n", "line 1", "line 1: write true or"),
        ("[guesses]\nnot_from = [\"10.0.0.1/8\"]\n", "line 2", "10.0.0.0/8"),
        ("[guesses]\nmemory = 0\n", "line 2", "1 to 365"),
        ("[guesses]\nrepeats = \"never\"\n", "line 2", "account-and-network"),
        ("[guesses]\nrefuse = true\n", "line 2", "refuse"),
    ] {
        let message = error(text);
        assert!(message.contains("/etc/test.conf"), "{message}");
        assert!(message.contains(line) && message.contains(says), "{text}: {message}");
    }
    assert!(Config::parse(Path::new("/x"), b"\xff").is_err());
}

/// A rule, or another section, has no level of its own.
#[test]
fn a_level_of_enforcement_elsewhere_is_told_where_it_stands() {
    for (text, line) in [
        ("[policy]\nenforce = \"warn\"\n", 2),
        ("[guesses]\nenforce = \"audit\"\n", 2),
        ("[update]\nenforce = \"warn\"\n", 2),
        ("policy.enforce = \"warn\"\n", 1),
    ] {
        let message = if text.starts_with("[update]") {
            UpdateRules::parse(Path::new("/etc/test.conf"), text.as_bytes()).unwrap_err().to_string()
        } else {
            error(text)
        };
        assert!(message.contains(&format!("line {line}: ")), "{text}: {message}");
        assert!(message.contains("`enforce`: it belongs above the first [section]"), "{message}");
    }
}

#[test]
fn errors_are_a_sentence_and_show_the_place() {
    let shown = |text: &str| {
        let error = parse(text).unwrap_err();
        (error.to_string(), error.place().unwrap().to_string())
    };
    let (sentence, place) = shown("\nmin_lenght = { x = [1, 2] }\n");
    assert_eq!(sentence, "/etc/test.conf: line 2: unknown key `min_lenght` (did you mean `min_length`?)");
    assert_eq!(place, "  |\n2 | min_lenght = { x = [1, 2] }\n  | ^^^^^^^^^^");
    let (sentence, place) = shown("[variants] # é\nleet=\"yes\"");
    assert_eq!(sentence, "/etc/test.conf: line 2: write true or false, without quotes");
    assert_eq!(place, "  |\n2 | leet=\"yes\"\n  |      ^^^^^");
    let (sentence, place) = shown("[variants]\n\"é\" = 1\n");
    assert!(sentence.contains("line 2: unknown key `é`, expected `accents` or `leet`"), "{sentence}");
    assert!(place.ends_with("\n  | ^^^"), "{place}");
    let (sentence, _) = shown("minlen = 12\n");
    assert!(sentence.ends_with("unknown key `minlen` (did you mean `min_length`?)"), "{sentence}");
    let (sentence, _) = shown("frobnicate = 1\n");
    assert!(sentence.ends_with("`frobnicate`; see nearmiss.conf(5)"), "{sentence}");
    let (sentence, place) = shown("a = 1\nb = [1\n");
    assert!(sentence.starts_with("/etc/test.conf: line ") && sentence.contains(": not TOML: "), "{sentence}");
    assert!(!sentence.contains('\n') && place.contains('^'), "{sentence}{place}");
}

/// A message is a line of the log.
#[test]
fn no_text_gives_an_error_of_two_lines() {
    let text = "packaged = false\n[policy]\nforbidden_words = [\"acme\", 'b']\nrun = 1.5e3 # é\n\
                [[dictionary]]\nfile = \"\"\"/a\\u0041\"\"\"\nd = 2026-11-13T01:02:03Z\n";
    let (mut wrong, mut others) = (0, 0);
    for (at, _) in text.char_indices() {
        for put in ["", "\n", "\r", "\"", "'", "[", "]", "{", "=", ".", ",", "#", "n", "\\", "_", "9", "\0"] {
            let length = text[at..].chars().next().map_or(0, char::len_utf8);
            for end in [at, at + length] {
                let changed = [&text[..at], put, &text[end..]].concat();
                let Err(error) = parse(&changed) else { continue };
                let sentence = error.to_string();
                assert!(!sentence.contains(['\n', '\r']), "{changed}: {sentence:?}");
                *(if sentence.contains("not TOML: ") { &mut wrong } else { &mut others }) += 1;
            }
        }
    }
    assert!(wrong > 1000 && others > 100, "{wrong} {others}");
}

#[test]
fn the_packaged_filter_stays_unless_it_is_switched_off() {
    let files = |text: &str| -> Vec<String> {
        let rules = parse(text).unwrap().dictionaries;
        rules.iter().map(|rule| rule.file.display().to_string()).collect()
    };
    let own = "[[dictionary]]\nfile = \"/own\"\n";
    let packaged = format!("[[dictionary]]\nfile = \"{DEFAULT_DICTIONARY}\"\nmatch = \"exact\"\n");
    assert_eq!(files(own), [DEFAULT_DICTIONARY, EXACT_DICTIONARY, "/own"]);
    assert_eq!(files(&format!("packaged = false\n{own}")), ["/own"]);
    let named_once = [EXACT_DICTIONARY, "/own", DEFAULT_DICTIONARY];
    assert_eq!(files(&format!("{own}{packaged}")), named_once);
    assert_eq!(files(&format!("packaged = false\n{packaged}")), [DEFAULT_DICTIONARY]);
    assert!(files("packaged = false\n").is_empty());
}

#[test]
fn the_vendors_file_takes_the_place_of_the_default_alone() {
    let files = |path: &str| -> Vec<_> { main_files(Path::new("/"), Path::new(path)).collect() };
    assert_eq!(files(DEFAULT_PATH), [Path::new(DEFAULT_PATH), Path::new(VENDOR_PATH)]);
    assert_eq!(files("/etc/other.conf"), [Path::new("/etc/other.conf")]);
    assert_eq!(drop_in_folder(Path::new("/a/n.conf")), Path::new("/a/n.conf.d"));
}

#[test]
fn drop_ins_override_in_the_order_of_their_names() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("n.conf");
    let folder = dir.path().join("n.conf.d");
    fs::create_dir(&folder).unwrap();
    fs::write(&path, "min_length = 9\non_error = \"allow\"\n[[dictionary]]\nfile = \"/a\"\n").unwrap();
    fs::write(folder.join("20.conf"), "min_length = 12\n[variants]\nleet = false\n").unwrap();
    fs::write(
        folder.join("10.conf"),
        "private_copy = true\nmin_length = 11\n[[dictionary]]\nfile = \"/b\"\n[[dictionary]]\nfile = \"/a\"\n\
         match = \"exact\"\n",
    )
    .unwrap();
    fs::write(folder.join("README"), "not read").unwrap();
    let config = Config::load(&path).unwrap();
    assert_eq!((config.policy.min_length, config.on_error), (12, OnError::Allow));
    let files = |config: &Config| {
        config.dictionaries.iter().map(|rule| rule.file.to_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(files(&config), [DEFAULT_DICTIONARY, EXACT_DICTIONARY, "/b", "/a"]);
    assert_eq!(config.dictionaries[3].matching, Some(Match::Exact));
    assert!(!config.policy.variants.leet && config.policy.variants.reversed && config.private_copy);
    fs::write(folder.join("30.conf"), "dictionary = []\n").unwrap();
    assert_eq!(files(&Config::load(&path).unwrap()), [DEFAULT_DICTIONARY, EXACT_DICTIONARY]);
    fs::write(folder.join("30.conf"), "typo = 1\n").unwrap();
    assert!(Config::load(&path).is_err_and(|e| e.to_string().contains("30.conf")));
}

/// A lock of Emacs (a link to nowhere), and the file that Ansible has not finished, are no drop-ins.
#[test]
fn a_hidden_file_is_no_drop_in() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("n.conf");
    let folder = dir.path().join("n.conf.d");
    fs::create_dir(&folder).unwrap();
    fs::write(&path, "min_length = 9\n").unwrap();
    std::os::unix::fs::symlink("root@host.1234:169", folder.join(".#50-site.conf")).unwrap();
    fs::write(folder.join(".ansible_tmpabc50-site.conf"), "[polic").unwrap();
    fs::write(folder.join(".50-site.conf"), "min_length = 30\n").unwrap();
    fs::write(folder.join(".conf"), "min_length = 30\n").unwrap();
    fs::write(folder.join("50-site.conf"), "min_length = 12\n").unwrap();
    assert_eq!(Config::load(&path).unwrap().policy.min_length, 12);
}

/// A drop-in that another process removes between the listing and the reading was not there; one that is
/// missing each time, such as a link to nowhere, is an error.
#[test]
fn a_drop_in_that_vanishes_is_listed_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("n.conf");
    let folder = dir.path().join("n.conf.d");
    fs::create_dir(&folder).unwrap();
    for name in ["10.conf", "20.conf", "30.conf"] {
        fs::write(folder.join(name), name).unwrap();
    }
    let walk = Walk::default();
    let missing = std::cell::Cell::new(0);
    let read = |file: &Path| {
        // The other process renames a file while the first is read.
        if file.ends_with("10.conf") && folder.join("20.conf").exists() {
            fs::rename(folder.join("20.conf"), folder.join("25.conf")).unwrap();
        }
        let read = walk.read(file, MAX_BYTES);
        missing.set(missing.get() + i32::from(read.is_err()));
        read
    };
    let found = drop_ins(&walk, &path, &read).unwrap();
    let names: Vec<_> = found.iter().map(|(file, text)| (file.file_name().unwrap(), text.len())).collect();
    assert_eq!(
        (names, missing.get()),
        (["10.conf", "25.conf", "30.conf"].map(|n| (n.as_ref(), 7)).into(), 1)
    );
    // A process that does not stop is not followed for ever.
    let gone = |_: &Path| walk.read(&folder.join("none"), MAX_BYTES);
    let error = drop_ins(&walk, &path, &gone).unwrap_err();
    assert!(matches!(&error, ConfigError::Storage(error) if error.is_missing()), "{error}");
}

#[test]
fn the_words_of_a_file_are_added_to_those_of_the_list() {
    let dir = tempfile::tempdir().unwrap();
    let (path, file) = (dir.path().join("n.conf"), dir.path().join("never"));
    let text =
        format!("[policy]\nforbidden_words = [\"acme\"]\nforbidden_words_file = \"{}\"\n", file.display());
    fs::write(&path, text).unwrap();
    let error = Config::load(&path).unwrap_err();
    assert!(matches!(&error, ConfigError::Storage(error) if error.is_missing()), "{error}");
    fs::write(&file, "# Products.\n\n Contoso \r\nzürich\n").unwrap();
    let mut never = NeverWords::default();
    for word in ["acme", "contoso", "zürich"] {
        never.add(word.as_bytes()).unwrap();
    }
    assert_eq!(Config::load(&path).unwrap().policy.never, never);
    fs::write(&file, "contoso\nab\n").unwrap();
    let error = Config::load(&path).unwrap_err().to_string();
    assert!(error.contains("never: line 2: ") && error.contains("4 to 64"), "{error}");
}

#[test]
fn a_named_file_must_exist() {
    assert!(matches!(
        Config::load(Path::new("/nonexistent/nearmiss.conf")),
        Err(ConfigError::Storage(error)) if error.is_missing()
    ));
}
