//! What a checker says once, and what it makes of a panic.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use nearmiss_policy::site::Trouble;
use tempfile::TempDir;

use super::*;

const CONF: &str = "/nonexistent/nearmiss.conf";

impl Checker {
    /// Whether its next answer leaves out what the process goes without.
    pub(crate) fn has_told(&self) -> bool {
        self.has_told.load(Ordering::Relaxed)
    }
}

/// One whose site rejects nothing.
fn checker(goes_without_ladders: bool) -> Checker {
    let current = RwLock::new(Arc::new(Opened::of_nothing(Path::new(CONF), goes_without_ladders)));
    Checker { setting: Setting::of(Path::new(CONF)), current, has_told: AtomicBool::new(false) }
}

fn says_so(answer: &Answer) -> bool {
    answer.detail.contains(&format!("{ROOTS_ALONE} [ladder-not-asked]"))
}

#[test]
fn the_first_answer_alone_says_what_an_ordinary_process_goes_without() {
    let of_user = checker(true);
    let answers = [(); 3].map(|()| of_user.check(b"Summer2026!x", &Facts::default()));
    assert_eq!(answers.each_ref().map(says_so), [true, false, false], "{answers:?}");
    assert!(says_so(&checker(true).state()));
    assert!(!says_so(&checker(false).state()), "root's goes without nothing");
    let later = checker(true);
    later.leave_untold();
    assert!(!says_so(&later.state()));
}

/// What is unusable says why; the warning waits for the first answer about a check.
#[test]
fn an_answer_about_something_else_does_not_say_it() {
    let checker = checker(true);
    let fault = checker.told_once(&checker.current().opened, Answer::fault("x"));
    assert!(!says_so(&fault) && !checker.has_told());
    assert!(says_so(&checker.state()));
}

/// A configuration without filters and ladders, in a folder that the checker trusts.
fn site(settings: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let [conf, none] = ["nearmiss.conf", "none"].map(|name| folder.path().join(name));
    fs::write(&conf, format!("packaged = false\n{settings}\n[ladder]\nfile = {none:?}\nkey = {none:?}\n"))
        .unwrap();
    (folder, conf)
}

fn verdict(checker: &Checker) -> Verdict {
    checker.check(b"zembrandt-1", &Facts::default()).verdict
}

/// Also what no file shows: the access to a folder, a limit that a moment exceeded.
#[test]
fn a_part_that_is_usable_again_is_used() {
    let (folder, conf) = site("[policy]\nforbidden_words_file = \"WORDS\"");
    let words = folder.path().join("words");
    let text = fs::read_to_string(&conf).unwrap().replace("WORDS", words.to_str().unwrap());
    fs::write(&conf, text).unwrap();
    let checker = Checker::open(Setting::of(&conf));
    assert_eq!(verdict(&checker), Verdict::Unusable);
    fs::write(&words, "zembrandt\n").unwrap();
    assert_eq!(verdict(&checker), Verdict::Rejected);
    fs::set_permissions(&words, fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(verdict(&checker), Verdict::Unusable);
    fs::set_permissions(&words, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(verdict(&checker), Verdict::Rejected);
    fs::write(&words, "another\n").unwrap();
    assert_eq!(verdict(&checker), Verdict::Accepted);
}

#[test]
fn settings_that_are_removed_no_longer_apply() {
    let (folder, conf) = site("[policy]\nforbidden_words = [\"zembrandt\"]");
    let drop_ins = folder.path().join("nearmiss.conf.d");
    fs::create_dir(&drop_ins).unwrap();
    fs::write(drop_ins.join("10.conf"), "enforce = \"audit\"\n").unwrap();
    let checker = Checker::open(Setting::of(&conf));
    assert_eq!(verdict(&checker), Verdict::Accepted);
    fs::remove_dir_all(drop_ins).unwrap();
    assert_eq!(verdict(&checker), Verdict::Rejected);
}

/// In a server there is no other trace of an audit.
#[test]
fn what_the_level_does_not_reject_is_noted() {
    for level in ["audit", "warn"] {
        let (_folder, conf) =
            site(&format!("enforce = {level:?}\n[policy]\nforbidden_words = [\"zembrandt\"]"));
        let checker = Checker::open(Setting::of(&conf));
        let answer = checker.check(b"zembrandt-1", &Facts::default());
        assert_eq!((answer.verdict, answer.sentence.as_str()), (Verdict::Accepted, ""));
        let note = format!("accepted, since enforce is \"{level}\"; else rejected: forbidden-word");
        assert!(answer.detail.starts_with(&note), "{}", answer.detail);
        assert!(!checker.check(b"Zz9-uncommon-phrase", &Facts::default()).detail.contains("enforce"));
    }
}

#[test]
fn only_a_process_without_access_keeps_what_it_opened() {
    let whole = || Opened::of_nothing(Path::new(CONF), false);
    let denied = || Opened::without_site(Trouble::Denied(CONF.into()));
    let kept = |earlier: Option<Opened>, opened: Opened| {
        let is_whole = opened.is_whole();
        let current = chosen(earlier.map(Arc::new), Arc::new(opened));
        assert_eq!(current.opened.is_whole(), is_whole || current.is_outdated);
        current.is_outdated
    };
    assert!(kept(Some(whole()), denied()));
    assert!(!kept(Some(whole()), whole()) && !kept(Some(whole()), Opened::without_site(Trouble::System)));
    assert!(!kept(Some(Opened::without_site(Trouble::System)), denied()) && !kept(None, denied()));
}

#[test]
fn a_panic_is_a_fault_that_names_its_place() {
    let _silent = Checker::open(Setting::of(Path::new(CONF)));
    let answer = guarded(|| panic!("Summer2026!x"));
    assert_eq!(answer.verdict, Verdict::Fault);
    assert!(
        answer.detail.contains("tests.rs line") && !answer.detail.contains("Summer2026"),
        "{}",
        answer.detail
    );
}

#[test]
fn a_day_begins_at_midnight() {
    let seconds = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let (before, day, after) = (seconds(), today(), seconds());
    assert!(day * 86_400 <= after && (day + 1) * 86_400 > before, "{day}");
}
