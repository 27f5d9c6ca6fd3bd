//! `filterctl check` and the ladder of chosen passwords, and where passwords come from.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

use crate::{Folder, Run, access::as_nobody, run, run_with};

/// Nobody chose it: only a ladder where it was recorded rejects it.
const CHOSEN: &str = "Vq7#mzt0Lp2x";

/// A filter, a ladder, its key, and a configuration that names them.
struct Place {
    folder: Folder,
    filter: PathBuf,
    ladder: PathBuf,
    key: PathBuf,
    conf: PathBuf,
}

impl Place {
    fn new() -> Place {
        let folder = Folder::new();
        let filter = folder.filter("elephant\n");
        let [ladder, key] = ["state/l.ladder", "etc/l.key"].map(|name| folder.path(name));
        let [words, array, master] = [&filter, &ladder, &key].map(|path| path.display());
        let conf = folder.file(
            "site.conf",
            format!(
                "packaged = false\n[[dictionary]]\nfile = \"{words}\"\n\
                 [ladder]\nfile = \"{array}\"\nkey = \"{master}\"\n"
            ),
        );
        let place = Place { folder, filter, ladder, key, conf };
        let made = place.ladder(&["init", "--no-slow-hash", "--bits", "2^16"], b"");
        assert_eq!(made.code, 0, "{made:?}");
        place
    }

    /// `filterctl ladder` with the paths of this ladder.
    fn ladder(&self, arguments: &[&str], input: &[u8]) -> Run {
        ladder_at(&self.ladder, &self.key, arguments, input)
    }

    /// `filterctl check` by this configuration.
    fn check(&self, further: &[&str], input: &[u8]) -> Run {
        let arguments = ["check", "--json", "--conf", self.conf.to_str().unwrap()];
        run_with([&arguments[..], further].concat(), input)
    }
}

/// `filterctl ladder` with these paths.
fn ladder_at(ladder: &Path, key: &Path, arguments: &[&str], input: &[u8]) -> Run {
    let [ladder, key] = [ladder, key].map(|path| path.to_str().unwrap());
    let all = [&["ladder"], arguments, &["--file", ladder, "--key", key]].concat();
    run_with(all, input)
}

/// The reason for each candidate.
fn reasons(run: &Run) -> Vec<String> {
    let verdicts = run.json().into_iter();
    verdicts.map(|verdict| verdict["reason"].as_str().unwrap_or("accept").to_owned()).collect()
}

#[test]
fn what_is_too_common_for_the_module_is_too_common_for_check() {
    let place = Place::new();
    let candidates = format!("{CHOSEN}\nelephant\nanother-one-7\n");
    assert_eq!(reasons(&place.check(&[], candidates.as_bytes())), ["accept", "dictionary", "accept"]);
    let stepped = place.ladder(&["step", "--steps", "16"], CHOSEN.as_bytes());
    assert_eq!(stepped.code, 0, "{stepped:?}");
    let checked = place.check(&[], candidates.as_bytes());
    assert_eq!(reasons(&checked), ["too-common-here", "dictionary", "accept"]);
    assert_eq!((checked.code, checked.err.as_str()), (1, ""));
    let heights = place.ladder(&["height"], CHOSEN.as_bytes());
    assert!(heights.code == 1 && heights.out.contains("too common"), "{heights:?}");
}

#[test]
fn the_ladder_is_left_out_on_demand_and_where_filters_are_asked_alone() {
    let place = Place::new();
    place.ladder(&["step", "--steps", "16"], CHOSEN.as_bytes());
    let without = place.check(&["--no-ladder"], CHOSEN.as_bytes());
    assert_eq!((reasons(&without), without.code), (vec!["accept".to_owned()], 0));
    let filter = place.filter.to_str().unwrap();
    let alone = run_with(["check", "--json", "--filter", filter], CHOSEN.as_bytes());
    assert_eq!((reasons(&alone), alone.code), (vec!["accept".to_owned()], 0));
    let both = place.check(&["--filter", filter], CHOSEN.as_bytes());
    assert_eq!(reasons(&both), ["too-common-here"]);
}

#[test]
fn a_ladder_that_cannot_be_used_is_an_error() {
    let place = Place::new();
    fs::remove_file(&place.key).unwrap();
    let checked = place.check(&[], CHOSEN.as_bytes());
    assert!(checked.error_line().contains("l.key: cannot be opened"), "{checked:?}");
    assert_eq!(place.check(&["--no-ladder"], CHOSEN.as_bytes()).code, 0);
    fs::remove_file(&place.ladder).unwrap();
    assert_eq!(place.check(&[], CHOSEN.as_bytes()).code, 0, "a ladder that was never made is off");
}

