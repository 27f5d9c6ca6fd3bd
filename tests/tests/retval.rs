//! Every code the module can answer, through libpam and by direct calls, as an ordinary user and with nothing
//! installed.

use nearmiss_tests::{
    artifacts::{PANICS, artifacts},
    filters::{self, GOOD, Spoiled},
    pam::*,
    skip::{no_foreign_owner, skipped},
};
use serde_json::{Value, json};

const FLAGS: [i32; 3] = [0, SILENT, CHANGE_EXPIRED];
const ADMINISTRATOR: &str = "administrator's password filter";

/// A folder with the module, a good filter, and a service `t` with these options.
fn folder(options: &str) -> Folder {
    let folder = Folder::new(&artifacts().module);
    let filter = filters::build(folder.path());
    let conf = folder.write("nearmiss.conf", "min_length = 8\n");
    let line = format!("conf={} filter={} {options}", conf.display(), filter.display());
    folder.service("t", &line);
    folder
}

fn with_flags(mut case: Value, flags: i32) -> Value {
    case["flags"] = json!(flags);
    case
}

fn answer(options: &str, answers: &[&[u8]]) -> Played {
    play_one(folder(options).case("t", answers))
}

#[test]
fn a_good_password_is_a_success() {
    let played = answer("retry=3", &[GOOD.as_bytes(), GOOD.as_bytes()]);
    assert_eq!((played.code, played.prompts(), played.unused), (SUCCESS, 2, 0), "{played:?}");
    assert!(played.shown().is_empty(), "{played:?}");
}

#[test]
fn a_word_its_neighbour_and_its_disguise_use_up_three_tries() {
    let played = answer("retry=3 codes", &[b"butterfly", b"elephqnt", b"P4ssw0rd2026!"]);
    assert_eq!(played.code, MAXTRIES, "{played:?}");
    let codes: Vec<bool> = played.shown().iter().map(|text| text.starts_with("BAD PASSWORD: ")).collect();
    assert_eq!(codes, [true, true, true], "{played:?}");
    assert!(played.shown()[0].ends_with(" [dictionary]"), "{played:?}");
    assert!(played.shown()[1].ends_with(" [near-dictionary]"), "{played:?}");
}

#[test]
fn one_try_is_an_error_of_the_password() {
    assert_eq!(answer("", &[b"password"]).code, AUTHTOK_ERR);
}

#[test]
fn a_mismatch_costs_a_try_and_typing_nothing_ends_it() {
    let good = GOOD.as_bytes();
    assert_eq!(answer("retry=2", &[good, b"another", good, good]).code, SUCCESS);
    assert_eq!(answer("retry=2", &[good, b"another", good, b"another"]).code, MAXTRIES);
    assert_eq!(answer("retry=3", &[]).code, AUTHTOK_ERR);
    assert_eq!(answer("retry=3", &[good]).code, AUTHTOK_ERR);
}

#[test]
fn odd_passwords_are_refused_or_accepted_and_never_more() {
    let long = vec![b'q'; 4096];
    let huge = vec![b'q'; 1 << 20];
    for password in [b"".as_slice(), &long, &huge, b"short"] {
        let played = answer("", &[password, password]);
        assert_eq!(
            (played.code, played.shown().len()),
            (AUTHTOK_ERR, 1),
            "{} bytes: {played:?}",
            password.len()
        );
    }
    let not_utf8 = b"\xff\xfe\x80 \xc3\x28 b\x01\x7f and more of it";
    assert_eq!(answer("", &[not_utf8, not_utf8]).code, SUCCESS);
}

#[test]
fn a_user_name_need_not_be_utf8() {
    let folder = folder("");
    let mut case = folder.case("t", &[GOOD.as_bytes(), GOOD.as_bytes()]);
    case["user"] = json!("fffe746573");
    assert_eq!(play_one(case).code, SUCCESS);
}

#[test]
fn a_password_near_the_users_name_is_refused() {
    let played = answer("codes", &[b"tester77"]);
    assert_eq!(played.code, AUTHTOK_ERR, "{played:?}");
    assert!(played.shown()[0].ends_with("[near-user-name]"), "{played:?}");
}

#[test]
fn every_spoiled_filter_is_told_before_anything_is_typed() {
    let mut ways = Spoiled::BY_ANYBODY.to_vec();
    if !skipped(no_foreign_owner()) {
        ways.push(Spoiled::ForeignOwner);
    }
    for way in ways {
        let folder = folder("retry=3");
        way.apply(&folder.path().join("words.filter"));
        let cases: Vec<Value> =
            FLAGS.iter().map(|&flags| with_flags(folder.case("t", &[b"password"]), flags)).collect();
        for (played, flags) in play(&cases).iter().zip(FLAGS) {
            check_refusal(way, played, flags);
        }
    }
}

/// Damage inside a page is only detected when the page is read: after the password was typed.
fn check_refusal(way: Spoiled, played: &Played, flags: i32) {
    let found_late = way == Spoiled::DamagedPages;
    let wanted = if found_late { (AUTHTOK_ERR, 1) } else { (TRY_AGAIN, 0) };
    assert_eq!((played.code, played.prompts()), wanted, "{way:?}, flags {flags:#x}: {played:?}");
    let messages = played.shown();
    assert_eq!(messages.len(), usize::from(flags & SILENT == 0), "{way:?}, flags {flags:#x}: {played:?}");
    assert!(messages.iter().all(|text| text.contains(ADMINISTRATOR)), "{way:?}: {played:?}");
}

