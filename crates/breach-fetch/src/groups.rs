//! Requests the ranges of a group in parallel: known ranges conditionally, and if one of them changed, the
//! others of the group unconditionally. A range that cannot be fetched does not stop the others.

#![allow(clippy::arithmetic_side_effects, reason = "numbers of ranges, at most 2²⁰")]

use std::{collections::BTreeMap, pin::pin, sync::Arc};

use futures_util::{Stream, StreamExt as _, stream};

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
    /// The number of digests with which it is given up.
    pub(crate) room: u64,
}

/// A group at the server.
pub(crate) enum RangeGroup {
    /// It is unchanged.
    Unchanged(EarlierGroup),
    /// Its ranges, without those that were refused.
    Fetched(Fetched),
    /// It has at least this number of digests, and more than its room: no more of its ranges are read.
    Overfull(u64),
}

/// Ranges by number.
#[derive(Default)]
pub(crate) struct Fetched {
    /// The ranges.
    pub(crate) ranges: BTreeMap<u32, Range>,
    /// The others.
    pub(crate) refused: Vec<Refused>,
    /// Digests in the ranges.
    pub(crate) digests: u64,
}

impl Fetched {
    fn over(known: BTreeMap<u32, Range>) -> Fetched {
        let digests = known.values().map(|range| u64::from(range.entries)).sum();
        Fetched { ranges: known, refused: Vec::new(), digests }
    }
}

/// Requests a group.
pub(crate) async fn ask(client: Arc<Client>, parallel: usize, question: RangeRequest) -> (u64, RangeGroup) {
    let RangeRequest { group, ranges, earlier, known, room } = question;
    let first = ranges.start;
    // If some are known, the group has changed, and all of it is needed.
    let is_known = !known.is_empty();
    let etag_of = |number: u32| {
        let earlier = earlier.as_ref().filter(|_| !is_known)?.record.ranges.get((number - first) as usize)?;
        earlier.etag.clone()
    };
    let questions: Vec<_> = ranges.filter(|number| !known.contains_key(number)).collect();
    let questions: Vec<_> = questions.into_iter().map(|number| (number, etag_of(number))).collect();
    let mut fetched = Fetched::over(known);
    let unchanged = take(&mut fetched, room, ask_all(&client, parallel, questions)).await;
    if fetched.ranges.is_empty() {
        match earlier {
            Some(earlier) if fetched.refused.is_empty() => return (group, RangeGroup::Unchanged(earlier)),
            _ => return (group, RangeGroup::Fetched(fetched)),
        }
    }
    let others = unchanged.into_iter().map(|number| (number, None)).collect();
    take(&mut fetched, room, ask_all(&client, parallel, others)).await;
    let digests = fetched.digests;
    (group, if digests > room { RangeGroup::Overfull(digests) } else { RangeGroup::Fetched(fetched) })
}

/// Requests these ranges unconditionally, until they have more digests than `room`.
pub(crate) async fn fetch(
    client: &Arc<Client>,
    parallel: usize,
    ranges: std::ops::Range<u32>,
    room: u64,
) -> Fetched {
    let mut fetched = Fetched::default();
    let questions = ranges.map(|number| (number, None)).collect();
    take(&mut fetched, room, ask_all(client, parallel, questions)).await;
    fetched
}

/// The response to the question for a range.
type Answer = (u32, Result<RangeResponse, Refused>);

/// Takes the responses as they arrive, until there are more digests than `room`: a server may send the most
/// of each range, which all together do not fit into memory. Returns the numbers of the unchanged ranges.
async fn take(fetched: &mut Fetched, room: u64, answers: impl Stream<Item = Answer>) -> Vec<u32> {
    let mut unchanged = Vec::new();
    let mut answers = pin!(answers);
    while fetched.digests <= room {
        let Some((number, answer)) = answers.next().await else { break };
        match answer {
            Ok(RangeResponse::Range(range)) => {
                fetched.digests += u64::from(range.entries);
                fetched.ranges.insert(number, range);
            }
            Ok(RangeResponse::Unchanged) => unchanged.push(number),
            Err(refused) => fetched.refused.push(refused),
        }
    }
    unchanged
}

fn ask_all(
    client: &Arc<Client>,
    parallel: usize,
    questions: Vec<(u32, Option<Box<str>>)>,
) -> impl Stream<Item = Answer> {
    let client = Arc::clone(client);
    let one = move |(number, etag): (u32, Option<Box<str>>)| {
        let (client, form) = (Arc::clone(&client), client.form());
        // A separate task, so that ranges are decompressed on all cores.
        let task = tokio::spawn(async move { client.ask(number, etag.as_deref()).await });
        async move {
            let answer = task.await.unwrap_or_else(|e| {
                let fault = Fault::Transport(e.to_string());
                Err(Refused { range: form.name(number), tries: 1, fault })
            });
            (number, answer)
        }
    };
    stream::iter(questions).map(one).buffered(parallel)
}
