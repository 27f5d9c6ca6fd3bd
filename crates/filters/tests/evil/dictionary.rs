//! Evil dictionary filters: each one thing that no writer does, under right checksums unless the checksum is
//! the thing.

use std::path::Path;

use nearmiss_filters::{format::FormatError, page};

use super::{Evil, Expected};

const PAGE: usize = 4096;

fn golden(name: &str) -> Vec<u8> {
    // From any member of the workspace: the fuzz targets' tests make these files, too.
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut files = above.map(|folder| folder.join("crates/filters/tests/golden").join(name));
    std::fs::read(files.find(|file| file.exists()).unwrap()).unwrap()
}

/// A golden near filter.
pub fn near() -> Vec<u8> {
    golden("near-8.filter")
}

fn reseal(file: &mut [u8]) {
    file[16..20].fill(0);
    let sum = crc32fast::hash(&file[..PAGE]);
    file[16..20].copy_from_slice(&sum.to_le_bytes());
}

/// A golden filter with other bytes at one place and the header's checksum made right.
fn with(name: &str, at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = golden(name);
    file[at..at + bytes.len()].copy_from_slice(bytes);
    reseal(&mut file);
    file
}

fn near_with(at: usize, bytes: &[u8]) -> Vec<u8> {
    with("near-8.filter", at, bytes)
}

/// All bits of one of the pages, and its checksum.
fn with_page(mut file: Vec<u8>, index: usize, bits: u8) -> Vec<u8> {
    let page: &mut [u8; PAGE] = file[PAGE..].chunks_mut(PAGE).nth(index).unwrap().try_into().unwrap();
    page.fill(bits);
    page::seal(page);
    file
}

fn field(name: &'static str, got: u64) -> Expected {
    Expected::Format(FormatError::Field { name, got })
}

fn length(expected: u64, got: u64) -> Expected {
    Expected::Format(FormatError::Length { expected, got })
}

fn truncated(expected: u64, got: u64) -> Expected {
    Expected::Format(FormatError::TruncatedHeader { expected, got })
}

/// A table in which every pair of characters occurs.
fn with_all_pairs(mut file: Vec<u8>) -> Vec<u8> {
    let digrams = 256 + 20 * 4;
    file[digrams..digrams + 55].fill(0xff);
    file[digrams + 55] = 0x01; // 441 bits
    reseal(&mut file);
    file
}

/// Near matches over digests, which have no neighbours.
fn near_digests() -> Vec<u8> {
    near_with(24, &[2])
}

fn newer(name: &'static str, got: u8) -> Expected {
    Expected::Format(FormatError::Newer { name, got })
}

