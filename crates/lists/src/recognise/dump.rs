//! Dumps of databases: their statements are no words, and neither are the rows between them.

use super::{Beginning, layout::SOME};

/// The first statements of dumps, in upper case.
const STATEMENTS: [&str; 16] = [
    "/*!",
    "BEGIN TRANSACTION",
    "START TRANSACTION",
    "PRAGMA ",
    "INSERT INTO ",
    "INSERT [",
    "REPLACE INTO ",
    "CREATE TABLE ",
    "CREATE DATABASE ",
    "DROP TABLE ",
    "LOCK TABLES ",
    "USE [",
    "USE `",
    "SET NOCOUNT ",
    "SET IDENTITY_INSERT ",
    "\\CONNECT ",
];

/// The statements that write rows, in upper case.
const ROWS: [&str; 4] = ["INSERT INTO ", "INSERT [", "REPLACE INTO ", "VALUES ("];

/// The lines at the beginning among which the statements start.
const FIRST_LINES: usize = 100;

/// True for a dump: its comments say so, its first statement does, or more than one line in ten is one.
pub(super) fn is_dump(beginning: &Beginning<'_>) -> bool {
    let first = beginning.text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut first = first.filter(|line| !line.is_empty()).take(FIRST_LINES);
    let is_statement = |line: &[u8]| {
        line.starts_with(b"--") || STATEMENTS.iter().any(|statement| begins(line, statement)) || is_copy(line)
    };
    let is_dump = |line: &[u8]| !line.starts_with(b"--") || is_title(line);
    // Comments and statements only up to one that is of a dump alone.
    if first.by_ref().take_while(|line| is_statement(line)).any(is_dump) {
        return true;
    }
    let is_row = |line: &&&[u8]| ROWS.iter().any(|statement| begins(line, statement)) || is_copy(line);
    let rows = beginning.lines.iter().filter(is_row).count();
    beginning.lines.len() >= SOME && rows.saturating_mul(10) > beginning.lines.len()
}

/// True for a line that begins so, in upper or lower case.
fn begins(line: &[u8], with: &str) -> bool {
    line.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with.as_bytes()))
}

/// `COPY words (id, word) FROM stdin;`
fn is_copy(line: &[u8]) -> bool {
    begins(line, "COPY ") && line.to_ascii_lowercase().ends_with(b" from stdin;")
}

/// The title of a dump, in a comment: `-- MySQL dump 10.13`, `-- PostgreSQL database dump`.
fn is_title(line: &[u8]) -> bool {
    let line = String::from_utf8_lossy(line).to_lowercase();
    let names = ["sql", "mariadb", "adminer", "database"];
    line.split_whitespace().any(|part| part == "dump" || part == "dumped")
        && names.iter().any(|name| line.contains(name))
}
