//! Passwords from terminals that do not use UTF-8, with the machine's own `chpasswd`; root only, in a private
//! mount namespace.

use std::path::Path;

use nearmiss_tests::{
    artifacts::artifacts,
    scenario::Scenario,
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

#[test]
fn bytes_that_are_not_utf_8_are_looked_up_as_latin_1_and_in_the_charset_of_the_locale() {
    if skipped(cannot_be_tested()) {
        return;
    }
    let locale = "mount -t tmpfs -o mode=0755 none /usr/lib/locale && \
                  localedef -i ru_RU -f KOI8-R --no-archive /usr/lib/locale/ru_RU.KOI8-R >&2 || true";
    let filter = format!(
        "printf '{WORDS}\\n' > /run/words && \
         {} build --quiet -o /etc/security/words.filter /run/words >&2",
        artifacts().filterctl.display()
    );
    let mut scenario = Scenario::new("retry=1 enforce_for_root").prepare(&[locale, &filter]);
    for (password, locale, _) in TRIED {
        let command = format!("printf 'tester:{password}\\n' | /usr/sbin/chpasswd");
        let command: &'static [&'static str] = Box::leak(Box::new(["/bin/sh", "-c", command.leak()]));
        scenario = scenario.talk(None, command, &[]).with("environment", &json!({"LC_ALL": locale}));
    }
    for (run, (password, locale, is_word)) in scenario.play().iter().zip(TRIED) {
        let shown = "BAD PASSWORD: it is a dictionary word";
        assert_eq!(run.transcript.contains(shown), is_word, "{password} in {locale}: {run:#?}");
        assert_eq!(run.shadow_changed, !is_word, "{password} in {locale}: {run:#?}");
    }
}
