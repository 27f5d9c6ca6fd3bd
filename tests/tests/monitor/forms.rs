//! The forms in which the daemons write a line, and a message once for several; and what is said of a line in
//! none of them.

use super::{
    awks, counted, run,
    week::{ACCEPT, Counts},
};

/// What stands before a message: `journalctl` in its forms, rsyslog, sysklogd, syslog-ng, RFC 5424. `SS`
/// stands for seconds, `APP` for the program, `PID` for its number.
const HEADS: [&str; 26] = [
    "Nov  3 01:02:SS box APP[PID]: ",
    "Nov 03 01:02:SS box authpriv.info APP: ",
    "<86>Nov  3 01:02:SS box APP[PID]: ",
    // Without a host; a month in another language; a year.
    "Nov 03 01:02:SS APP[PID]: ",
    "Mär 03 01:02:SS box APP[PID]: ",
    "nov. 03 01:02:SS box APP[PID]: ",
    "Nov  3 2026 01:02:SS box APP[PID]: ",
    // short-precise, short-iso, short-iso-precise, short-full, short-unix, short-monotonic, short-delta.
    "Nov 03 01:02:SS.003456 box APP[PID]: ",
    "2026-11-13T01:02:SS+0100 box APP[PID]: ",
    "2026-11-13T01:02:SS+01:00 box APP[PID]: ",
    "2026-11-13T01:02:SS.123456-0330 box APP[PID]: ",
    "Fri 2026-11-13 01:02:SS UTC box APP[PID]: ",
    "Fri 2026-11-13 01:02:SS.123456 +0330 box APP[PID]: ",
    "1794531600.0034SS box APP[PID]: ",
    "[    5.0034SS] box APP[PID]: ",
    "[12345.0034SS <    0.000123 >] box APP[PID]: ",
    "[12345.0034SS               ] box APP[PID]: ",
    // RFC 3339.
    "2026-11-13T01:02:SS.123456+01:00 box.example.org APP[PID]: ",
    "2026-11-13T01:02:SSZ box APP[PID]: ",
    "2026-11-13 01:02:SS.123456+01:00 box APP[PID]: ",
    // RFC 5424: with and without the priority, the time and the rest; with data; the message after a blank,
    // or after the mark of UTF-8.
    "<86>1 2026-11-13T01:02:SS.003Z box.example.org APP PID - - ",
    "1 2026-11-13T01:02:SS.123456+01:00 box APP PID - -  ",
    "<86>1 - box APP - - - ",
    "<86>1 2026-11-13T01:02:SSZ box APP PID ID47 [a@1 k=\"v\" of=\"a \\\"b\\] c: \\\\\"][origin ip=\"::1\"] ",
    "<86>1 2026-11-13T01:02:SSZ box APP PID - [timeQuality tzKnown=\"1\"] \u{feff}",
    // `journalctl -o cat`.
    "",
];

/// A message of a program, in one of the forms.
pub(super) fn line(number: u32, program: &str, message: &str) -> String {
    // A message without a head could be of any program.
    head(HEADS[number as usize % (HEADS.len() - 1)], number, program) + message
}

fn head(form: &str, number: u32, program: &str) -> String {
    let second = format!("{:02}", number % 60);
    form.replace("SS", &second).replace("APP", program).replace("PID", &(1000 + number % 3000).to_string())
}

/// The line that stands for further `times` of the message in the line before it: by rsyslog, which writes
/// the message, by sysklogd, and by syslog-ng, which writes its beginning.
pub(super) fn again(number: u32, program: &str, message: &str, times: u32) -> String {
    match number % 3 {
        0 => line(number, program, &format!("message repeated {times} times: [ {message}]")),
        1 => format!("Nov  3 01:02:{:02} box last message repeated {times} times", number % 60),
        _ => {
            let words = format!(
                "Last message '{message:.20}' repeated {times} times, suppressed by syslog-ng on box"
            );
            line(number, program, &words)
        }
    }
}

fn accepted(times: u32) -> String {
    let mut counts = Counts::default();
    (0..times).for_each(|_| counts.add(ACCEPT, 1));
    counts.report()
}

const ACCEPTED: &str = "pam_nearmiss(passwd:chauthtok): decision=accept reason=- enforced=yes try=1 user=u1 \
                        service=passwd rhost=- cause=-";
const LISTED: &str = "pam_nearmiss(sshd:auth): decision=listed reason=breached enforced=warn try=1 user=- \
                      service=sshd rhost=- cause=-";

#[test]
fn every_usual_form_of_a_line_is_read() {
    for awk in awks() {
        for (form, end) in HEADS.into_iter().flat_map(|form| [(form, "\n"), (form, "\r\n")]) {
            let log =
                format!("{}{ACCEPTED}{end}{}{LISTED}{end}", head(form, 7, "passwd"), head(form, 61, "sshd"));
            let expected = accepted(1) + "logins with a leaked password 1\n";
            assert_eq!(counted(&awk, &log), expected, "{awk:?} {log}");
        }
    }
}

#[test]
fn a_message_written_once_for_several_is_counted_for_each() {
    let first = line(0, "passwd", ACCEPTED);
    let other = line(0, "sshd", "Invalid user u1 from 203.0.113.7 port 4");
    let repeated = |number| again(number, "passwd", ACCEPTED, 3);
    for awk in awks() {
        for number in 0..78 {
            let log = format!("{first}\n{}\n", repeated(number));
            assert_eq!(counted(&awk, &log), accepted(4), "{awk:?} {log}");
            // Twice, as a daemon does that does not wait for another message.
            let log = format!("{first}\n{}\n{}\n{other}\n", repeated(number), repeated(number));
            assert_eq!(counted(&awk, &log), accepted(7), "{awk:?} {log}");
        }
        // What is repeated is another program's, or before the beginning of the log.
        for number in [1, 2] {
            for before in ["", &format!("{first}\n{other}\n")] {
                let log = format!("{before}{}\n", again(number, "sshd", "Invalid user", 3));
                let expected = if before.is_empty() { accepted(0) } else { accepted(1) };
                assert_eq!(counted(&awk, &log), expected, "{awk:?} {log}");
            }
        }
    }
}

