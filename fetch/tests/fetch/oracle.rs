//! Every digest is found, and none is invented.

use std::sync::atomic::Ordering;

use nearmiss_filters::dictionary::{DictionaryFilter, Loading};

use crate::{
    Scene,
    corpus::{Corpus, next},
};

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
    let mut state = 7;
    let strangers = (0..200_000).filter(|_| {
        let digest: Vec<u8> = (0..3).flat_map(|_| next(&mut state).to_be_bytes()).collect();
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
