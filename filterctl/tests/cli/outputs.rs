//! Every option that names an output, and what another user can put there.

use std::{fs, path::Path, process::Command};

use crate::{
    content,
    plantings::{Argument, Role, Stage, nothing_planted_is_followed},
};

const fn input(command: &'static str, name: &'static str) -> Argument {
    Argument { command, name, role: Role::Input }
}

const fn output(command: &'static str, name: &'static str, prepare: fn(&Stage) -> Command) -> Argument {
    Argument { command, name, role: Role::Output(prepare) }
}

fn program<A: AsRef<std::ffi::OsStr>>(words: &str, paths: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_filterctl"));
    command.args(words.split_whitespace()).args(paths);
    command
}

fn done(mut command: Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

fn list(stage: &Stage) -> std::path::PathBuf {
    stage.input("list", "elephant\ngiraffe\n")
}

/// A filter with counts, to be changed.
fn counted(stage: &Stage, filter: &Path, counts: &Path) {
    let list = list(stage);
    done(program("build -q --capacity 1000 --counts", [counts, "--output".as_ref(), filter, &list]));
}

fn build(stage: &Stage) -> Command {
    program("build -q --common --output", [stage.out().join("f"), list(stage)])
}

fn for_distribution(stage: &Stage) -> Command {
    let paths = [stage.out().join("key"), "--output".into(), stage.inputs().join("f"), list(stage)];
    program("build -q --for-distribution", paths)
}

fn build_counts(stage: &Stage) -> Command {
    let paths = [stage.out().join("c"), "--output".into(), stage.inputs().join("f"), list(stage)];
    program("build -q --counts", paths)
}

/// A configuration of one list.
fn updated(stage: &Stage) -> std::path::PathBuf {
    let text = format!("[update]\ncommon = false\nfolders = []\nlists = [\"{}\"]\n", list(stage).display());
    stage.input("n.conf", text)
}

fn update(stage: &Stage) -> Command {
    program("update -q --conf", [updated(stage), "--output".into(), stage.out().join("f")])
}

fn exact(stage: &Stage) -> Command {
    let paths = [updated(stage), "--output".into(), stage.inputs().join("f")];
    let mut command = program("update -q --conf", paths);
    command.arg("--exact").arg(stage.out().join("e"));
    command
}

fn add(stage: &Stage) -> Command {
    let filter = stage.out().join("f");
    done(program("build -q --capacity 1000 --output", [&filter, &list(stage)]));
    program("add -q", [filter, stage.input("more", "zebra\n")])
}

fn add_counts(stage: &Stage) -> Command {
    let (filter, counts) = (stage.inputs().join("f"), stage.out().join("c"));
    counted(stage, &filter, &counts);
    program("add -q --counts", [counts, filter, stage.input("more", "zebra\n")])
}

fn union(stage: &Stage) -> Command {
    let [one, two] = ["one", "two"].map(|name| stage.inputs().join(name));
    done(program("build -q --output", [&one, &list(stage)]));
    done(program("build -q --like", [one.clone(), "--output".into(), two.clone(), list(stage)]));
    program("union -q --output", [stage.out().join("f"), one, two])
}

fn remove(stage: &Stage) -> Command {
    let (filter, counts) = (stage.out().join("f"), stage.inputs().join("c"));
    counted(stage, &filter, &counts);
    program("remove -q --counts", [counts, filter, stage.input("less", "giraffe\n")])
}

fn remove_counts(stage: &Stage) -> Command {
    let (filter, counts) = (stage.inputs().join("f"), stage.out().join("c"));
    counted(stage, &filter, &counts);
    program("remove -q --counts", [counts, filter, stage.input("less", "giraffe\n")])
}

/// Two filters, the first of which is in place.
fn install(stage: &Stage) -> Command {
    let [one, two] = ["one", "two"].map(|name| stage.inputs().join(name));
    for filter in [&one, &two] {
        done(program("build -q --output", [filter, &list(stage)]));
    }
    done(program("install -q", [one, stage.out().join("f")]));
    program("install -q", [two, stage.out().join("f")])
}

fn rollback(stage: &Stage) -> Command {
    done(install(stage));
    program("rollback -q", [stage.out().join("f")])
}

/// A system with the package, below the folder of the output.
fn system(stage: &Stage) -> Command {
    let root = stage.out();
    for folder in ["usr/lib/systemd/system", "usr/sbin", "etc/security/nearmiss.conf.d", "var/cache/nearmiss"]
    {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    for file in ["usr/lib/systemd/system/nearmiss-fetch.timer", "usr/sbin/nearmiss-fetch"] {
        fs::write(root.join(file), "").unwrap();
    }
    program("breaches enable --yes --root", [root])
}

/// The same, switched on, with a filter that was fetched.
fn fetched(stage: &Stage) {
    done(system(stage));
    let fetched = stage.out().join("var/lib/private/nearmiss-fetch");
    fs::create_dir_all(&fetched).unwrap();
    let digests = content::common_digests(1000).into_iter();
    let list = stage.input("digests", digests.map(|digest| format!("{digest}:3\n")).collect::<String>());
    done(program("build -q --kind sha1 --output", [fetched.join("leaked.filter"), list]));
    fs::write(fetched.join("leaked.filter.run"), "{\"schema\":1,\"ended\":1,\"result\":\"done\"}").unwrap();
}

fn breaches_install(stage: &Stage) -> Command {
    fetched(stage);
    program("breaches install --root", [stage.out()])
}

fn breaches_disable(stage: &Stage) -> Command {
    done(breaches_install(stage));
    program("breaches disable --root", [stage.out()])
}

fn metrics(stage: &Stage) -> Command {
    let paths = [stage.inputs().join("none.conf"), "--root".into(), stage.inputs()];
    let mut command = program("metrics --conf", paths);
    command.arg("--output").arg(stage.out().join("nearmiss.prom"));
    command
}

/// An empty system: what is found is recorded all the same, and its status is no error.
fn doctor(stage: &Stage) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "\"$@\"; [ $? -ne 2 ]", "sh", env!("CARGO_BIN_EXE_filterctl"), "doctor", "--root"]);
    command.arg(stage.inputs()).arg("--conf").arg(stage.inputs().join("none.conf"));
    command.arg("--record").arg(stage.out().join("examined"));
    command
}

