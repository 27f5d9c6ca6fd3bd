//! The files that are opened for a configuration, and the ones that an ordinary process queries.

use std::fs;

use nearmiss_filters::{
    Build, Key, Spec,
    ladder::{FleetLadder, LadderFiles, NewLadder, Preset, create_descriptor},
};

use super::*;

impl Opened {
    /// A site without a dictionary and without a ladder.
    pub(crate) fn of_nothing(conf: &Path, goes_without_ladders: bool) -> Opened {
        Opened::of(conf, Vec::new(), goes_without_ladders)
    }

    /// One whose configuration could not be used for this reason.
    pub(crate) fn without_site(trouble: Trouble) -> Opened {
        let site = Err(unusable(Cause::Configuration, trouble));
        Opened { site, ..Opened::of_nothing(Path::new("/conf"), false) }
    }

    fn of(conf: &Path, dictionaries: Vec<DictionaryRule>, goes_without_ladders: bool) -> Opened {
        let site = Site::without_ladder(Config { dictionaries, ..Config::default() });
        let watched = Watched::configuration(conf);
        Opened { site: Ok(site), watched, public: None, is_roots: true, goes_without_ladders }
    }
}

fn unusable(cause: Cause, trouble: Trouble) -> Unusable {
    Unusable { cause, trouble, ..Unusable::fault() }
}

#[test]
fn only_what_is_denied_as_a_whole_is_denied() {
    let denied = || unusable(Cause::Filter, Trouble::Denied("/f".into()));
    let damaged = || unusable(Cause::Filter, Trouble::Damaged);
    assert!(are_denied(&[denied()]) && are_denied(&[denied(), denied()]));
    assert!(!are_denied(&[]) && !are_denied(&[damaged()]) && !are_denied(&[denied(), damaged()]));
}

#[test]
fn a_filter_that_is_not_there_is_the_state() {
    let state = |dictionaries| Opened::of(Path::new("/conf"), dictionaries, false).state();
    assert_eq!(state(Vec::new()), Answer::noted(""));
    let told = state(vec![DictionaryRule::new("/nonexistent.filter".into())]);
    assert_eq!(told.verdict, crate::Verdict::Unusable, "{told:?}");
    assert!(told.detail.contains("/nonexistent.filter"), "{told:?}");
}

/// For root, a filter that cannot be read is an error of the installation, which the public filter must not
/// hide.
#[test]
fn the_public_filter_is_for_ordinary_users_and_for_lack_of_access_alone() {
    let public = Some("/public.filter".into());
    let setting = Setting { public, ..Setting::of(Path::new("/conf")) };
    let denied = || unusable(Cause::Filter, Trouble::Denied("/f".into()));
    let reach =
        || Unusable { is_out_of_reach: true, ..unusable(Cause::Ladder, Trouble::Denied("/l".into())) };
    let asks_public =
        |is_root, all: &[Unusable]| out_of_reach(is_root, &setting, all).is_some_and(|why| !why.is_empty());
    assert!(asks_public(false, &[denied()]) && asks_public(false, &[reach(), denied()]));
    assert!(!asks_public(true, &[denied()]) && !asks_public(true, &[reach(), denied()]));
    assert!(!asks_public(false, &[]) && !asks_public(false, &[reach()]));
    for (cause, trouble) in [
        (Cause::Filter, Trouble::Damaged),
        (Cause::Filter, Trouble::Missing("/f".into())),
        (Cause::Ladder, Trouble::Denied("/l".into())),
        (Cause::Guesses, Trouble::System),
        (Cause::Ladder, Trouble::Key),
        (Cause::Configuration, Trouble::Mistake),
    ] {
        let other = unusable(cause, trouble);
        assert!(!asks_public(false, &[denied(), other.clone()]), "{other:?}");
        assert!(!asks_public(false, &[other.clone(), denied()]), "{other:?}");
    }
    let none = Setting::of(Path::new("/conf"));
    assert_eq!(out_of_reach(false, &none, &[denied()]), None);
}

/// A missing filter is an error: no password is checked without it.
#[test]
fn only_what_is_out_of_reach_is_gone_without() {
    let folder = tempfile::tempdir().unwrap();
    let conf = folder.path().join("nearmiss.conf");
    fs::write(&conf, "packaged = false\ndictionary = [{ file = \"/nonexistent.filter\" }]\n").unwrap();
    let opened = Opened::open(&Setting::of(&conf));
    assert_eq!(opened.state().verdict, crate::Verdict::Unusable);
    assert!(!opened.goes_without_ladders);
}

/// A server calls while it holds its own locks.
#[test]
fn the_fleet_is_asked_where_the_configuration_says_so_for_servers() {
    let folder = tempfile::tempdir().unwrap();
    let [conf, file, socket] =
        ["nearmiss.conf", "guessed", "agent.sock"].map(|name| folder.path().join(name));
    let files = LadderFiles { key: FleetLadder::key_of(&file), file: file.clone() };
    let params = Preset::Guesses.params(None).unwrap();
    create_descriptor(&files, &NewLadder { params, cost: None, stamps: 0 }).unwrap();
    for servers in [true, false] {
        let fleet = format!("[fleet]\nsocket = {socket:?}\nguessed = {file:?}\nservers = {servers}\n");
        fs::write(&conf, format!("packaged = false\n{fleet}")).unwrap();
        let opened = Opened::open(&Setting::of(&conf));
        opened.check(b"Summer2026!x", &Context::default());
        // There is no agent, so querying it fails.
        assert_eq!(opened.site.unwrap().fleet_trouble().is_some(), servers);
    }
}

#[test]
fn the_public_filter_is_asked_in_place_of_the_configured_ones() {
    let folder = tempfile::tempdir().unwrap();
    let public = folder.path().join("public.filter");
    let words = Build::new(Spec::default(), Key::new([7; 16])).in_memory(&[&b"elephant\n"[..]]).unwrap();
    fs::write(&public, words).unwrap();
    let setting = Setting { public: Some(public), ..Setting::of(Path::new("/conf")) };
    let configured = DictionaryRule::new("/nonexistent.filter".into());
    let config = Config { dictionaries: vec![configured], ..Config::default() };
    let site = public_site(&setting, &config, &mut Watched::configuration(Path::new("/conf")));
    assert_eq!(site.unusable(), []);
    let reason = |password| Answer::of(&site.decide(password, &Context::default())).reason;
    assert_eq!(reason(b"elephent").map(nearmiss_policy::Reason::code), Some("near-dictionary"));
    assert_eq!(reason(b"no word at all"), None);
}

#[test]
fn what_an_unprivileged_process_opened_is_opened_again_by_root() {
    let opened = |is_roots| Opened { is_roots, ..Opened::of_nothing(Path::new("/nonexistent"), false) };
    assert!(opened(true).is_current());
    assert_eq!(opened(false).is_current(), !geteuid().is_root());
}
