//! Requests the ranges of a group in parallel: known ranges conditionally, and if one of them changed, the
//! others of the group unconditionally. A range that cannot be fetched does not stop the others.

#![allow(clippy::arithmetic_side_effects, reason = "numbers of ranges, at most 2²⁰")]

use std::{collections::BTreeMap, sync::Arc};

use futures_util::{StreamExt as _, stream};

use crate::{
    client::{Client, Fault, RangeResponse, Refused},
    earlier::EarlierGroup,
    range::Range,
};

/// A group to request.
pub(crate) struct RangeRequest {
    /// The group's number.
    pub(crate) group: u64,
    /// The numbers of its ranges.
    pub(crate) ranges: std::ops::Range<u32>,
    /// The group of the earlier filter.
    pub(crate) earlier: Option<EarlierGroup>,
    /// Its ranges that were fetched before.
    pub(crate) known: BTreeMap<u32, Range>,
}

/// A group at the server.
pub(crate) enum RangeGroup {
    /// It is unchanged.
    Unchanged(EarlierGroup),
    /// Its ranges, without those that were refused.
    Fetched(Fetched),
}

/// Ranges by number.
#[derive(Default)]
pub(crate) struct Fetched {
    /// The ranges.
    pub(crate) ranges: BTreeMap<u32, Range>,
    /// The others.
    pub(crate) refused: Vec<Refused>,
}

/// Requests a group.
pub(crate) async fn ask(client: Arc<Client>, parallel: usize, question: RangeRequest) -> (u64, RangeGroup) {
    let RangeRequest { group, ranges, earlier, known } = question;
    let first = ranges.start;
    // If some are known, the group has changed, and all of it is needed.
    let is_known = !known.is_empty();
    let etag_of = |number: u32| {
        let earlier = earlier.as_ref().filter(|_| !is_known)?.record.ranges.get((number - first) as usize)?;
        earlier.etag.clone()
    };
    let questions: Vec<_> = ranges.filter(|number| !known.contains_key(number)).collect();
    let questions: Vec<_> = questions.into_iter().map(|number| (number, etag_of(number))).collect();
    let mut fetched = Fetched { ranges: known, refused: Vec::new() };
    let unchanged = take(&mut fetched, ask_all(&client, parallel, questions).await);
    if fetched.ranges.is_empty() {
        match earlier {
            Some(earlier) if fetched.refused.is_empty() => return (group, RangeGroup::Unchanged(earlier)),
            _ => return (group, RangeGroup::Fetched(fetched)),
        }
    }
    let others = unchanged.into_iter().map(|number| (number, None)).collect();
    take(&mut fetched, ask_all(&client, parallel, others).await);
    (group, RangeGroup::Fetched(fetched))
}

/// Requests these ranges unconditionally.
pub(crate) async fn fetch(client: &Arc<Client>, parallel: usize, ranges: std::ops::Range<u32>) -> Fetched {
    let mut fetched = Fetched::default();
    take(&mut fetched, ask_all(client, parallel, ranges.map(|number| (number, None)).collect()).await);
    fetched
}

/// The response to the question for a range.
type Answer = (u32, Result<RangeResponse, Refused>);

/// Takes the responses; returns the numbers of the unchanged ranges.
fn take(fetched: &mut Fetched, answers: Vec<Answer>) -> Vec<u32> {
    let mut unchanged = Vec::new();
    for (number, answer) in answers {
        match answer {
            Ok(RangeResponse::Range(range)) => drop(fetched.ranges.insert(number, range)),
            Ok(RangeResponse::Unchanged) => unchanged.push(number),
            Err(refused) => fetched.refused.push(refused),
        }
    }
    unchanged
}

async fn ask_all(
    client: &Arc<Client>,
    parallel: usize,
    questions: Vec<(u32, Option<Box<str>>)>,
) -> Vec<Answer> {
    let one = |(number, etag): (u32, Option<Box<str>>)| {
        let client = Arc::clone(client);
        // A separate task, so that ranges are decompressed on all cores.
        let task = tokio::spawn(async move { client.ask(number, etag.as_deref()).await });
        async move {
            let answer = task.await.unwrap_or_else(|e| {
                let fault = Fault::Transport(e.to_string());
                Err(Refused { range: number.to_string(), tries: 1, fault })
            });
            (number, answer)
        }
    };
    stream::iter(questions).map(one).buffered(parallel).collect().await
}
