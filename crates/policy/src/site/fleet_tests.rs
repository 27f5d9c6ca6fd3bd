//! A site that has joined a fleet, before an agent that notes what it is asked.

use std::{
    io::{Read, Write},
    os::unix::net::UnixListener,
    path::PathBuf,
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use nearmiss_filters::ladder::{
    Cost, FleetLadder, GuessLadder, LadderFiles, NewLadder, Params, Preset, Setter, create, create_descriptor,
};

use super::{tests::reason_of, *};
use crate::{config::GuessRules, policy::Reason};

const NOW: u64 = 1_800_000_000;
const PASSWORD: &[u8] = b"Summer2026!x";
/// What is asked for, as the second byte of a request.
const HEIGHT: u8 = 1;
const STEP: u8 = 2;
const OBSERVE: u8 = 3;

/// A site with a ladder of guessed passwords of its own and the descriptor of a fleet's, and what its agent
/// was asked; the agent says that everything stands at this height.
fn joined(height: u8, reject: bool) -> (tempfile::TempDir, Config, Receiver<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    let ladder = LadderFiles { file: path("s/chosen"), key: path("k/key") };
    let guesses =
        GuessRules { file: path("s/g"), seen: path("run/failures"), reject, ..GuessRules::default() };
    let mut config = Config { dictionaries: Vec::new(), ladder, guesses, ..Config::default() };
    config.fleet.guessed = path("f/guessed.ladder");
    config.fleet.chosen = path("f/chosen.ladder");
    config.fleet.socket = path("agent.sock");
    let params = Preset::Guesses.params(None).unwrap();
    let new = NewLadder { params, cost: None, stamps: 0 };
    create(&config.guess_files(), &new, false).unwrap();
    let file = config.fleet.guessed.clone();
    create_descriptor(&LadderFiles { key: FleetLadder::key_of(&file), file }, &new).unwrap();
    let listener = UnixListener::bind(&config.fleet.socket).unwrap();
    let (note, asked) = channel();
    thread::spawn(move || {
        for mut peer in listener.incoming().flatten() {
            let mut request = [0; 16 + 96];
            if peer.read_exact(&mut request).is_ok() {
                note.send(request[1]).unwrap();
                // Whoever asked may have gone meanwhile.
                let _ = peer.write_all(&[1, 0, height, 1]);
            }
        }
    });
    (folder, config, asked)
}

/// The descriptor of the fleet's ladder of chosen passwords.
fn add_chosen(config: &Config) {
    let file = config.fleet.chosen.clone();
    let params = Preset::Guesses.params(None).unwrap();
    let new = NewLadder { params, cost: Cost::new(64, 1), stamps: 0 };
    create_descriptor(&LadderFiles { key: FleetLadder::key_of(&file), file }, &new).unwrap();
}

/// What sites before an agent that says this height do, and what it was asked, once it replied in time to all
/// of it: beside load it may be late.
fn in_time<T>(height: u8, reject: bool, act: impl Fn(&Site) -> T) -> (T, Vec<u8>) {
    in_time_with(|| joined(height, reject), act)
}

fn in_time_with<T>(
    joined: impl Fn() -> (tempfile::TempDir, Config, Receiver<u8>),
    act: impl Fn(&Site) -> T,
) -> (T, Vec<u8>) {
    for _ in 0..1_000 {
        let (_folder, config, asked) = joined();
        let site = Site::new(config);
        let done = act(&site);
        if site.fleet_trouble().is_none() {
            return (done, asked.try_iter().collect());
        }
    }
    panic!("the agent was late each time")
}

fn login(account: &'static [u8]) -> FailedLogin<'static> {
    FailedLogin { account, password: PASSWORD, remote_host: Some(b"203.0.113.7"), now: NOW }
}

#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn a_failed_login_is_counted_by_the_fleet_where_it_is_new_here() {
    let (found, asked) = in_time(48, true, |site| {
        let guesses = [(), ()].map(|()| site.count_guess(&login(b"ann")).unwrap());
        (guesses, site.is_guessed(PASSWORD).unwrap())
    });
    let seen = |is_new| Guess::Seen { is_frequent: true, is_new };
    assert_eq!(found, ([seen(true), seen(false)], true));
    assert_eq!(asked, [OBSERVE, HEIGHT, HEIGHT]);
}

#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn a_new_password_is_rejected_for_what_the_fleet_knows_unless_that_is_switched_off() {
    for (height, reject, expected) in
        [(44, true, Some(Reason::GuessedHere)), (43, true, None), (48, false, None)]
    {
        let (reason, asked) = in_time(height, reject, |site| reason_of(site, PASSWORD));
        assert_eq!((reason, asked.len()), (expected, usize::from(reject)));
    }
}

