//! What the person at the prompt of the real `passwd` reads, in every language, and that nothing of a caller
//! or of a spoiled catalogue changes it for the worse; root only, in a private mount namespace.
#![forbid(unsafe_code)]

use nearmiss_tests::{
    artifacts::workspace,
    filters::GOOD,
    scenario::{
        ANY_PROMPT,
        Answer::{Type, Wait},
        OLD, Run, Scenario, TESTER,
    },
    skip::{no_namespace, skipped},
};
use serde_json::{Value, json};

const PASSWD: &[&str] = &["/usr/bin/passwd"];
const ENGLISH: &str = "BAD PASSWORD: it is a dictionary word or a common password";

/// Each language, how its rejections begin, and the word for a dictionary in the one of a dictionary word.
const LANGUAGES: [(&str, &str, &str); 10] = [
    ("de", "Unsicheres Passwort: ", "Wörterbuch"),
    ("es", "CONTRASEÑA INCORRECTA: ", "diccionario"),
    ("fr", "MOT DE PASSE INCORRECT : ", "dictionnaire"),
    ("it", "Password scadente: ", "dizionario"),
    ("ja", "よくないパスワード: ", "辞書"),
    ("nl", "SLECHT WACHTWOORD: ", "woordenboek"),
    ("pl", "BŁĘDNE HASŁO: ", "słownika"),
    ("pt_BR", "SENHA INCORRETA: ", "dicionário"),
    ("ru", "НЕУДАЧНЫЙ ПАРОЛЬ: ", "словаря"),
    ("zh_CN", "无效的密码：", "字典"),
];

/// A command that puts a language's catalogue beside Linux-PAM's, in a folder of the namespace's own, made by
/// what the packages run.
fn install(language: &str) -> String {
    let source = workspace().join("packaging/catalogues.sh");
    let source = source.display();
    format!(
        "d=/usr/share/locale/{language}/LC_MESSAGES; test -e $d/Linux-PAM.mo && \
         cp $d/Linux-PAM.mo /run/pam.mo && mount -t tmpfs -o mode=0755 none $d && \
         cp /run/pam.mo $d/Linux-PAM.mo && {source} /run/locale && \
         install -m 0644 /run/locale/{language}/LC_MESSAGES/nearmiss.mo $d/nearmiss.mo"
    )
}

/// Two rejected tries of a user under these settings.
fn rejected(commands: &[String], options: &str, environment: &Value) -> Run {
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    let steps = [OLD, "butterfly", "tester99"].map(|typed| (ANY_PROMPT, Type(typed)));
    let scenario = Scenario::new(&format!("retry=2 {options}")).prepare(&commands);
    scenario.talk(Some(TESTER), PASSWD, &steps).with("environment", environment).play_one()
}

fn utf8(language: &str) -> Value {
    json!({"LC_ALL": "C.UTF-8", "LANGUAGE": language})
}

#[test]
fn every_language_is_read_at_the_prompt() {
    if skipped(no_namespace()) {
        return;
    }
    for (language, beginning, dictionary) in LANGUAGES {
        let run = rejected(&[install(language)], "hint codes", &utf8(language));
        run.expect_status(10).expect_shadow_changed(false);
        run.expect_shown(beginning).expect_shown(dictionary);
        run.expect_shown(" [dictionary]").expect_shown(" [near-user-name]");
        run.expect_nowhere("BAD PASSWORD").expect_nowhere("At least").expect_nowhere("butterfly");
        println!("--- {language}\n{}", run.transcript);
    }
}

/// English, whatever is wrong, and the password is judged all the same.
fn expect_english(run: &Run, case: &str) {
    run.expect_status(10).expect_shadow_changed(false);
    assert!(run.transcript.contains(ENGLISH), "{case}: {run:#?}");
}

#[test]
fn a_spoiled_catalogue_is_english() {
    if skipped(no_namespace()) {
        return;
    }
    let file = "/usr/share/locale/de/LC_MESSAGES/nearmiss.mo";
    let source = workspace().join("po/de.po");
    let remade = |edit: &str| format!("sed '{edit}' {} | msgfmt -o {file} -", source.display());
    for command in [
        format!("rm {file}"),
        format!("truncate -s 0 {file}"),
        format!("truncate -s 27 {file}"),
        format!("truncate -s 4096 {file}"),
        format!("truncate -s 100M {file}"),
        // Every offset of both tables leads out of the file.
        format!("perl -e 'open F, \"+<\", shift; seek F, 28, 0; print F \"\\xff\" x 384' {file}"),
        format!("printf '\\001' | dd of={file} bs=1 seek=6 conv=notrunc status=none"),
        format!("head -c 5000 /dev/urandom > {file}"),
        format!("chmod o+w {file}"),
        format!("chown tester {file}"),
        format!("mv {file} {file}.real; ln -s {file}.real {file}"),
        format!("rm {file}; mkfifo {file}"),
        format!("chmod o+w /usr/share/locale/de/LC_MESSAGES"),
        remade("s/vielleicht abgewandelt/{hole}/"),
        remade("s/vielleicht abgewandelt/\\x1b[31m/"),
        remade("s/vielleicht abgewandelt/%s%n/; s/UTF-8/ISO-8859-1/"),
    ] {
        let run = rejected(&[install("de"), command.clone()], "", &utf8("de"));
        expect_english(&run, &command);
        run.expect_nowhere("\x1b").expect_nowhere("%n");
    }
}

