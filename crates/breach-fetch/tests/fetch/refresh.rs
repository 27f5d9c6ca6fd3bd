//! A later run only fetches changed ranges, and copies nothing from a damaged filter.

use std::fs;

use nearmiss_filters::dictionary::{DictionaryFilter, Loading};

use crate::{Scene, corpus::Corpus};

/// Damages a file.
type Damage = Box<dyn Fn(&mut Vec<u8>)>;

/// A scene whose filter was fetched once.
fn fetched(corpus: Corpus) -> Scene {
    let scene = Scene::of(corpus);
    scene.done(&[]);
    scene.server.counts().take();
    scene
}

/// The result of a first run for the current corpus.
fn anew(scene: &Scene) -> Vec<u8> {
    let other = Scene { folder: tempfile::tempdir().unwrap(), ..copy_of(scene) };
    other.done(&[]);
    other.bytes()
}

/// The same corpus on another server.
fn copy_of(scene: &Scene) -> Scene {
    let of = scene.server.corpus();
    let corpus = Corpus::new(of.digits, of.each);
    for range in 0..of.ranges() {
        for _ in of.each..of.digests(range).len() as u64 {
            corpus.change(range);
        }
    }
    Scene::of(corpus)
}

#[test]
fn a_group_in_which_a_range_changed_is_fetched_and_the_others_are_copied() {
    let scene = fetched(Corpus::new(3, 16));
    scene.server.corpus().change(0xabc);
    let done = scene.done(&[]);
    // 4,096 ranges in 16 groups: one range has a body, and then the 255 others of its group.
    assert_eq!(scene.server.counts().take(), [4096 + 255, 4096, 256]);
    assert_eq!((&done["state"], &done["groups_copied"]), (&"refreshed".into(), &15.into()));
    assert_eq!((&done["unchanged"], &done["fetched"]), (&4095.into(), &256.into()));
    assert!(scene.bytes() == anew(&scene), "the same as a first run gives");
    let filter = DictionaryFilter::open(&scene.filter(), Loading::Mapped).unwrap();
    for (digest, _) in scene.server.corpus().digests(0xabc) {
        assert!(filter.contains_entry(&digest).unwrap());
    }
    assert_eq!(filter.header().lines, 4096 * 16 + 1);
}

#[test]
fn nothing_is_fetched_where_nothing_changed() {
    let scene = fetched(Corpus::new(2, 100));
    let before = scene.bytes();
    scene.done(&[]);
    assert_eq!(scene.server.counts().take(), [256, 256, 0]);
    assert!(scene.bytes() == before);
}

#[test]
fn other_settings_fetch_all_again() {
    let scene = fetched(Corpus::new(2, 100));
    for more in
        [["--min-count", "7"], ["--key", "0f0102030405060708090a0b0c0d0e0f"], ["--false-rejection", "0.01"]]
    {
        let mut command = scene.command(&[]);
        let arguments: Vec<String> = command.get_args().map(|a| a.to_str().unwrap().to_owned()).collect();
        let kept = if more[0] == "--key" { arguments.len() - 2 } else { arguments.len() };
        command = std::process::Command::new(command.get_program());
        let run = crate::end_of(command.args(&arguments[..kept]).args(more));
        assert_eq!(run.code, Some(0), "{run:?}");
        assert_eq!(scene.server.counts().take(), [256, 0, 256], "{more:?}");
    }
}

#[test]
fn a_group_that_is_damaged_in_the_old_filter_is_fetched() {
    let scene = fetched(Corpus::new(2, 100));
    let whole = scene.bytes();
    let mut damaged = whole.clone();
    let at = damaged.len() - 5000;
    damaged[at] ^= 1;
    fs::write(scene.filter(), &damaged).unwrap();
    let done = scene.done(&[]);
    assert_eq!(done["groups_copied"], 15);
    assert_eq!(scene.server.counts().take(), [256, 240, 16]);
    assert!(scene.bytes() == whole);
}

