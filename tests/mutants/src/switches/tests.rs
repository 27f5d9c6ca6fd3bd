//! Small functions with their switches.

use super::*;
use crate::{list::Span, render::render};

fn mutant(genre: Genre, line: usize, column: usize, replacement: &str) -> Mutant {
    Mutant {
        name: String::new(),
        file: String::new(),
        span: Span { start: Place { line, column }, end: Place { line, column: column + 1 } },
        replacement: replacement.to_owned(),
        genre,
    }
}

/// The text with a switch for each change, whose number is its place in the list; white space is not judged.
fn switched(text: &str, mutants: &[Mutant]) -> String {
    let insertions = of_file(text, mutants.iter().enumerate()).unwrap();
    let rendered = render(text, &insertions, |_| true).text;
    syn::parse_file(&rendered).unwrap();
    rendered.replace("crate::mutant_switch::", "").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_function_returns_early() {
    let changed = switched(
        "fn f() -> bool {\n    g()\n}\n",
        &[mutant(Genre::FnValue, 2, 5, "true"), mutant(Genre::FnValue, 2, 5, "false")],
    );
    assert_eq!(changed, "fn f() -> bool { if on(0) { return true; } if on(1) { return false; } g() }");
}

#[test]
fn the_changed_text_has_no_switches_within() {
    let changed = switched(
        "fn f() -> bool {\n    a + 1 < b\n}\n",
        &[
            mutant(Genre::BinaryOperator, 2, 11, ">"),
            mutant(Genre::BinaryOperator, 2, 11, "=="),
            mutant(Genre::BinaryOperator, 2, 7, "-"),
        ],
    );
    assert_eq!(
        changed,
        "fn f() -> bool { (if on(0) { a + 1 > b } else if on(1) { a + 1 == b } else { (if on(2) { a - 1 } \
         else { a + 1 }) < b }) }"
    );
}

#[test]
fn places_are_counted_in_characters() {
    let changed = switched(
        "fn f() { g(\"ü€\", !x); }",
        &[mutant(Genre::UnaryOperator, 1, 18, ""), mutant(Genre::FnValue, 1, 10, "()")],
    );
    assert_eq!(changed, "fn f() { if on(1) { return (); } g(\"ü€\", (if on(0) { x } else { !x })); }");
}

#[test]
fn arms_and_guards() {
    let changed = switched(
        "fn f() {\n    match x {\n        1 | 2 => a,\n        y if y > 3 => b,\n        _ => c,\n    }\n}\n",
        &[
            mutant(Genre::MatchArm, 3, 9, ""),
            mutant(Genre::MatchArmGuard, 4, 14, "true"),
            mutant(Genre::MatchArmGuard, 4, 14, "false"),
        ],
    );
    assert_eq!(
        changed,
        "fn f() { match x { 1 | 2 if !on(0) => a, y if (if on(1) { true } else if on(2) { false } else { y > \
         3 }) => b, _ => c, } }"
    );
}

#[test]
fn a_field_is_left_out() {
    let changed = switched(
        "fn f() -> S {\n    S { a: 1, b: 2, ..S::new() }\n}\n",
        &[mutant(Genre::StructField, 2, 15, "")],
    );
    assert_eq!(
        changed,
        "fn f() -> S { (if on(0) { S { a: 1, ..S::new() } } else { S { a: 1, b: 2, ..S::new() } }) }"
    );
}

/// A condition that binds names is no expression: it has no switch.
#[test]
fn conditions_that_bind_names_are_left_alone() {
    let text = "fn f() { if let Some(x) = y && x > 1 {} }";
    let both = [mutant(Genre::BinaryOperator, 1, 29, "||"), mutant(Genre::BinaryOperator, 1, 34, "<")];
    let changed = switched(text, &both);
    assert_eq!(changed, "fn f() { if let Some(x) = y && (if on(1) { x < 1 } else { x > 1 }) {} }");
}

#[test]
fn an_error_is_the_fault_of_the_change_it_lies_in() {
    let mutants = [mutant(Genre::BinaryOperator, 1, 12, "-"), mutant(Genre::BinaryOperator, 1, 16, "/")];
    let text = "fn f() { a + b * c; }";
    let insertions = of_file(text, mutants.iter().enumerate()).unwrap();
    let rendered = render(text, &insertions, |_| true);
    let at = |part: &str| {
        let start = rendered.text.find(part).unwrap();
        rendered.at_fault(start, start + part.len())
    };
    assert_eq!(at("a - b"), [0]);
    assert_eq!(at("b / c"), [1]);
    assert_eq!(at("b * c })"), [1], "the expression around it");
    assert_eq!(at("fn f"), [] as [usize; 0]);
    let without = render(text, &insertions, |id| id == 1).text;
    assert!(!without.contains("on(0)") && without.contains("on(1)"), "{without}");
}
