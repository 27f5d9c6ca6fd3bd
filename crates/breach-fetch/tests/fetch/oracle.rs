//! Every digest is found, and none is invented.

use std::sync::atomic::Ordering;

use nearmiss_filters::{
    dictionary::{DictionaryFilter, Loading, sizing::may_demand},
    ladder::SeededRandom,
};

use crate::{Scene, corpus::Corpus, end_of};

/// A filter of the scene's corpus holds what was counted often enough, and no other.
fn agrees(scene: &Scene, min_count: u64) {
    let filter = DictionaryFilter::open(&scene.filter(), Loading::Mapped).unwrap();
    let (mut stored, mut rare) = (0, 0);
    for (digest, count) in scene.server.corpus().all() {
        let is_found = filter.contains_entry(&digest).unwrap();
        if count >= min_count {
            assert!(is_found, "{digest:02x?} is lost");
            stored += 1;
        } else {
            rare += u64::from(is_found);
        }
    }
    assert_eq!(filter.header().lines, stored);
    let mut random = SeededRandom::new(7);
    let strangers = (0..200_000).filter(|_| {
        let digest: Vec<u8> = (0..3).flat_map(|_| random.next_word().to_be_bytes()).collect();
        filter.contains_entry(&digest[..scene.server.corpus().digest_bytes]).unwrap()
    });
    // One lookup is wrong in 64,000: about three of them.
    let invented = strangers.count();
    assert!(invented < 30 && rare < 30, "{invented} {rare}");
    let mut damaged = 0;
    filter.scan(|_, _, is_intact| damaged += u32::from(!is_intact)).unwrap();
    assert_eq!(damaged, 0);
}

#[test]
fn every_digest_is_found_over_tls_and_http_2() {
    for (kind_bytes, min_count) in [(20, 1), (20, 10), (16, 1), (16, 10)] {
        let scene = Scene::with_tls(Corpus { digest_bytes: kind_bytes, ..Corpus::new(3, 24) });
        let done = scene.done(&["--min-count", &min_count.to_string()]);
        agrees(&scene, min_count);
        let counts = scene.server.counts();
        let [asked, conditional, bodies] = counts.take();
        assert_eq!((asked, conditional, bodies), (4096, 0, 4096));
        let [http2, gzip, ours] =
            [&counts.http2, &counts.gzip, &counts.ours].map(|count| count.load(Ordering::SeqCst));
        assert_eq!((http2, gzip, ours), (4096, 4096, 4096));
        assert_eq!(
            (&done["state"], &done["asked"], &done["ranges"]),
            (&"built".into(), &4096.into(), &4096.into())
        );
        assert_eq!(scene.files(), ["leaked.filter", "leaked.filter.ranges", "leaked.filter.run"]);
    }
}

#[test]
fn plain_http_1_from_this_machine_gives_the_same() {
    let [with, without] = [Scene::with_tls(Corpus::new(3, 8)), Scene::of(Corpus::new(3, 8))];
    with.done(&[]);
    without.done(&["--parallel", "3"]);
    assert_eq!(with.bytes(), without.bytes());
    assert_eq!(without.server.counts().http2.load(Ordering::SeqCst), 0);
}

#[test]
fn a_filter_for_logins_may_demand_a_change() {
    let scene = Scene::of(Corpus::new(2, 400));
    scene.done(&["--logins"]);
    let filter = DictionaryFilter::open(&scene.filter(), Loading::Mapped).unwrap();
    assert!(may_demand(filter.header()), "{:?}", filter.header().stated);
    scene.done(&[]);
    let filter = DictionaryFilter::open(&scene.filter(), Loading::Mapped).unwrap();
    assert!(!may_demand(filter.header()));
}

/// Peak memory in KiB and seconds of processor time of a command, which ends well.
fn measured(command: &std::process::Command) -> (f64, f64) {
    const SCRIPT: &str = "import resource, subprocess, sys\n\
        subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n\
        used = resource.getrusage(resource.RUSAGE_CHILDREN)\n\
        print(used.ru_maxrss, used.ru_utime + used.ru_stime)";
    let mut python = std::process::Command::new("python3");
    let run = end_of(python.args(["-c", SCRIPT]).arg(command.get_program()).args(command.get_args()));
    assert_eq!(run.code, Some(0), "{run:?}");
    let (memory, seconds) = run.out.trim().split_once(' ').unwrap();
    (memory.parse().unwrap(), seconds.parse().unwrap())
}

/// As many ranges as the official service has, small ones.
#[test]
#[ignore = "takes minutes"]
fn a_million_ranges_take_less_than_64_mebibytes() {
    let scene = Scene::with_tls(Corpus::new(5, 8));
    let fetch = |what: &str| {
        let (memory, seconds) = measured(&scene.command(&["--quiet"]));
        println!("torture: 1,048,576 ranges, {what}: {:.1} MiB, {seconds:.0} s", memory / 1024.0);
        assert!(memory < 64.0 * 1024.0, "{memory} KiB");
    };
    fetch("first");
    assert_eq!(scene.server.counts().take(), [1 << 20, 0, 1 << 20]);
    scene.server.corpus().change(0xabcde);
    fetch("refresh");
    let [asked, conditional, bodies] = scene.server.counts().take();
    // 8.4 million digests are in 256 groups of 4,096 ranges.
    assert_eq!((asked, conditional, bodies), ((1 << 20) + 4095, 1 << 20, 4096));
}

/// Ranges as large as a published one.
#[test]
#[ignore = "measures"]
fn eight_million_digests_in_ranges_of_today() {
    let scene = Scene::with_tls(Corpus::new(3, 2000));
    let (memory, seconds) = measured(&scene.command(&["--quiet"]));
    println!(
        "torture: 4,096 ranges of 2,000 digests: {:.1} MiB, {:.0} ns of processor time a digest",
        memory / 1024.0,
        seconds * 1e9 / (4096.0 * 2000.0)
    );
    assert!(memory < 64.0 * 1024.0, "{memory} KiB");
}
