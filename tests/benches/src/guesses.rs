//! Failed logins: what one costs where everything is opened for it, as in each process of `sshd`, and how
//! many a process that keeps everything open counts.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use nearmiss_filters::ladder::{GuessLadder, LadderFiles, NewLadder, Preset, SeededRandom, create};
use nearmiss_policy::{
    config::{Config, GuessRules},
    site::{FailedLogin, Site},
};

use crate::{
    peers,
    report::{Target, duration, figure, line, section},
    work::{self, Work},
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
    let faillock = faillock(work);
    let theirs = format!("pam_faillock authfail {}", duration(faillock));
    line("a failure, ours ÷ theirs", &duration(at(0.5)), &theirs, at(0.5) / faillock, Target::None);
    let opened = GuessLadder::open(&config.guess_files()).expect("as before").expect("as before");
    let start = Instant::now();
    for _ in 0..FAILURES {
        opened.count(&random.next_word().to_le_bytes()).expect("as before");
    }
    let rate = FAILURES as f64 / start.elapsed().as_secs_f64();
    line("steps a second, one process", &figure(rate), "", rate, Target::AtLeast(50_000.0));
}

/// Nanoseconds that `pam_faillock authfail` adds to a transaction of libpam, with its file in our folder. It
/// is loaded each time, as in each process of `sshd`.
fn faillock(work: &Work) -> f64 {
    let folder = work.path("faillock");
    std::fs::create_dir_all(&folder).expect("a folder");
    let stacks = [
        ("login-none", "auth required pam_deny.so\n".to_owned()),
        (
            "login-faillock",
            format!(
                "auth [default=ignore] pam_faillock.so authfail nodelay deny=1000000 dir={}\n\
                 auth required pam_deny.so\n",
                folder.display()
            ),
        ),
    ];
    std::fs::create_dir_all(work.path("pam.d")).expect("a folder");
    work::write(&work.path("pam.d/other"), b"auth required pam_deny.so\n");
    let [none, faillock] = stacks.map(|(service, text)| {
        work::write(&work.path(&format!("pam.d/{service}")), text.as_bytes());
        let mut command = Command::new(work.path("bin/pamlat"));
        command.args(["300", "1"]).arg(work.path("pam.d")).args([service, "nobody", "guess", "login"]);
        let answer = peers::output(&mut command, b"").expect("libpam");
        answer.split_whitespace().next().and_then(|time| time.parse::<f64>().ok()).expect("a time") * 1e3
    });
    faillock - none
}
