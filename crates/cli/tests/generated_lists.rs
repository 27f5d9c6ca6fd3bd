//! Generated lists of all forms, charsets and line ends, with odd lines among them: the words that were
//! written are the words that are read.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test stops where something is wrong"
)]

use std::collections::BTreeSet;

use encoding_rs::Encoding;
use nearmiss_cli::{
    input::{self, Charset, Expected, ListName},
    progress::Progress,
};
use nearmiss_filters::{format::Kind, random::SeededRandom};
use sha1::{Digest as _, Sha1};

/// The charsets in which a language is written, and words of it.
const LANGUAGES: [(&[&str], &str); 12] = [
    (&["utf-8"], "password letmein dragon monkey football superman welcome sunshine princess shadow master"),
    (
        &["utf-8", "windows-1252", "utf-16le", "utf-16be"],
        "schön über straße größe wäsche fünf königin schlüssel mädchen gemüse frühling höhle süß äpfel",
    ),
    (
        &["utf-8", "windows-1252"],
        "fenêtre garçon élève château forêt chère bientôt été mère frère déjà crème hôtel français leçon",
    ),
    (
        &["utf-8", "iso-8859-2", "windows-1250"],
        "żółw łódka święto książka miłość ćwiczenie pięść gęś źródło dźwięk śnieg słońce królowa wrzesień",
    ),
    (
        &["utf-8", "windows-1251", "koi8-r", "utf-16le"],
        "пароль любовь солнышко наташа москва привет здравствуйте подсолнух зима весна лето осень дружба",
    ),
    (
        &["utf-8", "windows-1253"],
        "καλημέρα κωδικός θάλασσα ελλάδα αγάπη ήλιος φεγγάρι σπίτι δρόμος βιβλίο καράβι ουρανός αστέρι",
    ),
    (
        &["utf-8", "windows-1254"],
        "şifre güneş çiçek öğrenci ağaç yağmur kış ışık değirmen böğürtlen kardeş doğum düşünce çığlık",
    ),
    (&["utf-8", "windows-1255"], "סיסמה שלום אהבה ירושלים משפחה חבר ילדה כלב חתול שמש ירח כוכב מים אדמה"),
    (&["utf-8", "windows-1256"], "مرحبا كلمة السر شمس قمر محمد فاطمة القاهرة بيت كتاب حبيبي صديق مدرسة سلام"),
    (
        &["utf-8", "gbk", "big5"],
        "我們 中國 北京 朋友 上海 世界 你好 天空 太陽 月亮 學生 老師 大學 愛情 電腦 生日 快樂",
    ),
    (
        &["utf-8", "shift_jis", "euc-jp"],
        "パスワード さくら 東京 日本 ありがとう こんにちは ひまわり たいよう 花火 大阪 アニメ 音楽",
    ),
    (
        &["utf-8", "euc-kr"],
        "비밀번호 사랑해 대한민국 서울 안녕하세요 하늘 바다 친구 가족 행복 노래 학교 컴퓨터",
    ),
];

const MD5: &str = "5f4dcc3b5aa765d61d8327deb882cf99";

/// The forms, by their names in this test.
const FORMS: [&str; 18] = [
    "plain",
    "count word",
    "word count",
    "word\tcount",
    "rank,word,count",
    "csv",
    "tsv",
    "user:word",
    "mail;word",
    "user:hash:word",
    "hash:word",
    "john",
    "url",
    "quoted",
    "hex",
    "json",
    "jsonl",
    "flags",
];

struct Source(SeededRandom);

impl Source {
    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.0.next_word() % bound as u64).unwrap()
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// A list, the words in it, and how it was made.
struct List {
    bytes: Vec<u8>,
    words: BTreeSet<String>,
    charset: &'static str,
    made: String,
}

fn list(source: &mut Source) -> List {
    let (charsets, words) = *source.one(&LANGUAGES);
    let charset = charsets[source.below(charsets.len())];
    let form = *source.one(&FORMS);
    let end = *source.one(&["\n", "\r\n", "\r"]);
    let pool: Vec<&str> = words.split(' ').collect();
    let mut words = BTreeSet::new();
    let count = 120 + source.below(200);
    let mut lines: Vec<Vec<u8>> = header(form).into_iter().map(|line| line.as_bytes().to_vec()).collect();
    for rank in 1..=count {
        let word = match source.below(3) {
            0 => (*source.one(&pool)).to_owned(),
            1 => format!("{}{}", source.one(&pool), source.below(1000)),
            _ => format!("{}{}", source.one(&pool), source.one(&pool)),
        };
        lines.push(line(form, rank, &word, charset, source));
        words.insert(word);
    }
    let made = format!("{form}, {charset}, ends {}", end.escape_default());
    odd_lines(form, &mut lines, source);
    if form == "json" {
        lines = vec![b"[".to_vec(), lines.join(&b","[..]), b"]".to_vec()];
    }
    let text = lines.join(end.as_bytes());
    List { bytes: encoded_whole(text, charset), words, charset, made }
}

fn header(form: &str) -> Option<&'static str> {
    match form {
        "csv" => Some("id,password,note"),
        "tsv" => Some("rank\tword"),
        _ => None,
    }
}

