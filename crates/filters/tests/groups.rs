//! Filters of digests in the order of their first bits: each digest is in its group, every one is found, and
//! the file written group by group is the one that is filled in memory.

use std::fmt::Write;

use crate::by_the_text::{PAGE, Reading};
use crate::common::{Random, build, exact, settings, stating};
use nearmiss_filters::{
    dictionary::{
        Build, DictionaryFilter,
        builder::{BuildError, Builder, Difference, Fit, OrderError, UnionError},
        counters::Counters,
    },
    format::{Header, Kind, MAX_GROUP_BITS, SchemeId, StatedRate},
    hash::{HashVersion, Key},
    list::{Entry, Forms, LineCounts, LineFormat},
    page::Page,
};
use proptest::prelude::*;

const RATE: f64 = 0.01;
const STATED: StatedRate = StatedRate { false_rejection: RATE, characters: 12, lookups: 1 };

fn grouped(kind: Kind, group_bits: u8) -> Build {
    Build { group_bits, ..exact(kind, stating(STATED, settings(SchemeId::Whole, 0))) }
}

fn bytes_of(kind: Kind) -> usize {
    if kind == Kind::Sha1 { 20 } else { 16 }
}

fn digest(kind: Kind, random: &mut Random) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..3).flat_map(|_| random.next().to_be_bytes()).collect();
    bytes.truncate(bytes_of(kind));
    bytes
}

/// Different digests in ascending order.
fn digests(kind: Kind, count: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut random = Random::new(seed);
    let mut all: Vec<Vec<u8>> = (0..count).map(|_| digest(kind, &mut random)).collect();
    all.sort_unstable();
    all
}

fn lines(digests: &[Vec<u8>]) -> String {
    digests.iter().fold(String::new(), |mut text, digest| {
        for byte in digest {
            write!(text, "{byte:02X}").unwrap();
        }
        text + ":3\r\n"
    })
}

/// The whole file, written group by group, and how what came suited what was expected.
fn in_order(build: &Build, expected: u64, blocks: &[&[u8]]) -> Result<(Vec<u8>, Header, Fit), OrderError> {
    let mut filter = build.in_order(expected).unwrap().unwrap();
    let (mut pages, mut lines) = (Vec::<Page>::new(), LineCounts::default());
    let mut write = |written: &[Page]| {
        pages.extend_from_slice(written);
        Ok(())
    };
    for block in blocks {
        lines.append(&filter.insert_block(block, &mut write)?);
    }
    let fit = filter.fit();
    let header = filter.finish(&lines, &mut write)?;
    let file = [nearmiss_filters::format::encode(&header).as_slice(), pages.as_flattened()].concat();
    Ok((file, header, fit))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the group bits, the threads and the cuts between blocks: the pages filled in memory in any
    /// order, which are FORMAT.md's.
    #[test]
    fn group_by_group_is_the_same_as_in_memory_and_by_the_text(
        is_ntlm: bool, group_bits in 1_u8..=6, count in 1_usize..6000, seed: u64,
        threads in 1_usize..4, cut in 0.0_f64..1.0,
    ) {
        let kind = if is_ntlm { Kind::Ntlm } else { Kind::Sha1 };
        let (build_of, all) = (grouped(kind, group_bits), digests(kind, count, seed));
        let (text, mut shuffled) = (lines(&all), all.clone());
        shuffled.rotate_left(count / 3);
        shuffled.reverse();
        let line = text.len() / count;
        let (first, second) = text.as_bytes().split_at((cut * count as f64) as usize * line);
        let with_threads = Build { threads, ..build_of.clone() };
        let (file, header, fit) = in_order(&with_threads, count as u64, &[first, second]).unwrap();
        prop_assert_eq!(fit, Fit::Good);
        let oracle = build(&build_of, &[lines(&shuffled).as_bytes()]);
        prop_assert!(file[PAGE..] == oracle[PAGE..], "pages");
        prop_assert_eq!(header.hash_version, HashVersion::Grouped);
        let (reading, mut pages) = (Reading::of(&file), vec![0_u8; file.len() - PAGE]);
        let each = all.iter().flat_map(|one| reading.bits(one).into_iter().map(move |bit| (one, bit)));
        for (digest, (page, bit)) in each {
            let group = usize::from(digest[0]) >> (8 - group_bits);
            prop_assert_eq!(page / (header.pages >> group_bits) as usize, group);
            pages[page * PAGE + bit / 8] |= 1 << (bit % 8);
        }
        let mut found = file[PAGE..].to_vec();
        found.chunks_mut(PAGE).for_each(|page| page[PAGE - 4..].fill(0));
        prop_assert!(pages == found, "by the text");
        let filter = DictionaryFilter::from_bytes(file).unwrap();
        prop_assert!(all.iter().all(|digest| filter.contains_entry(digest).unwrap()));
    }
}

