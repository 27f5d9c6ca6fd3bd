//! A host of a fleet in a private namespace, and agents that lie.

use std::{
    io::{Read, Write},
    os::unix::{
        fs::PermissionsExt,
        net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
    thread,
    time::Instant,
};

use nearmiss_filters::ladder::fleet::{
    Bundle,
    frame::{Op, Request},
};
use nearmiss_fleet_tests::Descriptor;
use nearmiss_tests::{
    HANGS,
    artifacts::artifacts,
    ladder::{TALL, accounts, remade, scenario},
    scenario::{Run, Scenario},
};

/// The module's line, once a minute, if the agent is of no use.
pub(super) const WARNING: &str = "the fleet cannot be queried";

/// Plays until this holds for the runs, and repeats only if the machine was too busy to query the fleet in
/// time.
pub(super) fn until_heard(is_heard: impl Fn(&[Run]) -> bool, play: impl Fn() -> Vec<Run>) -> Vec<Run> {
    let end = Instant::now() + HANGS;
    loop {
        let runs = play();
        let was_late = runs.iter().flat_map(|run| &run.log).any(|line| line.contains(WARNING));
        if is_heard(&runs) || !was_late || Instant::now() > end {
            return runs;
        }
    }
}

/// A folder with what a host joins with.
pub(super) struct Joining(tempfile::TempDir);

impl Joining {
    pub(super) fn new(descriptor: &Descriptor) -> Joining {
        let folder = tempfile::tempdir().unwrap();
        let bundle = Bundle::of(&descriptor.file()).unwrap().unwrap();
        let file = folder.path().join("bundle");
        std::fs::write(&file, bundle.encode()).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        Joining(folder)
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The command by which a host joins.
    pub(super) fn command(&self) -> String {
        format!("{} fleet join {} >&2", artifacts().filterctl.display(), self.path("bundle").display())
    }

    /// A host with a ladder of its own that has joined, before an agent at this socket.
    pub(super) fn host(&self, socket: &Path, users: u32) -> Scenario {
        self.host_with(socket, users, &[])
    }

    /// The same with a ladder of its own that refuses nothing: so many rungs, one step a password.
    pub(super) fn tall_host(&self, socket: &Path, users: u32) -> Scenario {
        self.host_with(socket, users, &[remade(TALL)])
    }

    fn host_with(&self, socket: &Path, users: u32, further: &[String]) -> Scenario {
        let join = self.command();
        let seen = "mkdir -m 700 -p /run/nearmiss".to_owned();
        scenario("codes", &[&[accounts(users), join, seen], further].concat())
            .configuration(&speaking_to(socket))
    }
}

/// A look at a password, without a step.
pub(super) fn look_at(descriptor: &Descriptor, password: &str) -> Request {
    let ladder = descriptor.open();
    ladder.request(&ladder.element(password.as_bytes()).unwrap(), Op::Height)
}

/// The configuration of a host whose agent is at this socket.
pub(super) fn speaking_to(socket: &Path) -> String {
    format!("[fleet]\nsocket = {:?}\n", socket.display().to_string())
}

/// An agent that says this to every request.
pub(super) fn lying(path: &Path, reply: Vec<u8>) -> Arc<AtomicU32> {
    let listener = UnixListener::bind(path).unwrap();
    let asked = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&asked);
    let serve = move |mut peer: UnixStream| {
        let _ = peer.set_read_timeout(Some(HANGS));
        let mut request = [0; 272];
        if peer.read(&mut request).is_ok_and(|length| length > 0) {
            count.fetch_add(1, Relaxed);
            let _ = peer.write_all(&reply);
        }
    };
    thread::spawn(move || listener.incoming().flatten().for_each(serve));
    asked
}
