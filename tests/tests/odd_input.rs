//! Passwords and user names of any bytes, through libpam: the module gives the same verdicts as the library.

use nearmiss_filters::dictionary::DictionaryFilter;
use nearmiss_policy::policy::{Context, Examination, Ladders, OpenDictionary, Policy};
use nearmiss_tests::{
    artifacts::artifacts,
    filters::{self, GOOD},
    pam::{self, AUTHTOK_ERR, Folder, SUCCESS},
    report_tried,
};
use serde_json::{Value, json};

/// The library's own answer to a password; the module has the same user and host.
struct Oracle {
    rules: Vec<OpenDictionary<Vec<u8>>>,
}

impl Oracle {
    fn new(folder: &Folder) -> Oracle {
        let filter =
            DictionaryFilter::from_bytes(std::fs::read(folder.path().join("words.filter")).unwrap()).unwrap();
        let matching = filter.header().matching;
        Oracle { rules: vec![OpenDictionary { filter, matching }] }
    }

    fn accepts(&self, password: &[u8], user: &[u8]) -> bool {
        let host = std::fs::read("/proc/sys/kernel/hostname").unwrap();
        let context = Context { user, host: host.trim_ascii(), ..Context::default() };
        let sources = Examination::new(&self.rules, Ladders::default());
        Policy::default().examine(password, &context, sources).complete().unwrap().is_none()
    }
}

fn folder() -> Folder {
    let folder = Folder::new(&artifacts().module);
    let filter = filters::build(folder.path());
    let conf = folder.write("nearmiss.conf", "");
    folder.service("t", &format!("conf={} filter={}", conf.display(), filter.display()));
    folder
}

/// Passwords of every length to beyond the limit, of letters, of bytes that are no UTF-8, of control
/// characters, of characters that normalising makes longer; and one of a megabyte.
fn odd_passwords() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> =
        vec![vec![], vec![b'q'; 1 << 20], vec![0xff; 1 << 20], b"password\n".to_vec()];
    for length in 1..=512 {
        let letter = |at: usize| b"qzjxkvbpgw"[(at * 7 + length) % 10];
        all.push((0..length).map(letter).collect());
        all.push((0..length).map(|at| 0x80 | u8::try_from(at * 31 % 128).unwrap()).collect());
        all.push((0..length).map(|at| u8::try_from(1 + at % 31).unwrap()).collect());
        all.push("\u{fdfa}e\u{301}\u{202e}ﬁ".bytes().cycle().take(length).collect());
        all.push(b"elephant".iter().copied().cycle().take(length).collect());
    }
    all
}

#[test]
fn odd_passwords_are_judged_as_the_library_alone_judges_them() {
    let folder = folder();
    let oracle = Oracle::new(&folder);
    let passwords = odd_passwords();
    for part in passwords.chunks(600) {
        let cases: Vec<Value> = part.iter().map(|password| folder.case("t", &[password, password])).collect();
        for (played, password) in pam::play(&cases).iter().zip(part) {
            let wanted = if oracle.accepts(password, b"tester") { SUCCESS } else { AUTHTOK_ERR };
            assert_eq!(played.code, wanted, "{} bytes: {:x?}", password.len(), password.get(..40));
        }
    }
    report_tried("odd passwords", passwords.len());
}

#[test]
fn odd_user_names_change_no_verdict_but_that_of_their_own_neighbours() {
    let folder = folder();
    let oracle = Oracle::new(&folder);
    let names: [&[u8]; 9] = [
        b"",
        b"\xff\xfe\xfd",
        b"%s%n%x%99999d",
        b"a\nb\rc",
        b"\x1b[31mred",
        b"root:0",
        b"../../etc",
        &[b'n'; 300],
        "\u{202e}resu".as_bytes(),
    ];
    let passwords: [&[u8]; 4] =
        [GOOD.as_bytes(), b"elephqnt", b"%s%n%x%99999d1", b"\xff\xfe\xfd\xff\xfe\xfd\xff\xfe"];
    let mut cases = Vec::new();
    for name in names {
        for password in passwords {
            let mut case = folder.case("t", &[password, password, password]);
            case["user"] = json!(name.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
            cases.push((case, name, password));
        }
    }
    let inputs: Vec<Value> = cases.iter().map(|(case, ..)| case.clone()).collect();
    for (played, (_, name, password)) in pam::play(&inputs).iter().zip(&cases) {
        let wanted = if oracle.accepts(password, name) { SUCCESS } else { AUTHTOK_ERR };
        assert_eq!(played.code, wanted, "user {name:x?}, password {password:x?}: {played:?}");
    }
    report_tried("odd user names", cases.len());
}