#[test]
fn a_broken_configuration_refuses_everybody_and_points_at_the_administrator() {
    for broken in ["min_length = \"eight\"\n", "min_lenght = 8\n", "[[dictionary\n", "\u{0}"] {
        let folder = folder("");
        folder.write("nearmiss.conf", broken);
        let played = play_one(folder.case("t", &[GOOD.as_bytes()]));
        assert_eq!((played.code, played.prompts()), (TRY_AGAIN, 0), "{broken:?}: {played:?}");
        assert!(played.shown()[0].contains("administrator's password policy"), "{played:?}");
    }
}

#[test]
fn on_error_allow_lets_a_missing_filter_pass() {
    let folder = folder("");
    folder.write("nearmiss.conf", "on_error = \"allow\"\n");
    Spoiled::Absent.apply(&folder.path().join("words.filter"));
    let played = play_one(folder.case("t", &[b"password", b"password"]));
    assert_eq!((played.code, played.shown().len()), (SUCCESS, 0), "{played:?}");
}

#[test]
fn mistakes_in_the_line_are_ignored() {
    let played = answer("nonsense retry=none conf=relative try_first_pass authtok_type=UNIX", &[b"password"]);
    assert_eq!(played.code, AUTHTOK_ERR, "{played:?}");
    assert!(played.said[0].1.contains("New UNIX password: "), "{played:?}");
}

#[test]
fn use_authtok_without_a_password_is_an_error_and_asks_nothing() {
    for option in ["use_authtok", "use_first_pass"] {
        let played = answer(option, &[GOOD.as_bytes()]);
        assert_eq!((played.code, played.prompts()), (AUTHTOK_ERR, 0), "{option}: {played:?}");
    }
}

#[test]
fn use_authtok_judges_the_password_of_an_earlier_module() {
    let folder = folder("");
    let line = |options: &str| {
        format!(
            "password required {} filter={}/words.filter {options}",
            folder.module().display(),
            folder.path().display()
        )
    };
    let strict = folder.write("strict.conf", "min_length = 30\n");
    let second = line(&format!("use_authtok conf={}", strict.display()));
    folder.write("two", &format!("{}\n{second}\n", line("retry=1")));
    folder.write("same", &format!("{}\n{}\n", line("retry=1"), line("use_authtok")));
    let [refused, accepted] =
        [folder.case("two", &[GOOD.as_bytes(); 2]), folder.case("same", &[GOOD.as_bytes(); 2])].map(play_one);
    assert_eq!((refused.code, refused.prompts(), refused.shown().len()), (AUTHTOK_ERR, 2, 1), "{refused:?}");
    assert_eq!((accepted.code, accepted.prompts(), accepted.shown().len()), (SUCCESS, 2, 0), "{accepted:?}");
}

#[test]
fn record_and_submit_lines_stay_out_of_the_way() {
    let folder = folder("retry=1");
    for duty in ["record", "submit"] {
        let line = format!("password optional {} {duty}\n", folder.module().display());
        let check = std::fs::read_to_string(folder.path().join("t")).unwrap();
        folder.write("both", &format!("{check}{line}"));
        assert_eq!(play_one(folder.case("both", &[GOOD.as_bytes(); 2])).code, SUCCESS);
        assert_eq!(play_one(folder.case("both", &[b"password"])).code, AUTHTOK_ERR);
    }
}

#[test]
fn hooks_of_other_stacks_ignore_every_call() {
    let folder = folder("");
    let entries = [
        "pam_sm_authenticate",
        "pam_sm_setcred",
        "pam_sm_acct_mgmt",
        "pam_sm_open_session",
        "pam_sm_close_session",
    ];
    for entry in entries {
        for flags in [0, SILENT, PRELIM, UPDATE, -1] {
            assert_eq!(
                play_one(folder.entry(entry, flags, &["debug", "nonsense"])).code,
                IGNORE,
                "{entry} {flags:#x}"
            );
        }
    }
}

#[test]
fn the_password_hook_answers_each_pass_by_itself() {
    let folder = folder("");
    let filter = format!("filter={}/words.filter", folder.path().display());
    let conf = format!("conf={}/nearmiss.conf", folder.path().display());
    let call = |flags, filter: &str| play_one(folder.entry("pam_sm_chauthtok", flags, &[filter, &conf])).code;
    assert_eq!(call(PRELIM, &filter), SUCCESS);
    assert_eq!(call(PRELIM, "filter=/nonexistent"), TRY_AGAIN);
    assert_eq!(call(UPDATE, "filter=/nonexistent"), AUTHTOK_ERR);
    assert_eq!(call(0, &filter), SERVICE_ERR);
    assert_eq!(call(SILENT, &filter), SERVICE_ERR);
}

#[test]
fn a_panic_says_nothing_and_is_an_error() {
    let played = play_one(folder("retry=3").case("t", &[PANICS.as_bytes()]));
    assert_eq!((played.code, played.shown().len()), (ABORT, 0), "{played:?}");
}

#[test]
fn a_thousand_changes_leave_no_descriptor_open() {
    let folder = folder("retry=2");
    let mut case = folder.case("t", &[b"password", GOOD.as_bytes(), GOOD.as_bytes()]);
    case["repeat"] = json!(1000);
    let played = play_one(case);
    assert_eq!((played.code, played.opened), (SUCCESS, 0), "{played:?}");
}
