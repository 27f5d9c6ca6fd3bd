//! `filterctl check`: verdicts, order, spellings, and what is never shown.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

use std::path::PathBuf;

use crate::{Folder, build_arguments, run, run_with};

const CANDIDATES: &[u8] = b"elephant\nelephqnt\nVq7#mzt0Lp2x\n\nshort\n3lephqnt42\n";

fn codes(run: &crate::Run) -> Vec<String> {
    let code = |verdict: serde_json::Value| verdict["reason"].as_str().unwrap_or("accept").to_owned();
    run.json().into_iter().map(code).collect()
}

#[test]
fn verdicts_are_in_order_and_spelled_as_promised() {
    let folder = Folder::new();
    let filter = folder.filter("elephant\npassword\n");
    let filter = filter.to_str().unwrap();
    let judged = run_with(["check", "--filter", filter, "--json"], CANDIDATES);
    assert_eq!(judged.code, 1);
    let expected = "{\"schema\":1,\"line\":1,\"verdict\":\"reject\",\"reason\":\"dictionary\"}\n\
        {\"schema\":1,\"line\":2,\"verdict\":\"reject\",\"reason\":\"near-dictionary\"}\n\
        {\"schema\":1,\"line\":3,\"verdict\":\"accept\"}\n\
        {\"schema\":1,\"line\":4,\"verdict\":\"reject\",\"reason\":\"empty\"}\n\
        {\"schema\":1,\"line\":5,\"verdict\":\"reject\",\"reason\":\"too-short\"}\n\
        {\"schema\":1,\"line\":6,\"verdict\":\"reject\",\"reason\":\"near-dictionary\"}\n";
    assert_eq!(judged.out, expected);
}

#[test]
fn flags_change_the_policy() {
    let folder = Folder::new();
    let filter = folder.filter("elephant\npassword\n");
    let filter = filter.to_str().unwrap();
    let plain = run_with(["check", "--filter", filter, "--json", "--no-variants"], b"3lephqnt42\n");
    assert_eq!((plain.code, codes(&plain)), (0, vec!["accept".to_owned()]));
    let short = run_with(["check", "--filter", filter, "--json", "--min-length", "5"], b"short\n");
    assert_eq!((short.code, codes(&short)), (0, vec!["accept".to_owned()]));
    let context =
        ["check", "--filter", filter, "--json", "--user", "annabella", "--gecos", "Anna Grünwalder,,"];
    let near = run_with(context, "annabellq\ngrünwalder\nhost-names\n".as_bytes());
    assert_eq!(codes(&near), ["near-user-name", "near-real-name", "accept"]);
    let host =
        run_with(["check", "--filter", filter, "--json", "--host", "host-name.example"], b"host-names\n");
    assert_eq!(codes(&host), ["near-host-name"]);
}

#[test]
fn several_filters_are_asked_together() {
    let (one, two) = (Folder::new(), Folder::new());
    let (first, second) = (one.filter("elephant\n"), two.filter("password\n"));
    let arguments = ["check", "--json", "--filter", first.to_str().unwrap(), "-f", second.to_str().unwrap()];
    assert_eq!(
        codes(&run_with(arguments, b"elephant\npassword\nVq7#mzt0Lp2x\n")),
        ["dictionary", "dictionary", "accept"]
    );
}

#[test]
fn the_configuration_is_the_modules() {
    let folder = Folder::new();
    let filter = folder.filter("elephant\n");
    let conf = folder.file(
        "site.conf",
        format!(
            "min_length = 4\npackaged = false\n[[dictionary]]\nfile = {filter:?}\nmatch = \"exact\"\n\
             [variants]\nreversed = false\n"
        ),
    );
    let judged = run_with(
        ["check", "--json", "--conf", conf.to_str().unwrap()],
        b"elephant\nelephqnt\ntnahpele\nabc\n",
    );
    assert_eq!(codes(&judged), ["dictionary", "accept", "accept", "too-short"]);
    let wrong = folder.file("wrong.conf", "min_length = 4\nrung = 4\n");
    let told = run_with(["check", "--conf", wrong.to_str().unwrap()], b"");
    assert!(told.error_line().contains("wrong.conf") && told.error_line().contains("rung"), "{told:?}");
}

