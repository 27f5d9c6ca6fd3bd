//! The forms of lists as people publish them, each with the words that it has.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops where something is wrong")]

use nearmiss_lists::{Block, CharsetSurvey, Charsets, Form, Reader, Reading, Wanted, recognise, simple};

/// Reads a list as a build does: its form, and its words.
fn read(text: &[u8], name: &str, wanted: &Wanted) -> Result<(String, Vec<String>), String> {
    let form = recognise(text, name, wanted).map_err(|refusal| refusal.to_string())?;
    let mut survey = CharsetSurvey::default();
    survey.read_block(text);
    let (name, charsets) = (form.name(), survey.finish());
    let mut reader = Reader::new(Reading { form, charsets, affixes: None, is_plain: false });
    let mut block = Block::default();
    reader.read_block(text, &mut block);
    let words = block.text.split(|&byte| byte == b'\n').filter(|word| !word.is_empty());
    Ok((name, words.map(|word| String::from_utf8(word.to_vec()).unwrap()).collect()))
}

fn words(text: &str) -> (String, Vec<String>) {
    read(text.as_bytes(), "list", &Wanted::default()).unwrap()
}

fn refusal(text: &str) -> String {
    read(text.as_bytes(), "list", &Wanted::default()).unwrap_err()
}

const SHA1: &str = "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8";
const MD5: &str = "5f4dcc3b5aa765d61d8327deb882cf99";

#[test]
fn each_form_is_recognised_and_its_words_are_read() {
    let potfile = format!("{MD5}:password\n{MD5}:salt:letmein\n$dynamic_0${MD5}:a:b\n");
    for (list, form, expected) in [
        ("password\nletmein\n", "plain", "password letmein"),
        ("  290729 zebra\n   1 pass\n", "count,word by blanks", "zebra pass"),
        ("290729 123456\n79076 12345\n76789\tpass\n", "count,word by blanks", "123456 12345 pass"),
        ("the 61847\nof 29391\nand 26817\n", "word,count by blanks", "the of and"),
        ("the\t61847\nof\t29391\nand\t26817\n", "word,count by tabs", "the of and"),
        ("the,61847\nof,29391\nand,26817\n", "word,count", "the of and"),
        ("1,the,61847\n2,of,29391\n3,and,26817\n", "rank,word,count", "the of and"),
        ("rank,password,count\n1,abc,9\n2,\"d,e\",3\n", "rank,word,count", "abc d,e"),
        ("email;password\na@b.cd;one\ne@f.gh;two\n", "user;word", "one two"),
        ("email;password\na@b.cd;one\nbroken\ne@f.gh;two\n", "user;word", "one two"),
        ("a@b.cd;one\ne@f.gh;two\ni@j.kl;three\n", "user;word", "one two three"),
        ("anna:summer\nbob:x:y\nc@d.example:p\n", "user:word", "summer x:y p"),
        (
            "https://a.b/c:anna:one\nhttps://a.b:80/c:bob:two\nhttp://d.e:cy:three\n",
            "url:user:password",
            "one two three",
        ),
        ("\"one\",\n\"two\",\n\"three\"\n", "words in quotes", "one two three"),
        ("'one',\n'two',\n'three'\n", "words in quotes", "one two three"),
        ("{\"word\":\"one\"}\n{\"word\":\"two\"}\n", "JSON lines", "one two"),
        (
            "root:toor:0:0:root:/root:/bin/bash\nanna:one:1:1:A:/home:/bin/sh\nbob:two:2:2:B:/home:/bin/sh\n",
            "other:word:other:other:other:other:other",
            "toor one two",
        ),
        ("one/SM\ntwo\nthree/D\nfour/B\n", "hunspell", "one two three four"),
        ("#!comment: a list\none\ntwo\n", "plain", "one two"),
        ("personal_ws-1.1 en 2\none\ntwo\n", "plain", "one two"),
        (" one \n\ttwo\t\r\n$HEX[7468726565]\n", "plain", "one two three"),
        (potfile.as_str(), "potfile", "password letmein a:b"),
    ] {
        let (found, read) = words(list);
        assert_eq!(read.join(" "), expected, "{list}");
        assert!(
            found == form || found.starts_with("other:") && form.starts_with("other:"),
            "{list}: {found}"
        );
    }
}

