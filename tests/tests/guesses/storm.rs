//! Eight processes' worth of failed logins beside a ladder that is replaced: nothing is lost.

use std::{
    thread,
    time::{Duration, Instant},
};

use nearmiss_filters::ladder::{
    BitStore, Counter, LadderFiles, NewLadder, Preset, SeededRandom, SeenFailures, create, ones, open_array,
};
use nearmiss_policy::{
    config::{Config, GuessRules},
    site::{FailedLogin, Guess, Site},
};
use nearmiss_tests::report_tried;

/// Eight at once fail logins, each opening everything for each failure as the processes of `sshd` do, while
/// the ladder is replaced now and then.
fn storm(seconds: u64) {
    const WORKERS: u64 = 8;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let ladder = LadderFiles { file: path("state/chosen"), key: path("etc/key") };
    let guesses =
        GuessRules { file: path("state/guessed"), seen: path("run/failures"), ..GuessRules::default() };
    let config = Config { dictionaries: Vec::new(), ladder, guesses, ..Config::default() };
    let new = NewLadder { params: Preset::Guesses.params(Some(1 << 22)).unwrap(), cost: None, stamps: 0 };
    create(&config.guess_files(), &new, false).unwrap();
    let end = Instant::now() + Duration::from_secs(seconds);
    let fail = |worker: u64| {
        let mut random = SeededRandom::new(worker);
        let mut done = [0_u64; 2];
        while Instant::now() < end {
            let (account, password) = (random.next_word() % 500, random.next_word() % 20_000);
            let login = FailedLogin {
                account: &account.to_le_bytes(),
                password: &password.to_le_bytes(),
                remote_host: Some(b"203.0.113.7"),
                now: 1_800_000_000,
            };
            let guess = Site::new(config.clone()).count_guess(&login).unwrap();
            let Guess::Seen { is_new, .. } = guess else { panic!("{guess:?}") };
            done = [done[0] + 1, done[1] + u64::from(is_new)];
        }
        done
    };
    let done: Vec<[u64; 2]> = thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|worker| scope.spawn(move || fail(worker))).collect();
        while Instant::now() + Duration::from_secs(1) < end {
            thread::sleep(Duration::from_millis(900));
            create(&config.guess_files(), &new, true).unwrap();
        }
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    let [failures, counted] = [0, 1].map(|index| done.iter().map(|done| done[index]).sum::<u64>());
    let seen = SeenFailures::open(&config.guesses.seen).unwrap().unwrap();
    assert_eq!([Counter::Failures, Counter::Counted].map(|c| seen.count(c).unwrap()), [failures, counted]);
    let (header, bits) = open_array(&config.guesses.file).unwrap().unwrap();
    let share = ones(&bits, 0, bits.byte_count()).unwrap() as f64 / header.params.bits() as f64;
    // A new array has a standard deviation of 1/(2·√N), and steps keep it.
    let deviation = 0.5 / (header.params.bits() as f64).sqrt();
    assert!((share - 0.5).abs() < 5.0 * 1.5 * deviation, "{share}");
    report_tried("failed logins of eight at once beside a ladder that is replaced", failures);
    println!("{counted} of them counted, {} a second", failures / seconds);
}

#[test]
fn two_seconds_of_failed_logins() {
    storm(2);
}

#[test]
#[ignore = "make torture"]
fn a_minute_of_failed_logins() {
    storm(60);
}