/// Why a site rejects the password, once the agent has replied in time: beside load it may be late.
fn reason_in_time(config: &Config) -> Option<Reason> {
    let again = || (tempfile::tempdir().unwrap(), config.clone(), channel().1);
    in_time_with(again, |site| reason_of(site, PASSWORD)).0
}

/// The ladder of this host is not there.
#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn what_is_too_common_in_the_fleet_is_rejected() {
    for (height, expected) in [(48, Some(Reason::TooCommonHere)), (0, None)] {
        let (_folder, config, asked) = joined(height, false);
        add_chosen(&config);
        assert_eq!(reason_in_time(&config), expected);
        let asked: Vec<u8> = asked.try_iter().collect();
        assert!(!asked.is_empty() && asked.iter().all(|op| *op == HEIGHT), "{asked:?}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn a_site_without_its_fleet_asks_no_agent() {
    let (_folder, config, asked) = joined(48, true);
    assert_eq!(reason_of(&Site::new(config).without_fleet(), PASSWORD), None);
    assert_eq!(asked.try_iter().count(), 0);
}

#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn an_agent_that_is_not_there_is_trouble_with_the_sockets_name() {
    let (_folder, config, _asked) = joined(48, true);
    let site = Site::new(config.clone());
    assert_eq!(site.fleet_trouble(), None, "nothing was asked");
    assert_eq!(reason_in_time(&config), Some(Reason::GuessedHere));
    std::fs::remove_file(&config.fleet.socket).unwrap();
    let site = Site::new(config);
    site.decide(PASSWORD, &tests::NOBODY);
    let trouble = site.fleet_trouble().unwrap();
    assert!(
        trouble.starts_with("the fleet cannot be queried: ") && trouble.contains("agent.sock"),
        "{trouble}"
    );
}

/// One request, as for a login that is counted; a login that makes no request makes none here either.
#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn a_login_that_is_left_out_takes_one_look_at_the_fleet() {
    let (_folder, config, asked) = joined(0, true);
    let without = Site::without_ladder(config.clone());
    let site = Site::new(config);
    site.leave_out_guess(&login(b"ann")).unwrap();
    assert_eq!(asked.recv_timeout(Duration::from_secs(60)), Ok(HEIGHT));
    site.leave_out_guess(&FailedLogin { password: b"", ..login(b"ann") }).unwrap();
    without.leave_out_guess(&login(b"ann")).unwrap();
    assert_eq!(asked.try_iter().count(), 0);
}

/// What both this host and the fleet find frequent is frequent.
#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn a_guess_that_is_frequent_here_and_in_the_fleet_is_frequent() {
    let (_folder, config, _asked) = joined(48, true);
    let ladder = GuessLadder::open(&config.guess_files()).unwrap().unwrap();
    for _ in 0..100 {
        ladder.count(PASSWORD).unwrap();
    }
    let site = Site::new(config);
    for is_new in [true, false] {
        let guess = site.count_guess(&login(b"ann")).unwrap();
        assert_eq!(guess, Guess::Seen { is_frequent: true, is_new });
    }
}

/// The ladder of this host is asked all the same, and counts.
#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn a_damaged_descriptor_is_named_and_nothing_else_is_lost() {
    let (_folder, config, asked) = joined(48, true);
    std::fs::write(&config.fleet.guessed, b"short").unwrap();
    let site = Site::new(config);
    let [unusable] = &site.unusable()[..] else { panic!() };
    assert!(unusable.is_allowed && unusable.detail.contains("guessed.ladder"), "{unusable}");
    let guess = site.count_guess(&login(b"ann")).unwrap();
    assert_eq!(guess, Guess::Seen { is_frequent: false, is_new: true });
    assert_eq!(asked.try_iter().count(), 0);
}

