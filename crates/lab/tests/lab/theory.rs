//! Every golden number of `fixtures/ladder-golden.json`, each within its own tolerance.
//!
//! An entry this test does not know how to compute fails it.

use std::collections::HashMap;

use filterlab::theory::odds::{self, Odds};
use filterlab::theory::{Memory, longrun};
use nearmiss_filters::ladder::{Params, equilibrium, heights, page_skew, privacy, refusals};
use serde_json::Value;

mod measured;
mod replica;

/// The curves of the figures are computed once and looked up by many entries.
#[derive(Default)]
struct Curves(HashMap<String, Vec<Odds>>);

impl Curves {
    /// `fig3a_fd` and its like: H = 48 (T = 44 perpetual, T = 48 sticky) or H = 64, N = 2²⁹.
    fn odds(&mut self, figure: &str, observation: usize) -> Odds {
        let curve = self.0.entry(figure.to_owned()).or_insert_with(|| curve(figure));
        curve[observation - 1]
    }
}

fn curve(figure: &str) -> Vec<Odds> {
    let (rungs, threshold, memory) = match figure.rsplit_once('_').unwrap().0 {
        "fig3a" => (48, 44, Memory::Perpetual),
        "fig3b" => (48, 48, Memory::Sticky),
        "fig7" => (64, 56, Memory::Perpetual),
        "tab2_H64_T58" => (64, 58, Memory::Perpetual),
        other => panic!("no figure {other}"),
    };
    let frequency = if figure.ends_with("_fd") { 1e-6 } else { 2e-8 };
    let params = Params::new(1 << 29, rungs, threshold, 1).unwrap();
    odds::detection_curve(&params, memory, frequency, 100).unwrap()
}

/// The number an entry's name asks for.
fn computed(id: &str, curves: &mut Curves) -> f64 {
    let parts: Vec<&str> = id.split('_').collect();
    match parts[..] {
        [figure, share, act @ ("detect" | "reject"), s] => {
            side(curves.odds(&format!("{figure}_{share}"), number(s) as usize), act)
        }
        ["tab2", h, t, share, act, s] => {
            side(curves.odds(&format!("tab2_{h}_{t}_{share}"), number(s) as usize), act)
        }
        ["longrun", act, h, t] => settled(act, number(h), number(t)),
        ["tab2", "5m", "refused", "after", users] => refusals::refused(16, 16, 3, number(users)),
        ["tab2", "100m", "refused", "after", users] => refusals::refused(20, 20, 1, number(users)),
        ["page", "fp", "factor", b, h] => page_skew::false_positive_factor(number(b).into(), number(h)),
        ["kl", "bits", h, x] => privacy::information_bits(number(h), number(x)),
        ["speedup", h, x] => privacy::guess_speedup(number(h), number(x)),
        ["dLH", "mid", h, x] => privacy::likelihood_ratio(number(h), number(h) / 2, number(x)),
        _ => closed_form(id),
    }
}

/// `H48`, `s30`, `x2`, `20`: the number after the letter.
fn number(part: &str) -> u32 {
    part.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().unwrap()
}

fn side(odds: Odds, act: &str) -> f64 {
    if act == "detect" { odds.detect } else { odds.reject }
}

fn settled(act: &str, rungs: u32, threshold: u32) -> f64 {
    let params = Params::new(1 << 29, rungs, threshold, 1).unwrap();
    match act {
        "falsereject" => longrun::detection(&params, 1e-6).unwrap().reject,
        "falsedetect" => longrun::detection(&params, 2e-8).unwrap().detect,
        other => panic!("no long run of {other}"),
    }
}

fn closed_form(id: &str) -> f64 {
    let middle = equilibrium::middle_frequency(1e-6, 2e-8);
    match id {
        "binom48_40" => heights::binomial(48)[40],
        "tail48_40" => heights::binomial_tail(48, 40),
        "tail48_24" => heights::binomial_tail(48, 24),
        "tail48_29" => heights::binomial_tail(48, 29),
        "dLH48_24_5" => privacy::likelihood_ratio(48, 24, 5),
        "dLH48_40_1" => privacy::likelihood_ratio(48, 40, 1),
        "dLH48_40_5" => privacy::likelihood_ratio(48, 40, 5),
        "eqheight_0" => equilibrium::height(1 << 29, 48, 0.0),
        "eqheight_2e-08" => equilibrium::height(1 << 29, 48, 2e-8),
        "eqheight_1e-06" => equilibrium::height(1 << 29, 48, 1e-6),
        "fm" => middle,
        "Nreal48" => equilibrium::bits_for(48, middle),
        "Npow2" => equilibrium::nearest_power(equilibrium::bits_for(48, middle)),
        "hyper48_64_24" => heights::hypergeometric(64, 48)[24],
        "hyper48_256_24" => heights::hypergeometric(256, 48)[24],
        "hyper48_65536_24" => heights::hypergeometric(65536, 48)[24],
        "fp_5m" => refusals::expected_false_refusals(16, 16, 5_000_000),
        other => panic!("no way to compute {other}"),
    }
}

/// The distance of a value from the golden one, as a share of the allowed one; above 1 is a failure.
fn strain(entry: &Value, value: f64) -> f64 {
    let (golden, tolerance) = (entry["value"].as_f64().unwrap(), entry["tol"].as_f64().unwrap());
    let allowed = match entry["tol_kind"].as_str().unwrap() {
        "rel" => tolerance * golden.abs(),
        "abs" => tolerance,
        kind => panic!("no tolerance of kind {kind}"),
    };
    let off = (value - golden).abs();
    if off == 0.0 { 0.0 } else { off / allowed }
}

fn entries(is_measured: bool) -> Vec<Value> {
    let text = include_str!("../fixtures/ladder-golden.json");
    let entries: Vec<Value> = serde_json::from_str(text).unwrap();
    assert_eq!(entries.len(), 125, "the file was cut");
    entries.into_iter().filter(|e| measured::is_one(e["id"].as_str().unwrap()) == is_measured).collect()
}

fn hold(entries: &[Value], values: &[f64]) {
    let mut wrong = Vec::new();
    for (entry, value) in entries.iter().zip(values) {
        let strain = strain(entry, *value);
        println!("{}: {value:e} ({strain:.2} of the tolerance)", entry["id"]);
        if strain.is_nan() || strain > 1.0 {
            wrong.push(format!("{}: {value:e} instead of {}", entry["id"], entry["value"]));
        }
    }
    assert_eq!(entries.len(), values.len());
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), entries.len(), wrong.join("\n"));
}

#[test]
fn every_computed_entry_is_within_its_tolerance() {
    let entries = entries(false);
    let mut curves = Curves::default();
    let values: Vec<f64> = entries.iter().map(|e| computed(e["id"].as_str().unwrap(), &mut curves)).collect();
    assert_eq!(values.len(), 117);
    hold(&entries, &values);
}

#[test]
fn every_measured_entry_is_within_its_tolerance() {
    let entries = entries(true);
    let values: Vec<f64> = std::thread::scope(|scope| {
        let measure = |e: &Value| measured::number(e["id"].as_str().unwrap());
        let threads: Vec<_> = entries.iter().map(|e| scope.spawn(move || measure(e))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(values.len(), 8);
    hold(&entries, &values);
}
