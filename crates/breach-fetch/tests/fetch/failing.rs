//! Ranges that cannot be fetched: all others are, and are kept; the next run asks for those alone.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use http_body_util::Full;
use hyper::Response;

use crate::{Scene, corpus::Corpus, cut_off::changed, server::status};

/// Answers 502 for these ranges until told otherwise.
fn failing(scene: &Scene, ranges: &'static [u32]) -> Arc<AtomicBool> {
    let is_failing = Arc::new(AtomicBool::new(true));
    let at_server = Arc::clone(&is_failing);
    scene.server.hook(move |_, range| {
        (ranges.contains(&range) && at_server.load(Ordering::SeqCst)).then(|| status(502))
    });
    is_failing
}

#[test]
fn a_range_that_fails_stops_no_other_and_is_asked_for_alone() {
    let [scene, other] = [(), ()].map(|()| Scene::of(Corpus::new(2, 200)));
    let is_failing = failing(&scene, &[0x05, 0x7c, 0x7d]);
    let told = "range 05: the server returns status 502 (tried 5 times); also 7C, 7D; 3 of 256 ranges are \
                missing, and the filter is unchanged";
    for asked in [253, 0] {
        let run = scene.run(&[]);
        assert!(run.code == Some(1) && run.err.contains(told), "{run:?}");
        assert!(!scene.filter().exists());
        // Five attempts: of the first in the sample, of each in the run and at its end.
        let [all, _, bodies] = scene.server.counts().take();
        assert_eq!((bodies, all >= asked + 30), (asked, true), "{all}");
    }
    is_failing.store(false, Ordering::SeqCst);
    let done = scene.done(&[]);
    assert_eq!((scene.server.counts().take(), &done["asked"]), ([3, 0, 3], &3.into()));
    other.done(&[]);
    assert!(scene.bytes() == other.bytes());
    assert_eq!(scene.files(), ["leaked.filter", "leaked.filter.ranges", "leaked.filter.run"]);
}

#[test]
fn a_range_that_fails_in_the_middle_of_a_run_is_asked_for_again_at_its_end() {
    let [scene, other] = [(), ()].map(|()| Scene::of(Corpus::new(2, 200)));
    // All others have been asked for by then.
    scene.server.hook(|number, range| (range == 0x20 && number < 256 + 5).then(|| status(502)));
    scene.done(&["--parallel", "1"]);
    other.done(&[]);
    assert!(scene.bytes() == other.bytes());
}

#[test]
fn a_refresh_with_a_range_that_fails_keeps_the_old_filter_and_goes_on() {
    let (scene, before, after) = changed();
    // One that changed, and one that did not.
    let is_failing = failing(&scene, &[0x07, 0x93]);
    let run = scene.run(&[]);
    assert!(run.code == Some(1) && run.err.contains("range 07: "), "{run:?}");
    assert!(run.err.contains("also 93; 2 of 256 ranges are missing"), "{run:?}");
    assert!(scene.bytes() == before);
    is_failing.store(false, Ordering::SeqCst);
    scene.server.counts().take();
    scene.done(&[]);
    assert_eq!(scene.server.counts().take(), [2, 0, 2]);
    assert!(scene.bytes() == after);
}

#[test]
fn a_server_that_fails_for_all_is_left_soon() {
    let scene = Scene::of(Corpus::new(3, 16));
    scene.server.hook(|_, range| (range >= 0x200).then(|| status(404)));
    let run = scene.run(&["--parallel", "16"]);
    assert!(
        run.code == Some(1) && run.err.contains("too many failed, the rest was not requested"),
        "{run:?}"
    );
    let [asked, _, bodies] = scene.server.counts().take();
    assert!((0x100..=0x200).contains(&bodies) && asked <= 0x200 + 32 + 2 * 16, "{asked} {bodies}");
    scene.server.unhook();
    scene.done(&[]);
    assert_eq!(scene.server.counts().take(), [4096 - bodies, 0, 4096 - bodies]);
}

/// A mirror that sends few digests for the ranges that are sampled and many for all others: a group is given
/// up as soon as its digests cannot be chance, and not held as a whole in memory.
#[test]
fn a_group_without_end_is_not_read_to_its_end() {
    let scene = Scene::of(Corpus::new(3, 1000));
    let few = Corpus::new(3, 1);
    scene.server.hook(move |_, range| {
        (range < 256).then(|| Response::builder().body(Full::from(few.text(range))).unwrap())
    });
    let run = scene.run(&["--parallel", "4"]);
    assert!(run.code == Some(1) && run.err.contains("were chosen to fill it"), "{run:?}");
    // A filter of 100,000 digests in 16 groups: fourteen ranges fill a group twice, and two are read at once.
    let [asked, ..] = scene.server.counts().take();
    assert!((256 + 14..256 + 64).contains(&asked), "{asked} of 4096 ranges were asked for");
}