#[test]
fn a_damaged_file_of_ranges_costs_a_whole_fetch_and_says_so() {
    let scene = fetched(Corpus::new(2, 100));
    let (whole, state) = (scene.bytes(), scene.path("f/leaked.filter.ranges"));
    let good = fs::read(&state).unwrap();
    let damages: [(&str, Damage); 5] = [
        ("is not a ranges file", Box::new(|bytes| bytes[0] ^= 1)),
        ("format version 2", Box::new(|bytes| bytes[8] = 2)),
        ("is damaged or truncated", Box::new(|bytes| bytes[24] ^= 1)),
        ("is damaged or truncated", Box::new(|bytes| bytes.truncate(3000))),
        ("is not a ranges file", Box::new(Vec::clear)),
    ];
    for (reason, damage) in damages {
        let mut bytes = good.clone();
        damage(&mut bytes);
        fs::write(&state, bytes).unwrap();
        let run = scene.run(&[]);
        assert!(run.code == Some(0) && run.err.contains(reason), "{run:?}");
        assert!(run.err.contains("all ranges are fetched"), "{run:?}");
        assert_eq!(scene.server.counts().take(), [256, 0, 256]);
        assert!(scene.bytes() == whole && fs::read(&state).unwrap().len() == good.len());
    }
    // Records after a damaged one are ignored.
    let mut bytes = good.clone();
    let (header, records) = (5124, bytes.len() - 5124);
    let middle = header + records / 2;
    bytes[middle] ^= 1;
    fs::write(&state, bytes).unwrap();
    let done = scene.done(&[]);
    let copied = done["groups_copied"].as_u64().unwrap();
    assert!((6..=8).contains(&copied), "{copied}");
    assert!(scene.bytes() == whole);
}

#[test]
fn a_corpus_that_grows_beyond_the_filter_gets_a_larger_one() {
    let scene = fetched(Corpus::new(2, 500));
    let before = scene.bytes().len();
    for range in 0..256 {
        for _ in 0..100 {
            scene.server.corpus().change(range);
        }
    }
    let run = scene.run(&[]);
    assert!(run.code == Some(0) && run.err.contains("no longer fits"), "{run:?}");
    assert!(scene.bytes().len() > before);
    assert!(scene.bytes() == anew(&scene));
}

#[test]
fn a_corpus_that_shrank_is_refused_until_it_is_accepted() {
    let scene = fetched(Corpus::new(2, 100));
    let before = scene.bytes();
    let smaller = Scene::of(Corpus::new(2, 98));
    let of_smaller = |more: &[&str]| {
        let mut command = crate::program(&scene.filter(), &smaller.server.base(), 2);
        crate::end_of(command.args(more))
    };
    let run = of_smaller(&[]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.err.contains("has shrunk from 25600 to 25088 digests") && run.err.contains("--accept-smaller")
    );
    assert!(scene.bytes() == before);
    assert!(fs::read_to_string(scene.path("f/leaked.filter.run")).unwrap().contains("\"result\":\"failed\""));
    let run = of_smaller(&["--accept-smaller"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(scene.bytes() != before);
}

/// A name given by mistake; only the filter of an earlier run is replaced, whatever has become of it.
#[test]
fn a_file_that_is_no_filter_is_not_overwritten() {
    let scene = Scene::of(Corpus::new(2, 16));
    fs::create_dir(scene.filter().parent().unwrap()).unwrap();
    let result = scene.path("f/leaked.filter.run");
    for file in [&scene.filter(), &result] {
        fs::write(file, "one\ntwo\n").unwrap();
        let told = scene.run(&[]);
        let says = format!("{}: is not ", file.display());
        assert!(told.code == Some(2) && told.err.contains(&says), "{told:?}");
        assert!(told.err.ends_with("[file-not-replaced]\n"), "{told:?}");
        assert_eq!(fs::read(file).unwrap(), b"one\ntwo\n");
        assert_eq!(scene.files().len(), 1, "{:?}", scene.files());
        fs::remove_file(file).unwrap();
    }
    scene.done(&[]);
    let good = scene.bytes();
    fs::write(scene.filter(), "one\ntwo\n").unwrap();
    assert_eq!(scene.run(&[]).code, Some(0));
    assert!(scene.bytes() == good, "a damaged filter of an earlier run is replaced");
}