#[test]
fn lines_that_cannot_be_read_are_counted_and_the_first_is_named() {
    let cut = &ACCEPTED[..ACCEPTED.len() - 20];
    let unread = [
        // Forms that no daemon has by default, other forms of the journal, tables.
        format!("13.11.2026 01:02:03 box passwd[12]: {ACCEPTED}"),
        format!("box passwd[12]: {ACCEPTED}"),
        format!("Nov  3 01:02:03 box passwd[12]:{ACCEPTED}"),
        format!("Nov  3 01:02:03 [passwd] {ACCEPTED}"),
        format!("<86>2 2026-11-13T01:02:03Z box passwd 12 - - {ACCEPTED}"),
        format!("<86>1 2026-11-13T01:02:03Z box passwd 12 - [a b] {ACCEPTED}"),
        format!("    MESSAGE={ACCEPTED}"),
        format!("    \"MESSAGE\" : \"{ACCEPTED}\","),
        format!("data: {{\"SYSLOG_FACILITY\":\"10\",\"MESSAGE\":\"{ACCEPTED}\"}}"),
        format!("2026-11-13,box,\"{LISTED}\""),
        // Without the fields of the journal, or with others.
        format!("{{\"MESSAGE\":\"{ACCEPTED}\"}}"),
        format!("{{\"message\":\"{ACCEPTED}\",\"hostname\":\"box\"}}"),
        // Cut off, or changed.
        format!("Nov  3 01:02:03 box passwd[12]: {}", &cut[..cut.len() - 10]),
        format!("Nov  3 01:02:03 box passwd[12]: message repeated 1 times: [ {}]", &cut[..cut.len() - 10]),
        format!("Nov  3 01:02:03 box sshd[12]: {}", LISTED.replace("try=1", "try=x")),
        format!(
            "{{\"SYSLOG_FACILITY\":\"10\",\"_UID\":\"0\",\"MESSAGE\":\"{}\"}}",
            ACCEPTED.replace("try=", "")
        ),
        format!("{{\"SYSLOG_FACILITY\":\"10\",\"_UID\":\"0\",\"MESSAGE\":\"{ACCEPTED} and \\\"more\\\"\"}}"),
    ];
    let good = format!("{}\n\n{}\n", line(0, "passwd", ACCEPTED), line(20, "passwd", ACCEPTED));
    for awk in awks() {
        for line in &unread {
            let (status, report) = run(&awk, &format!("{good}{line}\n{line}\n"));
            let expected = accepted(2) + "lines that could not be read 2\nthe first of them is line 4\n";
            assert_eq!((status, report), (Some(4), expected), "{awk:?} {line}");
        }
        let times = "Nov  3 01:02:03 box last message repeated 2 times";
        let (status, report) = run(&awk, &format!("{}\n{times}\n", unread[14]));
        let expected = accepted(0) + "lines that could not be read 3\nthe first of them is line 1\n";
        assert_eq!((status, report), (Some(4), expected), "{awk:?}");
    }
}

/// Others write the words of a decision where their own message stands: nothing is counted, and nothing is
/// unread.
#[test]
fn lines_of_others_are_not_called_unread() {
    let forged = |field: &str| {
        format!(
            "{{\"SYSLOG_FACILITY\":\"10\",\"_UID\":\"1000\",\"_CAP_EFFECTIVE\":\"0\",\
             \"MESSAGE\":\"{field}\"}}\n"
        )
    };
    let mut log = forged("pam_nearmiss(passwd:chauthtok): decision=accept");
    log += &forged(&format!("x \\\",\\\"MESSAGE\\\":\\\"{ACCEPTED}"));
    log += "{\"SYSLOG_FACILITY\":\"3\",\"MESSAGE\":\"pam_nearmiss(passwd:chauthtok): decision=accept\"}\n";
    for number in 0..25 {
        log += &line(number, "sshd", &format!("Invalid user box[1]: {ACCEPTED} from 203.0.113.7 port 4\n"));
        log += &line(number, "sshd", "Invalid user last message repeated 3 times\n");
        log +=
            &line(number, "sshd", "pam_nearmiss(sshd:auth): guess from 203.0.113.7 weight 5: decision=x\n");
    }
    for awk in awks() {
        assert_eq!(counted(&awk, &log), accepted(0), "{awk:?}");
    }
}

#[test]
fn a_log_of_several_files_names_the_file_of_a_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, two) = (folder.path().join("auth.log.1"), folder.path().join("auth.log"));
    std::fs::write(&one, line(0, "passwd", ACCEPTED) + "\n").expect("written");
    std::fs::write(&two, format!("\n{ACCEPTED}\nbox: {ACCEPTED}\n")).expect("written");
    for awk in awks() {
        let mut command = super::command(&awk);
        let output = command.arg(&one).arg(&two).output().expect("awk");
        let told = String::from_utf8(output.stdout).expect("text");
        let expected = format!("the first of them is line 3 of {}\n", two.display());
        assert!(told.ends_with(&expected) && output.status.code() == Some(4), "{awk:?}: {told}");
    }
}
