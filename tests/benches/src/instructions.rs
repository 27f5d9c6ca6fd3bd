//! Instructions by callgrind: of a query and of an entry of a build. They are the same on a loaded machine,
//! where times are not. With `BEFORE=COMMIT`, `bench.sh` counts that commit's library, too.

use std::{
    collections::HashMap,
    fs,
    hint::black_box,
    path::{Path, PathBuf},
    process::Command,
};

use nearmiss_filters::{
    dictionary::{Buffers, DictionaryFilter},
    format::{Match, SchemeId},
    word::Word,
};
use nearmiss_policy::policy::OpenDictionary;

use crate::{
    checks, digests,
    lists::{self, Words},
    ours,
    queries::{Oracle, Queries},
    report::{Target, figure, line, section},
    work::{self, PASSWORDS, Work},
};

/// Entries of the lists that are built from.
const ENTRIES: usize = 100_000;

/// What is counted: its name, and instructions a query or an entry.
type Count = (String, f64);

/// Runs the measure.
pub fn run(work: &Work) {
    section("instructions, by callgrind: a query of 8 characters among 1 M passwords, an entry of a build");
    let before = before(&work.path("before.tsv"));
    for (name, count) in counts(work) {
        let (other, ratio) = match before.get(&name) {
            Some(&other) => (figure(other), count / other),
            None => (String::new(), count),
        };
        line(&name, &figure(count), &other, ratio, Target::None);
    }
}

/// Prints the counts, for another run to compare with.
pub fn print(work: &Work) {
    for (name, count) in counts(work) {
        println!("{name}\t{count}");
    }
}

fn before(path: &Path) -> HashMap<String, f64> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let count =
        |line: &str| Some((line.split_once('\t')?.0.to_owned(), line.split_once('\t')?.1.parse().ok()?));
    text.lines().filter_map(count).collect()
}

fn counts(work: &Work) -> Vec<Count> {
    let mut counts = Vec::new();
    let words = work.passwords(PASSWORDS);
    let files = question_files(work, &words);
    let text = lists::text(&words);
    for (name, scheme, bits) in [
        ("near", SchemeId::Deletions, ours::near_bits()),
        ("compact", SchemeId::Deletions, 0),
        ("exact", SchemeId::Whole, 0),
    ] {
        let filter =
            work.filter_file("counted.filter", &text, &ours::settings(scheme, bits, 0.01, ours::threads()));
        for (kind, questions) in &files {
            for asked in ["nearest", "contains"] {
                let count = of_queries(asked, &filter, questions);
                counts.push((format!("{name}, {kind}, {asked}"), count));
            }
        }
    }
    counts.extend(checks(work));
    let list = work.path("counted.txt");
    work::write(&list, &lists::text(&words[..ENTRIES]));
    for kind in ["near", "compact", "exact"] {
        counts.push((format!("build, {kind}"), of_build(kind, &list)));
    }
    let mut lines = Vec::new();
    digests::blocks(ENTRIES as u64, |block| lines.extend_from_slice(block));
    work::write(&list, &lines);
    counts.push(("build, sha1".to_owned(), of_build("sha1", &list)));
    counts
}

/// The questions of each kind, in a file.
fn question_files(work: &Work, words: &Words) -> Vec<(&'static str, PathBuf)> {
    let oracle = Oracle::new(words);
    let queries = Queries::new(words, &oracle, 8, work.strangers());
    let file = |(kind, queries): (&'static str, &[String])| {
        let path = work.path(&format!("questions-{}.txt", kind.replace(' ', "-")));
        work::write(&path, queries.join("\n").as_bytes());
        (kind, path)
    };
    queries.kinds().map(file).into()
}

/// Whole checks with all rules and with none, among a million words.
fn checks(work: &Work) -> Vec<Count> {
    let words = work.million_words();
    let filter = work.filter_file("counted.filter", &lists::text(&words), &checks::settings());
    let mut counts = Vec::new();
    let single = checks::worst(&words).into_iter().map(|(kind, password)| (kind, vec![password]));
    let kinds = checks::kinds(work).into_iter().map(|(kind, passwords)| (kind.to_owned(), passwords));
    for (kind, passwords) in kinds.chain(single) {
        let file = work.path("checked.txt");
        work::write(&file, &passwords.join(&b'\n'));
        let most = if passwords.len() > 1 { usize::MAX } else { 2 };
        for rules in checks::rules_tried().into_iter().take(most) {
            counts.push((format!("check, {kind}, {rules}"), of_queries(rules, &filter, &file)));
        }
    }
    counts
}

fn of_queries(asked: &str, filter: &Path, questions: &Path) -> f64 {
    let number = lines(&fs::read(questions).expect("questions")).len();
    let mut command = callgrind(&["--collect-atstart=no", "--toggle-collect=*measured_questions*"]);
    collected(command.arg("ask").arg(asked).arg(filter).arg(questions)) / number as f64
}

/// All of a process that builds: what it takes to start is not much.
fn of_build(kind: &str, list: &Path) -> f64 {
    collected(callgrind(&[]).args(["child", kind, "1"]).arg(list)) / ENTRIES as f64
}

fn callgrind(options: &[&str]) -> Command {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).args(options);
    command.arg(std::env::current_exe().expect("this program"));
    command
}

fn collected(command: &mut Command) -> f64 {
    let output = command.output().expect("valgrind, which bench.sh fetches");
    let text = String::from_utf8_lossy(&output.stderr);
    let count = text.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    count.unwrap_or_else(|| panic!("callgrind: {text}"))
}

/// The child's part: `nearest|contains|RULES FILTER QUESTIONS`.
pub fn ask(arguments: &[String]) {
    let [asked, filter, questions] = arguments else { panic!("ask WHAT FILTER QUESTIONS") };
    let filter = DictionaryFilter::from_bytes(fs::read(filter).expect("a filter")).expect("a filter");
    let questions = fs::read(questions).expect("questions");
    let questions = lines(&questions);
    let rules = [OpenDictionary { filter, matching: Match::Near }];
    if matches!(asked.as_str(), "nearest" | "contains") {
        return ask_each(&questions, &mut asker(&rules[0].filter, asked == "nearest"));
    }
    let policy = checks::policy(asked);
    ask_each(&questions, &mut |one| checks::is_accepted(&policy, &rules, one));
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split(|&byte| byte == b'\n').collect()
}

fn ask_each(questions: &[&[u8]], one: &mut dyn FnMut(&[u8]) -> bool) {
    // First for what is done once: pages are verified, buffers grow.
    questions.iter().for_each(|question| _ = one(question));
    measured_questions(questions, one);
}

fn asker<'f>(filter: &'f DictionaryFilter<Vec<u8>>, is_near: bool) -> impl FnMut(&[u8]) -> bool + 'f {
    let (mut buffers, mut word) = (Buffers::default(), Word::with_full_capacity());
    move |question| {
        let is_word = word.assign(question).is_ok();
        is_word
            && if is_near {
                filter.nearest(&word, false, &mut buffers).expect("a filter in memory").is_some()
            } else {
                filter.contains(&word, &mut buffers).expect("a filter in memory")
            }
    }
}

#[inline(never)]
fn measured_questions(questions: &[&[u8]], one: &mut dyn FnMut(&[u8]) -> bool) {
    questions.iter().for_each(|question| _ = black_box(one(black_box(question))));
}
