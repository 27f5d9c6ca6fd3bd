//! Two clusters at two sites, each with agents that name the other one as the far one.

use std::time::{Duration, Instant};

use nearmiss_filters::ladder::{
    Agent as Client, FailureKey,
    fleet::frame::{Op, Request},
};
use nearmiss_fleet_tests::{Agent, Cluster, Descriptor, lateness::Control, no_store, wait_for};
use nearmiss_tests::skip::skipped;
use rustix::process::Signal;

use super::loss::TIMEOUT;

/// Two sites of one server each, and an agent at each. Nothing is kept in mind as being at the top.
struct Sites {
    clusters: [Cluster; 2],
    agents: [Agent; 2],
    descriptor: Descriptor,
}

impl Sites {
    fn start() -> Sites {
        let clusters = [(), ()].map(|()| Cluster::start(1, &[]));
        let agent = |near: &Cluster, far: &Cluster| {
            let far = format!("far_nodes = {:?}\nhot_elements = 0", far.addresses());
            Agent::start(&near.addresses(), &far)
        };
        let [here, there] = &clusters;
        let agents = [agent(here, there), agent(there, here)];
        Sites { agents, clusters, descriptor: Descriptor::guessed(24) }
    }

    fn request(&self, name: &[u8], op: Op) -> Request {
        let ladder = self.descriptor.open();
        ladder.request(&ladder.element(name).unwrap(), op)
    }

    /// An element's height in the array of each site.
    fn heights(&self, name: &[u8]) -> [u8; 2] {
        let look = self.request(name, Op::Height);
        self.clusters.each_ref().map(|cluster| {
            let alone = Agent::start(&cluster.addresses(), "");
            alone.ask_until_answered(&look).height
        })
    }
}

#[test]
fn what_is_seen_at_one_site_is_known_at_the_other_and_each_goes_on_alone() {
    if skipped(no_store()) {
        return;
    }
    let mut sites = Sites::start();
    let step = sites.request(b"guess", Op::Step);
    let mut least = 0;
    for _ in 0..80 {
        sites.agents[0].ask_until_answered(&step);
        least = sites.heights(b"guess").into_iter().min().unwrap();
        if least >= 44 {
            break;
        }
    }
    assert!(least >= 44, "both arrays have it: {:?}", sites.heights(b"guess"));
    let state = sites.agents[0].state(None);
    assert_eq!(state["far_nodes"].as_array().map(Vec::len), Some(1), "{state}");

    // The remote site freezes, and then goes down: the local one replies as before.
    sites.clusters[1].servers[0].signal(Signal::STOP);
    // The reply says that the far one was late, and has the height of the near one, which a login takes.
    let ask = |sites: &Sites| {
        let reply = Client::new(sites.agents[0].socket()).request(&step).unwrap();
        reply.is_some_and(|reply| reply.height >= 44)
    };
    // At least this part of so many, in time. What the machine was late for is done again.
    let check = |what: &str, least: u32, count: u32, sites: &Sites| {
        wait_for(what, || {
            let (control, mut longest) = (Control::start(), Duration::ZERO);
            let timed = |_| {
                let begin = Instant::now();
                let is_answered = ask(sites);
                longest = longest.max(begin.elapsed());
                u32::from(is_answered)
            };
            let answered = (0..count).map(timed).sum::<u32>();
            let late = control.end();
            let holds = answered >= least && longest < TIMEOUT;
            assert!(holds || late.is_late(), "{what}: {answered} of {count}, {longest:?}, {late:?}");
            holds
        });
    };
    check("frozen", 195, 200, &sites);
    sites.clusters[1].servers[0].signal(Signal::CONT);
    sites.clusters[1].servers[0].kill();
    check("away", 198, 200, &sites);

    // It comes back empty, and learns from the steps at the near one.
    sites.clusters[1].servers[0].restart();
    wait_for("the far site again", || {
        ask(&sites);
        sites.heights(b"guess")[1] >= 44
    });

    // The local site goes down: the remote one replies for it.
    sites.clusters[0].servers[0].kill();
    wait_for("the far site's reply", || ask(&sites));
    check("by the far site", 98, 100, &sites);
    let density = sites.clusters[1].density();
    assert!((density - 0.5).abs() < 0.002, "{density}");
}

/// An account that fails at both sites counts once, and the higher of both heights is the reply.
#[test]
fn a_failure_counts_once_at_both_sites_and_the_higher_height_is_the_reply() {
    if skipped(no_store()) {
        return;
    }
    let sites = Sites::start();
    let ladder = sites.descriptor.open();
    let failure = FailureKey { account: b"account", password: b"guess", network: b"" };
    let observed = ladder
        .request(&ladder.element(failure.password).unwrap(), ladder.observation(&failure, 3000 * 604_800));
    // Until both have heard of it: a machine that is busy may be too late for the far one.
    let heard = || {
        sites.clusters.iter().all(|cluster| {
            let alone = Agent::start(&cluster.addresses(), "");
            !alone.ask_until_answered(&observed).is_counted
        })
    };
    sites.agents[0].ask_until_answered(&observed);
    wait_for("both sites to hear of it", heard);
    for agent in &sites.agents {
        assert!(!agent.ask_until_answered(&observed).is_counted, "a repeat");
    }
    // Steps at the far site alone are seen through the near agent.
    let step = sites.request(b"other", Op::Step);
    let alone = Agent::start(&sites.clusters[1].addresses(), "hot_elements = 0");
    for _ in 0..60 {
        alone.ask_until_answered(&step);
    }
    let [near, far] = sites.heights(b"other");
    assert!(far >= 44 && near < far, "{near} {far}");
    let look = sites.request(b"other", Op::Height);
    wait_for("the higher height", || sites.agents[0].ask_until_answered(&look).height == far);
}
