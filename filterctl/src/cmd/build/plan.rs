//! What is built, and in which way: the options together.

use nearmiss_cli::{clock::now, failure::Failure, keys};
use nearmiss_filters::{
    dictionary::{
        Build,
        builder::{BuildError, Builder, Findings},
    },
    format::{Header, Kind, SchemeId},
};

use super::{Args, key};
use crate::filter_file::change;

/// The way to build a filter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// One list of digests is read once and written group by group; if it is not sorted, or short, it is
    /// copied and read in two passes.
    InOrder,
    /// The lists are surveyed, then inserted.
    TwoPasses,
}

/// The build of the filter.
pub(super) struct BuildPlan {
    pub(super) build: Build,
    /// The filter that it is to be like.
    like: Option<Header>,
}

impl Args {
    /// The way to build the filter.
    ///
    /// # Errors
    /// The options exclude each other.
    pub(super) fn method(&self, plan: &BuildPlan) -> Result<Method, Failure> {
        self.check_empty(plan)?;
        let is_one_list = self.lists.len() == 1 && !self.common && !self.everyday;
        let is_plain = self.top.is_none() && self.counts.is_none() && self.for_distribution.is_none();
        let is_sized = self.by_hand.bits.is_none() && plan.like.is_none() && !self.empty;
        let is_possible = plan.build.spec.kind != Kind::Words && is_one_list && is_plain && is_sized;
        match self.group_bits {
            Some(0) => Ok(Method::TwoPasses),
            _ if is_possible => Ok(Method::InOrder),
            None => Ok(Method::TwoPasses),
            Some(_) => Err(Failure::plain(
                keys::ARGUMENTS,
                "--group-bits needs one list of digests: add --kind sha1 or --kind ntlm, and name one list",
            )),
        }
    }

    /// The filter that the options ask for.
    ///
    /// # Errors
    /// The options exclude each other, or a file that one names cannot be read.
    pub(super) fn plan(&self) -> Result<BuildPlan, Failure> {
        let (min_count, threads, forms) =
            (self.min_count.unwrap_or(1), self.jobs.threads(), self.forms.forms());
        if let Some(like) = &self.like {
            let header = change::open(like)?.header().clone();
            let build = Build { min_count, threads, forms, ..Build::of(&header) };
            return Ok(BuildPlan { build, like: Some(header) });
        }
        let spec = self.shape.spec(&self.sizing)?;
        let is_reproducible = self.key.is_some() || self.for_distribution.is_some();
        let created = if is_reproducible { 0 } else { now() };
        let new = Build::new(spec, key::choose(self.key.as_ref(), self.for_distribution.as_deref())?);
        let geometry = self.by_hand.geometry(&spec)?;
        let build = Build { capacity: self.capacity, geometry, created, min_count, threads, forms, ..new };
        Ok(BuildPlan { build, like: None })
    }

    /// The size of a near filter depends on its words.
    fn check_empty(&self, plan: &BuildPlan) -> Result<(), Failure> {
        if self.empty && plan.build.spec.effective_scheme() != SchemeId::Whole {
            return Err(Failure::plain(
                keys::ARGUMENTS,
                "an empty filter is for exact matches only: add --match exact; the size of a near filter \
                 depends on its words",
            ));
        }
        Ok(())
    }

    /// A filter of a size that was not chosen for these lists may be too small for them.
    pub(super) fn check_room(&self, plan: &BuildPlan, builder: &mut Builder) -> Result<(), Failure> {
        if plan.like.is_none() || builder.keeps_rate() {
            return Ok(());
        }
        let (words, room) = (builder.header().words, builder.header().capacity);
        Err(Failure::plain(
            keys::FILTER_FULL,
            format!(
                "cannot build {}: {words} words do not fit into a filter with room for {room}; rebuild the \
                 filter named by --like with a larger --capacity",
                self.output.display()
            ),
        ))
    }
}

impl BuildPlan {
    pub(super) fn builder(&self, findings: &Findings) -> Result<Builder, BuildError> {
        let Some(header) = &self.like else { return self.build.builder(findings) };
        let mut builder = self.build.like(header, findings)?;
        builder.date(now());
        Ok(builder)
    }
}
