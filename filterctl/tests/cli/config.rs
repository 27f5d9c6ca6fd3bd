//! `filterctl config`: what is in force, and where it comes from.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use nearmiss_policy::config::{Config, UpdateRules};

use crate::{Folder, Run, run};

struct System {
    folder: Folder,
    conf: PathBuf,
}

impl System {
    /// A system whose passwd has this line, and whose configuration is this text.
    fn new(line: &str, conf: &str) -> System {
        let folder = Folder::new();
        fs::create_dir_all(folder.path("etc/pam.d")).unwrap();
        folder.file("etc/pam.d/passwd", "@include common-password\n");
        let conf = folder.file("nearmiss.conf", conf);
        let line = line.replace("CONF", conf.to_str().unwrap());
        folder.file("etc/pam.d/common-password", format!("# PAM\n{line}\n"));
        System { folder, conf }
    }

    fn config(&self, more: &[&str]) -> Run {
        let root = self.folder.path("");
        run(["config", "--root", root.to_str().unwrap()].iter().chain(more))
    }

    /// The setting in force, with the end of its origin.
    fn settings(&self) -> BTreeMap<String, (String, String)> {
        let told = self.config(&["--json"]);
        assert_eq!(told.code, 0, "{told:?}");
        let told = told.json().remove(0);
        let settings = told["settings"].as_array().unwrap().iter();
        let place = |one: &serde_json::Value| match one["source"].as_str().unwrap() {
            "default" => "default".to_owned(),
            _ => format!("{}:{}", one["file"].as_str().unwrap().rsplit('/').next().unwrap(), one["line"]),
        };
        settings
            .map(|one| (one["key"].as_str().unwrap().to_owned(), (one["value"].to_string(), place(one))))
            .collect()
    }
}

const LINE: &str = "password requisite pam_nearmiss.so retry=3 enforce=audit conf=CONF";

#[test]
fn each_setting_says_where_it_comes_from() {
    let system =
        System::new(LINE, "# c\nmin_length = 9\nenforce = \"warn\"\n[ladder]\nenforce = \"reject\"\n");
    fs::create_dir(system.folder.path("nearmiss.conf.d")).unwrap();
    system.folder.file("nearmiss.conf.d/10.conf", "\n\nmin_length = 12\n[policy]\nsequences = false\n");
    let settings = system.settings();
    let of = |key: &str| settings.get(key).map(|(value, place)| (value.as_str(), place.as_str()));
    assert_eq!(of("min_length"), Some(("12", "10.conf:3")));
    assert_eq!(of("policy.sequences"), Some(("false", "10.conf:5")));
    assert_eq!(of("policy.repetition"), Some(("true", "default")));
    assert_eq!(of("enforce"), Some(("\"audit\"", "common-password:2")));
    assert_eq!(of("ladder.enforce"), None, "the line's level holds for every part");
    assert_eq!(of("retry"), Some(("3", "common-password:2")));
    assert_eq!(of("update.false_rejection"), Some(("0.001", "default")));
    let text = system.config(&["--changed"]).out;
    assert_eq!(text.lines().count(), 7, "the line, two files and four settings: {text}");
    assert!(text.contains("min_length = 12                          # "), "{text}");
    assert!(!text.contains("default"), "{text}");
}

#[test]
fn dictionaries_of_later_files_are_added() {
    let conf = "[[dictionary]]\nfile = \"/a\"\n[[dictionary]]\nfile = \"/b\"\n";
    let system = System::new("password requisite pam_nearmiss.so conf=CONF", conf);
    let dictionaries = |more: &[&str]| -> Vec<String> {
        let text = system.config(more).out;
        let tables = text.split("[[dictionary]]").skip(1);
        tables.map(|table| table.trim_end().replace('\n', " ")).collect()
    };
    let told = dictionaries(&[]);
    assert!(
        told.len() == 2 && told[0].ends_with(" file = \"/a\"") && told[1].contains("nearmiss.conf:3 "),
        "{told:?}"
    );
    fs::create_dir(system.folder.path("nearmiss.conf.d")).unwrap();
    let more = "[[dictionary]]\nfile = \"/c\"\n[[dictionary]]\nfile = \"/a\"\nmatch = \"exact\"\n";
    system.folder.file("nearmiss.conf.d/1.conf", more);
    let told = dictionaries(&[]);
    for (table, parts) in
        told.iter().zip([["/b", "nearmiss.conf:3 "], ["/c", "1.conf:1 "], ["exact", "1.conf:3 "]])
    {
        assert!(parts.iter().all(|part| table.contains(part)), "{told:?}");
    }
    assert_eq!(told.len(), 3, "{told:?}");
    let emptied = system.folder.file("nearmiss.conf.d/2.conf", "dictionary = []\n");
    assert_eq!(dictionaries(&[]), [""; 0]);
    fs::remove_file(emptied).unwrap();
    let line = "password requisite pam_nearmiss.so filter=/d\n";
    system.folder.file("etc/pam.d/common-password", line);
    let told = dictionaries(&["--conf", system.conf.to_str().unwrap()]);
    assert!(told.len() == 1 && told[0].contains("common-password:1 "), "{told:?}");
}

