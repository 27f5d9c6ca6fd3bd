//! Requests the ranges of a group in parallel: known ranges conditionally, and if one of them changed, the
//! others of the group unconditionally.

#![allow(clippy::arithmetic_side_effects, reason = "numbers of ranges, at most 2²⁰")]

use std::sync::Arc;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use crate::{
    client::{Client, Fault, RangeResponse, Refused},
    earlier::EarlierGroup,
    range::Range,
};

/// A group to request.
pub(crate) struct RangeRequest {
    /// The numbers of its ranges.
    pub(crate) ranges: std::ops::Range<u32>,
    /// The group of the earlier filter.
    pub(crate) earlier: Option<EarlierGroup>,
    /// The first of its ranges, if they were fetched before.
    pub(crate) sampled: Vec<Range>,
}

/// A group at the server.
pub(crate) enum RangeGroup {
    /// It is unchanged.
    Unchanged(EarlierGroup),
    /// All of its ranges.
    Fetched(Vec<Range>),
}

/// Requests a group.
///
/// # Errors
/// The first range that cannot be fetched.
pub(crate) async fn ask(
    client: Arc<Client>,
    parallel: usize,
    question: RangeRequest,
) -> Result<RangeGroup, Refused> {
    let RangeRequest { ranges, earlier, sampled } = question;
    let Some(earlier) = earlier else {
        let first = ranges.start + u32::try_from(sampled.len()).unwrap_or(u32::MAX);
        let rest = fetch(&client, parallel, first..ranges.end).await?;
        return Ok(RangeGroup::Fetched(sampled.into_iter().chain(rest).collect()));
    };
    let known = earlier.record.ranges.iter().map(|range| range.etag.clone());
    let questions: Vec<_> = ranges.zip(known).collect();
    let answers = ask_all(&client, parallel, questions.clone()).await?;
    if answers.iter().all(|answer| matches!(answer, RangeResponse::Unchanged)) {
        return Ok(RangeGroup::Unchanged(earlier));
    }
    let unknown =
        questions.iter().zip(&answers).filter(|(_, answer)| matches!(answer, RangeResponse::Unchanged));
    let unknown = unknown.map(|((number, _), _)| (*number, None)).collect();
    let mut others = ask_all(&client, parallel, unknown).await?.into_iter();
    let whole = answers.into_iter().map(|answer| match answer {
        RangeResponse::Unchanged => others.next().unwrap_or(RangeResponse::Unchanged),
        RangeResponse::Range(_) => answer,
    });
    let whole: Vec<Range> = whole.filter_map(range_of).collect();
    Ok(RangeGroup::Fetched(whole))
}

/// Requests these ranges unconditionally.
///
/// # Errors
/// The first range that cannot be fetched.
pub(crate) async fn fetch(
    client: &Arc<Client>,
    parallel: usize,
    ranges: std::ops::Range<u32>,
) -> Result<Vec<Range>, Refused> {
    let answers = ask_all(client, parallel, ranges.map(|number| (number, None)).collect()).await?;
    Ok(answers.into_iter().filter_map(range_of).collect())
}

fn range_of(answer: RangeResponse) -> Option<Range> {
    match answer {
        RangeResponse::Range(range) => Some(range),
        RangeResponse::Unchanged => None,
    }
}

async fn ask_all(
    client: &Arc<Client>,
    parallel: usize,
    questions: Vec<(u32, Option<Box<str>>)>,
) -> Result<Vec<RangeResponse>, Refused> {
    let one = |(number, etag): (u32, Option<Box<str>>)| {
        let client = Arc::clone(client);
        // A separate task, so that ranges are decompressed on all cores.
        let task = tokio::spawn(async move { client.ask(number, etag.as_deref()).await });
        async move {
            task.await.unwrap_or_else(|e| {
                let fault = Fault::Transport(e.to_string());
                Err(Refused { range: number.to_string(), tries: 1, fault })
            })
        }
    };
    stream::iter(questions).map(one).buffered(parallel).try_collect().await
}
