//! The results as tables and as a plot.

use super::{Caught, Difference, FalseRejections, OURS};
use crate::{
    plot::{Axis, Chart, Look, Series},
    table::{Table, digits},
};

/// Every share: of a set, of its first ranks, of its classes.
pub(crate) fn catch_csv(all: &[Caught]) -> String {
    let mut table = Table::new(&["set", "checker", "part", "tried", "rejected", "share"]);
    for caught in all {
        let ranks = caught.by_rank.iter().map(|(rank, share)| (format!("first {rank}"), share));
        let classes = caught.by_class.iter().map(|(class, share)| ((*class).to_owned(), share));
        for (part, share) in std::iter::once(("all".to_owned(), &caught.all)).chain(ranks).chain(classes) {
            let (set, share_digits) = (plain(&caught.set), digits(share.part()));
            table.row(&[&set, &caught.checker, &part, &share.tried, &share.rejected, &share_digits]);
        }
    }
    table.into_csv()
}

/// A name that needs no quotes in a table.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c == ',' || c == '"' || c.is_control() { '_' } else { c }).collect()
}

/// Every kind with its reasons.
pub(crate) fn false_rejections_csv(all: &[FalseRejections]) -> String {
    let mut table =
        Table::new(&["family", "kind", "bits", "checker", "tried", "rejected", "share", "reasons"]);
    for kind in all {
        let reasons: Vec<String> =
            kind.reasons.iter().map(|(code, count)| format!("{code}:{count}")).collect();
        let share = digits(kind.all.part());
        let (name, bits) = (plain(&kind.kind), format!("{:.1}", kind.bits));
        table.row(&[
            &kind.family,
            &name,
            &bits,
            &kind.checker,
            &kind.all.tried,
            &kind.all.rejected,
            &share,
            &reasons.join(" "),
        ]);
    }
    table.into_csv()
}

/// The change by each rule.
pub(crate) fn differences_csv(all: &[Difference]) -> String {
    let mut table = Table::new(&["rule", "policy", "of", "generated", "tried", "rejected_more", "share"]);
    for one in all {
        let (of, share) = (plain(&one.of), digits(one.more.part()));
        let generated = if one.is_generated { "yes" } else { "no" };
        table.row(&[&one.rule, &one.policy, &of, &generated, &one.more.tried, &one.more.rejected, &share]);
    }
    table.into_csv()
}

/// The share of each set that each checker rejects.
pub(crate) fn chart(all: &[Caught], false_rejections: &[FalseRejections]) -> Chart {
    let mut sets: Vec<&str> = all.iter().map(|caught| caught.set.as_str()).collect();
    sets.dedup();
    let mut checkers: Vec<&str> = Vec::new();
    for caught in all {
        if !checkers.contains(&caught.checker.as_str()) {
            checkers.push(&caught.checker);
        }
    }
    let middle = (checkers.len() as f64 - 1.0) / 2.0;
    let series = checkers.iter().enumerate().map(|(number, &checker)| {
        let place = |set: &str| sets.iter().position(|&known| known == set).unwrap_or(0) as f64;
        let offset = (number as f64 - middle) * crate::plot::BAR_WIDTH;
        let points = all.iter().filter(|caught| caught.checker == checker);
        let points = points.map(|caught| (place(&caught.set) + offset, 100.0 * caught.all.part())).collect();
        Series { name: checker.to_owned(), colour: number, look: Look::Bars, points }
    });
    let (tried, rejected) = false_rejections
        .iter()
        .filter(|kind| kind.checker == OURS)
        .fold((0, 0), |(tried, rejected), kind| (tried + kind.all.tried, rejected + kind.all.rejected));
    let series: Vec<Series> = series.collect();
    Chart {
        title: "Rejected of what attackers try".to_owned(),
        notes: vec![format!("of {tried} generated"), format!("passwords {rejected} rejected")],
        remarks: Vec::new(),
        x: Axis::names("set", &sets),
        y: Axis::from_zero("rejected, %", std::iter::once(100.0)),
        series,
    }
}