#[test]
fn lists_of_phrases_times_and_numbers_are_plain() {
    for list in [
        "",
        "password\n",
        "12 monkeys\n",
        "pass:word\n",
        "http://a\nhttps://b\nftp://c\n",
        "1:2\n3:4\n5:6\n",
        "the cat\nsat on\nthe mat\n",
        "123456\n12345\n111111\n",
        "1111111111111111111111111111111111111111\n",
        "12.05.1985\n13.05.1985\n14.05.1985\n",
        "a@b.cd\ne@f.gh\ni@j.kl\n",
        "Summer2024!\nWinter2024!\nSpring2024!\n",
        "either/or\nand/or\none\ntwo\n",
    ] {
        assert_eq!(recognise(list.as_bytes(), "list", &Wanted::default()), Ok(Form::Plain), "{list}");
    }
    let mostly = "a:b\nc:d\ne:f\ng:h\nword\n".repeat(10);
    assert_eq!(words(&mostly).0, "plain");
}

#[test]
fn hashes_and_documents_are_refused_by_their_names() {
    let bcrypt = "$2y$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";
    let sha256 = "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8";
    for (list, content) in [
        (
            format!("{SHA1}\n"),
            "SHA-1 digests, which no password would match as words; read it with --kind sha1",
        ),
        (format!("{}:3\n\n{SHA1}:52256179\r\n", SHA1.to_lowercase()), "--kind sha1"),
        (format!("{MD5}:9\n"), "--kind ntlm"),
        (format!("{bcrypt}\n"), "bcrypt hashes, which no filter can use"),
        (format!("anna:{bcrypt}\nbob:{bcrypt}\ncy:{bcrypt}\n"), "bcrypt"),
        (format!("{sha256}\n{sha256}\n"), "SHA-256"),
        (format!("1,{sha256}\n2,{sha256}\n3,{sha256}\n"), "SHA-256"),
        (format!("1 {SHA1}\n2 {SHA1}\n3 {SHA1}\n"), "--kind sha1"),
        (format!("Anna:500:{MD5}:{MD5}:::\n"), "pwdump"),
        ("<!DOCTYPE html>\n<html>\n".to_owned(), "HTML"),
        ("one,two\nthree,four\nfive,six\n".to_owned(), "2 columns by commas"),
        ((0..30).map(|n| format!("<li>word{n}</li>\n")).collect(), "an HTML page"),
        ((0..30).map(|n| format!("word{n}=x{n}\n")).collect(), "each line has '='"),
    ] {
        let refusal = refusal(&list);
        assert!(refusal.contains(content), "{list}: {refusal}");
    }
}

#[test]
fn files_of_which_a_part_looks_like_a_list_are_read_or_refused() {
    let rows = |row: fn(u32) -> String| (1..=30).map(row).collect::<String>();
    for (list, name) in [
        (rows(|n| format!("{n}\tword{n}\n")), "list.dic"),
        (rows(|n| format!("word{n}  {n}.006  1.5  {n}\n")), "list"),
        (rows(|n| format!("word{n} {}.900677652\n", 99 - n)), "list"),
        (rows(|n| format!("{} word{n}\n", 11_111 + n)), "list"),
        (rows(|n| format!("$1$salt$qJH7.N4xYta3aEG{n:02}:word{n}\n")), "john.pot"),
        (rows(|n| format!("word{n}/{}\n", if n % 2 == 0 { "nsOr" } else { "mTa" })), "list"),
    ] {
        let read = read(list.as_bytes(), name, &Wanted::default()).unwrap();
        assert_eq!(read.1.first().map(String::as_str), Some("word1"), "{list}");
    }
    for (list, name, content) in [
        (rows(|n| format!("USER{n}/WELCOME\n")), "list", "each ends with '/WELCOME'"),
        (rows(|n| format!("AB{n}:City:DE::City\n")), "list", "columns by colons"),
        (rows(|n| format!("words{n} word{n}\n")), "list", "2 columns by blanks"),
        (format!("ISO8859-1\n{}", rows(|n| format!(".a{n}b\n"))), "hyph_de_DE.dic", "hyphenation"),
        (
            rows(|n| format!("user{n}:$6$salt$IxDD3jeSOb5eB1CX5LBsqZFVkJdido3O:19{n}:0:99999:7:::\n")),
            "list",
            "SHA-512 crypt",
        ),
        (
            rows(|n| format!("user{n}:$1$salt$qJH7.N4xYta3aEG{n}:{n}:{n}:A:/home/u{n}:/bin/sh\n")),
            "list",
            "MD5 crypt",
        ),
        (
            rows(|n| format!("user{n}:aB{:02}zX9kQ4m.{}:{n}:{n}:A:/home:/bin/sh\n", n, n % 10)),
            "list",
            "DES crypt",
        ),
        ("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n".to_owned(), "list", "dump of a database"),
        (format!("#!xdawg\n{}", rows(|n| format!("{n}b\n"))), "list", "packed list of Crack"),
    ] {
        let refusal = read(list.as_bytes(), name, &Wanted::default()).unwrap_err();
        assert!(refusal.contains(content), "{list}: {refusal}");
    }
}

