//! A site by its configuration file and by the options of a line.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
};

use nearmiss_filters::{
    Build, Key, Spec,
    ladder::{FleetLadder, GuessLadder, LadderFiles, NewLadder, Preset, Setter, create, create_descriptor},
};
use nearmiss_policy::{
    config::{Enforce, LogRule},
    site::{Cause, Trouble},
};

use super::*;
use crate::messages;

/// The time of a preliminary call.
const NOW: u64 = 1_000_000;

fn unusable(conf: Option<PathBuf>, filter: Option<PathBuf>) -> Vec<Unusable> {
    let options = Options { conf, filter, ..Options::default() };
    ConfiguredSite::new(&options).unusable()
}

#[test]
fn a_named_configuration_must_exist() {
    let conf = PathBuf::from("/nonexistent/nearmiss.conf");
    let missing = unusable(Some(conf.clone()), None);
    assert_eq!((missing.len(), missing[0].cause), (1, Cause::Configuration));
    let options = Options { conf: Some(conf), ..Options::default() };
    let decision = ConfiguredSite::new(&options).decide(b"x", &Context::default());
    assert_eq!(decision.failures, missing);
    assert_eq!(ConfiguredSite::new(&options).has_ladder(), Err(missing[0].clone()));
    let login = FailedLogin { account: b"ann", password: b"x", remote_host: None, now: 7 };
    assert_eq!(ConfiguredSite::new(&options).leave_out_guess(&login), Err(missing[0].clone()));
}

/// A prompt that waits is answered under the settings of that time.
#[test]
fn what_was_left_long_ago_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let conf = folder.path().join("nearmiss.conf");
    let options = Options { conf: Some(conf.clone()), ..Options::default() };
    let level = |level: &str| fs::write(&conf, format!("packaged = false\nenforce = \"{level}\"\n")).unwrap();
    for (now, expected) in [
        (NOW, Enforce::Audit),
        (NOW + 59, Enforce::Audit),
        (NOW + 60, Enforce::Reject),
        (NOW - 1, Enforce::Reject),
    ] {
        level("audit");
        let checks = ConfiguredSite::new(&options);
        checks.complete_options();
        let left = checks.into_opened(NOW);
        assert!(left.is_some());
        level("reject");
        let decision = ConfiguredSite::with(&options, left, now).decide(b"x", &Context::default());
        assert_eq!(decision.enforce, expected, "{now}");
    }
}

#[test]
fn only_what_can_be_used_is_left_for_the_update_call() {
    let folder = tempfile::tempdir().unwrap();
    let conf = folder.path().join("nearmiss.conf");
    let ladder = format!("[ladder]\nfile = \"{}/none\"\n", folder.path().display());
    let options = Options { conf: Some(conf.clone()), ..Options::default() };
    let opened = |dictionary: &str| {
        fs::write(&conf, format!("min_length = 20\npackaged = false\ndictionary = [{dictionary}]\n{ladder}"))
            .unwrap();
        let checks = ConfiguredSite::new(&options);
        assert_eq!(checks.unusable().is_empty(), dictionary.is_empty());
        checks.into_opened(NOW)
    };
    assert!(ConfiguredSite::new(&options).into_opened(NOW).is_none(), "nothing was opened");
    assert!(opened("{ file = \"/nonexistent\" }").is_none());
    let site = opened("").unwrap();
    fs::remove_file(&conf).unwrap();
    let decide = |left, now| ConfiguredSite::with(&options, left, now).decide(b"x", &Context::default());
    let reason = decide(Some(site), NOW + 59).finding.map(|finding| finding.reason.to_string());
    assert!(reason.is_some_and(|reason| reason.contains("20")), "nothing is read again");
    assert!(!decide(None, NOW).failures.is_empty());
}

#[test]
fn hints_suggestions_and_rules_of_the_line_are_those_of_the_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let [conf, words] = ["nearmiss.conf", "words.lst"].map(|name| folder.path().join(name));
    let list = concat!(env!("CARGO_MANIFEST_DIR"), "/../packaging/wordlists/suggest.lst");
    fs::copy(list, &words).unwrap();
    let text = "packaged = false\nenforce_for_root = true\nretry = 5\nlog = \"rejections\"\n";
    let shown = format!("hint = true\nsuggest = 2\nsuggest_words = \"{}\"\n", words.display());
    let write = |more: &str| fs::write(&conf, format!("{text}{more}")).unwrap();
    let line = Options { conf: Some(conf.clone()), ..Options::default() };
    let nobody = Context::default();
    write(&shown);
    let checks = ConfiguredSite::new(&line);
    let complete = checks.complete_options();
    assert!(complete.enforce_for_root && complete.log == LogRule::Rejections);
    assert_eq!((complete.tries, checks.hint().is_some()), (5, true));
    assert!(checks.suggested(&nobody).unwrap().is_some());
    assert_eq!((checks.public_filters(), checks.look_up_login(b"x")), (vec![], None));
    let none = Options { suggest: Some(0), ..line.clone() };
    assert!(ConfiguredSite::new(&none).suggested(&nobody).unwrap().is_none());
    write("");
    let checks = ConfiguredSite::new(&line);
    assert!(checks.hint().is_none() && checks.suggested(&nobody).unwrap().is_none());
    let asked = Options { hint: true, ..line };
    assert!(ConfiguredSite::new(&asked).hint().is_some());
}