#[test]
fn every_digest_is_found_and_others_at_no_more_than_the_stated_rate() {
    const COUNT: usize = 200_000;
    const STRANGERS: u32 = 400_000;
    for (kind, group_bits) in [(Kind::Sha1, 4), (Kind::Ntlm, 6)] {
        let all = digests(kind, COUNT, 7);
        let (file, header, _) =
            in_order(&grouped(kind, group_bits), COUNT as u64, &[lines(&all).as_bytes()]).unwrap();
        assert!(header.words.abs_diff(COUNT as u64) < 400, "{}", header.words);
        let filter = DictionaryFilter::from_bytes(file).unwrap();
        assert!(all.iter().all(|digest| filter.contains_entry(digest).unwrap()), "{kind:?}");
        let mut random = Random::new(99);
        let found = (0..STRANGERS).filter(|_| filter.contains_entry(&digest(kind, &mut random)).unwrap());
        let rate = found.count() as f64 / f64::from(STRANGERS);
        // Room for four deviations and a page rounded up are the least that lowers it; five deviations up.
        let deviation = (RATE / f64::from(STRANGERS)).sqrt();
        assert!(rate < RATE + 5.0 * deviation && rate > RATE / 4.0, "{kind:?}: {rate}");
    }
}

/// A group that has more than there is room for, and less than is refused: its rate is stated.
#[test]
fn the_rate_is_that_of_the_fullest_group() {
    // As many as fit before each group takes a page more.
    let build_of = grouped(Kind::Sha1, 2);
    let pages = |count| build_of.in_order(count).unwrap().unwrap().header().pages;
    let count = (40_000..).step_by(20).find(|&count| pages(count) < pages(count + 20)).unwrap();
    let mut all = digests(Kind::Sha1, count as usize, 3);
    let (_, even, _) = in_order(&build_of, count, &[lines(&all).as_bytes()]).unwrap();
    assert!((even.stated.false_rejection - RATE).abs() < 1e-12);
    // Six deviations of a hundred more in the last group.
    all.extend(digests(Kind::Sha1, 640 * 4, 4).into_iter().filter(|digest| digest[0] >= 0xc0));
    all.sort_unstable();
    let (file, header, _) = in_order(&build_of, count, &[lines(&all).as_bytes()]).unwrap();
    let stated = header.stated.false_rejection;
    assert!(stated > RATE && stated < 2.0 * RATE, "{stated}");
    let filter = DictionaryFilter::from_bytes(file).unwrap();
    let mut random = Random::new(5);
    let in_last = std::iter::repeat_with(|| digest(Kind::Sha1, &mut random)).filter(|one| one[0] >= 0xc0);
    let found = in_last.take(200_000).filter(|one| filter.contains_entry(one).unwrap()).count();
    assert!((found as f64 / 200_000.0) < stated + 5.0 * (stated / 200_000.0).sqrt(), "{found}");
}

#[test]
fn a_group_that_somebody_filled_is_refused_by_name() {
    let mut all = digests(Kind::Sha1, 40_000, 3);
    let more = digests(Kind::Sha1, 2000, 4).into_iter().map(|mut digest| {
        (digest[0], digest[1]) = (0x5c, digest[1] & 0x0f);
        digest
    });
    all.extend(more);
    all.sort_unstable();
    let error = in_order(&grouped(Kind::Sha1, 8), 42_000, &[lines(&all).as_bytes()]).unwrap_err();
    assert!(matches!(error, OrderError::Crowded { ranges: (0x5c000, 0x5cfff), mean: 164, .. }), "{error:?}");
    assert!(error.to_string().contains("begin with 5C000 to 5CFFF"), "{error}");
}

#[test]
fn digests_that_are_not_in_order_are_refused_and_in_a_group_may_come_as_they_like() {
    let mut all = digests(Kind::Ntlm, 3000, 1);
    let build_of = grouped(Kind::Ntlm, 3);
    let sorted = in_order(&build_of, 3000, &[lines(&all).as_bytes()]).unwrap().0;
    all.sort_by_key(|digest| (digest[0] >> 5, digest[9]));
    assert!(in_order(&build_of, 3000, &[lines(&all).as_bytes()]).unwrap().0 == sorted);
    all.swap(0, 2999);
    let error = in_order(&build_of, 3000, &[lines(&all).as_bytes()]).unwrap_err();
    assert!(matches!(error, OrderError::Unsorted), "{error:?}");
    assert!(error.to_string().contains("--group-bits 0"), "{error}");
}

#[test]
fn a_wrong_number_shows() {
    let all = lines(&digests(Kind::Sha1, 30_000, 1));
    let fit = |expected| in_order(&grouped(Kind::Sha1, 3), expected, &[all.as_bytes()]).map(|done| done.2);
    assert_eq!([29_500, 30_100, 40_000].map(|n| fit(n).unwrap()), [Fit::TooFull, Fit::Good, Fit::TooLarge]);
    assert!(matches!(fit(20_000), Err(OrderError::Crowded { .. })));
    assert_eq!(grouped(Kind::Sha1, 3).in_order(0).err(), Some(BuildError::Empty));
}

