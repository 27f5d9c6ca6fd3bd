//! The page of a site and the dashboard, over a real Prometheus with the samples of 500 hosts: seven are bad
//! in seven ways, and a reader sees these seven and no other.

use std::{
    collections::BTreeSet,
    fs,
    time::{SystemTime, UNIX_EPOCH},
};

use nearmiss_tests::{
    artifacts::{variable, workspace},
    skip::skipped,
};
use serde_json::Value;

use super::{
    prometheus::{Data, Found, Server, encoded, programs},
    site::{HOSTS, Host, Way, hosts, write},
};

/// Only a login on the host that the test runs on would make these.
const OF_LOGINS: [&str; 2] = ["nearmiss_guesses_total", "nearmiss_logins_total"];

const FIRING: &str = "ALERTS{alertname=~\"Nearmiss.+\",alertstate=\"firing\"}";

/// One server for all that is looked at: its start is most of the time.
#[test]
fn seven_bad_hosts_of_500_are_seen_and_no_other() {
    let Some(programs) = programs() else {
        skipped(Some("needs prometheus (tests/tools/unpack.sh fetches it)"));
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let hosts = hosts();
    let end = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
    let samples = folder.path().join("samples");
    write(&hosts, end, &samples);
    let data = Data::new(programs, folder.path(), &samples, end);
    let server = data.start("1s");
    server.wait_until(|server| {
        let states = [0, 1, 2].map(|state| server.number(&format!("count(nearmiss:host_state == {state})")));
        if states == [Some(493.0), Some(3.0), Some(4.0)] { Ok(()) } else { Err(format!("{states:?}")) }
    });

    if let Some(file) = variable("NEARMISS_SITE_PAGE") {
        fs::write(file, server.get("/consoles/nearmiss.html").1).expect("written");
    }
    what_fires(&server, &hosts);
    page_names_the_seven(&server, &hosts);
    page_of_a_part(&server, &hosts);
    dashboard_has_data(&server, &hosts);
}

fn bad(hosts: &[Host]) -> impl Iterator<Item = (&Host, Way)> {
    hosts.iter().filter_map(|host| Some((host, host.way?)))
}

fn names<'h>(hosts: impl Iterator<Item = (&'h Host, Way)>) -> BTreeSet<String> {
    hosts.map(|(host, _)| host.name.clone()).collect()
}

/// Seven alerts fire: that of its way on each bad host, with the severity of the page.
fn what_fires(server: &Server, hosts: &[Host]) {
    let told = |found: &Found| ["instance", "alertname", "severity"].map(|name| found.label(name).to_owned());
    let fire: Vec<[String; 3]> = server.query(FIRING).iter().map(told).collect();
    let expected = bad(hosts).map(|(host, way)| {
        let severity = if way.is_critical() { "critical" } else { "warning" };
        [&host.name, way.alert().0, severity].map(str::to_owned)
    });
    assert_eq!(fire.len(), Way::ALL.len(), "{fire:?}");
    assert_eq!(fire.into_iter().collect::<BTreeSet<_>>(), expected.collect());
    assert_eq!(server.number("count(ALERTS{alertstate=\"pending\"})"), None);
}

/// The part of the page between the tag with this identity and the end of its section.
fn section<'p>(page: &'p str, identity: &str) -> &'p str {
    let (_, rest) = page.split_once(&format!("<section id=\"{identity}\">")).expect("the section");
    rest.split_once("</section>").expect("its end").0
}

fn page(server: &Server, selection: &str) -> String {
    let (status, page) = server.get(&format!("/consoles/nearmiss.html{selection}"));
    assert_eq!(status, 200, "{page}");
    page
}

/// Hosts of the table of those that are not green.
fn shown(page: &str) -> BTreeSet<String> {
    let table = section(page, "not-green");
    table.split("<b>").skip(1).map(|rest| rest.split("</b>").next().unwrap_or_default().to_owned()).collect()
}

/// The numbers at the top of the page: hosts, green, red, yellow, silent.
fn tiles(page: &str) -> Vec<String> {
    let (_, rest) = page.split_once("<div class=\"row tiles\">").expect("the numbers");
    let rest = rest.split("<section").next().unwrap_or_default();
    rest.split("<b>").skip(1).map(|tile| tile.split("</b>").next().unwrap_or_default().to_owned()).collect()
}