/// A line that is longer than a block is cut, and its end is a line end.
#[test]
fn the_beginning_of_a_document_is_enough() {
    let document = format!("[\"word1\", \"{}\n", "x".repeat(4000));
    let form = recognise(document.as_bytes(), "list", &Wanted::default());
    assert_eq!(form, Ok(Form::JsonDocument(None)));
}

#[test]
fn a_surplus_tab_is_no_part_of_a_word() {
    let columns = Some("1".parse().unwrap());
    let list = "a\tb\nc\td\ne\tf\t5%\ng\th\n".repeat(8);
    let (_, words) = read(list.as_bytes(), "list", &Wanted { form: None, columns }).unwrap();
    assert_eq!(words[..4], ["a", "c", "e", "g"]);
}

#[test]
fn a_column_that_the_user_names_is_counted_from_the_left() {
    let columns = |columns: &str| Wanted { form: None, columns: Some(columns.parse().unwrap()) };
    let list = "a,1\nb,2,x,y\nc\nd,4,z\n".repeat(8);
    let (_, words) = read(list.as_bytes(), "list", &columns("1")).unwrap();
    assert_eq!(words[..4], ["a", "b", "c", "d"]);
    let (_, words) = read(list.as_bytes(), "list", &columns("2")).unwrap();
    assert_eq!(words[..3], ["1", "2", "4"]);
}

#[test]
fn ranks_rise_and_counts_do_not() {
    let dice: String = (11_111..11_141).map(|n| format!("{n} word{n}\n")).collect();
    assert_eq!(words(&dice).0, "rank,word by blanks");
}

#[test]
fn a_person_reads_the_same_words() {
    let quoted: String = (0..30).map(|n| format!("'word{n}',\n")).collect();
    let quoted = format!("let words = [\n{quoted}];\n");
    for (list, lines) in [
        ("\"'<em class=\"\n\"delta'\"\n\"gamma\"\n", 3),
        ("4\none\ntwo/SM\nthree/D\nfour/B\n", 1),
        ("  3 a b\n  2 c\n  1 d\n", 2),
        (&quoted, 30),
    ] {
        let form = recognise(list.as_bytes(), "list", &Wanted::default()).unwrap();
        let (_, words) = read(list.as_bytes(), "list", &Wanted::default()).unwrap();
        let seen: Vec<String> = list
            .lines()
            .filter_map(|line| simple::word(&form, &Charsets::default(), line.as_bytes()))
            .collect();
        assert_eq!(seen.len(), lines, "{list}");
        assert!(seen.iter().all(|word| words.contains(word)), "{list}: {seen:?} {words:?}");
    }
}

