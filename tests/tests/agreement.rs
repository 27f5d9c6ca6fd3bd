//! Module and `filterctl check` give the same verdict and reason for every candidate, by whatever
//! configuration and levels of enforcement.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use nearmiss_filters::ladder::SeededRandom;
use nearmiss_tests::{
    artifacts::{artifacts, copy_readable},
    filters::{self, GOOD, WORDS},
    ladder,
    pam::{self, Folder, Played, SUCCESS, unprivileged},
    report_tried,
};
use serde_json::Value;

const CANDIDATES: usize = 2_000;

/// A number that looks random, the same on every run.
fn mixed(number: usize) -> usize {
    let seed = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    usize::try_from(SeededRandom::new(seed).next_word() >> 16).unwrap()
}

/// Words and names in every disguise, misspelt or not, beside strangers of all lengths and bytes that are no
/// text. None has a line end in it, which could not be a line of standard input.
fn candidates(host: &str) -> Vec<Vec<u8>> {
    let names = ["tester", host, "hunter2", "Zürich"];
    let bases: Vec<&str> = WORDS.lines().chain(names).collect();
    let mut all: Vec<Vec<u8>> = vec![vec![], vec![b'q'; 511], vec![b'q'; 512], "q".repeat(257).into_bytes()];
    all.extend(WORDS.lines().map(|word| word.as_bytes().to_vec()));
    for number in all.len()..CANDIDATES {
        let base = bases[mixed(number) % bases.len()];
        all.push(disguised(base, mixed(number * 31), number));
    }
    for candidate in &mut all {
        candidate.retain(|byte| !matches!(byte, 0 | b'\n' | b'\r'));
    }
    all
}

fn disguised(base: &str, choice: usize, number: usize) -> Vec<u8> {
    let mut characters: Vec<char> = base.chars().collect();
    let at = choice / 64 % characters.len();
    match choice % 4 {
        0 => characters[at] = char::from(b'a' + u8::try_from(choice / 7 % 26).unwrap()),
        1 => characters.insert(at, 'q'),
        2 if characters.len() > 4 => drop(characters.remove(at)),
        _ if at > 0 => characters.swap(at - 1, at),
        _ => {}
    }
    let text: String = characters.iter().collect();
    match choice / 4 % 12 {
        0 => base.to_owned().into_bytes(),
        1 => base.to_uppercase().into_bytes(),
        2 => base.chars().rev().collect::<String>().into_bytes(),
        3 => base.repeat(2).into_bytes(),
        4 => base.replace('e', "3").replace('a', "@").replace('o', "0").into_bytes(),
        5 => format!("{base}{}!", 1900 + number % 200).into_bytes(),
        6 => format!("{number}{text}").into_bytes(),
        7 => text.replace('e', "é").into_bytes(),
        8 => format!("{:016x}", mixed(number)).into_bytes()[..number % 17].to_vec(),
        9 => (0..number % 40).map(|at| u8::try_from(128 + mixed(at + number) % 128).unwrap()).collect(),
        10 => format!("stranger-{number}").into_bytes(),
        _ => text.into_bytes(),
    }
}

/// A filter beside the one of [`filters::build`].
fn built(folder: &Folder, name: &str, list: &str, options: &[&str]) -> PathBuf {
    let (list, filter) = (folder.write(&format!("{name}.txt"), list), folder.path().join(name));
    let mut command = Command::new(&artifacts().filterctl);
    command.arg("build").args(options).arg("--output").args([&filter, &list]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    filters::make_private(&filter);
    filter
}

/// SHA-1 of `hunter2` and `correct-horse`.
const LEAKED: &str = "F3BBBD66A63D4BF1747940578EC3D0103530E21D\n1FC7B4FDFD9C9D6F6FC8A98B18A8C4CBB2D1F7BC\n";

/// Ways to configure a site; what is recorded in the ladder of `ladder` and of those whose name ends so.
fn configurations(folder: &Folder) -> Vec<(&'static str, String)> {
    let near = filters::build(folder.path());
    let exact = built(folder, "exact.filter", "butterfly\nmonkeys\n", &["--match", "exact"]);
    let leaked = built(folder, "leaked.filter", LEAKED, &["--kind", "sha1"]);
    let named = |path: &Path| format!("[[dictionary]]\nfile = \"{}\"\n", path.display());
    let (near, exact, leaked) = (named(&near), named(&exact), named(&leaked));
    let ladder = fs::read_to_string(ladder::in_folder_by(
        folder,
        &["init", "--no-slow-hash", "--preset", "paper-5m", "--bits", "2^20"],
    ));
    let ladder = ladder.unwrap();
    let at = |part: &str, level: &str| format!("{part}enforce = \"{level}\"\n");
    let never = "[policy]\nforbidden_words = [\"stranger\"]\n";
    let ladder_at = |level: &str| at(&ladder, level);
    vec![
        ("default", near.clone()),
        ("leaked", format!("min_length = 6\n{leaked}{near}")),
        (
            "bare",
            format!(
                "min_length = 4\n{near}match = \"exact\"\n[variants]\naccents = false\nleet = false\n\
                 reversed = false\ndoubled = false\naffixes = false\n"
            ),
        ),
        ("several", format!("min_length = 5\n{exact}{near}[variants]\naffixes = false\n")),
        (
            "nobody",
            format!("min_length = 12\n{exact}[context]\nuser = false\ngecos = false\nhost = false\n{never}"),
        ),
        ("ladder", format!("{exact}{ladder}")),
        ("warned", at("", "warn") + &near + never),
        ("audited", at("", "audit") + &near),
        ("words-warned", format!("{}{leaked}", at(&near, "warn"))),
        ("words-rejected", at("", "warn") + &at(&exact, "reject") + &at(&near, "audit")),
        ("warned-ladder", at("", "audit") + &at(&exact, "reject") + &ladder_at("warn")),
        ("audited-ladder", at("", "warn") + &exact + &ladder_at("audit")),
        ("rejected-ladder", at("", "audit") + &at(&near, "warn") + &ladder_at("reject")),
    ]
    .into_iter()
    .map(|(name, text)| (name, format!("packaged = false\n{text}")))
    .collect()
}

/// Verdict and reason; the latter is the code in brackets at the end of what the user is shown.
fn verdict_of(played: &Played) -> String {
    let reason = |message: &str| message.rsplit_once(" [").unwrap().1.trim_end_matches(']').to_owned();
    match (played.code, played.shown().as_slice()) {
        (SUCCESS, []) => "accept".to_owned(),
        (SUCCESS, [message, "It is accepted anyway."]) => {
            format!("warn {}", reason(message))
        }
        (_, [message]) => format!("reject {}", reason(message)),
        _ => panic!("{played:?}"),
    }
}

fn by_module(folder: &Folder, service: &str, candidates: &[Vec<u8>]) -> Vec<String> {
    let cases: Vec<Value> =
        candidates.iter().map(|candidate| folder.case(service, &[candidate, candidate])).collect();
    pam::play(&cases).iter().map(verdict_of).collect()
}

fn by_check(folder: &Folder, conf: &Path, candidates: &[Vec<u8>]) -> Vec<String> {
    let options = ["check", "--json", "--user", "tester", "--conf"];
    let verdicts = filterctl(folder, &options, conf, candidates);
    let verdict = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        match (line["verdict"].as_str().unwrap(), line["reason"].as_str()) {
            (verdict, Some(reason)) => format!("{verdict} {reason}"),
            (verdict, None) => verdict.to_owned(),
        }
    };
    verdicts.lines().map(verdict).collect()
}

