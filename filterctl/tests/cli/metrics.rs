//! `filterctl metrics`: a host that is well, each part of it going bad, and the names that are listed and
//! used elsewhere.

use std::{
    collections::BTreeSet,
    fs,
    io::{Read, Write},
    os::unix::{
        fs::{MetadataExt, PermissionsExt},
        net::UnixListener,
    },
    path::PathBuf,
    process::{Command, Stdio},
    thread,
};

use serde_json::Value;

use crate::{Folder, Run, access::as_nobody, run};

/// A host in a folder: a root with a PAM stack and a module, a configuration and a filter.
struct Host {
    folder: Folder,
    filter: PathBuf,
}

const MODULE: &str = "usr/lib/x86_64-linux-gnu/security/pam_nearmiss.so";

impl Host {
    fn new() -> Host {
        let folder = Folder::new();
        let filter = folder.filter("elephant\nzebrapassword\n");
        fs::create_dir(folder.path("keys")).unwrap();
        let host = Host { folder, filter };
        host.put(
            "root/etc/pam.d/passwd",
            b"password requisite pam_nearmiss.so\npassword required pam_unix.so\n",
        );
        // Any shared object does: this program is one.
        host.put(&format!("root/{MODULE}"), &fs::read(env!("CARGO_BIN_EXE_filterctl")).unwrap());
        host.configure("");
        host
    }