#[test]
fn words_and_filters_without_groups_are_as_before() {
    let words = Build { group_bits: 5, ..settings(SchemeId::Deletions, 6) };
    assert!(words.in_order(100).unwrap().is_none());
    let plain = build(&settings(SchemeId::Deletions, 6), &[b"elephant\n"]);
    assert!(build(&words, &[b"elephant\n"]) == plain && plain[29] == 2);
    assert!(grouped(Kind::Sha1, 0).in_order(100).unwrap().is_none());
    let most = Build { group_bits: 99, ..grouped(Kind::Sha1, 1) };
    assert_eq!(most.in_order(1000).unwrap().unwrap().header().group_bits, MAX_GROUP_BITS);
}

fn builder(file: &[u8]) -> Builder {
    let filter = DictionaryFilter::from_bytes(file.to_vec()).unwrap();
    Builder::over(filter.header().clone(), filter.copied_pages().unwrap())
}

#[test]
fn digests_are_added_to_a_grouped_filter_and_two_are_united() {
    let (kind, build_of) = (Kind::Sha1, Build { capacity: Some(9000), ..grouped(Kind::Sha1, 3) });
    let (all, text) = (digests(kind, 6000, 1), |part: &[Vec<u8>]| lines(part).into_bytes());
    let whole = build(&build_of, &[&text(&all)]);
    let [first, second] = [&all[..3500], &all[2500..]].map(|part| build(&build_of, &[&text(part)]));
    let filter = DictionaryFilter::from_bytes(first.clone()).unwrap();
    let of = Build::of(filter.header());
    assert_eq!(of.group_bits, 3);
    let mut survey = of.survey();
    survey.read_block(&text(&all[2500..]));
    let pages = filter.copied_pages().unwrap();
    let mut extended = of.extending(filter.header().clone(), pages, &survey.finish()).unwrap();
    extended.insert_block(&text(&all[2500..]));
    assert!(extended.finish_to_bytes()[PAGE..] == whole[PAGE..], "added");
    let mut united = builder(&first);
    united.unite(&DictionaryFilter::from_bytes(second.clone()).unwrap()).unwrap();
    assert!(united.finish_to_bytes()[PAGE..] == whole[PAGE..], "united");
    let other = build(&Build { group_bits: 2, ..build_of.clone() }, &[&text(&all)]);
    let plain = build(&Build { group_bits: 0, ..build_of }, &[&text(&all)]);
    for (other, second) in [(other, 2), (plain, 0)] {
        let refused = builder(&first).unite(&DictionaryFilter::from_bytes(other).unwrap()).unwrap_err();
        let wanted = Difference::Groups { first: 3, second };
        assert!(matches!(refused, UnionError::Differs(got) if got == wanted), "{refused:?}");
        assert_eq!(refused.to_string(), format!("one filter has 3 group bits, the other {second}"));
    }
}

#[test]
fn digests_are_taken_out_of_a_grouped_filter_again() {
    let (all, build_of) = (digests(Kind::Sha1, 900, 1), grouped(Kind::Sha1, 3));
    let whole = DictionaryFilter::from_bytes(build(&build_of, &[lines(&all).as_bytes()])).unwrap();
    let mut counters = Counters::new(whole.header()).unwrap();
    counters.insert_block(0, Forms::Written, lines(&all).as_bytes());
    assert!(counters.filter_pages().unwrap() == whole.copied_pages().unwrap());
    let (mut entry, format) = (Entry::default(), LineFormat { kind: Kind::Sha1, min_count: 0 });
    for digest in &all {
        format.read_line(lines(std::slice::from_ref(digest)).trim_end().as_bytes(), &mut entry).unwrap();
        assert!(counters.remove(&entry));
    }
    let empty = |page: &Page| page[..PAGE - 4].iter().all(|&byte| byte == 0);
    assert!(counters.filter_pages().unwrap().iter().all(empty));
}

/// The other half of a hash is keyed: who knows a digest's group does not know its page.
#[test]
fn the_page_in_a_group_depends_on_the_key() {
    let all = digests(Kind::Sha1, 20_000, 1);
    let page = |key: u8, digest: &[u8]| {
        let build_of = Build { key: Key::new([key; 16]), ..grouped(Kind::Sha1, 1) };
        let header = build_of.in_order(20_000).unwrap().unwrap().header().clone();
        let hash = u128::from(header.hash(digest) >> 16);
        (hash * u128::from(header.pages)) >> 48
    };
    let pages: Vec<[u128; 2]> = all[..200].iter().map(|one| [1, 2].map(|key| page(key, one))).collect();
    let alike = pages.iter().filter(|[one, other]| one == other).count();
    assert!(alike < 100, "{alike} of 200");
}
