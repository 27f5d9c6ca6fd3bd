//! The dictionaries of the languages that this system is set up for: each is a package of the distribution,
//! which `filterctl update` then includes. Only Debian and its derivatives have such packages.

use std::{
    fs,
    path::{Path, PathBuf},
};

use nearmiss_cli::finding::Finding;

use crate::report::counted;

const CHECK: &str = "languages";

/// The folder of the dictionaries, which `filterctl update` reads by default.
const FOLDER: &str = "/usr/share/dict";

/// The files that name the locales of a system: the default one, and those that were generated.
const LOCALE_FILES: [&str; 3] = ["etc/default/locale", "etc/locale.conf", "etc/locale.gen"];

/// The variables of locales whose languages people type in.
const VARIABLES: [&str; 5] = ["LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES"];

/// A language of a locale, or a language and its country.
struct Language {
    locale: &'static str,
    package: &'static str,
    /// The names of its file, this package's first.
    files: &'static [&'static str],
    /// The words of four letters or more that are in no built-in list, in thousands, of Debian 12's package.
    thousands: u64,
}

/// The languages that Debian has a dictionary of in `/usr/share/dict`, countries before their language.
const LANGUAGES: [Language; 16] = [
    language("pt_BR", "wbrazilian", &["brazilian"], 241),
    language("bg", "wbulgarian", &["bulgarian"], 863),
    language("ca", "wcatalan", &["catalan"], 591),
    language("da", "wdanish", &["danish"], 294),
    language("de", "wngerman", &["ngerman", "ogerman", "swiss"], 343),
    language("es", "wspanish", &["spanish"], 69),
    language("fo", "wfaroese", &["faroese"], 415),
    language("fr", "wfrench", &["french"], 316),
    language("ga", "wirish", &["irish"], 15),
    language("gl", "wgalician-minimos", &["galician-minimos"], 492),
    language("it", "witalian", &["italian"], 106),
    language("nb", "wnorwegian", &["bokmaal", "nynorsk"], 917),
    language("nl", "wdutch", &["dutch"], 381),
    language("pl", "wpolish", &["polish"], 4239),
    language("pt", "wportuguese", &["portuguese"], 384),
    language("sv", "wswedish", &["swedish"], 113),
];

const fn language(
    locale: &'static str,
    package: &'static str,
    files: &'static [&'static str],
    thousands: u64,
) -> Language {
    Language { locale, package, files, thousands }
}

/// A finding for each language of the system's locales that has a dictionary; none if the configured
/// `folders` of lists do not include its folder. Nothing is weaker than configured without one.
pub(super) fn examine(root: &Path, folders: &[PathBuf]) -> Vec<Finding> {
    if !root.join("var/lib/dpkg").exists() || !folders.iter().any(|folder| folder == Path::new(FOLDER)) {
        return Vec::new();
    }
    let locales = locales(root);
    let is_in_use = |language: &&Language| locales.iter().any(|locale| language.is_of(locale));
    LANGUAGES.iter().filter(is_in_use).map(|language| language.finding(root)).collect()
}

impl Language {
    /// True for a locale of this language; `pt_BR` is not `pt`.
    fn is_of(&self, locale: &str) -> bool {
        let first = LANGUAGES.iter().find(|language| {
            let rest = locale.strip_prefix(language.locale);
            rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_alphanumeric()))
        });
        first.is_some_and(|language| language.locale == self.locale)
    }

    fn finding(&self, root: &Path) -> Finding {
        let path = |file: &&str| format!("{FOLDER}/{file}");
        let is_there = |path: &String| root.join(path.trim_start_matches('/')).exists();
        if let Some(installed) = self.files.iter().map(path).find(is_there) {
            return Finding::fine(CHECK, format!("{installed} is among the lists of filterctl update"));
        }
        let (locale, package) = (self.locale, self.package);
        let words = counted(self.thousands.saturating_mul(1000), "more word");
        let message =
            format!("{locale} is a language of this system, and {package} is not installed: {words}");
        Finding::fine(CHECK, message).fix(format!("apt install {package}"))
    }
}

/// The values of these variables, and the generated locales.
fn locales(root: &Path) -> Vec<String> {
    let files = LOCALE_FILES.iter().filter_map(|file| fs::read_to_string(root.join(file)).ok());
    let values = files.flat_map(|text| text.lines().flat_map(of_line).collect::<Vec<_>>());
    values.collect()
}

/// The locales that a line names: `LANGUAGE="fr:de"`, or `fr_FR.UTF-8 UTF-8`.
fn of_line(line: &str) -> Vec<String> {
    let line = line.trim();
    let Some((name, value)) = line.split_once('=') else {
        let is_comment = line.starts_with('#');
        return line.split_whitespace().take(1).filter(|_| !is_comment).map(str::to_owned).collect();
    };
    let is_asked = VARIABLES.contains(&name.trim());
    value.trim_matches(['"', '\'']).split(':').filter(|_| is_asked).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearmiss_cli::finding::State;

    fn system(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in files.iter().chain(&[("var/lib/dpkg/status", "")]) {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn found(files: &[(&str, &str)]) -> Vec<Finding> {
        examine(system(files).path(), &[FOLDER.into()])
    }

    #[test]
    fn a_dictionary_that_is_not_installed_is_named_with_its_words_and_nothing_is_wrong() {
        let findings = found(&[("etc/default/locale", "LANG=\"fr_FR.UTF-8\"\n")]);
        let [finding] = findings.as_slice() else { panic!("{findings:?}") };
        assert_eq!((finding.state, finding.fix.as_deref()), (State::Fine, Some("apt install wfrench")));
        assert!(finding.message.ends_with("wfrench is not installed: 316,000 more words"), "{finding:?}");
    }

    #[test]
    fn a_dictionary_that_is_installed_is_named_by_any_of_its_files() {
        let locale = ("etc/locale.conf", "LANG=de_AT.UTF-8\n");
        let findings = found(&[locale, ("usr/share/dict/swiss", "wort\n")]);
        let expected = "/usr/share/dict/swiss is among the lists of filterctl update";
        assert_eq!(findings, [Finding::fine(CHECK, expected)]);
    }

    #[test]
    fn each_language_of_the_system_is_found_once_and_a_country_is_not_its_language() {
        let packages = |files: &[(&str, &str)]| -> Vec<String> {
            found(files).into_iter().filter_map(|finding| finding.fix).collect()
        };
        let generated = "# de_DE.UTF-8 UTF-8\nen_US.UTF-8 UTF-8\npt_BR.UTF-8 UTF-8\nsv_SE ISO-8859-1\n";
        let default = "LANG=sv_SE.UTF-8\nLANGUAGE='it:C'\nTZ=pl\n";
        let found = packages(&[("etc/locale.gen", generated), ("etc/default/locale", default)]);
        assert_eq!(found, ["apt install wbrazilian", "apt install witalian", "apt install wswedish"]);
        assert!(packages(&[("etc/default/locale", "LANG=C.UTF-8\n")]).is_empty());
        assert!(packages(&[("etc/default/locale", "LANG=frr_DE.UTF-8\n")]).is_empty(), "North Frisian");
    }

    #[test]
    fn nothing_is_said_where_there_are_no_such_packages_or_the_folder_is_not_read() {
        let french = system(&[("etc/default/locale", "LANG=fr_FR.UTF-8\n")]);
        assert!(examine(french.path(), &["/usr/local/share/dict".into()]).is_empty());
        fs::remove_dir_all(french.path().join("var/lib/dpkg")).unwrap();
        assert!(examine(french.path(), &[FOLDER.into()]).is_empty());
    }
}
