//! Lines of programs that name each value, dumps of databases, and escapes that have the separator of a
//! table: none is a table of words.

#![allow(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    reason = "a test stops where something is wrong"
)]

use nearmiss_lists::{Form, Wanted, recognise};

/// Words of letters alone, all different.
fn word(n: usize) -> String {
    let syllables = ["ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu"];
    n.to_string().bytes().map(|digit| *syllables.get(usize::from(digit - b'0')).unwrap()).collect()
}

fn rows(row: impl Fn(usize) -> String) -> String {
    (1000..1060).map(|n| row(n) + "\n").collect()
}

fn refusal(list: &str) -> Option<String> {
    recognise(list.as_bytes(), "list", &Wanted::default()).err().map(|refusal| refusal.to_string())
}

#[test]
fn lines_that_name_each_value_are_no_tables() {
    for (program, list) in [
        (
            "hydra",
            rows(|n| {
                format!("[22][ssh] host: 10.0.0.{}   login: {}7   password: {}", n % 9, word(n * 3), word(n))
            }),
        ),
        (
            "medusa",
            rows(|n| {
                let (user, word) = (word(n * 3), word(n));
                format!("ACCOUNT FOUND: [ssh] Host: 10.0.0.1 User: {user} Password: {word} [SUCCESS]")
            }),
        ),
        ("an address", rows(|n| format!("http://a.example/?user=u{n}&password={}&x=1", word(n)))),
        ("settings", rows(|n| format!("login=u{n};pwd={}", word(n)))),
        ("in German", rows(|n| format!("Benutzer: u{n}, Passwort: {}", word(n)))),
        ("a log", rows(|n| format!("12:00:{:02} tried user: u{n} mot de passe: {}", n % 60, word(n)))),
        // The first has a value that is also a name.
        (
            "the first",
            format!(
                "login: anna  password: password\n{}",
                rows(|n| format!("login: u{n}  password: {}", word(n)))
            ),
        ),
    ] {
        let refusal = refusal(&list).unwrap_or_default();
        assert!(refusal.contains("lines with labels, such as '"), "{program}: {refusal}");
        assert!(refusal.contains("sed '"), "{program}: {refusal}");
    }
    for list in [
        "user,login_password\nanna,one\nbob,two\ncy,three\n",
        "password:count\none:9\ntwo:8\nthree:7\n",
        "name;passwort\nanna;eins\nbob;zwei\ncy;drei\n",
        "anna:password\nbob:password\ncy:secret\ndan:password1\n",
    ] {
        assert!(
            matches!(recognise(list.as_bytes(), "list", &Wanted::default()), Ok(Form::Table(_))),
            "{list}"
        );
    }
}

#[test]
fn dumps_of_databases_are_refused_however_they_begin() {
    let insert = |n: usize| format!("INSERT [dbo].[words] ([word]) VALUES (N'{}')", word(n));
    for (name, list) in [
        ("statements and GO", rows(|n| insert(n) + "\nGO")),
        ("a database first", format!("USE [words]\nGO\n{}", rows(|n| insert(n) + "\nGO"))),
        ("in lower case", rows(|n| format!("insert into words values ({n}, '{}');", word(n)))),
        (
            "PostgreSQL",
            format!(
                "--\n-- PostgreSQL database dump\n--\n\n-- Dumped from database version 17\n\nSET x = 0;\n\n\
                 COPY public.words (id, word) FROM stdin;\n{}\\.\n",
                rows(|n| format!("{n}\t{}", word(n)))
            ),
        ),
        ("COPY alone", format!("COPY words (word) FROM stdin;\n{}\\.\n", rows(word))),
        ("phpMyAdmin", format!("-- phpMyAdmin SQL Dump\n-- version 5\n\n{}", rows(word))),
        ("many values", format!("INSERT INTO w VALUES\n{}", rows(|n| format!("('{}'),", word(n))))),
    ] {
        let refusal = refusal(&list).unwrap_or_default();
        assert!(refusal.contains("a dump of a database"), "{name}: {refusal}");
    }
    for list in [rows(|n| format!("use{}", word(n))), "insert\ncreate table\nuse\ngo\n".to_owned()] {
        assert_eq!(refusal(&list), None, "{list}");
    }
}

#[test]
fn escapes_with_a_semicolon_are_no_columns() {
    for (name, list) in [
        ("at the end", rows(|n| format!("{}&eacute;", word(n)))),
        ("alone", rows(|n| word(n).bytes().map(|byte| format!("&#{byte};")).collect())),
        ("Russian", rows(|n| (0..6).map(|at| format!("&#{};", 1072 + (n / (at + 1)) % 32)).collect())),
        ("within columns", rows(|n| format!("u{n}@b.example;{}&amp;x", word(n)))),
        ("in a half", rows(|n| if n % 2 == 0 { format!("{}&ouml;;9", word(n)) } else { word(n) + ";9" })),
    ] {
        let refusal = refusal(&list).unwrap_or_default();
        assert!(refusal.contains("html.unescape"), "{name}: {refusal}");
    }
    let table = rows(|n| format!("u{n}@b.example;{}&co", word(n)));
    assert!(matches!(recognise(table.as_bytes(), "list", &Wanted::default()), Ok(Form::Table(_))));
}