/// The last rebuild of the packaged filter, what it lacks, and what failed since.
#[test]
fn the_state_of_the_packaged_filter_is_shown() {
    let system = System::new(LINE, "");
    fs::create_dir_all(system.folder.path("var/cache/nearmiss")).unwrap();
    let state = r#"{"schema":1,"rebuilt":1700000000,"failed":{"at":1700000600,"reason":"no room"},
        "lists":[{"path":"/a","words":3,"modified":7}],"dropped":[{"path":"/b","reason":"is gone"}]}"#;
    let path = system.folder.file("var/cache/nearmiss/words.filter.update", state);
    let damaged = system.folder.file("f", "");
    let modified = fs::metadata(&damaged).unwrap().modified().unwrap().duration_since(std::time::UNIX_EPOCH);
    let verified = format!(
        r#"{{"schema":1,"at":1700000000,"filters":[{{"path":{damaged:?},"modified":{},"problem":"page 3"}},
        {{"path":"/replaced","modified":1,"problem":"page 7"}}]}}"#,
        modified.unwrap().as_secs()
    );
    system.folder.file("var/cache/nearmiss/verified", verified);
    let told = system.config(&["--changed"]);
    assert!(told.out.contains(&format!("# verify: {}: page 3\n", damaged.display())), "{told:?}");
    assert!(!told.out.contains("/replaced"), "{told:?}");
    for line in [
        "# verify: 2 filters read 2023-11-14T22:13:20Z\n",
        "# update: the packaged filter was built 2023-11-14T22:13:20Z, from 1 list\n",
        "# update: failed 2023-11-14T22:23:20Z: no room\n",
        "# update: the filter lacks /b: is gone\n",
    ] {
        assert!(told.out.contains(line), "{line}{told:?}");
    }
    let json = system.config(&["--json"]).json().remove(0);
    assert_eq!(
        (&json["update"]["failed"]["at"], &json["update"]["dropped"][0]["path"]),
        (&1_700_000_600.into(), &"/b".into())
    );
    fs::write(&path, "{").unwrap();
    let told = system.config(&[]);
    assert!(told.code == 0 && told.out.contains("words.filter.update: damaged"), "{told:?}");
}

/// Prints a configuration that says the same.
#[test]
fn what_is_printed_can_be_read_again() {
    let conf = "min_length = 11\n[guesses]\nnot_from = [\"10.0.0.0/8\"]\n[update]\nkind = \"sha1\"\n";
    let system = System::new("password requisite pam_nearmiss.so", "");
    let conf = system.folder.file("site.conf", conf);
    let first = system.config(&["--conf", conf.to_str().unwrap()]);
    assert_eq!(first.code, 0, "{first:?}");
    assert!(first.out.contains("update.common = false"), "digests have no built-in list: {}", first.out);
    let again = system.folder.file("again.conf", &first.out);
    let second = system.config(&["--conf", again.to_str().unwrap()]);
    let settings = |run: &Run| -> Vec<String> {
        let setting = |line: &str| line.split('#').next().unwrap().trim().to_owned();
        run.out.lines().map(setting).collect()
    };
    assert_eq!(settings(&second), settings(&first), "{second:?}");
}

