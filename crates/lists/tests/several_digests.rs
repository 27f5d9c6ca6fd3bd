//! Lists of digests that have several on a line, or salts.

#![allow(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    reason = "a test stops where something is wrong"
)]

use nearmiss_lists::recognise_digests;

fn rows(row: impl Fn(usize) -> String) -> String {
    (1000..1060).map(|n| row(n) + "\n").collect()
}

/// A digest that looks like one, the same each time.
fn digest(n: usize) -> String {
    let mixed = |at: usize| (n as u64 + at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24;
    (0..4).map(|at| format!("{:010X}", mixed(at) & 0xff_ffff_ffff)).collect()
}

#[test]
fn several_digests_a_line_are_refused_with_a_way_to_read_them() {
    let all = |between: &str| (1..800).map(digest).collect::<Vec<_>>().join(between);
    let wrapped = |each: usize| {
        let digests: Vec<String> = (1..800).map(digest).collect();
        digests.chunks(each).map(|line| line.join(" ") + "\n").collect::<String>()
    };
    for (name, list) in [
        ("blanks", all(" ")),
        ("commas", all(",") + "\n"),
        ("SQL", format!("SELECT * FROM d WHERE h IN ('{}');\n", all("', '"))),
        ("a shell", format!("D=\"{}\"\n", all(" "))),
        ("JSON", format!("[\"{}\"]", all("\",\""))),
        ("bars", all("|")),
        ("three a line", wrapped(3)),
        ("seven a line", wrapped(7)),
        ("two on the only line", format!("{} {}\n", digest(1), digest(2))),
    ] {
        let refusal = recognise_digests(list.as_bytes(), 40).err().map(|refusal| refusal.to_string());
        let refusal = refusal.unwrap_or_default();
        assert!(refusal.contains("several digests a line"), "{name}: {refusal}");
        assert!(refusal.contains("grep -oiE '[0-9a-f]{40}'"), "{name}: {refusal}");
    }
    // The second of a pair may be its salt.
    let pairs = rows(|n| format!("{}:{}", digest(n), digest(n * 7)));
    assert!(recognise_digests(pairs.as_bytes(), 40).unwrap_err().to_string().contains("salted"));
}

#[test]
fn salts_of_digits_beside_accounts_are_no_counts() {
    for row in [
        |n: usize| format!("u{n}@b.example:{}:{}", digest(n), n * 7919 % 90_000),
        |n: usize| format!("{}:u{n}@b.example:{}", digest(n), n * 7919 % 90_000),
        |n: usize| format!("user{n};{};{}", digest(n), n * 7919 % 90_000),
    ] {
        let refusal = recognise_digests(rows(row).as_bytes(), 40).err().map(|refusal| refusal.to_string());
        assert!(refusal.unwrap_or_default().contains("salted digests"), "{}", row(1000));
    }
    for row in [
        |n: usize| format!("{n}:u{n}@b.example:{}", digest(n)),
        |n: usize| format!("{}\t{}", digest(n), 2000 - n),
        |n: usize| format!("u{n}@b.example:{}", digest(n)),
    ] {
        assert!(recognise_digests(rows(row).as_bytes(), 40).is_ok(), "{}", row(1000));
    }
}
