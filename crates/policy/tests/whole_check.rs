//! A check takes every lookup, whatever the first of them finds, and keeps the first finding.

use std::{cell::RefCell, collections::BTreeSet, io, ops::Range};

use crate::common::{build, exact, settings, word};
use nearmiss_filters::{
    dictionary::{Build, DictionaryFilter},
    format::{Kind, Match, SchemeId, decode},
    page::{PAGE_BYTES, Page, page_of, seal},
    storage::Bytes,
};
use nearmiss_policy::policy::{Context, Examination, Examined, Ladders, OpenDictionary, Policy, Reason};

/// Bytes that note which pages are read, each asked for by itself.
struct Watched<'b> {
    bytes: &'b [u8],
    pages: RefCell<BTreeSet<usize>>,
}

impl Bytes for &Watched<'_> {
    fn bytes(&self) -> &[u8] {
        self.bytes
    }

    fn populate(&self, range: Range<usize>) -> io::Result<()> {
        if range.len() > PAGE_BYTES {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        self.pages.borrow_mut().insert(range.start);
        Ok(())
    }
}

const LIST: &[u8] = b"elephant\npassword\nbutterfly\nquokka\ntnahpele\n";

/// A filter of many pages, few of which any check reads.
fn sparse() -> Vec<u8> {
    build(&Build { capacity: Some(60_000), ..settings(SchemeId::Deletions, 8) }, &[LIST])
}

/// The same without a word: what is asked, but for what follows from the answers, is the same.
fn emptied(filter: &[u8]) -> Vec<u8> {
    let header = decode(filter, filter.len() as u64).unwrap();
    let mut page: Page = [0; PAGE_BYTES];
    seal(&mut page);
    let pages = usize::try_from(header.all_pages()).unwrap();
    [&filter[..header.header_bytes()], &page.repeat(pages)].concat()
}

/// What is found of a password, and the pages that are read for it.
fn ask(bytes: &[u8], matching: Match, password: &str) -> (Examined, BTreeSet<usize>) {
    let watched = Watched { bytes, pages: RefCell::default() };
    let filter = DictionaryFilter::from_bytes(&watched).unwrap();
    let rules = [OpenDictionary { filter, matching }];
    let sources = Examination::new(&rules, Ladders::default());
    let examined = Policy::default().examine(password.as_bytes(), &Context::default(), sources);
    drop(rules);
    (examined, watched.pages.take())
}

/// The reason found where everything was asked.
fn reason_of(examined: Examined) -> Option<Reason> {
    examined.complete().unwrap().map(|finding| finding.reason)
}

const FOUND: [(&str, Reason); 5] = [
    ("elephant", Reason::Dictionary),
    ("Butterfly2026!", Reason::Dictionary),
    ("quokka", Reason::TooShort { min_length: 8 }),
    ("3lephqnt", Reason::NearDictionary),
    ("tnahpqle42", Reason::NearDictionary),
];

#[test]
fn what_is_found_leaves_nothing_out_that_is_read_where_nothing_is() {
    let bytes = sparse();
    let empty = emptied(&bytes);
    for (password, reason) in FOUND {
        for matching in [Match::Exact, Match::Near] {
            let (found, all) = ask(&bytes, matching, password);
            let (_, least) = ask(&empty, matching, password);
            let is_found = matching == Match::Near || reason != Reason::NearDictionary;
            assert_eq!(reason_of(found), is_found.then_some(reason), "{password}");
            assert!(all.is_superset(&least), "{password}: {} and {} pages", all.len(), least.len());
            assert!(matching == Match::Near || all == least, "{password}: of exact lookups all are known");
        }
    }
}

/// The word that the reversed candidate is near to is asked for, although the candidate itself is near one.
#[test]
fn the_words_near_every_variant_are_asked_for() {
    let bytes = sparse();
    let header = decode(&bytes, bytes.len() as u64).unwrap();
    let page = page_of(header.key.hash(word("tnahpele").as_bytes()), header.pages);
    let start = header.header_bytes() + usize::try_from(page).unwrap() * PAGE_BYTES;
    let [(examined, all), (_, first_round)] =
        [&bytes, &emptied(&bytes)].map(|bytes| ask(bytes, Match::Near, "elephqnt"));
    assert_eq!(reason_of(examined), Some(Reason::NearDictionary));
    assert!(all.contains(&start) && !first_round.contains(&start));
}

#[test]
fn what_is_found_is_rejected_also_where_a_page_read_later_is_damaged() {
    let bytes = sparse();
    for (password, reason) in FOUND {
        let (_, exact) = ask(&bytes, Match::Exact, password);
        let (_, all) = ask(&bytes, Match::Near, password);
        let mut damaged = bytes.clone();
        for page in all.difference(&exact) {
            damaged[page + 99] ^= 1;
        }
        let (examined, _) = ask(&damaged, Match::Near, password);
        match reason {
            Reason::NearDictionary => {
                assert!(examined.finding.is_none() && !examined.failures.is_empty());
            }
            found => assert_eq!(reason_of(examined), Some(found), "{password}"),
        }
    }
}

/// A page that is damaged fails the check of a password in which nothing is found, whatever comes after.
#[test]
fn a_list_that_fails_before_another_finds_something_leaves_no_verdict() {
    let digest: &[u8] = b"5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8\n";
    let list = build(&exact(Kind::Sha1, settings(SchemeId::Whole, 0)), &[digest]);
    let mut damaged = build(&settings(SchemeId::Deletions, 8), &[b"quokka\n"]);
    let at = damaged.len() - 50;
    damaged[at] ^= 1;
    let rules = [(damaged, Match::Near), (list, Match::Exact)].map(|(bytes, matching)| {
        let filter = DictionaryFilter::from_bytes(bytes).unwrap();
        OpenDictionary { filter, matching }
    });
    let sources = Examination::new(&rules, Ladders::default());
    let examined = Policy::default().examine(b"password", &Context::default(), sources);
    let reason = examined.finding.map(|finding| finding.reason);
    assert_eq!((reason, examined.failures.len()), (Some(Reason::Breached), 1));
}