/// A script that looks for weak passwords finds them on a site that only warns, too.
#[test]
fn parts_that_only_warn_or_audit_say_so() {
    let folder = Folder::new();
    let (warned, rejected) = (folder.filter("elephant\n"), folder.path("rejected.filter"));
    let list = folder.file("rejected.txt", "password\n");
    assert_eq!(run(build_arguments(&rejected, &[&list])).code, 0);
    let conf = folder.file(
        "levels.conf",
        format!(
            "enforce = \"audit\"\npackaged = false\n[[dictionary]]\nfile = {warned:?}\nenforce = \"warn\"\n\
             [[dictionary]]\nfile = {rejected:?}\nenforce = \"reject\"\n"
        ),
    );
    let arguments = ["check", "--conf", conf.to_str().unwrap()];
    let lines = |candidates: &[u8]| run_with(arguments, candidates);
    let judged = lines(b"elephant\npassword\nabc\nVq7#mzt0Lp2x\n");
    let starts =
        ["1: would warn: dictionary:", "2: reject: dictionary:", "3: would audit: too-short:", "4: accept"];
    let shown: Vec<&str> = judged.out.lines().collect();
    assert_eq!(shown.len(), starts.len(), "{judged:?}");
    assert!(shown.iter().zip(starts).all(|(line, start)| line.starts_with(start)), "{shown:?}");
    assert_eq!((judged.code, lines(b"elephant\n").code, lines(b"Vq7#mzt0Lp2x\n").code), (1, 1, 0));
    let json = run_with([&arguments[..], &["--json"]].concat(), b"elephant\nabc\n").json();
    assert_eq!([&json[0]["verdict"], &json[1]["verdict"]], ["warn", "audit"]);
    let summary = run_with([&arguments[..], &["--summary"]].concat(), b"elephant\nabc\npassword\n");
    assert!(
        summary.out.contains("\nrejected                          1\nwould warn                        1\n"),
        "{summary:?}"
    );
    let rejected = run_with([&arguments[..], &["--only", "rejected"]].concat(), b"elephant\nVq7#mzt0Lp2x\n");
    assert_eq!(rejected.out.lines().count(), 1);
}

#[test]
fn thousands_of_candidates_on_many_threads_stay_in_order() {
    let folder = Folder::new();
    let (list, filter) = (folder.file("words.txt", "elephant\npassword\n"), folder.path("words.filter"));
    // None of the strangers is rejected by accident.
    let built =
        [build_arguments(&filter, &[&list]), ["--false-rejection", "1e-12"].map(PathBuf::from).into()];
    assert_eq!(run(built.concat()).code, 0);
    let candidates: String = (0..30_000)
        .map(|n| if n % 7 == 0 { "elephant\n".to_owned() } else { format!("Vq7#mzt{n}xLp2x\n") })
        .collect();
    let arguments = ["check", "--jobs", "5", "--json", "--filter", filter.to_str().unwrap()];
    let judged = run_with(arguments, candidates.as_bytes());
    assert_eq!(judged.out.lines().count(), 30_000);
    for (n, verdict) in judged.json().into_iter().enumerate() {
        assert_eq!(verdict["line"], n + 1);
        assert_eq!(verdict["verdict"] == "reject", n % 7 == 0, "{n}");
    }
    let arguments = ["check", "--only", "accepted", "--json", "--filter", filter.to_str().unwrap()];
    assert_eq!(run_with(arguments, candidates.as_bytes()).out.lines().count(), 30_000 - 4286);
}

#[test]
fn the_summary_counts_by_reason() {
    let folder = Folder::new();
    let filter = folder.filter("elephant\n");
    let filter = filter.to_str().unwrap();
    let summary = run_with(["check", "--filter", filter, "--summary", "--json"], CANDIDATES);
    assert_eq!(summary.code, 1);
    let expected = "{\"schema\":1,\"checked\":6,\"accepted\":1,\"rejected\":5,\"reasons\":\
        {\"dictionary\":1,\"empty\":1,\"near-dictionary\":2,\"too-short\":1}}\n";
    assert_eq!(summary.out, expected);
}

#[test]
fn explanations_name_variant_edit_and_neighbour() {
    let folder = Folder::new();
    let filter = folder.filter("elephant\n");
    let arguments = ["check", "--explain", "--json", "--filter", filter.to_str().unwrap()];
    let told = run_with(arguments, b"3lephqnt42\n").json().remove(0);
    assert_eq!(told["neighbour"], "elephant");
    assert_eq!(told["edit"], "with another character 6");
    assert_eq!(told["variant"], serde_json::json!(["ends stripped", "leet undone"]));
    assert_eq!(told["dictionary"], filter.canonicalize().unwrap().to_str().unwrap());
}

#[test]
fn a_forbidden_word_is_named_by_the_explanation_alone() {
    let folder = Folder::new();
    let filter = folder.filter("elephant\n");
    let conf = format!(
        "packaged = false\n[policy]\nforbidden_words = [\"acme\"]\nforbidden_words_file = \"{}\"\n\
         [[dictionary]]\nfile = \"{}\"\n",
        folder.file("never", "contoso\n").display(),
        filter.display()
    );
    let conf = folder.file("n.conf", &conf);
    let conf = conf.to_str().unwrap();
    let candidates = b"xq7.4cm3.Vz0Lp\nxq7.Contosa.Vz0Lp\nxq7.acne.Vz0Lp\n";
    let plain = run_with(["check", "--json", "--conf", conf, "--no-ladder"], candidates);
    assert_eq!(codes(&plain), ["forbidden-word", "forbidden-word", "accept"], "{plain:?}");
    assert!(!plain.out.contains("acme") && !plain.out.contains("contoso"), "{plain:?}");
    let told = run_with(["check", "--json", "--explain", "--conf", conf, "--no-ladder"], candidates).json();
    assert_eq!(told[0]["variant"], serde_json::json!(["leet undone"]));
    assert_eq!([0, 1].map(|at| told[at]["pieces"][0].as_str()), [Some("acme"), Some("contoso")]);
    assert!(told[0]["dictionary"].is_null());
}

