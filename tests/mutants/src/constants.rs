//! Changes that cannot have a switch: what a constant consists of is known to the compiler alone. Each is
//! compiled for itself, first with the tests of its package's library.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::{
    build::{self, ALL, Program, WITHIN},
    judge::{Court, Fate, side_by_side},
    tests::Test,
};

/// The compiler's code for a switch in a constant or a constant function.
const NO_CONSTANT: &str = "E0015";

/// The changes that were dropped for that reason.
pub(crate) fn among(dropped: &BTreeMap<usize, String>) -> Vec<usize> {
    dropped.iter().filter(|(_, code)| *code == NO_CONSTANT).map(|(id, _)| *id).collect()
}

/// What these tests make of each; nothing of a change that does not compile.
pub(crate) fn judge(court: &Court<'_>, packages: &[String], ids: &[usize], all: &[Test]) -> Result<Fates> {
    let fates = side_by_side("constants", 1, ids, |&id| {
        let mutant = &court.mutants[id];
        let own = court.tree.package_of(&mutant.file);
        let fate = if court.tree.put(mutant)? { fate(court, packages, own, all)? } else { None };
        court.tree.put_back(mutant)?;
        court.note(id, fate)?;
        Ok((id, fate))
    })?;
    Ok(fates.into_iter().collect())
}

/// The fates; none of a change that does not compile.
pub(crate) type Fates = BTreeMap<usize, Option<Fate>>;

fn fate(court: &Court<'_>, packages: &[String], own: Option<String>, all: &[Test]) -> Result<Option<Fate>> {
    let own: Vec<String> = own.into_iter().filter(|name| packages.contains(name)).collect();
    let mut last = Fate::Unmet;
    for (packages, how) in [(&*own, &WITHIN[..]), (packages, &ALL)] {
        if packages.is_empty() {
            continue;
        }
        let Some(programs) = build::again(court.tree, packages, how)? else { return Ok(None) };
        let compiled: Vec<Option<Program>> =
            court.programs.iter().map(|program| build::same(program, &programs)).collect();
        let meeting = all.iter().filter(|test| compiled[test.program].is_some()).collect();
        let programs: Vec<Program> = court
            .programs
            .iter()
            .zip(compiled)
            .map(|(old, new)| new.unwrap_or_else(|| old.clone()))
            .collect();
        last = Court { programs: &programs, ..*court }.fate_by(None, meeting)?;
        if last < Fate::Survived {
            break;
        }
    }
    Ok(Some(last))
}
