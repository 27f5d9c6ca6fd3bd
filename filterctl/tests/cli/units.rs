//! The units of the packages: what each may write, and the capabilities that it keeps.

use std::{fs, path::PathBuf, process::Command};

/// A unit below `packaging`, the folders that it may write, and its capabilities.
type Unit = (&'static str, &'static [&'static str], &'static str);

const UNITS: [Unit; 7] = [
    ("systemd/nearmiss-filter.service", &["nearmiss"], "CAP_CHOWN"),
    ("systemd/nearmiss-verify.service", &["-/var/cache/nearmiss"], ""),
    // The folder belongs to another user.
    ("systemd/nearmiss-metrics.service", &["-/var/lib/prometheus/node-exporter"], "CAP_DAC_OVERRIDE"),
    // The filter, and the file that names it; what was fetched belongs to another user.
    (
        "fetch/nearmiss-breaches.service",
        &["-/etc/security/nearmiss.conf.d", "nearmiss"],
        "CAP_CHOWN CAP_DAC_READ_SEARCH",
    ),
    ("fetch/nearmiss-fetch.service", &["nearmiss-fetch"], ""),
    ("fleet/nearmiss-agent.service", &[], ""),
    ("fleet/nearmiss-watch.service", &[], ""),
];

fn packaging(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "../packaging", name].iter().collect()
}

#[test]
fn each_unit_may_write_where_it_writes_and_nowhere_else() {
    for (name, folders, capabilities) in UNITS {
        let text = fs::read_to_string(packaging(name)).unwrap();
        let values = |key: &str| -> Vec<&str> {
            let lines = text.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix('='));
            lines.flat_map(str::split_whitespace).collect()
        };
        let places = ["ReadWritePaths", "CacheDirectory", "StateDirectory", "RuntimeDirectory"];
        let writable: Vec<&str> = places.into_iter().flat_map(values).collect();
        assert_eq!(writable, folders, "{name}");
        assert_eq!(values("CapabilityBoundingSet").join(" "), capabilities, "{name}");
        assert_eq!(values("ProtectSystem"), ["strict"], "{name}");
    }
}

/// What the metrics count as findings is what a run of the doctor records, wherever there are metrics.
#[test]
fn where_metrics_are_written_the_doctor_runs_too() {
    let text = |name: &str| fs::read_to_string(packaging(name)).unwrap();
    // The only unit that is not closed: it makes a copy of the machine as users see it.
    let units = fs::read_dir(packaging("systemd")).unwrap().map(|entry| entry.unwrap().file_name());
    let units = units.map(|name| format!("systemd/{}", name.to_string_lossy()));
    let open: Vec<String> =
        units.filter(|name| name.ends_with(".service") && !UNITS.iter().any(|unit| unit.0 == name)).collect();
    assert_eq!(open, ["systemd/nearmiss-doctor.service"]);
    assert!(text("systemd/nearmiss-metrics.timer").contains("\nWants=nearmiss-doctor.timer\n"));
    assert!(text("systemd/nearmiss-doctor.timer").contains("\nPartOf=nearmiss-metrics.timer\n"));
    let run = "filterctl doctor --only-problems --record /var/cache/nearmiss/examined";
    for name in ["systemd/nearmiss-doctor.service", "nix/module.nix", "../docs/monitor.md"] {
        assert!(text(name).contains(run), "{name}");
    }
    for name in ["debian/nearmiss-tools.postrm", "arch/pam-nearmiss.install", "rpm/nearmiss.spec"] {
        assert!(text(name).contains("/examined"), "{name}");
    }
}

/// The service gives the metrics to a group with the drop-in of the page, which adds what the unit leaves
/// out.
#[test]
fn the_page_has_what_a_group_for_the_metrics_needs() {
    let text = |name: &str| fs::read_to_string(packaging(name)).unwrap();
    let (unit, page) = (text("systemd/nearmiss-metrics.service"), text("../docs/monitor.md"));
    assert!(unit.contains("/nearmiss.prom $OPTIONS\n") && unit.contains(" OPTIONS=\n"), "{unit}");
    assert!(unit.contains("\nSystemCallFilter=~@privileged ") && !unit.contains("CAP_CHOWN"), "{unit}");
    for line in
        ["\"OPTIONS=--group prometheus\"", "CapabilityBoundingSet=CAP_CHOWN", "SystemCallFilter=@chown"]
    {
        assert!(page.lines().any(|said| said.trim_end().ends_with(line)), "{line}");
    }
}

#[test]
fn systemd_finds_the_units_closed() {
    for (name, ..) in UNITS {
        let mut command = Command::new("systemd-analyze");
        command.args(["security", "--no-pager", "--offline=yes", "--threshold=15"]).arg(packaging(name));
        match command.output() {
            Err(error) => eprintln!("SKIPPED: systemd-analyze: {error}"),
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stdout);
                assert!(output.status.success(), "{name}: above 1.5: {said}");
                assert!(said.contains("Overall exposure level"), "{said}");
            }
        }
    }
}
