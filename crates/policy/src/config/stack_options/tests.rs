use std::ffi::CStr;

use super::*;

fn parse(arguments: &[&CStr]) -> Options {
    let (options, mistakes) = Options::parse(arguments.iter().map(|argument| argument.to_bytes()));
    assert_eq!(mistakes, []);
    options
}

fn mistake(argument: &CStr) -> String {
    let (options, mistakes) = Options::parse([c"debug", argument, c"codes"].map(CStr::to_bytes));
    assert_eq!(options, Options { debug: true, codes: true, ..Options::default() });
    assert_eq!(mistakes.len(), 1, "{argument:?}");
    mistakes[0].to_string()
}

#[test]
fn an_empty_line_gives_one_try_of_the_check() {
    let options = parse(&[]);
    assert_eq!(options, Options::default());
    assert_eq!((options.tries, options.mode), (1, Mode::Check));
}

#[test]
fn every_option_is_read() {
    let all = [
        c"debug",
        c"retry=3",
        c"use_authtok",
        c"try_first_pass",
        c"authtok_type=UNIX",
        c"enforce_for_root",
        c"local_users_only",
        c"codes",
        c"force-change",
        c"hint",
        c"suggest=2",
        c"conf=/etc/other.conf",
        c"filter=/srv/a=b.filter",
        c"record",
        c"enforce=audit",
    ];
    let wanted = Options {
        mode: Mode::Record,
        debug: true,
        tries: 3,
        has_retry: true,
        enforce: Some(Enforce::Audit),
        log: LogRule::Decisions,
        use_existing_password: true,
        enforce_for_root: true,
        local_users_only: true,
        codes: true,
        force_change: true,
        hint: true,
        suggest: Some(2),
        conf: Some("/etc/other.conf".into()),
        filter: Some("/srv/a=b.filter".into()),
    };
    assert_eq!(parse(&all), wanted);
    assert!(parse(&[c"use_first_pass"]).use_existing_password);
    let modes = [c"submit", c"failed", c"passed", c"notify"].map(|word| parse(&[word]).mode);
    assert_eq!(modes, [Mode::Submit, Mode::Failed, Mode::Passed, Mode::Notify]);
}

#[test]
fn the_configuration_adds_what_the_line_does_not_say() {
    let rules = LineRules { enforce_for_root: true, retry: Some(5), codes: true, ..LineRules::default() };
    let merged = parse(&[c"debug"]).with_rules(rules, LogRule::None);
    assert!(merged.enforce_for_root && merged.codes && merged.debug && !merged.local_users_only);
    assert_eq!((merged.tries, merged.log), (5, LogRule::None));
    assert_eq!(parse(&[c"retry=1"]).with_rules(rules, LogRule::None).tries, 1);
    assert_eq!(mistake(c"enforce=maybe"), "option ignored: enforce=maybe: expected reject, warn or audit");
}

#[test]
fn the_last_one_wins() {
    assert_eq!(parse(&[c"retry=3", c"retry=5"]).tries, 5);
}

#[test]
fn an_unknown_option_is_named_and_ignored() {
    for argument in
        [c"nonsense", c"", c"=", c"debug=1", c"use_authtok=yes", c"retry", c"try_first_pass=", c"\xff\xfe"]
    {
        assert!(mistake(argument).starts_with("unknown option ignored: "), "{argument:?}");
    }
}

#[test]
fn a_bad_number_is_named_and_the_default_stands() {
    for argument in
        [c"retry=0", c"retry=101", c"retry=-1", c"retry=", c"retry=3x", c"retry=99999999999999999999"]
    {
        assert!(mistake(argument).ends_with("expected a number from 1 to 100"), "{argument:?}");
    }
}

#[test]
fn a_bad_number_of_suggestions_is_named() {
    for argument in [c"suggest=10", c"suggest=-1", c"suggest=", c"suggest=two"] {
        assert!(mistake(argument).ends_with("expected a number from 0 to 9"), "{argument:?}");
    }
    assert_eq!(parse(&[c"suggest=0"]).suggest, Some(0));
}

#[test]
fn a_mistake_is_quoted_whole() {
    assert_eq!(mistake(c"nonsense=7"), "unknown option ignored: nonsense=7");
    assert_eq!(mistake(c"retry=0"), "option ignored: retry=0: expected a number from 1 to 100");
    assert_eq!(mistake(c"a\xff"), "unknown option ignored: a\u{fffd}");
}

#[test]
fn a_path_must_be_absolute_and_must_not_climb() {
    for argument in [c"conf=nearmiss.conf", c"filter=", c"filter=/etc/../tmp/x", c"conf=../x"] {
        assert!(mistake(argument).ends_with("expected an absolute path without '..'"), "{argument:?}");
    }
}

#[test]
fn a_path_need_not_be_utf8() {
    let path = parse(&[c"filter=/srv/\xff"]).filter.unwrap();
    assert_eq!(path.as_os_str().as_bytes(), b"/srv/\xff");
}

#[test]
fn what_was_meant_is_said_where_it_can_be_used() {
    let meant = |argument: &str| {
        let (_, mistakes) = Options::parse([argument.as_bytes()]);
        mistakes.first().unwrap().meant()
    };
    for (argument, wanted) in [
        ("retyr=3", "retry=3"),
        ("Retry=3", "retry=3"),
        ("retry:3", "retry=3"),
        ("enforce=Audit", "enforce=audit"),
        ("enforce=rejct", "enforce=reject"),
        ("enforce-for-root", "enforce_for_root"),
        ("use_authtoken", "use_authtok"),
        ("local_user_only", "local_users_only"),
        ("conf:/etc/Other.conf", "conf=/etc/Other.conf"),
        ("flter=/srv/A.filter", "filter=/srv/A.filter"),
        ("recrod", "record"),
        ("force_change", "force-change"),
    ] {
        assert_eq!(meant(argument).as_deref(), Some(wanted), "{argument}");
    }
    for argument in ["nonsense", "minlen=8", "retry=0", "conf=relative", "enforce=maybe", "", "="] {
        assert_eq!(meant(argument), None, "{argument}");
    }
}

#[test]
fn every_option_is_known_to_those_who_misspell_it() {
    for word in WORDS.split(' ') {
        assert!(Options::parse([word.as_bytes()]).1.is_empty(), "{word}");
    }
    for name in NAMES.split(' ') {
        let value = ["3", "audit", "/f"].map(|value| format!("{name}={value}"));
        assert!(value.iter().any(|argument| Options::parse([argument.as_bytes()]).1.is_empty()), "{name}");
    }
}