    fn with_ladders() -> Host {
        let host = Host::new();
        for more in [&["--users", "100", "--no-slow-hash"][..], &["--guessed", "--bits", "2^20"]] {
            let made = run([&["ladder", "init", "--conf", &host.conf()], more].concat());
            assert_eq!(made.code, 0, "{made:?}");
        }
        host
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        let path = self.folder.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Text at the start of the configuration, before its tables.
    fn configure(&self, text: &str) {
        let [filter, folder] = [&self.filter, &self.folder.path("")].map(|path| path.display().to_string());
        let text = format!(
            "packaged = false\n{text}\n[[dictionary]]\nfile = \"{filter}\"\n\
             [ladder]\nfile = \"{folder}chosen\"\nkey = \"{folder}keys/key\"\n\
             [guesses]\nfile = \"{folder}guessed\"\n\
             [fleet]\nguessed = \"{folder}fleet\"\nchosen = \"{folder}none\"\nsocket = \"{folder}socket\"\n"
        );
        self.folder.file("n.conf", text);
    }

    fn conf(&self) -> String {
        self.folder.path("n.conf").display().to_string()
    }

    fn metrics(&self, more: &[&str]) -> Run {
        let (conf, root) = (self.conf(), self.folder.path("root").display().to_string());
        run([&["metrics", "--conf", &conf, "--root", &root], more].concat())
    }

    fn doctor(&self, more: &[&str]) -> Run {
        let (conf, root) = (self.conf(), self.folder.path("root").display().to_string());
        run([&["doctor", "--conf", &conf, "--root", &root], more].concat())
    }

    fn text(&self) -> String {
        let shown = self.metrics(&[]);
        assert_eq!((shown.code, shown.err.as_str()), (0, ""), "{shown:?}");
        shown.out
    }

    /// The sample of this name, and of the label `file` that is the filter where the name has `{file}`.
    fn sample(&self, name: &str) -> Option<f64> {
        let name = name.replace("{file}", &format!("{{file=\"{}\"}}", self.filter.display()));
        let text = self.text();
        let value = text.lines().find_map(|line| line.strip_prefix(&name)?.strip_prefix(' '))?;
        Some(value.parse().unwrap())
    }
}

#[test]
fn a_host_that_is_well() {
    let host = Host::new();
    for (name, value) in [
        ("nearmiss_configuration_readable", 1.0),
        ("nearmiss_enforcement{level=\"reject\"}", 1.0),
        ("nearmiss_enforcement{level=\"warn\"}", 0.0),
        ("nearmiss_enforcement{level=\"audit\"}", 0.0),
        ("nearmiss_decisions_logged", 1.0),
        ("nearmiss_stack_checks{service=\"passwd\"}", 1.0),
        ("nearmiss_module_usable{service=\"passwd\"}", 1.0),
        ("nearmiss_unusable_parts", 0.0),
        ("nearmiss_filter_intact{file}", 1.0),
        ("nearmiss_filter_damaged_pages{file}", 0.0),
        ("nearmiss_filter_words{file}", 2.0),
        ("nearmiss_filter_stated_rate{file}", 0.001),
        ("nearmiss_fleet_ladders", 0.0),
    ] {
        assert_eq!(host.sample(name), Some(value), "{name}");
    }
    let version = run(["--version"]).out;
    let version = version.trim().strip_prefix("filterctl ").unwrap();
    let version = format!("nearmiss_info{{version=\"{version}\"}}");
    assert_eq!(host.sample(&version), Some(1.0));
    assert!(host.sample("nearmiss_filter_pages{file}").unwrap() >= 1.0);
    assert!(host.sample("nearmiss_metrics_timestamp_seconds").unwrap() > 1e9);
    for none in ["nearmiss_update_failed{file}", "nearmiss_ladder_usable", "nearmiss_fleet_agent_up"] {
        assert_eq!(host.sample(none), None, "{none}");
    }
}

#[test]
fn each_part_of_a_host_goes_bad() {
    let host = Host::new();
    let bytes = fs::read(&host.filter).unwrap();
    let mut damaged = bytes.clone();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(&host.filter, damaged).unwrap();
    let of_filter = |names: [&str; 3]| names.map(|name| host.sample(name).unwrap());
    let names =
        ["nearmiss_filter_damaged_pages{file}", "nearmiss_filter_intact{file}", "nearmiss_unusable_parts"];
    assert_eq!(of_filter(names).map(|value| value > 0.5), [true, false, true]);
    fs::remove_file(&host.filter).unwrap();
    assert_eq!([1, 2].map(|at| host.sample(names[at]).unwrap() > 0.5), [false, true]);
    fs::write(&host.filter, bytes).unwrap();

    let module = host.folder.path(&format!("root/{MODULE}"));
    let whole = fs::metadata(&module).unwrap().len();
    fs::OpenOptions::new().write(true).open(&module).unwrap().set_len(whole / 2).unwrap();
    assert_eq!(host.sample("nearmiss_module_usable{service=\"passwd\"}"), Some(0.0));
    host.put("root/etc/pam.d/passwd", b"password requisite pam_nearmiss.so enforce=audit\n");
    assert_eq!(host.sample("nearmiss_enforcement{level=\"audit\"}"), Some(1.0));
    host.put("root/etc/pam.d/passwd", b"password required pam_unix.so\n");
    assert_eq!(host.sample("nearmiss_stack_checks{service=\"passwd\"}"), Some(0.0));
    assert_eq!(host.sample("nearmiss_module_usable{service=\"passwd\"}"), None);

    host.configure("log = \"none\"\nenforce = \"warn\"");
    assert_eq!(host.sample("nearmiss_decisions_logged"), Some(0.0));
    assert_eq!(host.sample("nearmiss_enforcement{level=\"warn\"}"), Some(1.0));
    // A level of one part is the host's, if it accepts what others reject.
    host.configure("");
    let conf = PathBuf::from(host.conf());
    let text = fs::read_to_string(&conf).unwrap();
    fs::write(&conf, text.replace("[ladder]", "enforce = \"audit\"\n[ladder]")).unwrap();
    let [audit, reject] =
        ["audit", "reject"].map(|level| format!("nearmiss_enforcement{{level=\"{level}\"}}"));
    assert_eq!((host.sample(&audit), host.sample(&reject)), (Some(1.0), Some(0.0)));
    host.configure("min_lenght = 9");
    assert_eq!(host.sample("nearmiss_configuration_readable"), Some(0.0));
    assert_eq!(host.sample("nearmiss_unusable_parts"), None);
}

/// The findings in this state that a run of the doctor printed.
fn count(told: &Value, state: &str) -> f64 {
    let findings = told["findings"].as_array().unwrap().iter();
    findings.filter(|one| one["state"] == state).count() as f64
}

/// One source: the findings that metrics count are those that the doctor prints.
#[test]
fn metrics_count_what_the_doctor_finds() {
    let host = Host::new();
    let agree = |what: &str, least: u64| {
        let told = host.doctor(&["--json"]).json().remove(0);
        let shown = host.metrics(&["--doctor"]).out;
        for state in ["wrong", "warning", "unjudged"] {
            let sample = format!("nearmiss_findings{{state=\"{state}\"}} {}\n", count(&told, state));
            assert!(shown.contains(&sample), "{what}: {sample} of {told}, {shown}");
        }
        assert!(count(&told, "wrong") >= least as f64, "{what}: {told}");
        assert!(shown.contains("\nnearmiss_doctor_run_timestamp_seconds 1"), "{what}: {shown}");
    };
    agree("a host that is well", 0);
    let module = host.folder.path(&format!("root/{MODULE}"));
    let whole = fs::read(&module).unwrap();
    fs::write(&module, &whole[..whole.len() / 2]).unwrap();
    agree("a damaged module", 1);
    assert_eq!(host.sample("nearmiss_module_usable{service=\"passwd\"}"), Some(0.0));
    fs::write(&module, &whole).unwrap();
    host.put("root/etc/pam.d/passwd", b"password requisite pam_nearmiss.so retyr=3\n");
    agree("an option that is misspelt", 1);
    host.put("root/etc/pam.d/passwd", b"password requisite pam_nearmiss.so\n");
    host.put("root/etc/mysql/own.cnf", b"plugin_load_add = nearmiss_password_check\n");
    agree("a plugin that is missing", 1);
    host.configure("min_lenght = 9");
    agree("a mistake in the configuration", 1);
}

/// Nothing is said of what was not run: without a recorded run there are no findings, not no faults.
#[test]
fn findings_are_those_of_the_last_recorded_run() {
    let host = Host::new();
    let states = ["wrong", "warning", "unjudged"];
    let found = || states.map(|state| host.sample(&format!("nearmiss_findings{{state=\"{state}\"}}")));
    let run_at = || host.sample("nearmiss_doctor_run_timestamp_seconds");
    assert_eq!((found(), run_at()), ([None; 3], None), "no run is known");
    let record = host.folder.path("root/var/cache/nearmiss/examined");
    fs::create_dir_all(record.parent().unwrap()).unwrap();
    let record = record.to_str().unwrap();
    let examined = host.doctor(&["--json", "--record", record]);
    let told = examined.json().remove(0);
    assert_eq!(found(), states.map(|state| Some(count(&told, state))), "{told}");
    assert!(count(&told, "unjudged") > 0.0, "no change is made in another root: {told}");
    assert!(run_at().unwrap() > 1e9);
    assert_eq!(fs::metadata(record).unwrap().permissions().mode() & 0o777, 0o600);
    // A run that examined something else says nothing of this host.
    let empty = Folder::new();
    let other = run(["doctor", "--root", empty.path("").to_str().unwrap(), "--record", record]);
    assert_eq!((other.code, found()), (1, [None; 3]), "{other:?}");
    host.doctor(&["--json", "--record", record]);
    // The state of now is not that of the last run.
    host.configure("enforce = \"audit\"");
    assert_eq!(found(), states.map(|state| Some(count(&told, state))));
    let quiet = host.doctor(&["--only-problems", "--record", record]);
    assert!(quiet.code > 0 && quiet.out.contains("WARNING"), "{quiet:?}");
    assert_eq!(found()[1], Some(count(&told, "warning") + 1.0));
    // A part is no examination of the host.
    assert_eq!(host.doctor(&["--only", "stack", "--record", record]).code, 2);
    let nowhere = host.doctor(&["--record", "/nonexistent/examined"]);
    assert!(nowhere.code == 2 && nowhere.err.contains("cannot record the result"), "{nowhere:?}");
    fs::write(record, "{\"schema\":1,\"at\":17").unwrap();
    assert_eq!((found(), run_at()), ([None; 3], None));
}

/// What this user may not read is unknown, not at fault.
#[test]
fn what_a_user_may_not_read_has_no_sample() {
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        eprintln!("SKIPPED: needs root: files that belong to another user");
        return;
    }
    let host = Host::with_ladders();
    let made = run(["fleet", "init", "--guessed", "--bits", "2^26", "--conf", &host.conf()]);
    assert_eq!(made.code, 0, "{made:?}");
    fs::set_permissions(host.folder.path(""), fs::Permissions::from_mode(0o755)).unwrap();
    let (conf, root) = (host.conf(), host.folder.path("root").display().to_string());
    let asked = |command: &str, more: &[&str]| {
        let arguments = [&[command, "--conf", &conf, "--root", &root], more].concat();
        as_nobody(&host.folder, &arguments, b"")
    };
    let shown = asked("metrics", &[]);
    assert_eq!((shown.code, shown.err.as_str()), (0, ""), "{shown:?}");
    let has = |text: &str, name: &str| text.lines().any(|line| line.starts_with(name));
    for unknown in ["filter_intact", "unusable_parts", "ladder_usable", "fleet_ladders", "fleet_agent_up"] {
        assert!(!has(&shown.out, &format!("nearmiss_{unknown}")), "{unknown}: {}", shown.out);
    }
    for known in ["nearmiss_configuration_readable 1", "nearmiss_stack_checks{service=\"passwd\"} 1"] {
        assert!(has(&shown.out, known), "{known}: {}", shown.out);
    }
    let told = asked("doctor", &["--json"]).json().remove(0);
    for finding in told["findings"].as_array().unwrap().iter().filter(|one| one["check"] == "fleet") {
        assert_eq!(finding["state"], "unjudged", "{told}");
    }
    fs::set_permissions(&conf, fs::Permissions::from_mode(0o600)).unwrap();
    let shown = asked("metrics", &[]).out;
    assert!(!has(&shown, "nearmiss_configuration_readable"), "{shown}");
}

