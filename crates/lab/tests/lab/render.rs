//! `filterlab render`: pictures that decode, of the size and the colours that they should have.

use std::{
    fs::{self, Permissions},
    io::Cursor,
    os::unix::fs::PermissionsExt,
    process::Command,
};

use nearmiss_filters::ladder::{LadderFiles, NewLadder, Params, Preset, create};

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

/// The place of the first page: right of the pages' numbers, below the file's name.
fn origin(file: &str, width: usize) -> (usize, usize) {
    let columns = (80 + width) / 10;
    (16 + 80, 16 + 24 * file.len().div_ceil(columns) + 12)
}

fn mode(path: &str) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn words(count: u32) -> String {
    (0..count).map(|i| format!("{:x}\n", i.wrapping_mul(2_654_435_761))).collect()
}

/// The bits of the first page stand in the first rows, the lowest bit of the first byte first.
#[test]
fn a_small_filter_is_drawn_bit_by_bit() {
    let folder = Folder::new();
    let filter = folder.filter("words.filter", &folder.file("words.txt", words(500)));
    let png = folder.path("words.png");
    let done = run(["render", &filter, "--output", &png, "--width", "512"]);
    assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (0, "", ""));
    let (width, _, pixels) = picture(&png);
    assert_eq!(width, 80 + 512 + 2 * 16);
    let (left, top) = origin(&filter, 512);
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
        assert_eq!(pixels[(top + bit / 512) * width + left + bit % 512], expected, "bit {bit}");
    }
}

#[test]
fn a_large_filter_is_drawn_by_pages_and_damage_is_red() {
    let folder = Folder::new();
    let filter = folder.filter("words.filter", &folder.file("words.txt", words(40_000)));
    let png = folder.path("words.png");
    assert_eq!(run(["render", &filter, "--output", &png, "--width", "256"]).code, 0);
    let (_, _, pixels) = picture(&png);
    assert!(!pixels.contains(&4));
    let mut bytes = fs::read(&filter).unwrap();
    bytes[4096 + 10] ^= 1;
    let damaged = folder.file("damaged.filter", bytes);
    assert_eq!(run(["render", &damaged, "--output", &png, "--width", "256"]).code, 0);
    let (width, _, pixels) = picture(&png);
    let (left, top) = origin(&damaged, 256);
    assert_eq!((pixels[top * width + left], pixels[(top - 1) * width + left]), (4, 0));
}

/// A ladder of two pages.
fn ladder(folder: &Folder) -> String {
    let files = LadderFiles { file: folder.path("ladder").into(), key: folder.path("key").into() };
    let new = NewLadder { params: Params::new(1 << 16, 16, 16, 2).unwrap(), cost: None, stamps: 0 };
    create(&files, &new, false).unwrap();
    folder.path("ladder")
}

#[test]
fn two_stand_side_by_side_and_a_ladder_is_drawn_too() {
    let folder = Folder::new();
    let filter = folder.filter("words.filter", &folder.file("words.txt", words(500)));
    let (ladder, png) = (ladder(&folder), folder.path("both.png"));
    let done = run(["render", &filter, "--with", &ladder, "--output", &png, "--width", "512"]);
    assert_eq!(done.code, 0, "{done:?}");
    let (width, _, pixels) = picture(&png);
    assert_eq!(width, 2 * (80 + 512) + 3 * 16);
    let (left, top) = origin(&filter, 512);
    let left = left + 80 + 512 + 16;
    let bytes = fs::read(&ladder).unwrap();
    for bit in 0..1 << 16 {
        let is_one = bytes[4096 + bit / 8] >> (bit % 8) & 1 == 1;
        assert_eq!(pixels[(top + bit / 512) * width + left + bit % 512], u8::from(is_one), "bit {bit}");
    }
}

/// Whoever may not read the file may not see it, also where an older picture was for all.
#[test]
fn a_picture_is_as_private_as_what_is_drawn() {
    let folder = Folder::new();
    let filter = folder.filter("words.filter", &folder.file("words.txt", words(500)));
    let (ladder, png) = (ladder(&folder), folder.path("out.png"));
    let drawn = |arguments: &[&str]| {
        assert_eq!(run(["render", "--output", &png].iter().chain(arguments)).code, 0);
        mode(&png)
    };
    let set_mode = |path: &str, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    set_mode(&filter, 0o644);
    assert_eq!(drawn(&[&filter]), 0o644);
    assert_eq!(mode(&ladder), 0o600);
    assert_eq!(drawn(&[&ladder]), 0o600);
    assert_eq!(drawn(&[&filter]), 0o644);
    assert_eq!(drawn(&[&filter, "--with", &ladder]), 0o600);
    set_mode(&ladder, 0o644);
    assert_eq!(drawn(&[&ladder]), 0o600);
    set_mode(&filter, 0o640);
    assert_eq!(drawn(&[&filter]), 0o600);
}

/// The ladder of a system is a picture that fits on a screen, in more than black and white.
#[test]
fn a_ladder_of_the_default_size_fits_on_a_screen() {
    let folder = Folder::new();
    let files = LadderFiles { file: folder.path("ladder").into(), key: folder.path("key").into() };
    let params = Preset::Default.params(None).unwrap();
    create(&files, &NewLadder { params, cost: None, stamps: 0 }, false).unwrap();
    let (ladder, png) = (folder.path("ladder"), folder.path("ladder.png"));
    assert_eq!(run(["render", &ladder, "--output", &png]).code, 0);
    let (width, height, pixels) = picture(&png);
    assert!(width <= 1200 && height <= 900, "{width} × {height}");
    let (left, top) = origin(&ladder, 1024);
    let bytes = fs::read(&ladder).unwrap();
    let ones = |page: &[u8]| page.iter().map(|byte| byte.count_ones()).sum::<u32>();
    let densities: Vec<u32> = bytes[4096..].chunks_exact(4096).take(128).map(ones).collect();
    let (least, most) = (*densities.iter().min().unwrap(), *densities.iter().max().unwrap());
    for (page, density) in densities.iter().enumerate() {
        let share = f64::from(density - least) / f64::from(most - least);
        let pixel = pixels[(top + page / 16 * 64 + 9) * width + left + page % 16 * 64 + 9];
        assert!((f64::from(pixel) - (16.0 + 239.0 * share)).abs() < 0.51, "page {page}: {pixel}");
    }
}

/// A picture that is published names no folder of the machine that drew it.
#[test]
fn a_file_is_named_as_it_was_typed() {
    let here = Folder::new();
    let filter = here.filter("words.filter", &here.file("words.txt", words(500)));
    let there = Folder::new();
    fs::create_dir(there.path("deeper")).unwrap();
    let folders = [here.path("."), there.path("deeper")];
    fs::copy(&filter, format!("{}/words.filter", folders[1])).unwrap();
    let [one, other] = folders.map(|folder| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_filterlab"));
        let arguments = ["render", "words.filter", "--output", "out.png"];
        assert!(program.args(arguments).current_dir(&folder).status().unwrap().success());
        fs::read(format!("{folder}/out.png")).unwrap()
    });
    assert!(one == other, "the name of a folder is in the picture");
}

#[test]
fn what_is_no_filter_is_an_error_and_nothing_is_written() {
    let folder = Folder::new();
    let (text, png) = (folder.file("text", "no filter"), folder.path("none.png"));
    let told = run(["render", &text, "--output", &png]);
    assert!(told.code == 2 && told.err.contains("neither a filter nor a ladder"), "{told:?}");
    assert!(!fs::exists(&png).unwrap());
}
