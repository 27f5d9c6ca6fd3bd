//! The driver of terminals (`tools/dialogue.py`), by which all tests type: nothing that it types is lost,
//! however late a program reads.

use std::process::Command;

use nearmiss_tests::{
    artifacts::tool,
    pam::{python, run},
    scenario::ANY_PROMPT,
};
use serde_json::{Value, json};

/// Plays these steps with a program; gives the result.
fn play(command: &[&str], steps: &Value) -> Value {
    let mut driver = Command::new(python());
    let played = run(driver.arg(tool("dialogue.py")).args(command), steps.to_string().as_bytes());
    serde_json::from_str(&played).expect("the driver reports")
}

/// `tools/late.py` throws away what is typed before it reads, at every place where a program may be late.
#[test]
fn what_is_typed_is_never_thrown_away() {
    let late = tool("late.py");
    for way in ["parts", "flush", "echo", "poll"] {
        for prompt in ["New password: ", ANY_PROMPT] {
            let steps = json!([[prompt, "first"], [prompt, "second"], ["typed: ", null]]);
            let played = play(&[python(), late.to_str().unwrap(), way], &steps);
            assert_eq!((&played["status"], &played["steps_done"]), (&json!(0), &json!(3)), "{way}: {played}");
            let shown = played["transcript"].as_str().unwrap();
            assert!(shown.ends_with("typed: ['first', 'second']\n"), "{way}: {played}");
        }
    }
}

#[test]
fn a_program_that_asks_for_more_is_ended_at_once() {
    let late = tool("late.py");
    let steps = json!([["New password: ", "first"]]);
    let played = play(&[python(), late.to_str().unwrap(), "flush"], &steps);
    assert_eq!((&played["status"], &played["steps_done"]), (&json!("waits"), &json!(1)), "{played}");
}

/// A child of the program, the end of the input, a signal, and a program that reads nothing.
#[test]
fn every_kind_of_answer_is_given() {
    let child = ["sh", "-c", "sh -c 'printf \"? \"; read -r x; echo got $x'; echo over"];
    let played = play(&child, &json!([["? ", "this"], ["over", null]]));
    assert!(played["transcript"].as_str().unwrap().contains("got this"), "{played}");
    let played = play(&["sh", "-c", "echo begin; cat; echo over"], &json!([["begin", {"eof": true}]]));
    assert!(played["transcript"].as_str().unwrap().contains("over"), "{played}");
    let played = play(&["sh", "-c", "echo begin; cat"], &json!([["begin", {"signal": "KILL"}]]));
    assert_eq!((&played["status"], &played["steps_done"]), (&json!(-9), &json!(1)), "{played}");
    let played = play(&["sh", "-c", "echo begin"], &json!([["begin", "never"]]));
    assert_eq!((&played["status"], &played["steps_done"]), (&json!(0), &json!(0)), "{played}");
}
