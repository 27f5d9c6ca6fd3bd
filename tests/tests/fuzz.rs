//! The targets of `tests/fuzz/` on every run: each kept input, the evil files, and a fixed number of inputs
//! made from them by chance.
//!
//! This is no substitute for `make fuzz`, which is led by what the code covers; it holds what fuzzing has
//! found.

#[allow(unreachable_pub, reason = "of another crate's tests")]
#[path = "../../crates/policy/tests/configurations.rs"]
mod configurations;
#[allow(dead_code, unreachable_pub, missing_docs, reason = "only the bytes are of use here")]
#[path = "../../crates/filters/tests/evil/files.rs"]
mod evil;

use std::{fs, panic, path::Path};

use nearmiss_filters::ladder::SeededRandom;
use nearmiss_tests::{
    artifacts::workspace,
    fuzz::{TARGETS, Target},
};

/// Inputs made by chance for each target.
const TRIES: usize = 3000;

/// Further inputs of a target: files kept for other tests.
const FURTHER: [(&str, &str, &str); 2] =
    [("header", "crates/filters/tests/golden", "filter"), ("configuration", "packaging/conf", "conf")];

/// Targets that get the evil files whose names end so.
const EVIL: [(&str, &str); 2] = [("header", ".filter"), ("ladder", ".ladder")];

fn inputs(target: &str) -> Vec<Vec<u8>> {
    let mut inputs = files(&workspace().join("tests/fuzz/seeds").join(target), None);
    for (_, folder, ending) in FURTHER.iter().filter(|(name, ..)| *name == target) {
        inputs.extend(files(&workspace().join(folder), Some(ending)));
    }
    for (_, ending) in EVIL.iter().filter(|(name, _)| *name == target) {
        let wanted = evil::all().into_iter().filter(|evil| evil.name.ends_with(ending));
        inputs.extend(wanted.map(|evil| evil.bytes));
    }
    if target == "configuration" {
        inputs.extend(configurations::all().into_iter().map(|(_, bytes, _)| bytes));
    }
    assert!(inputs.len() >= 2, "{target}: {} inputs", inputs.len());
    inputs
}

fn files(folder: &Path, ending: Option<&str>) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| ending.is_none_or(|ending| path.extension().is_some_and(|it| it == ending)));
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a kept input")).collect()
}

/// The library's seeded generator.
struct Random(SeededRandom);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.0.next_word() % bound.max(1) as u64).expect("below a usize")
    }

    /// One to four changes of one input, now and then with the end of another.
    fn change(&mut self, inputs: &[Vec<u8>]) -> Vec<u8> {
        let mut input = inputs[self.below(inputs.len())].clone();
        for _ in 0..=self.below(4) {
            let at = self.below(input.len() + 1);
            match self.below(6) {
                0 => input.truncate(at),
                1 => input.insert(at, [0, 1, b'\n', b':', 0x7f, 0x80, 0xc3, 0xff][self.below(8)]),
                2 if at < input.len() => drop(input.remove(at)),
                3 if at < input.len() => input[at] = u8::try_from(self.below(256)).expect("a byte"),
                4 => {
                    let other = &inputs[self.below(inputs.len())];
                    let from = self.below(other.len() + 1);
                    input.truncate(at);
                    input.extend(&other[from..]);
                }
                _ if at < input.len() => input[at] ^= 1 << self.below(8),
                _ => input.push(0),
            }
        }
        input
    }
}

fn hold(name: &str, target: Target, input: &[u8]) {
    if panic::catch_unwind(|| target(input)).is_err() {
        let file = std::env::temp_dir().join(format!("nearmiss-{name}"));
        fs::write(&file, input).expect("the input can be kept");
        panic!("{name} does not hold for {}", file.display());
    }
}

#[test]
fn every_target_holds_for_every_kept_input() {
    for (name, target) in TARGETS {
        for input in &inputs(name) {
            hold(name, target, input);
        }
    }
}

#[test]
fn every_target_holds_for_inputs_made_by_chance() {
    for (name, target) in TARGETS {
        let (inputs, mut random) = (inputs(name), Random(SeededRandom::new(7)));
        for _ in 0..TRIES {
            hold(name, target, &random.change(&inputs));
        }
    }
}