/// Configurations with every form of a setting.
const WRITTEN: &[&str] = &[
    "",
    "packaged = false\n[[dictionary]]\nfile = \"/a\"\n",
    "dictionary = [{ file = \"/a\", match = \"exact\", logins = true }, { file = \"/b\" }]\nretry = 3\n",
    "[[dictionary]]\nfile = \"/a b\\u202E\\\"'\\\\\"\nenforce = \"warn\"\n[[dictionary]]\nfile = '/c'\n\
     [policy]\nforbidden_words = [\"initech\", \"örtlich\"]\nforbidden_words_file = \"/w\"\n\
     substring = \"two-thirds\"\n",
    "[update]\nkind = \"ntlm\"\nlists = [\"/l\"]\nfalse_rejection = 1e-4\n",
    "[update]\nmatch = \"exact\"\ngroup = \"\"\nfolders = []\n",
    "[update]\nmatch = \"near\"\ncommon = false\ncolumns = \"user,word\"\n",
    "[ladder]\nfile = \"/x/l\"\nkey = \"/y/k\"\non_error = \"reject\"\nenforce = \"audit\"\n",
    "[fleet]\nguessed = \"/etc/g.ladder\"\n[guesses]\nnot_from = [\"10.0.0.0/8\"]\n",
];

/// As the module and `filterctl update` read it, the printed file has the same effect.
#[test]
fn what_is_printed_has_the_same_effect() {
    let system = System::new("password requisite pam_nearmiss.so", "");
    system.folder.file("w", "quixotic\n");
    for text in WRITTEN {
        for more in [&[][..], &["--changed"]] {
            let conf = system.folder.file("site.conf", text);
            let shown = system.config(&[&["--conf", conf.to_str().unwrap()], more].concat());
            assert_eq!(shown.code, 0, "{text}: {shown:?}");
            let path = Path::new("/n.conf");
            let read = |text: &str| {
                let config = Config::parse(path, text.as_bytes());
                let mut config = config.unwrap_or_else(|e| panic!("{e}: {text}"));
                // What a line without the option does.
                config.line.retry.get_or_insert(1);
                (config, UpdateRules::parse(path, text.as_bytes()).unwrap())
            };
            assert_eq!(read(&shown.out), read(text), "{text}\n{}", shown.out);
        }
    }
}

#[test]
fn what_equals_the_default_is_not_changed() {
    let conf = "min_length = 8\nenforce = \"reject\"\n[policy]\nsequences = true\nfew_letters = false\n\
                [update]\nmatch = \"auto\"\n";
    let system = System::new("password requisite pam_nearmiss.so retry=1 conf=CONF", conf);
    let settings = |run: &Run| -> Vec<String> {
        let lines = run.out.lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| line.split('#').next().unwrap().trim().to_owned()).collect()
    };
    assert_eq!(settings(&system.config(&["--changed"])), ["policy.few_letters = false"]);
    // With another kind, other values are the defaults.
    let conf = "[update]\nkind = \"sha1\"\ncommon = false\nfolders = [\"/usr/share/dict\"]\n";
    fs::write(&system.conf, conf).unwrap();
    let changed = settings(&system.config(&["--changed"]));
    assert_eq!(changed, ["update.folders = [\"/usr/share/dict\"]", "update.kind = \"sha1\""]);
}

#[test]
fn a_mistake_is_an_error_and_no_line_is_said() {
    let system = System::new("password required pam_unix.so", "min_lenght = 9\n");
    let refused = system.config(&["--conf", system.conf.to_str().unwrap()]);
    assert!(refused.error_line().contains("did you mean `min_length`?"), "{refused:?}");
    fs::write(&system.conf, "[update]\ncomon = true\n").unwrap();
    let refused = system.config(&["--conf", system.conf.to_str().unwrap()]);
    assert!(refused.error_line().contains("did you mean `common`?"), "{refused:?}");
    fs::write(&system.conf, "").unwrap();
    let told = system.config(&["--conf", system.conf.to_str().unwrap()]);
    let conf = system.conf.display();
    let head = format!("# passwd: no line of the PAM stack checks passwords\n# file: {conf}\n");
    assert!(told.out.starts_with(&head), "{told:?}");
}

#[test]
fn the_doctor_judges_what_the_line_of_the_stack_asks() {
    let line = "password requisite pam_nearmiss.so retry=3 enforce=audit filter=/none/f conf=CONF";
    let system = System::new(line, "enforce = \"reject\"\n");
    let root = system.folder.path("");
    let shown = run(["doctor", "--root", root.to_str().unwrap()]);
    assert_eq!(shown.code, 1, "{shown:?}");
    let has = |text: &str| shown.out.lines().any(|line| line.contains(text));
    assert!(has("enforce = \"audit\"") && has("/none/f"), "{shown:?}");
    assert!(!has("words.filter"), "the packaged filter is not asked: {shown:?}");
}
