//! What a checker says once, and what it makes of a panic.

use std::path::Path;

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
    let fault = checker.told_once(&checker.current(), Answer::fault("x"));
    assert!(!says_so(&fault) && !checker.has_told());
    assert!(says_so(&checker.state()));
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