#[test]
fn an_ordinary_user_is_warned_that_the_ladder_was_not_asked() {
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        eprintln!("SKIPPED: needs root: a ladder that belongs to another user");
        return;
    }
    let place = Place::new();
    for (path, mode) in [(place.folder.path(""), 0o755), (place.filter.clone(), 0o644)] {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
    let arguments = ["check", "--json", "--conf", place.conf.to_str().unwrap()];
    let checked = as_nobody(&place.folder, &arguments, CHOSEN.as_bytes());
    assert_eq!((checked.code, reasons(&checked)), (0, vec!["accept".to_owned()]));
    let parts = ["skipped the ladder of chosen passwords", "Permission denied", "as root", "--no-ladder"];
    assert!(parts.iter().all(|part| checked.err.contains(part)), "{checked:?}");
    let quiet = as_nobody(&place.folder, &[&arguments[..], &["--no-ladder"]].concat(), CHOSEN.as_bytes());
    assert_eq!((quiet.code, quiet.err.as_str()), (0, ""));
}

#[test]
fn a_filter_that_is_not_there_is_an_error_that_says_what_to_do() {
    let folder = Folder::new();
    let missing = folder.path("missing.filter");
    let conf = folder.file("site.conf", format!("packaged = false\n[[dictionary]]\nfile = {missing:?}\n"));
    let told = run_with(["check", "--no-ladder", "--conf", conf.to_str().unwrap()], b"x\n");
    let line = told.error_line();
    assert!(
        ["missing.filter", "filterctl update", "--filter"].iter().all(|part| line.contains(part)),
        "{line}"
    );
    let named = run_with(["check", "--filter", missing.to_str().unwrap()], b"x\n");
    assert!(!named.error_line().contains("filterctl update"), "{named:?}");
}

/// Every command that reads a file follows a link to it, and a link to its folder.
#[test]
fn a_link_that_one_command_takes_all_take() {
    let place = Place::new();
    let links = place.folder.path("links");
    fs::create_dir(&links).unwrap();
    let link = |name: &str, target: &Path| {
        symlink(target, links.join(name)).unwrap();
        links.join(name)
    };
    let filters = [link("f", &place.filter), link("folder", &place.folder.path("")).join("words.filter")];
    for filter in filters.each_ref().map(|path| path.to_str().unwrap()) {
        assert_eq!(run_with(["check", "--filter", filter], b"elephant\n").code, 1);
        for command in ["info", "verify"] {
            let told = run([command, filter]);
            assert_eq!(told.code, 0, "{command}: {told:?}");
        }
    }
    let state = link("state", &place.folder.path("state"));
    let ladders =
        [(link("l", &place.ladder), link("k", &place.key)), (state.join("l.ladder"), place.key.clone())];
    for (ladder, key) in &ladders {
        for (command, input) in [("info", ""), ("height", CHOSEN)] {
            let told = ladder_at(ladder, key, &[command], input.as_bytes());
            assert!(told.code <= 1, "{command}: {told:?}");
        }
    }
    // A file is never written through a link under its own name.
    let [through_name, through_folder] = &ladders;
    assert_eq!(ladder_at(&through_name.0, &through_name.1, &["step"], CHOSEN.as_bytes()).code, 2);
    assert!(ladder_at(&through_folder.0, &through_folder.1, &["step"], CHOSEN.as_bytes()).code <= 1);
    let conf = link("c", &place.conf);
    let conf = conf.to_str().unwrap();
    assert_eq!(run_with(["check", "--conf", conf], b"elephant\n").code, 1);
    // 1 is an answer, too: the bits of a new ladder are random, and the password was counted twice.
    assert!(run_with(["ladder", "height", "--conf", conf], CHOSEN.as_bytes()).code <= 1);
}

#[test]
fn lines_end_alike_for_check_height_and_step() {
    let place = Place::new();
    let stepped = place.ladder(&["step", "--steps", "16"], format!("{CHOSEN}\r\n").as_bytes());
    assert_eq!(stepped.code, 0, "{stepped:?}");
    for end in ["\n", "\r\n", ""] {
        let line = format!("{CHOSEN}{end}");
        let heights = place.ladder(&["height", "--json"], line.as_bytes()).json();
        assert_eq!(heights[0]["heights"], json!([16]), "{end:?}");
        assert_eq!(reasons(&place.check(&[], line.as_bytes())), ["too-common-here"], "{end:?}");
    }
    let several = place.ladder(&["height", "--json"], format!("\n\r\n{CHOSEN}\n\n").as_bytes()).json();
    assert_eq!(several[0]["heights"], json!([16]), "empty lines are left out");
}

