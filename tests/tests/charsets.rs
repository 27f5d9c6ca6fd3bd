//! Passwords from terminals that do not use UTF-8, with the machine's own `chpasswd`; root only, in a private
//! mount namespace.

use std::path::Path;

use nearmiss_tests::{
    artifacts::artifacts,
    scenario::{Run, Scenario},
    skip::{no_namespace, skipped},
};
use serde_json::json;

/// Two words in UTF-8.
const WORDS: &str = "straßenbahn\nпарольчик";

/// Root, and the sources of locales, which small images leave out.
fn cannot_be_tested() -> Option<&'static str> {
    let has_sources = Path::new("/usr/share/i18n/charmaps/KOI8-R.gz").exists();
    no_namespace().or((!has_sources).then_some("needs the sources of locales in /usr/share/i18n"))
}

/// Each password in octal escapes with the locale of the program, and true if it is a word there.
const TRIED: [(&str, &str, bool); 6] = [
    (r"Stra\337enbahn", "C", true),
    (r"Stra\337enbahn", "C.UTF-8", true),
    (r"\320\301\322\317\314\330\336\311\313", "ru_RU.KOI8-R", true),
    (r"\320\301\322\317\314\330\336\311\313", "C", false),
    (r"\320\301\322\317\314\330\301\301\301\301", "ru_RU.KOI8-R", false),
    (r"\320\277\320\260\321\200\320\276\320\273\321\214\321\207\320\270\320\272", "ru_RU.KOI8-R", true),
];

/// A site with such words and a locale of KOI8-R.
fn site(options: &str, extra: &[&str], prepare: &[&str]) -> Scenario {
    let locale = "mount -t tmpfs -o mode=0755 none /usr/lib/locale && \
                  localedef -i ru_RU -f KOI8-R --no-archive /usr/lib/locale/ru_RU.KOI8-R >&2 || true";
    let filter = format!(
        "printf '{WORDS}\\n' > /run/words && \
         {} build --quiet -o /etc/security/words.filter /run/words >&2",
        artifacts().filterctl.display()
    );
    let prepare: Vec<&str> = [locale, &filter].into_iter().chain(prepare.iter().copied()).collect();
    Scenario::new(options).extra(extra).prepare(&prepare)
}

/// Root sets every password in a program of its locale.
fn set_each(mut scenario: Scenario) -> Vec<Run> {
    for (password, locale, _) in TRIED {
        let command = format!("printf 'tester:{password}\\n' | /usr/sbin/chpasswd");
        let command: &'static [&'static str] = Box::leak(Box::new(["/bin/sh", "-c", command.leak()]));
        scenario = scenario.talk(None, command, &[]).with("environment", &json!({"LC_ALL": locale}));
    }
    scenario.play()
}

#[test]
fn bytes_that_are_not_utf_8_are_looked_up_as_latin_1_and_in_the_charset_of_the_locale() {
    if skipped(cannot_be_tested()) {
        return;
    }
    let runs = set_each(site("retry=1 enforce_for_root", &[], &[]));
    for (run, (password, locale, is_word)) in runs.iter().zip(TRIED) {
        let shown = "BAD PASSWORD: it is a dictionary word";
        assert_eq!(run.transcript.contains(shown), is_word, "{password} in {locale}: {run:#?}");
        assert_eq!(run.shadow_changed, !is_word, "{password} in {locale}: {run:#?}");
    }
}

/// The line that records judges a password that no line has checked by the same readings.
#[test]
fn what_got_past_the_check_is_read_in_the_same_charsets() {
    if skipped(cannot_be_tested()) {
        return;
    }
    let record = "password optional /etc/security/pam_nearmiss.so record filter=/etc/security/words.filter";
    let jump = "sed -i -e '1i password [success=1 default=ignore] pam_localuser.so' \
                -e '/pam_unix.so/s/use_authtok try_first_pass//' /etc/pam.d/common-password";
    let runs = set_each(site("retry=1", &[record], &[jump]));
    for (run, (password, locale, is_word)) in runs.iter().zip(TRIED) {
        run.expect_shadow_changed(true);
        let bypassed = "decision=bypassed reason=dictionary enforced=root";
        let is_told = run.log.iter().any(|line| line.contains(bypassed));
        assert_eq!(is_told, is_word, "{password} in {locale}: {run:#?}");
    }
}
