//! The file of seen failures comes to be whole or not at all, wherever the process that makes it is killed.

use nearmiss_filters::ladder::SEEN_BYTES;
use nearmiss_tests::{
    faults::no_strace,
    report_tried,
    skip::{no_namespace, skipped},
};
use serde_json::json;

use super::local::{Logins, scenario};

/// Kills a login at each `step`-th system call from the ladder's opening on, each time without the file, then
/// logs in once more with the same password. Prints what is wrong, and how often it was killed.
const SCRIPT: &str = r#"
fail() { printf 'a-masked-password-of-the-tester' | "$@" $PROGRAM /etc/pam.d scan tester 1 2>/dev/null; }
file=/run/nearmiss/failures
fail strace -f -qq -o /run/trace > /dev/null
places=$(awk '{ sub(/^[0-9]+ +/, ""); name = $0; sub(/\(.*/, "", name); count[name]++ }
    /guessed.ladder/ { seen = 1 }
    seen && /^[a-z]/ && name !~ /^(exit|exit_group|execve)$/ { print name ":" count[name] }' /run/trace)
killed=0
number=0
for place in $places; do
    number=$((number + 1))
    [ $((number % STEP)) = 0 ] || continue
    rm -rf /run/nearmiss
    [ $((number % 2)) = 0 ] && mkdir -m 700 /run/nearmiss
    said=$({ fail strace -f -o /dev/null -e "inject=${place%:*}:signal=KILL:when=${place#*:}"; } 2> /dev/null)
    case $said in *code*) continue ;; esac
    killed=$((killed + 1))
    left=$(ls -A /run/nearmiss 2>/dev/null)
    case $left in
    '') ;;
    failures)
        [ "$(stat -c '%s %a' $file) $(head -c 8 $file)" = "$BYTES 600 NMRECENT" ] || echo "$place: not whole"
        ;;
    *) echo "$place: left $left" ;;
    esac
    [ "$(fail env)" = 'code 7 prompts 1' ] || echo "$place: no login afterwards"
    [ "$(stat -c '%s %a' $file)" = "$BYTES 600" ] || echo "$place: not made afterwards"
    counted=$(od -An -tu8 -j40 -N8 $file)
    [ "$counted" -le 1 ] || echo "$place: counted $counted times"
done
echo "killed $killed"
"#;

fn kill_everywhere(step: u32) -> u32 {
    let logins = Logins::new();
    let bytes = SEEN_BYTES.to_string();
    let values =
        json!({"PROGRAM": logins.program.to_str().unwrap(), "STEP": step.to_string(), "BYTES": bytes});
    let script = scenario().pipe(None, &["/bin/sh", "-c", SCRIPT], "");
    let run = script.with("environment", &values).with("seconds", &json!(1200)).play_one();
    let killed = run.transcript.strip_prefix("killed ").and_then(|count| count.trim().parse().ok());
    killed.unwrap_or_else(|| panic!("{}", run.transcript))
}

#[test]
fn killed_at_some_system_calls_the_file_is_whole_or_not_there() {
    if skipped(no_namespace().or_else(no_strace)) {
        return;
    }
    let killed = kill_everywhere(7);
    assert!(killed >= 5, "{killed} kills");
}

#[test]
#[ignore = "make torture"]
fn killed_at_every_system_call_the_file_is_whole_or_not_there() {
    let killed = kill_everywhere(1);
    assert!(killed >= 40, "{killed} kills");
    report_tried("failed logins killed at every system call while the file of seen failures is made", killed);
}
