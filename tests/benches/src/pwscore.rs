//! `pwscore`, started for each password: asking cracklib, and the drop-in for it. Both read fixed paths, so
//! they are put there in a mount namespace of the run's own.

use std::{fs, process::Command, time::Instant};

use nearmiss_filters::{
    dictionary::{Build, Spec},
    format::SchemeId,
};

use crate::{
    harness::median,
    lists, ours, peers,
    report::{Target, duration, line, section},
    work::{PASSWORDS, Work},
};

/// Passwords that are asked about.
const ASKED: usize = 300;

/// `sh SETUP PROGRAM FOLDER`: our configuration and cracklib's dictionary where they are looked for.
const SETUP: &str = r#"
mount -t tmpfs none /etc/security && cp "$2/pwscore.conf" /etc/security/nearmiss.conf || exit 9
mount -t tmpfs none /var/cache && mkdir /var/cache/cracklib || exit 9
for end in pwd pwi hwm; do cp "$2/crack-pwscore.$end" "/var/cache/cracklib/cracklib_dict.$end"; done
exec "$1" pwscores "$2"
"#;

/// Runs the measure.
pub fn run(work: &Work) {
    section("pwscore for one password, start included: the drop-in for libcrack beside cracklib, 1 M words");
    let text = lists::text(&work.million_words());
    peers::cracklib(work, &peers::list_file(work, "pwscore.txt", &text), "crack-pwscore");
    let near = ours::settings(SchemeId::Deletions, ours::near_bits(), 0.001, ours::threads());
    let settings = Build { spec: Spec::default(), ..near };
    let filter = work.filter_file("pwscore.filter", &text, &settings);
    let none = work.path("no.ladder");
    let conf = format!("packaged = false\n[[dictionary]]\nfile = {filter:?}\n[ladder]\nfile = {none:?}\n");
    fs::write(work.path("pwscore.conf"), conf).expect("a file can be written");
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private", "sh", "-c", SETUP, "sh"]);
    command.arg(std::env::current_exe().expect("this program")).arg(work.path("."));
    match peers::output(&mut command, b"") {
        Err(reason) => println!("SKIPPED: pwscore needs root and mount namespaces ({reason})"),
        Ok(figures) => report(&figures),
    }
}

fn report(figures: &str) {
    let figures: Vec<f64> = figures.split_whitespace().map(|text| text.parse().expect("a figure")).collect();
    let [ours, theirs, rejected, rejected_by_cracklib] = figures[..] else { panic!("{figures:?}") };
    let told = format!("{}, {rejected} of {ASKED} rejected", duration(ours));
    let other = format!("cracklib {}, {rejected_by_cracklib} rejected", duration(theirs));
    line("pwscore with cracklib ÷ with the drop-in", &told, &other, theirs / ours, Target::AtLeast(5.0));
}

/// The part inside: medians of both, and how many each rejects.
pub fn inside(arguments: &[String]) {
    let [folder] = arguments else { panic!("pwscores FOLDER") };
    let work = Work::new(folder);
    let libraries = std::env::var_os("LD_LIBRARY_PATH").expect("bench.sh says where the peers are");
    let mut drop_in = work.path("bin/drop-in").into_os_string();
    drop_in.push(":");
    drop_in.push(&libraries);
    let pwscore = work.path("peers/usr/bin/pwscore");
    let (mut times, mut rejected) = ([Vec::new(), Vec::new()], [0; 2]);
    for password in work.passwords(PASSWORDS).iter().take(ASKED) {
        let line = [password.as_ref(), b"\n"].concat();
        for (at, libraries) in [&drop_in, &libraries].into_iter().enumerate() {
            let mut command = Command::new(&pwscore);
            command.env("LD_LIBRARY_PATH", libraries);
            let start = Instant::now();
            let answer = peers::output(&mut command, &line).expect("pwscore");
            times[at].push(start.elapsed().as_nanos() as f64);
            rejected[at] += usize::from(answer.trim().parse::<u32>().is_err());
        }
    }
    let [ours, theirs] = times.map(median);
    println!("{ours} {theirs} {} {}", rejected[0], rejected[1]);
}
