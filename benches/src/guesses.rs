//! Failed logins: what one costs where everything is opened for it, as in each process of `sshd`, and how
//! many a process that keeps everything open counts.

use std::time::{Duration, Instant};

use nearmiss_filters::{
    config::{Config, GuessRules},
    ladder::{GuessLadder, LadderFiles, NewLadder, Preset, SeededRandom, create},
    site::{FailedLogin, Site},
};

use crate::{
    report::{Target, duration, figure, line, section},
    work::Work,
};

/// Failures of each measure.
const FAILURES: usize = 20_000;

/// Runs the measure.
pub fn run(work: &Work) {
    section("failed logins, the preset guesses (2²⁴ bits, 48 rungs), wall clock");
    let folder = work.path("guesses");
    let _ = std::fs::remove_dir_all(&folder);
    let ladder = LadderFiles { file: folder.join("chosen"), key: folder.join("etc/key") };
    let (file, seen) = (folder.join("state/guessed"), folder.join("run/failures"));
    let guesses = GuessRules { file, seen, ..GuessRules::default() };
    let config = Config { dictionaries: Vec::new(), ladder, guesses, ..Config::default() };
    let params = Preset::Guesses.params(None).expect("the preset");
    let new = NewLadder { params, cost: None, stamps: 0 };
    create(&config.guess_files(), &new, false).expect("a folder of ours");
    let mut random = SeededRandom::new(1);
    let mut fail = |site: &Site| {
        let (account, password) = (random.next_word() % 500, random.next_word());
        let login = FailedLogin {
            account: &account.to_le_bytes(),
            password: &password.to_le_bytes(),
            remote_host: Some(b"203.0.113.7"),
            now: 1_800_000_000,
        };
        site.count_guess(&login).expect("a folder of ours");
    };
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..FAILURES {
        let start = Instant::now();
        fail(&Site::new(config.clone()));
        times.push(start.elapsed());
    }
    times.sort_unstable();
    let at = |share: f64| times[(times.len() as f64 * share) as usize].as_nanos() as f64;
    let told = format!("{}, p99 {}", duration(at(0.5)), duration(at(0.99)));
    line("a failure that opens everything, p50 in µs", &told, "", at(0.5) / 1e3, Target::AtMost(150.0));
    let opened = GuessLadder::open(&config.guess_files()).expect("as before").expect("as before");
    let start = Instant::now();
    for _ in 0..FAILURES {
        opened.count(&random.next_word().to_le_bytes()).expect("as before");
    }
    let rate = FAILURES as f64 / start.elapsed().as_secs_f64();
    line("steps a second, one process", &figure(rate), "", rate, Target::AtLeast(50_000.0));
}