#[test]
fn a_line_that_no_password_is_is_named() {
    let place = Place::new();
    for size in [512, 1 << 20] {
        let input = format!("{CHOSEN}\n{}\n", "x".repeat(size));
        for command in ["height", "step"] {
            let told = place.ladder(&[command], input.as_bytes());
            assert!(
                told.error_line().contains("line 2 of standard input is longer than a password can be"),
                "{told:?}"
            );
        }
        // Random bits may have counted the first line far: the ladder is not used.
        assert_eq!(reasons(&place.check(&["--no-ladder"], input.as_bytes())), ["accept", "too-long"]);
    }
    assert_eq!(place.ladder(&["height"], "x".repeat(511).as_bytes()).code, 0);
}

/// The driver of terminals, by which all tests type.
const DIALOGUE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tools/dialogue.py");

#[test]
fn on_a_terminal_one_password_is_typed_unseen() {
    let place = Place::new();
    place.ladder(&["step", "--steps", "16"], CHOSEN.as_bytes());
    let [conf, ladder, key] = [&place.conf, &place.ladder, &place.key].map(|path| path.to_str().unwrap());
    for (arguments, verdict) in [
        (vec!["check", "--conf", conf], "1: reject: too-common-here"),
        (vec!["ladder", "height", "--file", ladder, "--key", key], "16 of 16  too common"),
    ] {
        let steps = place.folder.file("steps", json!([["Password: ", CHOSEN]]).to_string());
        let mut command = Command::new("python3");
        command.args([DIALOGUE, env!("CARGO_BIN_EXE_filterctl")]).args(&arguments);
        let output = command.stdin(fs::File::open(steps).unwrap()).output().unwrap();
        let played: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&played["status"], &played["steps_done"]), (&json!(1), &json!(1)), "{played}");
        let shown = played["transcript"].as_str().unwrap();
        assert!(shown.contains(verdict), "{arguments:?}: {shown}");
        assert!(shown.contains("passwords are read from standard input"), "{shown}");
        assert!(!shown.contains(CHOSEN), "{shown}");
    }
}

/// A backup that holds one of the two folders, a cut ladder, and a damaged key.
#[test]
fn a_ladder_that_cannot_be_used_is_kept_aside_and_made_anew() {
    type Damage = fn(&Place);
    const BOTH: &str = "ladder and key";
    let damage: [(&str, &str, Damage); 4] = [
        ("no key", BOTH, |place| fs::remove_file(&place.key).unwrap()),
        ("a cut ladder", "the ladder", |place| fs::write(&place.ladder, b"NMLADDER").unwrap()),
        ("a damaged key", BOTH, |place| {
            let mut key = fs::read(&place.key).unwrap();
            key[20] ^= 1;
            fs::write(&place.key, key).unwrap();
        }),
        ("a damaged key alone", BOTH, |place| {
            fs::remove_file(&place.ladder).unwrap();
            fs::write(&place.key, b"NMLADKEY").unwrap();
        }),
    ];
    let fix = ["init", "--fix", "--no-slow-hash", "--bits", "2^16"];
    for (name, renamed, spoil) in damage {
        let place = Place::new();
        let before = fs::read(&place.ladder).unwrap();
        let kept = place.ladder(&fix, b"");
        assert_eq!((kept.code, kept.out.as_str(), kept.err.as_str()), (0, "", ""), "{name}");
        assert!(fs::read(&place.ladder).unwrap() == before, "a good one stays");
        spoil(&place);
        let fixed = place.ladder(&fix, b"");
        assert_eq!((fixed.code, fixed.err.lines().count()), (0, 1), "{name}: {fixed:?}");
        let said = format!("renamed {renamed} with the suffix .broken-");
        assert!(fixed.err.contains(&said), "{fixed:?}");
        assert_eq!(place.ladder(&["info"], b"").code, 0, "{name}");
        assert!(place.ladder(&["height"], CHOSEN.as_bytes()).code <= 1, "{name}");
        let aside = ["state", "etc"].map(|folder| fs::read_dir(place.folder.path(folder)).unwrap().count());
        assert!(aside.iter().sum::<usize>() >= 3, "{name}: {aside:?}");
    }
}