#[test]
fn what_update_and_the_weekly_examination_did_last() {
    let host = Host::new();
    let state = host.folder.path("words.filter.update");
    let text = r#"{"schema":1,"rebuilt":1700000000,"failed":{"at":1700000500,"reason":"disk full"},
        "lists":[{"path":"/srv/a","words":3,"modified":1690000000},{"path":"/srv/b"}],
        "dropped":[{"path":"/srv/gone","reason":"missing"}]}"#;
    fs::write(&state, text).unwrap();
    fs::set_permissions(&state, fs::Permissions::from_mode(0o600)).unwrap();
    for (name, value) in [
        ("nearmiss_update_state_readable{file}", 1.0),
        ("nearmiss_update_success_timestamp_seconds{file}", 1_700_000_000.0),
        ("nearmiss_update_failed{file}", 1.0),
        ("nearmiss_update_failure_timestamp_seconds{file}", 1_700_000_500.0),
        ("nearmiss_update_lists{file}", 2.0),
        ("nearmiss_update_dropped_lists{file}", 1.0),
    ] {
        assert_eq!(host.sample(name), Some(value), "{name}");
    }
    assert!(host.text().contains(",list=\"/srv/a\"} 1690000000\n"));
    fs::write(&state, "no state").unwrap();
    assert_eq!(host.sample("nearmiss_update_state_readable{file}"), Some(0.0));
    assert_eq!(host.sample("nearmiss_verify_timestamp_seconds"), None);
    let verified = host.folder.path("root/var/cache/nearmiss/verified");
    fs::create_dir_all(verified.parent().unwrap()).unwrap();
    let done = run(["verify", "--all", "--conf", &host.conf(), "--record", verified.to_str().unwrap()]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(host.sample("nearmiss_verify_timestamp_seconds").unwrap() > 1e9);
    assert_eq!(host.sample("nearmiss_verify_problems"), Some(0.0));
}