/// A line in the charset; UTF-16 is made of the whole.
fn line(form: &str, rank: usize, word: &str, charset: &str, source: &mut Source) -> Vec<u8> {
    let count = 100_000 / rank;
    let text = match form {
        "count word" => format!("{count:>9} {word}"),
        "word count" => format!("{word} {count}"),
        "word\tcount" => format!("{word}\t{count}"),
        "rank,word,count" => format!("{rank},{word},{count}"),
        "csv" if source.below(2) == 0 => format!("{rank},\"{word}\",\"a, b\""),
        "csv" => format!("{rank},{word},x"),
        "tsv" => format!("{rank}\t{word}"),
        "user:word" => format!("anna{rank}:{word}"),
        "mail;word" => format!("anna{rank}@mail.example;{word}"),
        "user:hash:word" => format!("anna{rank}:{}:{word}", sha1(word, charset)),
        "hash:word" => format!("{}:{word}", sha1(word, charset)),
        "john" => format!("$dynamic_0${MD5}:{word}"),
        "url" => format!("https://site{rank}.example/login:anna{rank}:{word}"),
        "quoted" => format!("  '{word}',"),
        "json" => format!("\"{word}\""),
        "jsonl" => format!("{{\"rank\": {rank}, \"word\": \"{word}\"}}"),
        "flags" => format!("{word}/SM"),
        "hex" if source.below(4) > 0 && !charset.starts_with("utf-16") => {
            let bytes = encoded(word, charset);
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            return format!("$HEX[{digits}]").into_bytes();
        }
        _ if source.below(8) == 0 => format!(" {word}\t"),
        _ => word.to_owned(),
    };
    if charset.starts_with("utf-16") { text.into_bytes() } else { encoded(&text, charset) }
}

/// The digest of a word as the list has it: a hash with another text beside it is salted.
fn sha1(word: &str, charset: &str) -> String {
    let bytes = if charset.starts_with("utf-16") { word.into() } else { encoded(word, charset) };
    Sha1::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn encoded(text: &str, charset: &str) -> Vec<u8> {
    let (bytes, _, had_errors) = Encoding::for_label(charset.as_bytes()).unwrap().encode(text);
    // Simplified characters are not in every charset of Chinese.
    assert!(!had_errors, "{text} in {charset}");
    bytes.into_owned()
}

fn encoded_whole(text: Vec<u8>, charset: &str) -> Vec<u8> {
    let wide = |bytes: fn(u16) -> [u8; 2]| {
        let text = String::from_utf8(text.clone()).unwrap();
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(bytes).collect()
    };
    match charset {
        "utf-16le" => wide(u16::to_le_bytes),
        "utf-16be" => wide(u16::to_be_bytes),
        _ => text,
    }
}

/// Puts a few blank lines, too long ones and lines of another form among the others.
fn odd_lines(form: &str, lines: &mut Vec<Vec<u8>>, source: &mut Source) {
    if form == "json" {
        return;
    }
    for _ in 0..source.below(6) {
        let odd = match source.below(4) {
            0 => Vec::new(),
            1 => b" \t ".to_vec(),
            2 => vec![b'x'; 300],
            _ => b"#!comment: not a word".to_vec(),
        };
        let at = 1 + source.below(lines.len());
        lines.insert(at.min(lines.len()), odd);
    }
}

/// The words that are read, and the name of the form and the charset.
fn read(list: &List, said: Option<Charset>) -> Result<(BTreeSet<String>, String), String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list");
    std::fs::write(&path, &list.bytes).unwrap();
    let (expected, progress) = (Expected { charset: said, ..Expected::of(Kind::Words) }, Progress::hidden());
    let lists = input::open(&[ListName::Path(path)], &expected, &progress).map_err(|e| e.to_string())?;
    let mut words = BTreeSet::new();
    let mut reading = lists[0].read(&progress).map_err(|e| e.to_string())?;
    while let Some(block) = reading.next_block().map_err(|e| e.to_string())? {
        let block = String::from_utf8(block.to_vec()).unwrap();
        words.extend(block.lines().filter(|word| !word.is_empty()).map(str::to_owned));
    }
    Ok((words, format!("{:?}, {}", lists[0].form(), lists[0].charsets().name())))
}

/// Reads this many lists: every word that was written is read, and no other but second readings.
fn each_word_is_read(lists: usize, seed: u64) {
    let mut source = Source(SeededRandom::new(seed));
    for number in 0..lists {
        let list = list(&mut source);
        let is_said = source.below(2) == 0;
        let said = is_said.then(|| list.charset.parse().unwrap());
        let what = format!("list {number} ({}{})", list.made, if is_said { ", said" } else { "" });
        let (read, how) = read(&list, said).unwrap_or_else(|error| panic!("{what}: {error}"));
        let missing: Vec<&String> = list.words.difference(&read).collect();
        assert!(missing.is_empty(), "{what} read as {how}: {missing:?} of {} are missing", list.words.len());
        let long = "x".repeat(300);
        let others: Vec<&String> = read.difference(&list.words).filter(|word| **word != long).collect();
        let may_be_twice = !is_said && !list.charset.starts_with("utf");
        assert!(others.is_empty() || may_be_twice, "{what} read as {how}: {others:?} were never written");
    }
}

#[test]
fn each_word_of_generated_lists_is_read() {
    each_word_is_read(600, 1);
}

#[test]
#[ignore = "torture: minutes"]
fn each_word_of_ten_thousand_generated_lists_is_read() {
    each_word_is_read(10_000, 2);
}