fn verify(stage: &Stage) -> Command {
    let filter = stage.inputs().join("f");
    done(program("build -q --output", [&filter, &list(stage)]));
    let conf =
        stage.input("v.conf", format!("packaged = false\n[[dictionary]]\nfile = \"{}\"\n", filter.display()));
    program("verify --all --conf", [conf, "--record".into(), stage.out().join("verified")])
}

fn ladder(stage: &Stage, file: &Path, key: &Path) -> Command {
    let _ = stage;
    program("ladder init --no-slow-hash --bits 32768 --file", [file, "--key".as_ref(), key])
}

fn ladder_file(stage: &Stage) -> Command {
    ladder(stage, &stage.out().join("l"), &stage.inputs().join("k"))
}

fn ladder_key(stage: &Stage) -> Command {
    ladder(stage, &stage.inputs().join("l"), &stage.out().join("k"))
}

fn ladder_step(stage: &Stage) -> Command {
    let (file, key) = (stage.out().join("l"), stage.inputs().join("k"));
    done(ladder(stage, &file, &key));
    let mut command = Command::new("sh");
    command.arg("-c").arg("echo elephant | \"$@\"").arg("sh").arg(env!("CARGO_BIN_EXE_filterctl"));
    command.args(["ladder", "step", "--file"]).arg(file).arg("--key").arg(key);
    command
}

fn fleet_init(stage: &Stage) -> Command {
    program("fleet init --guessed --bits 2^26 --file", [stage.out().join("g.ladder")])
}

/// A host that has joined.
fn fleet_export(stage: &Stage) -> Command {
    let file = stage.inputs().join("g.ladder");
    done(program("fleet init --guessed --bits 2^26 --file", [&file]));
    program("fleet export --guessed --file", [file, "--output".into(), stage.out().join("bundle")])
}

fn bundle(stage: &Stage) -> std::path::PathBuf {
    let [file, bundle] = ["h.ladder", "bundle"].map(|name| stage.inputs().join(name));
    done(program("fleet init --guessed --bits 2^26 --file", [&file]));
    done(program("fleet export --guessed --file", [file, "--output".into(), bundle.clone()]));
    bundle
}

