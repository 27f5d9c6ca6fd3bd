use super::*;
use crate::{
    dictionary::{DictionaryFilter, Spec},
    format::{Kind, encode},
    hash::Key,
};

fn begun() -> InOrder {
    let spec = Spec { kind: Kind::Sha1, ..Spec::default() };
    let build = Build { group_bits: 2, ..Build::new(spec, Key::new([1; 16])) };
    build.in_order(4000).unwrap().unwrap()
}

/// A thousand digests of a group.
fn digests(group: u32) -> impl Iterator<Item = [u8; 20]> {
    (0..1000_u32).map(move |i| {
        let mut digest = [7; 20];
        digest[..4].copy_from_slice(&(group << 30 | i << 16).to_be_bytes());
        digest
    })
}

/// The pages of a group, and the number of digests in it.
fn filled(filter: &mut InOrder, group: u32) -> (Vec<Page>, u64) {
    let mut pages = Vec::new();
    let mut write = |group: &[Page]| {
        pages.extend_from_slice(group);
        Ok(())
    };
    digests(group).for_each(|digest| filter.insert_digest(&digest, &mut write).unwrap());
    let words = filter.close_group(&mut write).unwrap();
    (pages, words)
}

#[test]
fn groups_that_were_filled_before_make_the_same_filter() {
    let mut first = begun();
    let header = first.header().clone();
    let groups: Vec<_> = (0..4).map(|group| filled(&mut first, group)).collect();
    let counts = LineCounts { accepted: 4000, ..LineCounts::default() };
    let mut none = |_: &[Page]| panic!("all groups are written");
    let whole = first.finish(&counts, &mut none).unwrap();

    let mut second = InOrder::like(&header).unwrap().unwrap();
    for (group, (pages, words)) in (0..4).zip(&groups) {
        if group % 2 == 0 {
            second.pass_group(*words).unwrap();
        } else {
            assert_eq!(&filled(&mut second, group).0, pages);
        }
    }
    let again = second.finish(&counts, &mut none).unwrap();
    assert_eq!(encode(&again), encode(&whole));
    let pages: Vec<u8> = groups.iter().flat_map(|(pages, _)| pages.as_flattened()).copied().collect();
    let filter = DictionaryFilter::from_bytes([encode(&whole), pages].concat()).unwrap();
    assert!((0..4).flat_map(digests).all(|digest| filter.contains_entry(&digest).unwrap()));
    assert!(filter.header().words > 3990, "{}", filter.header().words);
}

#[test]
fn a_crowded_group_is_not_passed_either() {
    let mut filter = begun();
    filter.pass_group(1000).unwrap();
    assert!(matches!(filter.pass_group(1300), Err(OrderError::Crowded { got: 1300, mean: 1000, .. })));
}

#[test]
fn only_a_filter_in_groups_has_another_like_it() {
    let header = Header { group_bits: 0, ..begun().header().clone() };
    assert!(InOrder::like(&header).unwrap().is_none());
}