/// What this host does not count, because the account counted today, would be counted by the fleet as often
/// as the account likes.
#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn a_choice_is_counted_by_the_fleet_only_where_this_host_counts_it() {
    let counting = || {
        let (folder, config, asked) = joined(0, true);
        let new = NewLadder { params: Params::new(1 << 22, 32, 32, 2).unwrap(), cost: None, stamps: 256 };
        create(&config.ladder, &new, false).unwrap();
        add_chosen(&config);
        (folder, config, asked)
    };
    let choice = AccountChoice { account: b"ann", shadow_field: None, day: 7, by: Setter::Owner };
    let (claims, asked) = in_time_with(counting, |site| {
        [PASSWORD, b"another of the same day", b"and a third"].map(|password| site.record(password, &choice))
    });
    assert_eq!(claims, [Claim::Granted, Claim::Today, Claim::Today].map(|claim| Ok(Some(claim))));
    assert_eq!(asked, [STEP]);
}

#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn what_is_frequent_here_is_counted_by_the_fleet_all_the_same() {
    let accounts: Vec<String> = (0..100).map(|number| format!("user{number}")).collect();
    let (guesses, asked) = in_time(0, true, |site| {
        let guess = |account: &String| {
            let login = FailedLogin { account: account.as_bytes(), ..login(b"") };
            site.count_guess(&login).unwrap()
        };
        accounts.iter().map(guess).collect::<Vec<_>>()
    });
    let frequent =
        guesses.iter().filter(|guess| matches!(guess, Guess::Seen { is_frequent: true, .. })).count();
    assert!(frequent > 50, "the ladder of this host has climbed: {frequent}");
    // Two of a hundred fingerprints fall together once in some 200 runs: then one account is taken for a
    // repeat.
    let is_new = |guess: &Guess| matches!(guess, Guess::Seen { is_new: true, .. });
    assert!(guesses.iter().filter(|guess| is_new(guess)).count() >= 97, "{guesses:?}");
    let expected: Vec<u8> =
        guesses.iter().map(|guess| if is_new(guess) { OBSERVE } else { HEIGHT }).collect();
    assert_eq!(asked, expected);
}

/// What strangers could tell apart by the time: a user that exists, one that does not, a password tried
/// before, one that is frequent here. Each is one request and waits as long.
#[test]
#[cfg_attr(miri, ignore = "miri has no such sockets")]
fn every_failed_login_from_outside_asks_the_fleet_once() {
    let unknown = FailedLogin { password: b"\x08\n\r\x7fINCORRECT", ..login(b"nobody") };
    let accounts: Vec<String> = (0..100).map(|number| format!("user{number}")).collect();
    // The length is the same whoever exists, and so is the origin.
    let empty = FailedLogin { password: b"", ..unknown };
    let local = FailedLogin { remote_host: None, ..unknown };
    let (guesses, asked) = in_time(0, true, |site| {
        let count = |login: FailedLogin<'_>| site.count_guess(&login).unwrap();
        let first = [login(b"ann"), login(b"ann"), unknown, unknown].map(count);
        for account in &accounts {
            count(FailedLogin { account: account.as_bytes(), ..login(b"") });
        }
        let again = FailedLogin { account: accounts[7].as_bytes(), ..login(b"") };
        (first, [again, empty, local].map(count))
    });
    let seen = |is_frequent, is_new| Guess::Seen { is_frequent, is_new };
    let first = [seen(false, true), seen(false, false), Guess::LeftOut, Guess::LeftOut];
    assert_eq!(guesses, (first, [seen(true, false), Guess::LeftOut, Guess::LeftOut]));
    let [alone @ .., last] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!((&alone[..4], alone.len(), *last), (&[OBSERVE, HEIGHT, HEIGHT, HEIGHT][..], 104, HEIGHT));
}