pub fn all() -> Vec<Evil> {
    let rate = |rate: f64| near_with(104, &rate.to_le_bytes());
    let not = Expected::Format(FormatError::NotAFilter);
    let mut list = vec![
        ("empty", vec![], not),
        ("magic-after-a-text-transfer", near().into_iter().filter(|&byte| byte != b'\r').collect(), not),
        ("magic-without-the-high-bit", near_with(0, b"\x09"), not),
        ("version-0", near_with(8, &[0, 0]), Expected::Format(FormatError::Version { got: 0 })),
        ("version-65535", near_with(8, &[0xff; 2]), Expected::Format(FormatError::Version { got: 65_535 })),
        ("header-bytes-0", near_with(12, &[0; 4]), field("header bytes", 0)),
        (
            "header-bytes-4-gib",
            near_with(12, &0xffff_f000_u32.to_le_bytes()),
            field("header bytes", 0xffff_f000),
        ),
        ("header-bytes-most", near_with(12, &8_654_848_u32.to_le_bytes()), truncated(8_654_848, 12_288)),
        ("header-ends-early", near()[..300].to_vec(), truncated(4096, 300)),
        ("header-alone", near()[..PAGE].to_vec(), length(12_288, 4096)),
        ("checksum-wrong", flipped(near(), 100), Expected::Format(FormatError::HeaderDamaged)),
        ("one-byte-more", [near(), vec![0]].concat(), length(12_288, 12_289)),
        ("pages-0", near_with(64, &[0; 8]), field("pages", 0)),
        ("pages-4-pib", near_with(64, &(1_u64 << 40).to_le_bytes()), length((1 << 52) + 8192, 12_288)),
        ("pages-times-4096-overflows", near_with(64, &(1_u64 << 52).to_le_bytes()), field("pages", 1 << 52)),
        ("pages-most", near_with(64, &[0xff; 8]), field("pages", u64::MAX)),
        ("page-bytes-0", near_with(20, &[0; 4]), field("page bytes", 0)),
        ("kind-0", near_with(24, &[0]), field("kind", 0)),
        ("near-digests", near_digests(), field("match", 0)),
        ("scheme-whole-but-near", near_with(26, &[1]), field("scheme", 0)),
        ("hash-0", near_with(28, &[0]), field("hash", 0)),
        ("hash-unknown", near_with(28, &[9]), newer("hash", 9)),
        ("hash-version-0", near_with(29, &[0]), field("hash version", 0)),
        ("hash-version-1", near_with(29, &[1]), field("hash version", 1)),
        ("hash-version-3", near_with(29, &[3]), field("group bits", 0)),
        ("hash-version-4", near_with(29, &[4]), newer("hash version", 4)),
        ("group-bits-of-words", near_with(29, &[3, 1, 1]), field("hash version", 3)),
        ("group-bits-of-hash-version-2", near_with(31, &[1]), field("group bits", 1)),
        ("group-bits-0", with("sha1-groups.filter", 31, &[0]), field("group bits", 0)),
        ("group-bits-21", with("sha1-groups.filter", 31, &[21]), field("group bits", 21)),
        ("group-bits-255", with("sha1-groups.filter", 31, &[255]), field("group bits", 255)),
        ("group-bits-that-do-not-divide-the-pages", with("sha1-groups.filter", 31, &[20]), field("pages", 4)),
        ("pages-that-are-no-groups", with("sha1-groups.filter", 64, &[6]), field("pages", 6)),
        ("pages-of-groups-most", with("sha1-groups.filter", 64, &[0xff; 8]), field("pages", u64::MAX)),
        (
            "pages-of-groups-4-pib",
            with("sha1-groups.filter", 64, &(1_u64 << 40).to_le_bytes()),
            length((1 << 52) + 4096, 20_480),
        ),
        ("cleaning-2", near_with(30, &[2]), newer("cleaning", 2)),
        ("word-bits-0", near_with(48, &[0]), field("word bits", 0)),
        ("word-bits-255", near_with(48, &[255]), field("word bits", 255)),
        ("deletion-bits-3", near_with(49, &[3]), field("deletion bits", 3)),
        ("rate-not-a-number", rate(f64::NAN), field("false rejection", f64::NAN.to_bits())),
        ("rate-negative", rate(-0.001), field("false rejection", (-0.001_f64).to_bits())),
        ("rate-infinite", rate(f64::INFINITY), field("false rejection", f64::INFINITY.to_bits())),
        ("shortest-beyond-longest", near_with(54, &[12, 0, 11, 0]), field("shortest", 12)),
        ("longest-256", near_with(56, &[0, 1]), field("longest", 256)),
        ("reserved-58", near_with(63, &[1]), field("reserved at 58", 1)),
        ("reserved-128", near_with(200, &[7]), field("reserved", 7)),
        ("padding-after-the-tables", near_with(4095, &[1]), field("reserved", 1)),
        ("alphabet-4-gi", near_with(120, &[0xff; 4]), field("alphabet length", 0xffff_ffff)),
        (
            "alphabet-beyond-the-header",
            near_with(120, &1000_u32.to_le_bytes()),
            field("alphabet length", 1000),
        ),
        ("alphabet-descends", near_with(256, &[0x7a]), field("alphabet", 20)),
        ("alphabet-repeats", near_with(256, &[0x63]), field("alphabet", 20)),
        ("alphabet-surrogate", near_with(256 + 19 * 4, &0xd800_u32.to_le_bytes()), field("alphabet", 20)),
        ("digram-bytes-4-gi", near_with(124, &[0xff; 4]), field("digram bytes", 0xffff_ffff)),
        ("digram-bytes-one-less", near_with(124, &[55]), field("digram table", 2)),
        ("digram-bit-beyond-the-matrix", near_with(256 + 80 + 55, &[2]), field("digram table", 2)),
        ("quad-pages-4-gi", near_with(128, &[0xff; 4]), field("4-gram pages", 0xffff_ffff)),
        ("quad-pages-3", near_with(128, &[3]), field("4-gram pages", 3)),
        ("quad-pages-32", near_with(128, &[32]), field("4-gram pages", 32)),
        ("quad-pages-one-more", near_with(128, &[2]), length(16_384, 12_288)),
        ("quads-of-an-exact-filter", with("exact.filter", 128, &[1]), field("4-gram pages", 1)),
        ("digrams-hashed-for-20-symbols", near_with(27, &[3]), field("digram table", 3)),
        (
            "alphabet-of-an-exact-filter",
            with("exact.filter", 120, &[1, 0, 0, 0]),
            field("alphabet length", 1),
        ),
        ("page-damaged", flipped(near(), PAGE + 2000), Expected::DamagedPage(0)),
        ("page-checksum-damaged", flipped(near(), 2 * PAGE - 1), Expected::DamagedPage(0)),
        ("quads-damaged", flipped(near(), 2 * PAGE + 2000), Expected::DamagedFourGrams(1)),
        (
            "page-all-ones",
            with_page(with_page(with_all_pairs(near()), 0, 0xff), 1, 0xff),
            Expected::Answers(true),
        ),
        // Without deletion bits every deletion proposes: each lookup completes with the whole alphabet
        // everywhere.
        (
            "proposes-everything",
            with_page(with_all_pairs(golden("near-0.filter")), 0, 0),
            Expected::Answers(false),
        ),
    ];
    list.sort_by_key(|(name, ..)| *name);
    list.into_iter().map(|(name, bytes, expected)| Evil::new(name, "filter", bytes, expected)).collect()
}

fn flipped(mut file: Vec<u8>, at: usize) -> Vec<u8> {
    file[at] ^= 4;
    file
}