#[test]
fn both_ladders() {
    let host = Host::with_ladders();
    let (chosen, guessed) =
        ("nearmiss_ladder_usable{ladder=\"chosen\"}", "nearmiss_ladder_usable{ladder=\"guessed\"}");
    assert_eq!([chosen, guessed].map(|name| host.sample(name)), [Some(1.0); 2]);
    assert_eq!(host.sample("nearmiss_ladder_accounts"), Some(0.0));
    assert!(host.sample("nearmiss_ladder_account_slots").unwrap() >= 100.0);
    assert_eq!(host.sample("nearmiss_ladder_nearly_full"), Some(0.0));
    for file in ["chosen", "guessed"] {
        host.folder.file(file, "junk");
    }
    assert_eq!([chosen, guessed].map(|name| host.sample(name)), [Some(0.0); 2]);
}

/// An agent with the same reply for every request.
fn agent(socket: PathBuf, told: &'static str) {
    let listener = UnixListener::bind(socket).unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            // A client that only looks whether somebody listens sends nothing.
            if stream.read_exact(&mut [0; 16]).is_ok() {
                stream.write_all(told.as_bytes()).unwrap();
            }
        }
    });
}

#[test]
fn the_fleet_as_the_agent_tells() {
    let host = Host::new();
    let made = run(["fleet", "init", "--guessed", "--bits", "2^26", "--conf", &host.conf()]);
    assert_eq!(made.code, 0, "{made:?}");
    assert_eq!(host.sample("nearmiss_fleet_ladders"), Some(1.0));
    assert_eq!(host.sample("nearmiss_fleet_agent_up"), Some(0.0));
    let told = r#"{"answered":7,"counted":3,"unavailable":2,"late":1,"turned_away":6,"slots_without_node":5,
        "nodes":[{"node":"192.0.2.1:6379","faults":4,"is_suspended":true,"serves":false,"trouble":"no"}],
        "far_nodes":[{"node":"192.0.2.1:6379","faults":0,"is_suspended":false,"serves":true},
        {"node":"192.0.2.2:6379","faults":0,"is_suspended":false,"serves":null}],
        "far_slots_without_node":null}"#;
    agent(host.folder.path("socket"), told);
    for (name, value) in [
        ("nearmiss_fleet_agent_up", 1.0),
        ("nearmiss_fleet_requests_total{result=\"answered\"}", 7.0),
        ("nearmiss_fleet_requests_total{result=\"late\"}", 1.0),
        ("nearmiss_fleet_requests_total{result=\"turned_away\"}", 6.0),
        ("nearmiss_fleet_node_up{site=\"near\",node=\"192.0.2.1:6379\"}", 0.0),
        ("nearmiss_fleet_node_up{site=\"far\",node=\"192.0.2.1:6379\"}", 1.0),
        ("nearmiss_fleet_circuit_open{site=\"near\",node=\"192.0.2.1:6379\"}", 1.0),
        ("nearmiss_fleet_circuit_open{site=\"far\",node=\"192.0.2.1:6379\"}", 0.0),
        ("nearmiss_fleet_node_faults{site=\"near\",node=\"192.0.2.1:6379\"}", 4.0),
        ("nearmiss_fleet_slots_without_node{site=\"near\"}", 5.0),
    ] {
        assert_eq!(host.sample(name), Some(value), "{name}");
    }
    // What is not known has no sample: a node that was not asked, and slots before the first map.
    for name in [
        "nearmiss_fleet_node_up{site=\"far\",node=\"192.0.2.2:6379\"}",
        "nearmiss_fleet_slots_without_node{site=\"far\"}",
    ] {
        assert_eq!(host.sample(name), None, "{name}");
    }
}