#[test]
fn the_user_says_form_and_columns() {
    let wanted = |form: Option<&str>, columns: Option<&str>| Wanted {
        form: form.map(|form| form.parse().unwrap()),
        columns: columns.map(|columns| columns.parse().unwrap()),
    };
    let one_two = "one,two\nthree,four\nfive,six\n";
    for (list, form, columns, expected) in [
        (one_two, None, Some("2"), "two four six"),
        (one_two, None, Some("word,other"), "one three five"),
        (one_two, None, Some("three"), ""),
        (one_two, Some("plain"), None, "one,two three,four five,six"),
        (one_two, None, Some("word"), "one,two three,four five,six"),
        ("x,note,password\n1,y,a\n2,z,b\n", None, Some("password"), "a b"),
        ("count,word\n1,a\n2,b\n", None, Some("word"), "a b"),
        ("{\"word\": \"a\", \"w\": \"b\"}\n{\"word\": \"c\", \"w\": \"d\"}\n", None, Some("word"), "a c"),
        ("x;Kennwort\n1;a\n2;b\n", None, Some("kennwort"), "a b"),
        ("  12 a b\r\n3\tc\nnone\n4 \n5 e", None, Some("count,word"), "a b c e"),
        ("anna:p:q\n:x\nnone\nbob:r", None, Some("user,password"), "p:q x r"),
        ("a:1\nb:2\n", None, Some("word,count"), "a b"),
        ("{\"v\": \"a\", \"w\": \"b\"}\n{\"v\": \"c\", \"w\": \"d\"}\n", None, Some("v"), "a c"),
        ("a/B\nb/c\n", Some("hunspell"), None, "a b"),
        ("a:b:c\n", Some("potfile"), None, "c"),
        ("a:b\n", Some("colons"), Some("1"), "a"),
    ] {
        let read = read(list.as_bytes(), "list", &wanted(form, columns));
        match read {
            Ok((_, words)) => assert_eq!(words.join(" "), expected, "{list} {form:?} {columns:?}"),
            Err(refusal) => assert_eq!("", expected, "{list} {form:?} {columns:?}: {refusal}"),
        }
    }
}

#[test]
fn charsets_are_found_line_by_line() {
    let russian = ["пароль", "любовь", "солнышко", "наташа", "москва", "привет", "здравствуйте", "подсолнух"];
    for (label, words) in [
        ("windows-1251", &russian[..]),
        ("koi8-r", &russian[..]),
        ("windows-1252", &["schön", "über", "straße", "größe", "wäsche", "fenêtre", "garçon", "señor"][..]),
        ("iso-8859-2", &["żółw", "łódka", "święto", "książka", "miłość", "ćma", "pięść", "gęś"][..]),
        ("gbk", &["密码", "中国", "北京", "我爱你", "朋友", "上海", "世界", "你好"][..]),
        ("shift_jis", &["パスワード", "さくら", "東京", "日本", "ありがとう", "こんにちは"][..]),
        ("euc-kr", &["비밀번호", "사랑해", "대한민국", "서울", "안녕하세요"][..]),
        ("windows-1253", &["καλημέρα", "κωδικός", "θάλασσα", "ελλάδα", "αγάπη"][..]),
    ] {
        let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap();
        let text: Vec<u8> = words
            .iter()
            .cycle()
            .take(200)
            .flat_map(|word| [&encoding.encode(word).0, &b"\n"[..]].concat())
            .collect();
        let (_, found) = read(&text, "list", &Wanted::default()).unwrap();
        assert_eq!(
            found.iter().map(String::as_str).collect::<Vec<_>>(),
            words.iter().copied().cycle().take(200).collect::<Vec<_>>(),
            "{label}"
        );
    }
    // One odd byte in a list of UTF-8 concerns its line alone.
    let (_, found) = read("é\nü\nstra\u{df}e\n".as_bytes(), "list", &Wanted::default()).unwrap();
    assert_eq!(found, ["é", "ü", "straße"]);
    let (_, found) = read(b"\xc3\xa9\ncaf\xe9\n\xc3\xbc\n", "list", &Wanted::default()).unwrap();
    assert!(
        found.contains(&"é".to_owned())
            && found.contains(&"café".to_owned())
            && found.contains(&"ü".to_owned()),
        "{found:?}"
    );
}
