//! `filterctl render`: pictures that decode, of the size and the colours that they should have.

use std::{fs, io::Cursor};

use nearmiss_filters::ladder::{LadderFiles, NewLadder, Params, create};

use crate::{Folder, run};

/// Width, height and pixels as indices into the palette.
fn picture(path: &str) -> (usize, usize, Vec<u8>) {
    let mut decoder = png::Decoder::new(Cursor::new(fs::read(path).unwrap()));
    decoder.set_transformations(png::Transformations::IDENTITY);
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    let info = reader.info();
    (info.width as usize, info.height as usize, pixels)
}

fn words(count: u32) -> String {
    (0..count).map(|i| format!("{:x}\n", i.wrapping_mul(2_654_435_761))).collect()
}

/// The bits of the first page stand in the first rows, the lowest bit of the first byte first.
#[test]
fn a_small_filter_is_drawn_bit_by_bit() {
    let folder = Folder::new();
    let filter = folder.filter("words.filter", &[&folder.file("words.txt", words(500))]);
    let png = folder.path("words.png");
    let done = run(["render", &filter, "--output", &png, "--width", "512"]);
    assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (0, "", ""));
    let (width, _, pixels) = picture(&png);
    assert_eq!(width, 512 + 2 * 16);
    let bytes = fs::read(&filter).unwrap();
    let pages = bytes.len() / 4096 - 1;
    for bit in 0..pages * 4096 * 8 {
        let is_checksum = bit % 32_768 >= 32_736;
        let is_one = bytes[4096 + bit / 8] >> (bit % 8) & 1 == 1;
        let expected = match (is_one, is_checksum) {
            (true, false) => 1,
            (false, false) => 0,
            (true, true) => 2,
            (false, true) => 3,
        };
        assert_eq!(pixels[(16 + bit / 512) * width + 16 + bit % 512], expected, "bit {bit}");
    }
}

#[test]
fn a_large_filter_is_drawn_by_pages_and_damage_is_red() {
    let folder = Folder::new();
    let filter = folder.filter("words.filter", &[&folder.file("words.txt", words(40_000))]);
    let png = folder.path("words.png");
    assert_eq!(run(["render", &filter, "--output", &png, "--width", "256"]).code, 0);
    let (_, _, pixels) = picture(&png);
    assert!(!pixels.contains(&4));
    let mut bytes = fs::read(&filter).unwrap();
    bytes[4096 + 10] ^= 1;
    let damaged = folder.file("damaged.filter", bytes);
    assert_eq!(run(["render", &damaged, "--output", &png, "--width", "256"]).code, 0);
    let (width, _, pixels) = picture(&png);
    assert_eq!((pixels[16 * width + 16], pixels[15 * width + 16]), (4, 0));
}

#[test]
fn two_stand_side_by_side_and_a_ladder_is_drawn_too() {
    let folder = Folder::new();
    let filter = folder.filter("words.filter", &[&folder.file("words.txt", words(500))]);
    let files = LadderFiles { file: folder.path("ladder").into(), key: folder.path("key").into() };
    let new = NewLadder { params: Params::new(1 << 16, 16, 16, 2).unwrap(), cost: None, stamps: 0 };
    create(&files, &new, false).unwrap();
    let png = folder.path("both.png");
    let ladder = folder.path("ladder");
    let done = run(["render", &filter, "--with", &ladder, "--output", &png, "--width", "512"]);
    assert_eq!(done.code, 0, "{done:?}");
    let (width, _, pixels) = picture(&png);
    assert_eq!(width, 2 * 512 + 3 * 16);
    let bytes = fs::read(&ladder).unwrap();
    for bit in 0..1 << 16 {
        let is_one = bytes[4096 + bit / 8] >> (bit % 8) & 1 == 1;
        assert_eq!(pixels[(16 + bit / 512) * width + 32 + 512 + bit % 512], u8::from(is_one), "bit {bit}");
    }
}

#[test]
fn what_is_no_filter_is_an_error_and_nothing_is_written() {
    let folder = Folder::new();
    let (text, png) = (folder.file("text", "no filter"), folder.path("none.png"));
    let told = run(["render", &text, "--output", &png]);
    assert!(told.code == 2 && told.err.contains("neither a filter nor a ladder"), "{told:?}");
    assert!(!fs::exists(&png).unwrap());
}