/// Both ladders have one key: the ladder of guessed passwords keeps its counts.
#[test]
fn a_ladder_of_choices_is_kept_aside_and_the_key_of_both_stays() {
    let place = Place::new();
    let guessed = place.folder.path("state/guessed");
    let of_guesses = |arguments: &[&str], input: &[u8]| ladder_at(&guessed, &place.key, arguments, input);
    let made = of_guesses(&["init", "--guessed", "--bits", "2^16"], b"");
    assert_eq!(made.code, 0, "{made:?}");
    assert_eq!(of_guesses(&["step", "--guessed", "--steps", "40"], CHOSEN.as_bytes()).code, 0);
    let before = of_guesses(&["height", "--guessed"], CHOSEN.as_bytes());
    let key = fs::read(&place.key).unwrap();
    for damage in [&b"NMLADDER"[..], b""] {
        fs::write(&place.ladder, damage).unwrap();
        let fixed = place.ladder(&["init", "--fix", "--no-slow-hash", "--bits", "2^16"], b"");
        assert!(fixed.code == 0 && fixed.err.contains("renamed the ladder with"), "{fixed:?}");
        assert!(fs::read(&place.key).unwrap() == key);
        assert_eq!(of_guesses(&["height", "--guessed"], CHOSEN.as_bytes()).out, before.out);
    }
}

/// Both ladders have one key: the ladder of chosen passwords stays usable.
#[test]
fn a_ladder_of_guesses_is_kept_aside_and_the_key_of_both_stays() {
    let place = Place::new();
    let guessed = place.folder.path("state/guessed");
    let (chosen, key) = (fs::read(&place.ladder).unwrap(), fs::read(&place.key).unwrap());
    let fix = || ladder_at(&guessed, &place.key, &["init", "--guessed", "--fix", "--bits", "2^16"], b"");
    let made = fix();
    assert_eq!((made.code, made.err.as_str()), (0, ""), "{made:?}");
    let good = fs::read(&guessed).unwrap();
    assert_eq!((fix().code, fs::read(&guessed).unwrap() == good), (0, true), "a good one stays");
    fs::write(&guessed, b"NMLADDER").unwrap();
    let fixed = fix();
    assert!(
        fixed.code == 0 && fixed.err.contains("renamed the ladder with the suffix .broken-"),
        "{fixed:?}"
    );
    assert!(fs::read(&place.ladder).unwrap() == chosen && fs::read(&place.key).unwrap() == key);
    let names: Vec<_> = fs::read_dir(guessed.parent().unwrap()).unwrap().flatten().collect();
    let aside = names.iter().find(|one| one.file_name().to_string_lossy().contains("guessed.broken-"));
    assert_eq!(fs::read(aside.unwrap().path()).unwrap(), b"NMLADDER");
}

#[test]
fn a_ladder_of_an_earlier_format_is_refused_with_the_command_that_makes_a_new_one() {
    let fix = ["init", "--fix", "--no-slow-hash", "--bits", "2^16"];
    for format in [1, 2] {
        let place = Place::new();
        let mut earlier = fs::read(&place.ladder).unwrap();
        earlier[8] = format;
        fs::write(&place.ladder, &earlier).unwrap();
        let refused = place.ladder(&["height"], CHOSEN.as_bytes());
        let line =
            format!("written in format {format} by an older nearmiss, which this program does not read");
        assert!(refused.code > 1 && refused.error_line().contains(&line), "{refused:?}");
        assert!(refused.error_line().contains("filterctl ladder init --fix"), "{refused:?}");
        assert!(refused.error_line().contains("[ladder-old-format]"), "{refused:?}");
        assert!(fs::read(&place.ladder).unwrap() == earlier, "it is left as it is");
        let fixed = place.ladder(&fix, b"");
        assert!(fixed.code == 0 && fixed.err.contains(&line), "{fixed:?}");
        assert_eq!(fs::read(&place.ladder).unwrap()[8], 3);
        assert!(place.ladder(&["height"], CHOSEN.as_bytes()).code <= 1);
    }
}

#[test]
fn ladder_and_key_are_never_made_in_one_folder() {
    let folder = Folder::new();
    let made =
        ladder_at(&folder.path("l"), &folder.path("k"), &["init", "--no-slow-hash", "--bits", "2^16"], b"");
    assert!(made.error_line().contains("must be in two folders"), "{made:?}");
    assert_eq!(folder.names(), [""; 0]);
}
