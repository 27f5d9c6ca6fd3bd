use std::fs::File;

use super::{super::super::Walk, *};

fn opened(path: &Path) -> TrustedFile {
    Walk::default().open(path).unwrap()
}

#[test]
fn ranges_near_to_each_other_are_one() {
    let page = |index: usize| index * 4096..(index + 1) * 4096;
    let pages: Vec<_> = [0, 1, 18, 36, 40].map(page).into();
    assert_eq!(joined(&pages), [0..19 * 4096, 36 * 4096..41 * 4096], "gaps of 0, 16, 17 and 3 pages");
    assert!(joined(&[]).is_empty());
}

#[test]
#[cfg_attr(miri, ignore = "miri cannot map files")]
fn shows_the_bytes_of_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    std::fs::write(&path, vec![7_u8; 10_000]).unwrap();
    let mapped = Mapped::new(&opened(&path), &path).unwrap();
    mapped.populate_all(&[0..4096, 8192..10_000]).unwrap();
    mapped.populate(4096..8192).unwrap();
    assert_eq!(mapped.bytes().len(), 10_000);
    assert_eq!(mapped.bytes()[5000], 7);
}

/// A length is never truncated to the bits of an address.
#[test]
#[cfg(target_pointer_width = "32")]
fn a_file_of_gigabytes_is_refused_by_a_32_bit_program() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    for length in [1 << 31, (4 << 30) + 4096, 5 << 30] {
        File::create(&path).unwrap().set_len(length).unwrap();
        let refused = Mapped::new(&opened(&path), &path).unwrap_err().to_string();
        assert!(refused.contains("a 32-bit program cannot map"), "{refused}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "miri cannot map files")]
fn truncation_is_an_error_not_a_signal() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    std::fs::write(&path, vec![7_u8; 16_384]).unwrap();
    let mapped = Mapped::new(&opened(&path), &path).unwrap();
    File::options().write(true).open(&path).unwrap().set_len(4096).unwrap();
    assert!(mapped.populate(0..4096).is_ok());
    assert!(mapped.populate(8192..12_288).is_err());
    assert!(mapped.populate_all(&[0..4096, 8192..12_288]).is_err());
}

#[test]
#[cfg_attr(miri, ignore = "miri cannot map files")]
fn many_ranges_are_asked_for_together_and_each_must_be_there() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    let content: Vec<u8> = (0..40 * 4096_u32).map(|n| (n % 251) as u8).collect();
    std::fs::write(&path, &content).unwrap();
    let mapped = Mapped::new(&opened(&path), &path).unwrap();
    let pages = |indices: &[usize]| -> Vec<_> {
        indices.iter().map(|index| index * 4096..(index + 1) * 4096).collect()
    };
    mapped.populate_all(&pages(&[0, 7, 19, 20, 38])).unwrap();
    assert!(mapped.bytes() == content);
    File::options().write(true).open(&path).unwrap().set_len(20 * 4096).unwrap();
    mapped.populate_all(&pages(&[0, 7, 19])).unwrap();
    for at in 0..4 {
        let mut indices = [0, 7, 18, 19];
        indices[at] = 20;
        indices.sort_unstable();
        assert!(mapped.populate_all(&pages(&indices)).is_err(), "{indices:?}");
    }
}

#[test]
fn many_ranges_show_what_is_cached_and_a_single_read_that_it_is_not() {
    let (same, more) = ([Some(7), Some(7)], [Some(7), Some(8)]);
    for (ranges, were_cached, blocks, are_cached) in [
        (MIN_SAMPLE, false, same, true),
        (MIN_SAMPLE - 1, false, same, false),
        (1, true, same, true),
        (MIN_SAMPLE, false, more, false),
        (MIN_SAMPLE, true, more, false),
        (MIN_SAMPLE, true, [None, None], false),
    ] {
        assert_eq!(are_all_cached(ranges, were_cached, blocks), are_cached, "{ranges} {blocks:?}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "miri cannot map files")]
fn ranges_that_are_not_read_ahead_must_be_there() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    std::fs::write(&path, vec![7_u8; 20 * PAGE]).unwrap();
    let mapped = Mapped::new(&opened(&path), &path).unwrap();
    File::options().write(true).open(&path).unwrap().set_len(10 * PAGE as u64).unwrap();
    for (count, is_there) in [(2, true), (5, true), (6, false)] {
        let pages: Vec<_> = (0..count).map(|at| 2 * at * PAGE..(2 * at + 1) * PAGE).collect();
        assert_eq!(mapped.populate_each(&pages, true).is_ok(), is_there, "{count}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "miri cannot map files")]
fn a_copy_is_whole_and_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    let content: Vec<u8> = (0..10_000_u32).map(|n| (n % 251) as u8).collect();
    std::fs::write(&path, &content).unwrap();
    let file = opened(&path);
    let copy = Mapped::copied(&file, content.len(), &path).unwrap();
    assert!(copy.is_copy() && !Mapped::new(&file, &path).unwrap().is_copy());
    File::options().write(true).open(&path).unwrap().set_len(0).unwrap();
    copy.will_need(&[0..5000, 5000..10_000]);
    copy.populate(0..10_000).unwrap();
    assert!(copy.bytes() == content);
}

#[test]
#[cfg_attr(miri, ignore = "miri cannot map files")]
fn a_copy_of_a_cut_file_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    std::fs::write(&path, vec![7_u8; 9999]).unwrap();
    let error = Mapped::copied(&opened(&path), 10_000, &path).unwrap_err();
    assert_eq!(error.act, Act::Read);
    let nothing = Mapped::copied(&opened(&path), 0, &path).unwrap();
    assert!(nothing.bytes().is_empty());
}

#[test]
#[cfg_attr(miri, ignore = "miri cannot map files")]
fn who_else_may_read_is_what_the_opened_file_said() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    std::fs::write(&path, "x").unwrap();
    for (mode, is_public) in [(0o600, false), (0o604, true), (0o640, false), (0o644, true)] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        let file = opened(&path);
        for opened in [Mapped::new(&file, &path), Mapped::copied(&file, 1, &path)] {
            assert_eq!(opened.unwrap().access() == Access::Public, is_public, "{mode:o}");
        }
    }
}