#[test]
fn an_environment_never_leads_to_another_file() {
    if skipped(no_namespace()) {
        return;
    }
    // A catalogue of the caller's own, wherever one of these could lead to it.
    let plant = "mkdir -p /run/evil/LC_MESSAGES && for d in nearmiss Linux-PAM; do \
                 printf 'msgid \"\"\\nmsgstr \"Language: de\\\\nContent-Type: text/plain; charset=UTF-8\\\\n\"\\n' | \
                 msgfmt -o /run/evil/LC_MESSAGES/$d.mo -; done; chmod -R a+rwX /run/evil";
    let commands = [install("de"), plant.to_owned()];
    for environment in [
        json!({"LC_ALL": "C.UTF-8", "LANGUAGE": "../../../run/evil"}),
        json!({"LC_ALL": "C.UTF-8", "LANGUAGE": "/run/evil"}),
        json!({"LC_ALL": "C.UTF-8", "LANGUAGE": "x:..:../../x"}),
        json!({"LC_ALL": "C", "LANGUAGE": "de"}),
        json!({"LC_ALL": "C.UTF-8", "LOCPATH": "/run/evil", "TEXTDOMAINDIR": "/run/evil",
               "NLSPATH": "/run/evil/%N", "OUTPUT_CHARSET": "ISO-8859-1"}),
    ] {
        let run = rejected(&commands, "", &environment);
        expect_english(&run, &environment.to_string());
    }
}

#[test]
fn root_with_a_callers_environment_reads_no_catalogue_of_the_caller() {
    if skipped(no_namespace()) {
        return;
    }
    // libpam itself follows it for root: the language is taken from there, the sentences never.
    let plant = "mkdir -p /run/evil/LC_MESSAGES && \
                 cp /usr/share/locale/de/LC_MESSAGES/Linux-PAM.mo /run/evil/LC_MESSAGES && \
                 sed 's/Unsicheres Passwort/EVIL/' PO/de.po | msgfmt -o /run/evil/LC_MESSAGES/nearmiss.mo -";
    let plant = plant.replace("PO", workspace().join("po").to_str().unwrap());
    let steps = [(ANY_PROMPT, Type("butterfly")), (ANY_PROMPT, Type("butterfly"))];
    let run = Scenario::new("retry=1")
        .prepare(&[&install("de"), &plant])
        .talk(None, &["/usr/bin/passwd", "tester"], &steps)
        .with("environment", &json!({"LC_ALL": "C.UTF-8", "LANGUAGE": "../../../run/evil"}))
        .play_one();
    run.expect_status(0).expect_shown("Unsicheres Passwort: ").expect_nowhere("EVIL");
}

#[test]
fn a_suggestion_is_shown_before_the_prompt_is_accepted_and_is_nowhere_in_the_log() {
    if skipped(no_namespace()) {
        return;
    }
    let words = workspace().join("packaging/wordlists/suggest.lst");
    let prepare = format!("install -m 0644 {} /etc/security/words.lst", words.display());
    let configuration = "hint = true\nmin_length = 12\nsuggest_words = \"/etc/security/words.lst\"\n";
    let asked = "At least 12 characters; several unrelated words are fine. Rejected: common passwords, dictionary \
                 words and your name, even with small changes.";
    let warning = "Alternatively, if no one else can see your terminal now, you can pick one of these as your \
                   password: ";
    let steps = [
        ("Current password: ", Type(OLD)),
        (asked, Wait),
        (warning, Wait),
        ("New password: ", Type(GOOD)),
        ("Retype new password: ", Type(GOOD)),
        ("password updated successfully", Wait),
    ];
    let run = Scenario::new("retry=3 suggest=3 debug")
        .configuration(configuration)
        .prepare(&[&prepare])
        .talk(Some(TESTER), PASSWD, &steps)
        .play_one();
    run.expect_status(0).expect_shadow_changed(true);
    let suggested = run.transcript.split_once(warning).unwrap().1.lines().next().unwrap();
    let suggested: Vec<&str> = suggested.split(", ").collect();
    assert_eq!(suggested.len(), 3, "{run:#?}");
    for passphrase in suggested {
        assert_eq!(passphrase.split('-').count(), 5, "{run:#?}");
        assert!(run.log.iter().all(|line| !line.contains(passphrase)), "{run:#?}");
    }
}

#[test]
fn words_that_cannot_be_trusted_mean_no_suggestion_and_a_line_in_the_log() {
    if skipped(no_namespace()) {
        return;
    }
    let words = workspace().join("packaging/wordlists/suggest.lst");
    let prepare = format!("install -m 0666 {} /etc/security/words.lst", words.display());
    let steps = [
        ("Current password: ", Type(OLD)),
        ("New password: ", Type(GOOD)),
        ("Retype new password: ", Type(GOOD)),
        ("password updated successfully", Wait),
    ];
    let run = Scenario::new("retry=3")
        .configuration("suggest = 1\nsuggest_words = \"/etc/security/words.lst\"\n")
        .prepare(&[&prepare])
        .talk(Some(TESTER), PASSWD, &steps)
        .play_one();
    run.expect_status(0).expect_log("no passphrase is suggested: /etc/security/words.lst");
    run.expect_nowhere("Alternatively");
}