/// Requests are taken and not replied to: the module refuses changes, and does not where there is no agent.
#[test]
fn an_agent_that_hangs_is_told_from_none_and_from_one_that_is_not_used() {
    let host = Host::new();
    let made = run(["fleet", "init", "--guessed", "--bits", "2^26", "--conf", &host.conf()]);
    assert_eq!(made.code, 0, "{made:?}");
    let up_and_hung = || ["up", "hung"].map(|name| host.sample(&format!("nearmiss_fleet_agent_{name}")));
    let doctor = || run(["doctor", "--only", "fleet", "--conf", &host.conf()]);
    assert_eq!(up_and_hung(), [Some(0.0), Some(0.0)]);
    agent(host.folder.path("socket"), "");
    assert_eq!(up_and_hung(), [Some(0.0), Some(1.0)]);
    let told = doctor();
    for part in ["users cannot change passwords", "fix: systemctl restart nearmiss-agent"] {
        assert!(told.code == 1 && told.out.contains(part), "{part}: {told:?}");
    }
    let whole = host.doctor(&["--only", "filters"]);
    let finding = whole.out.lines().find(|line| line.contains("/socket: ")).map(str::to_owned);
    assert!(finding.is_some() && !whole.out.contains("fix: filterctl doctor"), "{whole:?}");
    assert!(whole.out.contains("fix: systemctl restart nearmiss-agent"), "{whole:?}");
    // A descriptor that is lost, or cannot be used, is no host without a fleet.
    let usable = format!("nearmiss_fleet_ladder_usable{{file=\"{}\"}}", host.folder.path("fleet").display());
    assert_eq!(host.sample(&usable), Some(1.0));
    fs::write(host.folder.path("fleet"), "junk").unwrap();
    assert_eq!((host.sample(&usable), host.sample("nearmiss_fleet_ladders")), (Some(0.0), Some(1.0)));
    fs::remove_file(host.folder.path("fleet")).unwrap();
    assert_eq!((host.sample(&usable), host.sample("nearmiss_fleet_ladders")), (Some(0.0), Some(1.0)));
}

