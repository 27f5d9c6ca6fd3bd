//! `docs/papers.md`: every command of `filterlab` that it names runs at a small size and draws its picture.

use std::{collections::BTreeMap, fs, sync::Mutex, thread};

use crate::{Folder, filter, repository, run};
use nearmiss_cli::input::ListName;
use nearmiss_filters::format::Match;

/// Words for which a filter is made, and lists are taken from.
fn words() -> String {
    (0..4000_u32).map(|n| format!("{:07x}\n", n.wrapping_mul(2_654_435_761) >> 4)).collect()
}

/// The commands in backticks and in blocks.
fn commands(page: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut is_block = false;
    for line in page.lines() {
        if line.starts_with("```") {
            is_block = !is_block;
        } else if is_block {
            commands.push(line.to_owned());
        } else {
            commands.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    commands.retain(|command| command.starts_with("filterlab "));
    commands
}

/// A folder with what the commands read.
fn workshop() -> Folder {
    let folder = Folder::new();
    let list = folder.file("list", words());
    fs::create_dir(folder.path("out")).unwrap();
    for name in ["english", "empty", "full"] {
        let matching = if name == "english" { Match::Near } else { Match::Exact };
        folder.file(&format!("out/{name}.filter"), filter(ListName::Path((&list).into()), matching));
    }
    folder.file("counts", "60\t3\n1\t400\n");
    folder
}

/// The words of a command, with files of the folder in place of the machine's, and small numbers.
fn small(command: &str, folder: &Folder) -> Vec<String> {
    let command = command.split(" $(").next().unwrap();
    let mut words: Vec<String> = command.split_whitespace().skip(1).map(str::to_owned).collect();
    for at in 0..words.len() {
        words[at] = match words[at].as_str() {
            path if path.starts_with("/usr/share/dict/") => folder.path("list"),
            path if path.ends_with("guess-counts.tsv") => folder.path("counts"),
            path if path.starts_with("crates/lab/") => {
                repository("../..").join(path).to_str().unwrap().to_owned()
            }
            path if path.starts_with("out") || path.starts_with("docs/") => {
                folder.path(&path.replace("docs/figures", "out"))
            }
            word => word.to_owned(),
        };
        let least = match words[at].as_str() {
            "--trials" => "20",
            "--queries" => "2000",
            _ => continue,
        };
        least.clone_into(&mut words[at + 1]);
    }
    let more = match (words[1].as_str(), command) {
        ("step-cost", _) => "--steps 100",
        ("false-positives", _) => "--bits 16000 --probes 2 4 --keys 1",
        ("structures", _) => "--runs 1",
        ("locality", command) if command.contains("--figure") => {
            "--keys 1000 --bits 10000 --queries 500 --repetitions 3"
        }
        ("locality", command) if command.contains("--table") => {
            "--extension 30268 --megabytes 0.05 0.075 --queries 2000 --repetitions 3"
        }
        ("locality", _) => "--extension 30268 --megabytes 0.05 0.075",
        ("spelling", command) if command.contains("pod-mistakes") => "DOCUMENT",
        _ => "",
    };
    let document = repository("tests/fixtures/misspelt.txt");
    let more = more.replace("DOCUMENT", document.to_str().unwrap());
    words.extend(more.split_whitespace().map(str::to_owned));
    words
}

#[test]
fn every_command_of_the_page_runs_and_draws() {
    let page = fs::read_to_string(repository("../../docs/papers.md")).unwrap();
    let commands = commands(&page);
    assert!(commands.len() >= 24, "{commands:?}");
    let folder = workshop();
    // Commands of one study write the same files: the second would find them busy.
    let mut studies: BTreeMap<Vec<&str>, Vec<&String>> = BTreeMap::new();
    for command in &commands {
        studies.entry(command.split_whitespace().take(3).collect()).or_default().push(command);
    }
    let next = Mutex::new(studies.into_values());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(study) = { next.lock().unwrap().next() } {
                    for command in study {
                        let told = run(small(command, &folder));
                        assert_eq!(told.code, 0, "{command}: {told:?}");
                    }
                }
            });
        }
    });
    // Each picture that the page shows was drawn by one of its commands.
    let shown = page.split("](figures/").skip(1).map(|rest| rest.split(')').next().unwrap());
    for picture in shown {
        let path = folder.path(&format!("out/{picture}"));
        let drawn = fs::read(&path).unwrap_or_else(|error| panic!("{picture}: {error}"));
        let is_whole = drawn.ends_with(b"</svg>\n") || drawn.starts_with(b"\x89PNG");
        assert!(is_whole && !String::from_utf8_lossy(&drawn).contains("NaN"), "{picture}");
        assert!(
            fs::exists(repository("../../docs/figures").join(picture)).unwrap(),
            "{picture}: make figures"
        );
    }
}
