//! Runs that are killed, run out of disk space, or overlap: the old filter stays in use, and the next run
//! completes the work as if there had been no interruption.

use std::{
    fs,
    process::{Command, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use rustix::process::{Pid, Signal, kill_process};

use crate::{Scene, corpus::Corpus, end_of};

/// Kills the next run of the scene's program at this request to the server.
fn killed_at(scene: &Scene, question: u64) {
    scene.server.counts().take();
    let victim: Arc<Mutex<Option<Pid>>> = Arc::default();
    let known = Arc::clone(&victim);
    scene.server.hook(move |number, _| {
        if number >= question {
            let pid = known.lock().unwrap().take();
            pid.map(|pid| kill_process(pid, Signal::KILL));
        }
        None
    });
    let mut command = scene.command(&[]);
    // The first request waits for the lock until the process is known.
    let mut guard = victim.lock().unwrap();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    *guard = Pid::from_raw(i32::try_from(child.id()).unwrap());
    drop(guard);
    let status = child.wait().unwrap();
    assert!(status.code().is_none_or(|code| code == 0), "{status}");
    scene.server.unhook();
}

/// A filter, and a corpus that changed since: the old bytes, and the bytes after an undisturbed run.
pub(crate) fn changed() -> (Scene, Vec<u8>, Vec<u8>) {
    let [scene, other] = [(), ()].map(|()| {
        let scene = Scene::of(Corpus::new(2, 200));
        scene.done(&[]);
        for range in (0..256).step_by(7) {
            scene.server.corpus().change(range);
        }
        scene
    });
    let before = scene.bytes();
    other.done(&[]);
    let after = other.bytes();
    assert!(before != after);
    (scene, before, after)
}

fn kills_leave_no_trace(moments: impl Iterator<Item = u64>) {
    let (scene, before, after) = changed();
    let [state, run] = ["f/leaked.filter.ranges", "f/leaked.filter.run"].map(|name| scene.path(name));
    let kept = fs::read(&state).unwrap();
    for moment in moments {
        killed_at(&scene, moment);
        let now = scene.bytes();
        assert!(now == before || now == after, "killed at {moment}: neither the old filter nor the new one");
        scene.done(&[]);
        assert!(scene.bytes() == after, "killed at {moment}");
        assert_eq!(scene.files(), ["leaked.filter", "leaked.filter.ranges", "leaked.filter.run"]);
        fs::write(scene.filter(), &before).unwrap();
        fs::write(&state, &kept).unwrap();
        fs::remove_file(&run).unwrap();
    }
}

#[test]
fn a_refresh_that_is_killed_is_gone_on_with() {
    kills_leave_no_trace([1, 2, 100, 250, 400, 511].into_iter());
}

/// Part of `make torture`: two hundred moments.
#[test]
#[ignore = "takes a minute"]
fn two_hundred_kills_leave_no_trace() {
    kills_leave_no_trace((0..200).map(|moment| 1 + moment * 512 / 200));
    println!("torture: 200 runs killed, 200 gone on with to the same bytes");
}

#[test]
fn a_first_run_that_is_killed_again_and_again_goes_on() {
    let [scene, other] = [(), ()].map(|()| Scene::of(Corpus::new(3, 16)));
    let resumed = (1..=4).map(|_| {
        killed_at(&scene, 1100);
        let run = fs::read_to_string(scene.path("f/leaked.filter.run")).unwrap();
        assert!(run.contains("\"failed\"") && run.contains("did not end"), "{run}");
        let part = scene.path("f/.leaked.filter.part");
        fs::metadata(part).map_or(0, |part| part.len())
    });
    let lengths: Vec<u64> = resumed.collect();
    assert!(lengths.is_sorted() && lengths[3] > lengths[0], "{lengths:?}");
    scene.server.counts().take();
    let done = scene.done(&[]);
    let [asked, ..] = scene.server.counts().take();
    assert!(asked < 4096 && done["groups_resumed"].as_u64().unwrap() > 0, "{asked} {done}");
    other.done(&[]);
    assert!(scene.bytes() == other.bytes());
    assert_eq!(scene.files(), ["leaked.filter", "leaked.filter.ranges", "leaked.filter.run"]);
}

#[test]
fn an_unfinished_filter_that_was_damaged_is_cut_where_it_is_whole() {
    let [scene, other] = [(), ()].map(|()| Scene::of(Corpus::new(3, 16)));
    killed_at(&scene, 2500);
    let part = scene.path("f/.leaked.filter.part");
    let mut bytes = fs::read(&part).unwrap();
    assert!(bytes.len() > 5 * 4096, "{}", bytes.len());
    let at = bytes.len() - 4096 - 7;
    bytes[at] ^= 1;
    fs::write(&part, bytes).unwrap();
    scene.done(&[]);
    other.done(&[]);
    assert!(scene.bytes() == other.bytes());
}

#[test]
fn a_second_run_says_that_there_is_a_first() {
    let scene = Arc::new(Scene::of(Corpus::new(2, 100)));
    let refused = Arc::new(AtomicU64::new(0));
    let (at_server, seen) = (Arc::downgrade(&scene), Arc::clone(&refused));
    scene.server.hook(move |number, _| {
        if number == 100 {
            let scene = at_server.upgrade().unwrap();
            let run = scene.run(&[]);
            assert_eq!(run.code, Some(2), "{run:?}");
            assert!(run.err.contains("another run is active"), "{run:?}");
            let kept = fs::read_to_string(scene.path("f/leaked.filter.run")).unwrap();
            assert!(kept.contains("did not end"), "the first run's: {kept}");
            seen.store(1, Ordering::SeqCst);
        }
        None
    });
    scene.done(&[]);
    scene.server.unhook();
    assert_eq!(refused.load(Ordering::SeqCst), 1);
}

#[test]
fn a_full_disk_leaves_the_old_filter() {
    let (scene, before, after) = changed();
    // A limit on the size of files simulates a full disk: writes fail in the middle of the new filter.
    let limit = before.len() / 2 / 512;
    let inner = scene.command(&[]);
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("trap '' XFSZ; ulimit -f {limit}; exec \"$@\"")).arg("sh");
    command.arg(inner.get_program()).args(inner.get_args());
    let run = end_of(&mut command);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.err.contains("cannot write the filter") && run.err.lines().count() == 1, "{run:?}");
    assert!(scene.bytes() == before);
    scene.done(&[]);
    assert!(scene.bytes() == after);
}