#[test]
fn a_file_is_replaced_in_one_step_for_everybody_to_read() {
    let host = Host::new();
    let file = host.folder.path("nearmiss.prom");
    fs::write(&file, "# HELP nearmiss_info earlier\n").unwrap();
    let shown = host.metrics(&["--output", file.to_str().unwrap()]);
    assert_eq!((shown.code, shown.out.as_str()), (0, ""), "{shown:?}");
    assert!(fs::read_to_string(&file).unwrap().starts_with("# HELP nearmiss_info "));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o644);
    let nowhere = host.metrics(&["--output", "/nonexistent/nearmiss.prom"]);
    assert!(nowhere.error_line().contains("/nonexistent/nearmiss.prom"), "{nowhere:?}");
    assert!(!host.folder.names().iter().any(|name| name.contains("nearmiss.prom.")), "nothing is left");
}

/// Counts of logins and guesses name an account beside wtmp.
#[test]
fn what_tells_about_accounts_is_not_for_everybody() {
    let host = Host::with_ladders();
    let file = host.folder.path("nearmiss.prom");
    let samples = |arguments: &[&str]| {
        let shown = host.metrics(&[&["--output", file.to_str().unwrap()], arguments].concat());
        assert_eq!(shown.code, 0, "{shown:?}");
        let mode = fs::metadata(&file).unwrap().permissions().mode() & 0o777;
        let text = fs::read_to_string(&file).unwrap();
        let about = |line: &&str| {
            ["nearmiss_ladder_accounts ", "nearmiss_guesses_total{", "nearmiss_logins_total{"]
                .iter()
                .any(|name| line.starts_with(name))
        };
        (mode, text.lines().filter(about).count(), text.matches("# HELP").count())
    };
    let (open, closed) = (samples(&[]), samples(&["--group", "root"]));
    assert_eq!((open.0, open.1), (0o644, 0));
    assert!(closed.0 == 0o640 && closed.1 > 0 && open.2 == closed.2, "{open:?} {closed:?}");
}

fn workspace(name: &str) -> String {
    fs::read_to_string(format!("{}/../{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The words of a text that are names of metrics, however they are used there.
fn names_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_' && letter != ':');
    words.filter(|word| word.starts_with("nearmiss_")).map(str::to_owned).collect()
}

/// The metrics of a host: what filterctl prints, and what the script that counts the log does.
fn exported() -> BTreeSet<String> {
    let script = format!("{}/../packaging/monitor/log-report.awk", env!("CARGO_MANIFEST_DIR"));
    let mut awk = Command::new("awk");
    awk.args(["-v", "metrics=1", "-v", "now=1", "-f", &script]).stdin(Stdio::null());
    let counted = String::from_utf8(awk.output().unwrap().stdout).unwrap();
    assert!(counted.contains("# HELP nearmiss_decisions "), "{counted}");
    let text = Host::new().text() + &counted;
    let helps = text.lines().filter_map(|line| line.strip_prefix("# HELP ")?.split(' ').next());
    let helps: Vec<String> = helps.map(str::to_owned).collect();
    for name in &helps {
        assert_eq!(text.matches(&format!("# TYPE {name} ")).count(), 1, "{name}");
    }
    let names: BTreeSet<String> = helps.iter().cloned().collect();
    assert_eq!(names.len(), helps.len(), "a family is there twice");
    names
}

#[test]
fn the_page_lists_every_metric_and_no_other() {
    let page = workspace("docs/monitor.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `nearmiss_"));
    let listed = rows.map(|row| format!("nearmiss_{}", row.split(['`', '{']).next().unwrap()));
    assert_eq!(listed.collect::<BTreeSet<_>>(), exported());
}

#[test]
fn rules_and_dashboard_name_metrics_that_there_are() {
    let exported = exported();
    let rules = workspace("packaging/monitor/nearmiss.rules.yml");
    let recorded: BTreeSet<String> =
        rules.lines().filter_map(|line| line.trim().strip_prefix("- record: ")).map(str::to_owned).collect();
    for file in ["nearmiss.rules.yml", "grafana-nearmiss.json", "nearmiss.html"] {
        let text = workspace(&format!("packaging/monitor/{file}"));
        let used = names_in(&text);
        assert!(used.len() > 5, "{file}: {used:?}");
        let unknown: Vec<_> = used.iter().filter(|name| !exported.contains(*name)).collect();
        let unknown: Vec<_> = unknown.iter().filter(|name| !recorded.contains(**name)).collect();
        assert!(unknown.is_empty(), "{file}: {unknown:?}");
    }
    let board: Value = serde_json::from_str(&workspace("packaging/monitor/grafana-nearmiss.json")).unwrap();
    assert!(board["panels"].as_array().unwrap().len() > 5);
}