fn page_names_the_seven(server: &Server, hosts: &[Host]) {
    let page = page(server, "");
    assert_eq!(tiles(&page), ["500", "493", "4", "3", "1"]);
    assert_eq!(shown(&page), names(bad(hosts)));
    let rows: Vec<&str> = section(&page, "not-green").split("<tr>").skip(2).collect();
    assert_eq!(rows.len(), Way::ALL.len());
    for (host, way) in bad(hosts) {
        let row = rows.iter().find(|row| row.contains(&format!("<b>{}</b>", host.name))).expect("a row");
        let color = if way.is_critical() { "red" } else { "yellow" };
        for part in [way.alert().1, &format!("<td class=\"{color}\">")] {
            assert!(row.contains(part), "{part}: {row}");
        }
    }
    // Red before yellow, and within each the one that has lasted longest first.
    let colors: Vec<bool> = rows.iter().map(|row| row.contains("class=\"red\"")).collect();
    assert!(colors.is_sorted_by_key(|is_red| !is_red), "{colors:?}");
    for part in ["<td>filter</td><td>damaged</td>", "499 of 500 hosts", "over 400", "<td>0.9.9</td>"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

/// A site of several, a single host, a host that is not there, and a selection that is none.
fn page_of_a_part(server: &Server, hosts: &[Host]) {
    let of_job = hosts.iter().filter(|host| host.job == "clinic").count();
    let part = page(server, "?job=clinic");
    assert_eq!(tiles(&part)[0], of_job.to_string());
    assert_eq!(shown(&part), names(bad(hosts).filter(|(host, _)| host.job == "clinic")));
    let (host, _) = bad(hosts).next().expect("a bad one");
    let single = page(server, &format!("?host={}", host.name));
    assert_eq!((tiles(&single)[0].as_str(), shown(&single)), ("1", [host.name.clone()].into()));
    let good = hosts.iter().find(|host| host.way.is_none()).expect("a good one");
    let single = page(server, &format!("?host={}", good.name));
    assert_eq!((tiles(&single).join(" "), shown(&single).len()), ("1 1 0 0 0".to_owned(), 0));
    assert!(single.contains("<p>None.</p>"), "{single}");
    let nobody = page(server, "?host=nobody");
    assert_eq!(tiles(&nobody).join(" "), "0 0 0 0 0");
    // Nothing is said to be well of what was not seen.
    assert!(nobody.contains("No host has a state") && !nobody.contains("None."), "{nobody}");
    for hostile in ["x\"} or vector(1) #", "<script>", "a{"] {
        let all = page(server, &format!("?host={}", encoded(hostile)));
        assert_eq!(tiles(&all)[0], HOSTS.to_string(), "{hostile}");
        assert!(!all.contains("<script>"), "{hostile}");
    }
}

/// Each query of each panel gives something, and the table of hosts that are not green has the seven.
fn dashboard_has_data(server: &Server, hosts: &[Host]) {
    let board =
        fs::read_to_string(workspace().join("packaging/monitor/grafana-nearmiss.json")).expect("it is there");
    let board: Value = serde_json::from_str(&board).expect("JSON");
    let of_board = board["panels"].as_array().expect("panels");
    let inner = of_board.iter().filter_map(|panel| panel["panels"].as_array()).flatten();
    let mut queries = 0;
    for panel in of_board.iter().chain(inner) {
        for target in panel["targets"].as_array().into_iter().flatten() {
            let expression = target["expr"].as_str().expect("a query");
            let everything = expression
                .replace("$instance", ".*")
                .replace("$job", ".*")
                .replace("$__rate_interval", "15m");
            let found = server.query(&everything);
            let needs_logins = OF_LOGINS.iter().any(|name| expression.contains(name));
            assert!(needs_logins || !found.is_empty(), "{}: {expression}", panel["title"]);
            queries += 1;
            if panel["title"] == "Hosts that are not green" {
                let told: BTreeSet<String> =
                    found.iter().map(|found| found.label("instance").to_owned()).collect();
                assert_eq!(told, names(bad(hosts)));
                assert!(found.iter().all(|found| !found.label("problem").is_empty() && found.value > 1e9));
            }
        }
    }
    assert!(queries > 25, "{queries}");
}