#[test]
fn what_was_set_and_guessed_is_counted_in_the_ladders_of_the_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let [chosen, guessed, key, conf] = ["s/chosen", "s/guessed", "k/key", "nearmiss.conf"].map(at);
    let params = Preset::Guesses.params(None).unwrap();
    for file in [&chosen, &guessed] {
        let stamps = if *file == chosen { 256 } else { 0 };
        let files = LadderFiles { file: file.clone(), key: key.clone() };
        create(&files, &NewLadder { params, cost: None, stamps }, false).unwrap();
    }
    let text = format!(
        "packaged = false\n[ladder]\nfile = {chosen:?}\nkey = {key:?}\n[guesses]\nfile = {guessed:?}\n"
    );
    fs::write(&conf, text).unwrap();
    let options = Options { conf: Some(conf), ..Options::default() };
    let checks = ConfiguredSite::new(&options);
    let choice = AccountChoice { account: b"ann", shadow_field: None, day: 7, by: Setter::Owner };
    assert_eq!(checks.record(b"Summer2026!x", &choice), Ok(Some(Claim::Granted)));
    assert_eq!(checks.is_guessed(b"Summer2026!x"), Ok(false));
    let ladder = GuessLadder::open(&LadderFiles { file: guessed, key }).unwrap().unwrap();
    for _ in 0..100 {
        ladder.count(b"Summer2026!x").unwrap();
    }
    assert_eq!(checks.is_guessed(b"Summer2026!x"), Ok(true));
}

#[test]
fn filters_that_any_user_may_read_and_lists_for_logins_are_those_of_the_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let [conf, filter] = ["nearmiss.conf", "words.filter"].map(|name| folder.path().join(name));
    let words = Build::new(Spec::default(), Key::new([7; 16])).in_memory(&[&b"elephant\n"[..]]).unwrap();
    fs::write(&filter, words).unwrap();
    let dictionary = format!("{{ file = {filter:?} }}, {{ file = \"/nonexistent\", logins = true }}");
    fs::write(&conf, format!("packaged = false\ndictionary = [{dictionary}]\n")).unwrap();
    let options = Options { conf: Some(conf), hint: true, ..Options::default() };
    for (mode, public) in [(0o600, vec![]), (0o644, vec![filter.clone()])] {
        fs::set_permissions(&filter, Permissions::from_mode(mode)).unwrap();
        let checks = ConfiguredSite::new(&options);
        assert_eq!(checks.public_filters(), public, "{mode:o}");
        let hint = messages::in_language(None, &checks.hint().unwrap());
        assert!(hint.contains("dictionary words"), "{}", *hint);
        let lookup = checks.look_up_login(b"x").unwrap();
        assert_eq!(lookup.unusable.unwrap().trouble, Trouble::Missing("/nonexistent".into()));
    }
}

/// Where no agent is there to ask, the log has its socket.
#[test]
fn trouble_with_the_fleet_is_that_of_the_site_once_it_was_asked() {
    let folder = tempfile::tempdir().unwrap();
    let [conf, file, socket] =
        ["nearmiss.conf", "guessed", "agent.sock"].map(|name| folder.path().join(name));
    let files = LadderFiles { key: FleetLadder::key_of(&file), file: file.clone() };
    let params = Preset::Guesses.params(None).unwrap();
    create_descriptor(&files, &NewLadder { params, cost: None, stamps: 0 }).unwrap();
    let fleet = format!("packaged = false\n[fleet]\nsocket = {socket:?}\nguessed = {file:?}\n");
    fs::write(&conf, fleet).unwrap();
    let options = Options { conf: Some(conf), ..Options::default() };
    let checks = ConfiguredSite::new(&options);
    checks.unusable();
    assert_eq!(checks.fleet_trouble(), None, "nothing was asked");
    checks.decide(b"Summer2026!x", &Context::default());
    let trouble = checks.fleet_trouble().unwrap();
    assert!(trouble.contains("the fleet cannot be queried: ") && trouble.contains("agent.sock"), "{trouble}");
}

#[test]
fn a_filter_on_the_line_replaces_the_configured_ones_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let conf = folder.path().join("nearmiss.conf");
    let text = "min_length = 20\non_error = \"allow\"\npackaged = false\n\
                [[dictionary]]\nfile = \"/nonexistent-configured\"\n";
    fs::write(&conf, text).unwrap();
    let configured = unusable(Some(conf.clone()), None);
    assert!(configured[0].is_allowed && configured[0].detail.contains("configured"), "{configured:?}");
    let filter = PathBuf::from("/nonexistent-named");
    let named = unusable(Some(conf.clone()), Some(filter.clone()));
    assert!(named[0].is_allowed && named[0].detail.contains("named") && named.len() == 1, "{named:?}");
    let options = Options { conf: Some(conf), filter: Some(filter), ..Options::default() };
    let checks = ConfiguredSite::new(&options);
    let decision = checks.decide(b"long enough?", &Context::default());
    assert_eq!(decision.failures, named);
    let reason = decision.finding.map(|finding| finding.reason.code());
    assert_eq!(reason, Some("too-short"));
}