/// The output of `filterctl` for these lines on its standard input.
fn filterctl(folder: &Folder, options: &[&str], conf: &Path, lines: &[impl AsRef<[u8]>]) -> String {
    let lines: Vec<&[u8]> = lines.iter().map(AsRef::as_ref).collect();
    let input = folder.path().join("lines");
    fs::write(&input, lines.join(&b'\n')).unwrap();
    let mut command = unprivileged(folder.path().join("filterctl"));
    let output = command.args(options).arg(conf).stdin(fs::File::open(input).unwrap()).output().unwrap();
    let complaints = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code().is_some_and(|code| code < 2) && complaints.is_empty(), "{complaints}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn module_and_check_give_the_same_verdicts() {
    let folder = Folder::new(&artifacts().module);
    copy_readable(&artifacts().filterctl, &folder.path().join("filterctl"));
    filters::set_mode(&folder.path().join("filterctl"), 0o755);
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let mut candidates = candidates(host.trim());
    candidates.push(GOOD.as_bytes().to_vec());
    let configurations = configurations(&folder);
    record(&folder, &candidates);
    let mut found = BTreeMap::<String, usize>::new();
    for (name, text) in configurations {
        let conf = folder.write(&format!("{name}.conf"), &text);
        folder.service(name, &format!("codes conf={}", conf.display()));
        let [module, check] = [by_module(&folder, name, &candidates), by_check(&folder, &conf, &candidates)];
        assert_eq!((module.len(), check.len()), (candidates.len(), candidates.len()), "{name}");
        for ((candidate, module), check) in candidates.iter().zip(module).zip(check) {
            let shown = String::from_utf8_lossy(candidate);
            // The user reads nothing of a password that is only audited.
            let shown_by_check = if check.starts_with("audit ") { "accept" } else { &check };
            assert_eq!(module, shown_by_check, "{name}: module and check differ about {shown:?}");
            *found.entry(check).or_default() += 1;
        }
    }
    let mut wanted = vec![
        "accept",
        "reject empty",
        "reject too-long",
        "reject too-short",
        "reject near-user-name",
        "reject forbidden-word",
        "reject dictionary",
        "reject breached",
        "reject near-dictionary",
        "reject too-common-here",
        "warn too-short",
        "warn forbidden-word",
        "warn near-dictionary",
        "warn too-common-here",
        "audit too-short",
        "audit near-dictionary",
        "audit too-common-here",
    ];
    // The rest of a disguised name must be long enough to be compared.
    wanted.extend((host.trim().len() >= 8).then_some("reject near-host-name"));
    for reason in wanted {
        assert!(found.get(reason).is_some_and(|&count| count > 0), "{reason} was never found: {found:?}");
    }
    report_tried(
        "candidates judged alike by module and check, thirteen configurations",
        found.values().sum::<usize>(),
    );
}

/// Every tenth candidate is at the top of the ladder.
fn record(folder: &Folder, candidates: &[Vec<u8>]) {
    let common: Vec<&[u8]> = candidates.iter().step_by(10).map(Vec::as_slice).collect();
    let common: Vec<&[u8]> = common.into_iter().filter(|candidate| candidate.len() <= 512).collect();
    filterctl(
        folder,
        &["ladder", "step", "--steps", "16", "--conf"],
        &folder.path().join("ladder.conf"),
        &common,
    );
}
