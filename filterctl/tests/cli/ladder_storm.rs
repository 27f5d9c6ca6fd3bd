//! Recorders that are killed, stopped or limited: the ladder stays intact, and no process waits.

use std::{
    fs,
    io::Write,
    os::unix::fs::FileExt,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Duration,
};

use nearmiss_filters::ladder::{
    BitStore, ChosenLadder, Cost, LadderFiles, NewLadder, Params, SeededRandom, create, ones,
};

/// Processes killed by each run of the test; the full storm of 8,000 is a matter of a minute:
/// `cargo test -p filterctl --test cli ladder_storm:: -- --ignored`.
const KILLS: u32 = 300;
const FULL_STORM: u32 = 8000;

struct Place {
    folder: tempfile::TempDir,
    files: LadderFiles,
    passwords: PathBuf,
}

impl Place {
    /// A ladder without slow hash, and enough passwords for a recorder to be busy till it is killed.
    fn new(bits: &str) -> Place {
        let folder = tempfile::tempdir().unwrap();
        let files =
            LadderFiles { file: folder.path().join("state/l.ladder"), key: folder.path().join("etc/l.key") };
        let passwords = folder.path().join("passwords");
        let lines: String = (0..200_000).map(|i| format!("password {i}\n")).collect();
        fs::write(&passwords, lines).unwrap();
        let place = Place { folder, files, passwords };
        assert!(place.command("init", &["--no-slow-hash", "--bits", bits]).status().unwrap().success());
        place
    }

    fn command(&self, act: &str, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_filterctl"));
        command.args(["ladder", act]).args(more).stdout(Stdio::null());
        command.arg("--file").arg(&self.files.file).arg("--key").arg(&self.files.key);
        command
    }

    fn recorder(&self) -> Child {
        let passwords = fs::File::open(&self.passwords).unwrap();
        self.command("step", &["--steps", "2"]).stdin(passwords).spawn().unwrap()
    }

    fn open(&self) -> ChosenLadder {
        ChosenLadder::open(&self.files).unwrap().unwrap()
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(&self.files.file).unwrap()
    }
}

fn storm(kills: u32) {
    let place = Place::new("2^20");
    let before = place.bytes();
    let mut random = SeededRandom::new(8);
    for _ in 0..kills / 2 {
        let mut pair = [place.recorder(), place.recorder()];
        std::thread::sleep(Duration::from_micros(random.next_word() % 10_000));
        for child in &mut pair {
            child.kill().unwrap();
        }
        for child in &mut pair {
            child.wait().unwrap();
        }
    }
    let ladder = place.open();
    let bits = ladder.ladder().bits();
    let total = f64::from(u32::try_from(bits.byte_count() * 8).unwrap());
    let density = f64::from(u32::try_from(ones(bits, 0, bits.byte_count()).unwrap()).unwrap()) / total;
    assert!((density - 0.5).abs() < 5.0 / (2.0 * total).sqrt(), "{density}");
    let after = place.bytes();
    assert_eq!(before[..4096], after[..4096]);
    let changed = before.iter().zip(&after).filter(|(a, b)| a != b).count();
    assert!(changed > 10_000, "the recorders recorded nothing: {changed} bytes changed");
    let conf = place.folder.path().join("site.conf");
    let (file, key) = (place.files.file.display(), place.files.key.display());
    fs::write(&conf, format!("[ladder]\nfile = \"{file}\"\nkey = \"{key}\"\n")).unwrap();
    let mut doctor = Command::new(env!("CARGO_BIN_EXE_filterctl"));
    let doctor = doctor.args(["doctor", "--only", "ladder", "--conf"]).arg(conf).status().unwrap();
    assert_eq!(doctor.code(), Some(3), "nothing but that there is no slow hash");
}

#[test]
fn killed_recorders_leave_a_ladder_in_balance() {
    storm(KILLS);
}

#[test]
#[ignore = "takes a minute: 8,000 killed processes"]
fn eight_thousand_killed_recorders_leave_a_ladder_in_balance() {
    storm(FULL_STORM);
}

/// Sends a signal by its name.
fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn a_stopped_recorder_delays_no_other() {
    let place = Place::new("2^20");
    let mut stopped = place.recorder();
    std::thread::sleep(Duration::from_millis(20));
    signal(&stopped, "STOP");
    // Were there a lock, this would never end.
    let mut other = place.command("step", &[]).stdin(Stdio::piped()).spawn().unwrap();
    other.stdin.take().unwrap().write_all(b"another password\n").unwrap();
    assert!(other.wait().unwrap().success());
    assert!(place.open().height(&place.open().element(b"another password").unwrap()).is_ok());
    signal(&stopped, "KILL");
    assert!(stopped.wait().is_ok());
}

#[test]
fn a_limit_on_file_size_does_not_hinder_recording() {
    let place = Place::new("2^20");
    let step = place.command("step", &["--steps", "16"]);
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -f 0; exec \"$0\" \"$@\""]).arg(step.get_program()).args(step.get_args());
    let mut child = limited.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"correct horse\n").unwrap();
    assert!(child.wait().unwrap().success());
    let ladder = place.open();
    assert!(ladder.height(&ladder.element(b"correct horse").unwrap()).unwrap() >= 15);
}

#[test]
fn a_limit_on_memory_is_an_error_not_an_abort() {
    let place = Place::new("2^20");
    let params = Params::new(1 << 20, 16, 16, 2).unwrap();
    let new = NewLadder { params, cost: Cost::new(65_536, 1), stamps: 0 };
    create(&place.files, &new, true).unwrap();
    let step = place.command("step", &[]);
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -v 60000; exec \"$0\" \"$@\""]).arg(step.get_program()).args(step.get_args());
    let limited = limited.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = limited.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"correct horse\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("not enough memory for the slow hash"));
}

#[test]
fn a_cut_array_is_an_error_not_a_signal() {
    let place = Place::new("2^20");
    let ladder = place.open();
    let file = fs::OpenOptions::new().write(true).open(&place.files.file).unwrap();
    let bytes = place.bytes();
    file.set_len(4096).unwrap();
    let cut = (0_u32..64).filter(|i| {
        let element = ladder.element(&i.to_le_bytes()).unwrap();
        ladder.height(&element).is_err() && ladder.record(&element).is_err()
    });
    assert_eq!(cut.count(), 64);
    file.write_all_at(&bytes, 0).unwrap();
    assert!(ladder.record(&ladder.element(b"x").unwrap()).is_ok());
}