#[test]
fn a_candidate_is_never_shown() {
    let folder = Folder::new();
    let filter = folder.filter("elephant\n");
    let filter = filter.to_str().unwrap();
    for form in [&["--json"][..], &[], &["--summary"]] {
        let arguments = ["check", "--filter", filter].into_iter().chain(form.iter().copied());
        let told = run_with(arguments, b"Elephqnt\nunheard-of-7\n");
        assert_eq!(told.code, 1);
        for secret in ["lephqnt", "lephant", "unheard"] {
            assert!(!told.out.contains(secret) && !told.err.contains(secret), "{told:?}");
        }
    }
}

#[test]
fn answers_come_before_the_next_question() {
    let folder = Folder::new();
    let filter = folder.filter("elephant\n");
    let mut child = Command::new(env!("CARGO_BIN_EXE_filterctl"))
        .args(["check", "--json", "--filter", filter.to_str().unwrap()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, mut out) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    for (candidate, expected) in [(&b"elephant\n"[..], "reject"), (b"Vq7#mzt0Lp2x\n", "accept")] {
        stdin.write_all(candidate).unwrap();
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        assert!(line.contains(expected), "{line}");
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

/// The users whose passwords would be rejected, without the passwords.
#[test]
fn an_audit_names_users_and_no_password() {
    let folder = Folder::new();
    let filter = folder.filter("elephant\nzebrapassword\n");
    let audit = |more: &[&str], input: &str| {
        let fixed = ["check", "--audit", "--filter", filter.to_str().unwrap()];
        run_with(fixed.iter().chain(more), input.as_bytes())
    };
    let list = "anna:elephqnt\nbob:Zq7-uncommon-phrase\ncarl:zebrapassword\nrupert:rupertrupert\nnothing\n";
    let told = audit(&["--json"], list);
    assert_eq!(told.code, 1, "{told:?}");
    let json = &told.json()[0];
    let counts = ["checked", "accepted", "rejected", "left_out"].map(|key| json[key].as_u64().unwrap());
    assert_eq!(counts, [4, 1, 3, 1]);
    let users = |reason: &str| json["users"][reason][0].as_str();
    assert_eq!((users("near-dictionary"), users("dictionary")), (Some("anna"), Some("carl")));
    assert_eq!(users("near-user-name"), Some("rupert"), "its own user's name: {json}");
    let text = audit(&[], list);
    assert!(text.out.contains("\n  anna\n") && text.err.contains("1 line without the columns"), "{text:?}");
    for told in [&told, &text] {
        assert!(!["elephqnt", "uncommon", "zebra"].iter().any(|word| told.out.contains(word)), "{told:?}");
    }
    let gecos =
        audit(&["--json", "--columns", "user,gecos,password"], "dora:Dora Quartermain:quartermain1\n");
    assert_eq!(gecos.json()[0]["users"]["near-real-name"][0], "dora", "{gecos:?}");
}

#[test]
fn lines_of_users_and_passwords_are_named_by_their_user() {
    let folder = Folder::new();
    let filter = folder.filter("elephant\n");
    let fixed = ["check", "--columns", "user,password", "--filter", filter.to_str().unwrap()];
    let told = run_with(fixed, b"anna:elephant\nbob:Zq7-uncommon-phrase\n");
    assert!(
        told.out.starts_with("1 anna: reject: dictionary: ") && told.out.contains("\n2 bob: accept\n"),
        "{told:?}"
    );
    let none = run_with(fixed, b"elephant\nelephants\n");
    assert!(none.err.contains("no line of standard input has the columns"), "{none:?}");
}

#[test]
fn hashes_are_refused_with_what_to_do_instead() {
    let folder = Folder::new();
    let filter = folder.filter("elephant\n");
    let shadow = b"root:*:19000:0:99999:7:::\nanna:$y$j9T$abcd$efgh:19000:0:99999:7:::\n";
    for flags in [&["--audit"][..], &["--columns", "user,password"], &[]] {
        let told = run_with(["check", "--filter", filter.to_str().unwrap()].iter().chain(flags), shadow);
        let line = told.error_line();
        assert!(line.contains("as in /etc/shadow") && line.contains("enforce = \"audit\""), "{line}");
    }
}