fn fleet_join(stage: &Stage) -> Command {
    program("fleet join", [bundle(stage), "--file".into(), stage.out().join("g.ladder")])
}

fn fleet_agent(stage: &Stage) -> Command {
    let conf = stage.out().join("agent.toml");
    fs::write(&conf, "user = \"before\"\n").unwrap();
    let paths =
        [bundle(stage), "--file".into(), stage.inputs().join("g.ladder"), "--agent-conf".into(), conf];
    program("fleet join --user after", paths)
}

fn man(stage: &Stage) -> Command {
    program("man --output", [stage.out()])
}

const ARGUMENTS: &[Argument] = &[
    output("build", "--output", build),
    output("build", "--for-distribution", for_distribution),
    input("build", "--like"),
    output("build", "--counts", build_counts),
    input("build", "LIST"),
    output("update", "--output", update),
    output("update", "--exact", exact),
    input("update", "--conf"),
    input("update", "--folder"),
    output("add", "FILTER", add),
    output("add", "--counts", add_counts),
    input("add", "LIST"),
    output("union", "--output", union),
    input("union", "FILTER"),
    output("remove", "FILTER", remove),
    output("remove", "--counts", remove_counts),
    input("remove", "LIST"),
    input("check", "--filter"),
    input("check", "--conf"),
    input("check", "--root"),
    input("check", "--list"),
    input("suggest", "--words"),
    input("suggest", "--filter"),
    input("suggest", "--conf"),
    input("suggest", "--root"),
    input("hook samba", "--conf"),
    input("hook heimdal", "--conf"),
    input("info", "FILE"),
    input("install", "FILTER"),
    output("install", "TARGET", install),
    output("rollback", "TARGET", rollback),
    output("breaches enable", "--root", system),
    input("breaches enable", "--ca-file"),
    output("breaches disable", "--root", breaches_disable),
    input("breaches status", "--root"),
    output("breaches install", "--root", breaches_install),
    input("metrics", "--conf"),
    input("metrics", "--root"),
    output("metrics", "--output", metrics),
    input("doctor", "--conf"),
    output("doctor", "--record", doctor),
    input("doctor", "--root"),
    input("doctor", "--agent-conf"),
    input("doctor", "--agent"),
    input("doctor", "--store-password-file"),
    input("config", "--conf"),
    input("config", "--root"),
    input("migrate", "--root"),
    input("ladder init", "--conf"),
    output("ladder init", "--file", ladder_file),
    output("ladder init", "--key", ladder_key),
    input("ladder info", "--conf"),
    input("ladder info", "--file"),
    input("ladder info", "--key"),
    input("ladder height", "--conf"),
    input("ladder height", "--file"),
    input("ladder height", "--key"),
    input("ladder step", "--conf"),
    output("ladder step", "--file", ladder_step),
    input("ladder step", "--key"),
    input("ladder report", "LOG"),
    input("ladder report", "--conf"),
    input("ladder report", "--file"),
    input("ladder report", "--key"),
    input("fleet init", "--conf"),
    output("fleet init", "--file", fleet_init),
    input("fleet init", "--agent-conf"),
    input("fleet init", "--agent"),
    input("fleet init", "--store-password-file"),
    input("fleet export", "--conf"),
    input("fleet export", "--file"),
    output("fleet export", "--output", fleet_export),
    input("fleet join", "BUNDLE"),
    input("fleet join", "--conf"),
    output("fleet join", "--file", fleet_join),
    output("fleet join", "--agent-conf", fleet_agent),
    input("fleet status", "--conf"),
    input("verify", "FILE"),
    output("verify", "--record", verify),
    input("verify", "--conf"),
    input("verify", "--root"),
    output("man", "--output", man),
    input("doctor-child load", "MODULE"),
];

#[test]
fn some_that_another_planted_is_not_written_through() {
    nothing_planted_is_followed(filterctl::command(), ARGUMENTS, false);
}

#[test]
#[ignore = "make torture"]
fn nothing_that_another_planted_is_written_through() {
    nothing_planted_is_followed(filterctl::command(), ARGUMENTS, true);
    println!("torture: outputs: nothing that another planted is written through");
}
