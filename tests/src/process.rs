//! A server's or an agent's process, which ends with the test.

use std::{
    fs,
    path::Path,
    process::{Child, Command},
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};

/// A program that ends with the test, however that ends, and leaves no memory on disk.
pub fn bound_to_this_test(program: &Path) -> Command {
    let mut command = Command::new("prlimit");
    command.args(["--core=0", "setpriv", "--pdeathsig", "KILL"]).arg(program);
    command
}

/// A process that is ended by its number.
pub struct Process(Child);

impl Process {
    /// Takes a child over.
    pub fn of(child: Child) -> Process {
        Process(child)
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        let number = Pid::from_raw(i32::try_from(self.0.id()).expect("a number")).expect("not zero");
        kill_process(number, signal).expect("it is there");
    }

    /// The processor time that it has used, in steps of 10 ms.
    pub fn processor_time(&self) -> Duration {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.0.id())).expect("it can be read");
        // The fields after the name, which may contain any character: utime and stime are the 14th and 15th
        // in all.
        let fields = stat.rsplit(") ").next().expect("fields").split(' ').skip(11).take(2);
        let ticks: u64 = fields.map(|field| field.parse::<u64>().expect("a number")).sum();
        Duration::from_millis(ticks * 10)
    }

    /// The most memory that it ever had.
    pub fn peak_kilobytes(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0.id())).expect("it can be read");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// The users, groups and additional groups that it runs as, as the kernel names them.
    pub fn identity(&self) -> Vec<String> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0.id())).expect("it can be read");
        let is_identity = |line: &&str| ["Uid:", "Gid:", "Groups:"].iter().any(|name| line.starts_with(name));
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
        status.lines().filter(is_identity).map(words).collect()
    }

    /// True if it has ended.
    pub fn has_ended(&mut self) -> bool {
        self.0.try_wait().expect("it can be asked").is_some()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
