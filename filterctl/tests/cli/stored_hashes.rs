//! `filterctl check --audit` of stored hashes: each form that directories and their tools print.

use nearmiss_filters::{digest::digest_of, format::Kind};
use serde_json::{Value, json};

use crate::{Folder, Run, run, run_with};

const LEAKED: &str = "summer2020";
const EARLIER: &str = "winter2019";
const GOOD: &str = "Zq7-uncommon-phrase";
const NO_LM: &str = "aad3b435b51404eeaad3b435b51404ee";
const BCRYPT: &str = "$2y$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";

fn digest(kind: Kind, password: &str) -> String {
    digest_of(kind, password.as_bytes()).unwrap().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn nt(password: &str) -> String {
    digest(Kind::Ntlm, password)
}

fn sha1(password: &str) -> String {
    digest(Kind::Sha1, password)
}

fn base64(bytes: &str) -> String {
    data_encoding::BASE64.encode(&data_encoding::HEXLOWER.decode(bytes.as_bytes()).unwrap())
}

/// Filters of both kinds with two passwords.
struct Site(Folder);

impl Site {
    fn new() -> Site {
        let site = Site(Folder::new());
        for (kind, digest) in [("ntlm", nt as fn(&str) -> String), ("sha1", sha1)] {
            let list = site.0.file(&format!("{kind}.txt"), [LEAKED, EARLIER].map(digest).join("\n"));
            let filter = site.0.path(kind);
            let command = ["build", "--kind", kind, "--output", filter.to_str().unwrap()];
            let built = run(command.iter().copied().chain([list.to_str().unwrap()]));
            assert_eq!(built.code, 0, "{built:?}");
        }
        site
    }

    fn audit_with(&self, kinds: &[&str], more: &[&str], input: &str) -> Run {
        let filters: Vec<String> = kinds.iter().map(|kind| self.0.path(kind).display().to_string()).collect();
        let filters = filters.iter().flat_map(|filter| ["--filter", filter.as_str()]);
        let run = run_with(
            ["check", "--audit"].into_iter().chain(filters).chain(more.iter().copied()),
            input.as_bytes(),
        );
        for hash in [LEAKED, EARLIER, GOOD].iter().flat_map(|password| [nt(password), sha1(password)]) {
            let shown = format!("{}{}", run.out, run.err).to_lowercase();
            assert!(!shown.contains(&hash) && !shown.contains(&base64(&hash).to_lowercase()), "{run:?}");
        }
        run
    }

    fn audit(&self, input: &str) -> (i32, Value) {
        let run = self.audit_with(&["ntlm", "sha1"], &["--json"], input);
        let json = run.json().remove(0);
        (run.code, json)
    }
}

/// The users of a verdict, and the number of hashes.
fn facts(json: &Value, verdict: &str) -> (u64, Value) {
    (json["checked"].as_u64().unwrap(), json[verdict].clone())
}

#[test]
fn a_leaked_password_is_found_in_each_form() {
    let site = Site::new();
    let (leaked, good) = (nt(LEAKED), nt(GOOD));
    let shas = (base64(&sha1(LEAKED)), base64(&sha1(GOOD)));
    for (form, input) in [
        ("pwdump", format!("anna:500:{NO_LM}:{leaked}:::\nbob:501:{NO_LM}:{}:::\n", good.to_uppercase())),
        (
            "secretsdump",
            format!(
                "[*] Domain Credentials (domain\\uid:rid:lmhash:nthash)\nanna:1104:{NO_LM}:{leaked}::: \
                 (status=Enabled)\nbob:1105:{NO_LM}:{good}::: (status=Enabled)\n[*] Kerberos keys grabbed\n\
                 anna:aes256-cts-hmac-sha1-96:{}\n",
                "ab".repeat(32)
            ),
        ),
        (
            "pdbedit -L -w",
            format!(
                "anna:1:{0}:{1}:[U          ]:LCT-5F000000:\nbob:2:{0}:{2}:[U          ]:LCT-5F000001:\n",
                "X".repeat(32),
                leaked.to_uppercase(),
                good.to_uppercase()
            ),
        ),
        ("user:NT", format!("anna:{leaked}\nbob:{good}\n")),
        ("john's user:NT", format!("anna:$NT${leaked}\nbob:$NT${good}\r\n")),
        ("user:SHA-1", format!("anna:{}\nbob:{}\n", sha1(LEAKED), sha1(GOOD).to_uppercase())),
        ("user:{SHA}", format!("anna:{{SHA}}{}\nbob:{{SHA}}{}\n", shas.0, shas.1)),
        (
            "LDIF with {SHA}",
            format!(
                "version: 1\n\n# comment\ndn: uid=anna,dc=example\nuid: anna\nuserPassword:: {}\n {}\n\ndn: \
                 uid=bob,dc=example\nuid: bob\nuserPassword: {{SHA}}{}\n",
                &data_encoding::BASE64.encode(format!("{{SHA}}{}", shas.0).as_bytes())[..20],
                &data_encoding::BASE64.encode(format!("{{SHA}}{}", shas.0).as_bytes())[20..],
                shas.1
            ),
        ),
        (
            "LDIF of Samba",
            format!(
                "dn: uid=anna\ncn: Anna\nsAMAccountName: anna\nsambaNTPassword: {leaked}\n\ndn: uid=bob\n\
                 sambaNTPassword: {good}\nuid: bob\n"
            ),
        ),
        (
            "ldbsearch",
            format!(
                "# record 1\ndn: CN=anna\nsAMAccountName: anna\nunicodePwd:: {}\n\n# record 2\ndn: \
                 CN=bob\nsAMAccountName: bob\nunicodePwd:: {}\n",
                base64(&leaked),
                base64(&good)
            ),
        ),
    ] {
        let (code, json) = site.audit(&input);
        assert_eq!((code, facts(&json, "breached")), (1, (2, json!(["anna"]))), "{form}: {json}");
        assert_eq!((&json["accepted"], &json["not_judged"]), (&json!(1), &json!({})), "{form}: {json}");
    }
}

#[test]
fn accounts_are_judged_by_more_than_the_filters() {
    let site = Site::new();
    let (leaked, good, earlier) = (nt(LEAKED), nt(GOOD), nt(EARLIER));
    let input = format!(
        "anna:500:0123456789abcdef0123456789abcdef:{good}:::\nbob:501:{NO_LM}:{good}::: (status=Disabled)\n\
         carl:502:{NO_LM}:{}:::\ndora:503:NO PASSWORD*********************:NO PASSWORD*********************:\
         [U          ]:LCT-0:\nemil:504:{NO_LM}:{leaked}:[DU         ]:LCT-0:\nfay:505:{NO_LM}:{}:::\n\
         fay_history0:505:{NO_LM}:{earlier}:::\ngus:506:{0}:{0}:[U          ]:LCT-0:\n\
         hal:CLEARTEXT:{GOOD}\n",
        nt(""),
        nt("another-Uncommon-7"),
    )
    .replace(
        "gus:506:31d6cfe0d16ae931b73c59d7e0c089c0:31d6cfe0d16ae931b73c59d7e0c089c0",
        &format!("gus:506:{0}:{0}", "X".repeat(32)),
    );
    let (code, json) = site.audit(&input);
    assert_eq!(code, 1);
    for (verdict, users) in [
        ("breached", json!(["emil (disabled)"])),
        ("breached_earlier", json!(["fay"])),
        ("empty", json!(["carl", "dora"])),
        ("lm_hash", json!(["anna"])),
        ("no_password", json!(["gus"])),
        ("clear_text", json!(["hal"])),
        ("same_password", json!([["anna", "bob (disabled)"]])),
    ] {
        assert_eq!(json[verdict], users, "{verdict}: {json}");
    }
}

#[test]
fn what_is_not_judged_is_named_and_the_status_is_not_0() {
    let site = Site::new();
    let (good, sha) = (nt(GOOD), sha1(GOOD));
    let (code, json) = site.audit(&format!("anna:{good}\nbob:{good}\ncarl:{BCRYPT}\n"));
    assert_eq!((code, &json["not_judged"]), (4, &json!({"bcrypt hashes": ["carl"]})), "{json}");
    let (code, json) = site.audit(&format!("anna:{good}\nbob:{sha}\nwhat is this\n"));
    assert_eq!((code, &json["unknown_lines"]), (4, &json!(1)), "{json}");
    let (code, _) = site.audit(&format!("anna:{good}\nbob:{sha}\n"));
    assert_eq!(code, 0, "everything was judged");
    let one = site.audit_with(&["ntlm"], &[], &format!("anna:$NT${good}\nbob:{sha}\n"));
    assert!(
        one.code == 4 && one.out.contains("not judged: SHA-1 digests, and no filter of this kind"),
        "{one:?}"
    );
    let none = site.audit_with(&["sha1"], &[], &format!("anna:{good}\n"));
    let line = none.error_line();
    assert!(none.code == 2 && line.contains("no hash of standard input could be judged"), "{none:?}");
    assert!(line.contains("filterctl build --kind ntlm"), "{line}");
    let text = site.audit_with(&["ntlm"], &[], &format!("anna:{good}\n"));
    assert!(text.err.contains("MD5 digests look the same"), "{text:?}");
}

#[test]
fn damaged_and_hostile_lines_are_named_or_unknown() {
    let site = Site::new();
    let good = nt(GOOD);
    let start = format!("anna:{good}\n").repeat(30);
    for odd in [
        ":\n",
        "::::::::\n",
        "a:1:2:3\n",
        "\u{202e}:x\n",
        "a:{SHA}not base64\n",
        "a:{\n",
        "a:}{\n",
        "dn:\n",
        "a:$NT$00\n",
        "a:5:LM:NT\n",
    ] {
        let (code, json) = site.audit(&format!("{start}{odd}"));
        assert_eq!((code, &json["accepted"]), (4, &json!(30)), "{odd:?}: {json}");
    }
    let long = format!("{start}{}\n", "x:".repeat(1 << 20));
    assert_eq!(site.audit(&long).0, 4);
    for entry in
        ["dn: x\nuserPassword:: !!\nsambaNTPassword: 00\n", "dn: x\n\n\n\ndn: y\nuserPassword: plain\n"]
    {
        let run = site.audit_with(&["ntlm"], &["--json"], entry);
        assert!([1, 2].contains(&run.code) && !run.err.contains("panicked"), "{run:?}");
    }
}

/// A password that looks like a digest is a password where the columns are named.
#[test]
fn columns_that_are_named_are_passwords() {
    let site = Site::new();
    let run = site.audit_with(
        &["ntlm"],
        &["--json", "--columns", "user,password"],
        &format!("anna:{}\n", nt(GOOD)),
    );
    assert_eq!((run.code, &run.json()[0]["accepted"]), (0, &json!(1)), "{run:?}");
}
