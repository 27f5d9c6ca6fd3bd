//! The findings of `filterctl doctor` about the words of a site: forbidden ones that no password contains as
//! they are written, and the list of suggestions.

use std::fs;

use crate::{Folder, run, run_with};

const CHECK: &str = "words";

/// A system of its own below a folder.
struct System(Folder);

impl System {
    fn new() -> System {
        let folder = Folder::new();
        for name in ["etc/pam.d", "etc/security"] {
            fs::create_dir_all(folder.path(name)).unwrap();
        }
        let filter = folder.filter("elephant\n");
        fs::rename(filter, folder.path("words.filter")).unwrap();
        let system = System(folder);
        system.line("");
        system
    }

    fn line(&self, options: &str) {
        let line = format!("password requisite pam_nearmiss.so retry=3 {options}\n");
        self.0.file("etc/pam.d/passwd", line);
    }

    fn configure(&self, settings: &str) {
        let dictionary = "[[dictionary]]\nfile = \"/words.filter\"\n";
        self.0.file("etc/security/nearmiss.conf", format!("packaged = false\n{settings}\n{dictionary}"));
    }

    /// State, message and fix of the findings on words.
    fn findings(&self) -> Vec<[String; 3]> {
        let root = self.0.path("");
        let shown = run(["doctor", "--only", "stack", "--json", "--root", root.to_str().unwrap()]);
        let told = shown.json().remove(0);
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let findings = told["findings"].as_array().unwrap().iter().filter(|one| one["check"] == CHECK);
        findings.map(|one| ["state", "message", "fix"].map(|name| text(&one[name]))).collect()
    }
}

#[test]
fn a_list_of_suggestions_that_cannot_be_used_is_a_warning() {
    let system = System::new();
    system.configure("suggest_words = \"/none.lst\"");
    assert_eq!(system.findings().len(), 0, "nothing is suggested");
    for (settings, options) in [("suggest = 3\n", ""), ("", "suggest=3")] {
        system.configure(&format!("{settings}suggest_words = \"/none.lst\""));
        system.line(options);
        let found = system.findings();
        assert!(found.len() == 1 && found[0][0] == "warning", "{found:?}");
        assert!(found[0][1].contains("none.lst") && found[0][1].contains("no passphrase is suggested"));
        assert!(!found[0][2].is_empty(), "{found:?}");
    }
    system.0.file("none.lst", "few\n");
    assert!(system.findings()[0][1].contains("has 1 words"), "{:?}", system.findings());
    system.0.file("none.lst", include_str!("../../../packaging/wordlists/suggest.lst"));
    assert_eq!(system.findings().len(), 0);
    system.line("suggest=0");
    system.0.file("none.lst", "few\n");
    assert_eq!(system.findings().len(), 0, "the line switches it off");
}

#[test]
fn a_file_of_forbidden_words_that_no_password_contains_is_a_warning() {
    let system = System::new();
    system.configure("[policy]\nforbidden_words_file = \"/etc/words\"");
    for fine in [
        "zyxacme\nvwqbank\n",
        "# our names\n\nzyxacme\r\n  vwqbank\nnew york\nat&t corp.\no'neil\nzürich-bank\n",
    ] {
        system.0.file("etc/words", fine);
        assert_eq!(system.findings(), Vec::<[String; 3]>::new(), "{fine}");
    }
    for (text, line) in [
        ("", 0),
        ("# nothing\n\n", 0),
        ("\"zyxacme\"\n\"vwqbank\"\n", 1),
        ("'zyxacme'\n", 1),
        ("zyxacme,vwqbank\n", 1),
        ("zyxacme;vwqbank", 1),
        ("zyxacme\tvwqbank\n", 1),
        ("vwqbank\nzyxacme # our name\n", 2),
        ("zyxacme:12\n", 1),
        ("12 zyxacme\n", 1),
        ("- zyxacme\n", 1),
        ("<html>\n<body>zyxacme\n", 1),
        ("{\"words\": [\"zyxacme\"]}\n", 1),
        ("$HEX[7a797861636d65]\n", 1),
        ("404: Not Found\n", 1),
    ] {
        system.0.file("etc/words", text);
        let found = system.findings();
        assert!(found.len() == 1 && found[0][0] == "warning", "{text:?}: {found:?}");
        let [_, message, fix] = &found[0];
        let (place, at) = (format!("line {line}"), format!("vi +{line} "));
        let names_line = message.contains(&place) && fix.starts_with(&at);
        assert!(if line == 0 { message.contains("no words") } else { names_line }, "{text:?}: {found:?}");
        assert!(!message.contains("zyxacme"), "a word is not shown: {message}");
    }
}

/// A blank at an end of a word is none that a password has to contain.
#[test]
fn blanks_around_a_forbidden_word_do_not_count() {
    let system = System::new();
    system.configure("[policy]\nforbidden_words = [\" zyxacme \"]");
    let root = system.0.path("");
    let told = run_with(["check", "--no-ladder", "--root", root.to_str().unwrap()], b"q7.zyxacme.Vz0Lp\n");
    assert!(told.code == 1 && told.out.contains("forbidden-word"), "{told:?}");
}
