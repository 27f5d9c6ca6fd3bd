//! The text at the prompt of the real `passwd`, in every language, and that nothing of a caller
//! or of a spoiled catalogue changes it for the worse; root only, in a private mount namespace.

use std::path::Path;

use nearmiss_tests::{
    artifacts::{artifacts, tool, workspace},
    dialogue::PASSWD,
    filters::GOOD,
    ladder::stack,
    scenario::{
        ANY_PROMPT,
        Answer::{Shell, Type, Wait},
        OLD, Scenario, TESTER,
    },
    skip::{no_namespace, skipped},
    sshd::{PASSED, TOLD},
};
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

const ENGLISH: &str = "BAD PASSWORD: it is a dictionary word or a common password";

/// Each language, how its rejections begin, and the word for a dictionary in the one of a dictionary word.
const LANGUAGES: [(&str, &str, &str); 15] = [
    ("cs", "ŠPATNÉ HESLO: ", "slovníku"),
    ("de", "Unsicheres Passwort: ", "Wörterbuch"),
    ("es", "CONTRASEÑA INCORRECTA: ", "diccionario"),
    ("fr", "MOT DE PASSE INCORRECT\u{a0}: ", "dictionnaire"),
    ("it", "Password scadente: ", "dizionario"),
    ("ja", "よくないパスワード: ", "辞書"),
    ("ko", "잘못된 암호: ", "사전"),
    ("nl", "SLECHT WACHTWOORD: ", "woordenboek"),
    ("pl", "BŁĘDNE HASŁO: ", "słownika"),
    ("pt_BR", "SENHA INCORRETA: ", "dicionário"),
    ("ru", "НЕУДАЧНЫЙ ПАРОЛЬ: ", "словаря"),
    ("sv", "DÅLIGT LÖSENORD: ", "ordbok"),
    ("tr", "KÖTÜ PAROLA: ", "sözlük"),
    ("uk", "НЕНАДІЙНИЙ ПАРОЛЬ: ", "словника"),
    ("zh_CN", "无效的密码：", "字典"),
];

/// A command that puts all catalogues beside Linux-PAM's, in folders of the namespace's own, made by what the
/// packages run.
fn install() -> String {
    let script = workspace().join("packaging/catalogues.sh");
    let one = "d=/usr/share/locale/$l/LC_MESSAGES; cp $d/Linux-PAM.mo /run/pam.mo && \
               mount -t tmpfs -o mode=0755 none $d && cp /run/pam.mo $d/Linux-PAM.mo && \
               cp /run/locale/$l/LC_MESSAGES/nearmiss.mo $d/ || exit 1";
    format!("umask 022; {} /run/locale && for l in $(ls /run/locale); do {one}; done", script.display())
}

/// Root, and Linux-PAM's own catalogues, which small images leave out.
fn cannot_be_tested() -> Option<&'static str> {
    let has_catalogue = Path::new("/usr/share/locale/de/LC_MESSAGES/Linux-PAM.mo").exists();
    no_namespace().or((!has_catalogue).then_some("needs Linux-PAM's catalogues in /usr/share/locale"))
}

fn utf8(language: &str) -> Value {
    json!({"LC_ALL": "C.UTF-8", "LANGUAGE": language})
}

#[test]
fn every_language_is_read_at_the_prompt() {
    if skipped(cannot_be_tested()) {
        return;
    }
    let mut scenario = Scenario::new("retry=2 hint codes").prepare(&[&install()]);
    for (language, ..) in LANGUAGES {
        let steps = [OLD, "butterfly", "tester99"].map(|typed| (ANY_PROMPT, Type(typed)));
        scenario = scenario.talk(Some(TESTER), PASSWD, &steps).with("environment", &utf8(language));
    }
    for (run, (language, beginning, dictionary)) in scenario.play().iter().zip(LANGUAGES) {
        run.expect_status(10).expect_shadow_changed(false);
        run.expect_shown(beginning).expect_shown(dictionary);
        run.expect_shown(" [dictionary]").expect_shown(" [near-user-name]");
        run.expect_nowhere("BAD PASSWORD").expect_nowhere("At least").expect_nowhere("butterfly");
        let wide = run.transcript.lines().find(|line| line.width() > 80);
        assert_eq!(wide, None, "{language}");
        println!("--- {language}\n{}", run.transcript);
    }
}

/// The beginning of what the owner of a leaked password reads at a login, in each language.
const LEAKED: [(&str, &str); 15] = [
    ("cs", "Vaše heslo je v seznamu uniklých hesel"),
    ("de", "Ihr Passwort steht in einer Liste"),
    ("es", "Su contraseña está en una lista"),
    ("fr", "Votre mot de passe figure dans une liste"),
    ("it", "La password si trova in un elenco"),
    ("ja", "お使いのパスワードは"),
    ("ko", "사용 중인 암호가 유출된 암호 목록에"),
    ("nl", "Je wachtwoord staat in een lijst"),
    ("pl", "Hasło znajduje się na liście"),
    ("pt_BR", "Sua senha está em uma lista"),
    ("ru", "Ваш пароль есть в списке"),
    ("sv", "Ditt lösenord finns i en lista"),
    ("tr", "Parolanız, sızdırılmış parolalar"),
    ("uk", "Ваш пароль є в переліку"),
    ("zh_CN", "您的密码在已泄露密码的列表中"),
];

#[test]
fn a_leaked_password_is_told_in_every_language_at_a_login() {
    if skipped(cannot_be_tested()) {
        return;
    }
    let filter = format!(
        "printf %s {OLD} | sha1sum | cut -c1-40 > /run/d; {} build --quiet --kind sha1 \
         -o /etc/security/leaked.filter /run/d >&2",
        artifacts().filterctl.display()
    );
    let auth = ["auth requisite pam_unix.so nodelay", PASSED];
    let prepare =
        [&install(), &filter, &stack("su", &[&auth[..], &["account required pam_unix.so", TOLD]].concat())];
    let rule = "packaged = false\n[[dictionary]]\nfile = \"/etc/security/leaked.filter\"\nlogins = true\n";
    let mut scenario = Scenario::new("").configuration(rule).prepare(&prepare.map(String::as_str));
    let su = ["/bin/su", "tester", "-c", "echo switched"];
    for (language, told) in LEAKED {
        let steps = [(ANY_PROMPT, Type(OLD)), (told, Wait), ("passwd", Wait), ("switched", Wait)];
        scenario = scenario.talk(Some(TESTER), &su, &steps).with("environment", &utf8(language));
    }
    for run in scenario.play() {
        run.expect_status(0).expect_nowhere("Your password");
        assert_eq!(run.steps_done, run.steps, "{run:#?}");
    }
}

/// A rejected try of a user in each of these environments, a shell command of root's before it.
fn tries(prepare: &[&str], cases: &[(String, Value)]) {
    let mut scenario = Scenario::new("retry=1").prepare(prepare);
    for (command, environment) in cases {
        let command: &'static str = command.clone().leak();
        let steps = [("", Shell(command)), (ANY_PROMPT, Type(OLD)), (ANY_PROMPT, Type("butterfly"))];
        scenario = scenario.talk(Some(TESTER), PASSWD, &steps).with("environment", environment);
    }
    for (run, case) in scenario.play().iter().zip(cases) {
        run.expect_status(10).expect_shadow_changed(false);
        assert!(run.transcript.contains(ENGLISH), "{case:?}: {run:#?}");
        run.expect_nowhere("\x1b").expect_nowhere("%n");
    }
}

#[test]
fn a_spoiled_catalogue_is_english() {
    if skipped(cannot_be_tested()) {
        return;
    }
    let file = "/usr/share/locale/de/LC_MESSAGES/nearmiss.mo";
    let source = workspace().join("packaging/po/de.po");
    let remade = |edit: &str| format!("sed '{edit}' {} | msgfmt -o {file} -", source.display());
    let commands = [
        format!("rm {file}"),
        format!("truncate -s 0 {file}"),
        format!("truncate -s 27 {file}"),
        format!("truncate -s 4096 {file}"),
        format!("truncate -s 100M {file}"),
        // Every offset of both tables leads out of the file.
        format!(
            "head -c 384 /dev/zero | tr '\\0' '\\377' | dd of={file} bs=1 seek=28 conv=notrunc status=none"
        ),
        format!("printf '\\001' | dd of={file} bs=1 seek=6 conv=notrunc status=none"),
        format!("head -c 5000 /dev/urandom > {file}"),
        format!("chmod o+w {file}"),
        format!("chown tester {file}"),
        format!("mv {file} {file}.real; ln -s {file}.real {file}; chown -h tester {file}"),
        format!("rm {file}; mkfifo {file}"),
        String::from("chmod o+w /usr/share/locale/de/LC_MESSAGES"),
        remade("s/vielleicht abgewandelt/{hole}/"),
        remade("s/vielleicht abgewandelt/\\x1b[31m/"),
        remade("s/vielleicht abgewandelt/%s%n/; s/UTF-8/ISO-8859-1/"),
    ];
    let restore = format!(
        "rm -f {file}; chmod 755 /usr/share/locale/de/LC_MESSAGES; \
         cp /run/locale/de/LC_MESSAGES/nearmiss.mo {file}"
    );
    tries(&[&install()], &commands.map(|command| (format!("{restore}; {command}"), utf8("de"))));
}

#[test]
fn an_environment_never_leads_to_another_file() {
    if skipped(cannot_be_tested()) {
        return;
    }
    // A catalogue of the caller's own, wherever one of these could lead to it.
    let plant = "mkdir -p /run/evil/LC_MESSAGES && \
                 cp /usr/share/locale/de/LC_MESSAGES/*.mo /run/evil/LC_MESSAGES; chmod -R a+rwX /run/evil";
    let environments = [
        json!({"LC_ALL": "C.UTF-8", "LANGUAGE": "../../../run/evil"}),
        json!({"LC_ALL": "C.UTF-8", "LANGUAGE": "/run/evil"}),
        json!({"LC_ALL": "C.UTF-8", "LANGUAGE": "x:..:../../x"}),
        json!({"LC_ALL": "C", "LANGUAGE": "de"}),
        json!({"LC_ALL": "C.UTF-8", "LOCPATH": "/run/evil", "TEXTDOMAINDIR": "/run/evil",
               "NLSPATH": "/run/evil/%N", "OUTPUT_CHARSET": "ISO-8859-1"}),
    ];
    tries(&[&install(), plant], &environments.map(|environment| (String::from("true"), environment)));
}

/// If a program keeps such a `LANGUAGE` although it is not setuid, libpam follows it: it may choose the
/// language, never a sentence. `python3` is such a program.
#[test]
fn a_catalogue_of_the_callers_own_is_not_read_by_a_program_that_is_not_setuid() {
    if skipped(cannot_be_tested()) {
        return;
    }
    let plant = format!(
        "mkdir -p /run/evil/LC_MESSAGES && \
         cp /usr/share/locale/de/LC_MESSAGES/Linux-PAM.mo /run/evil/LC_MESSAGES && \
         sed 's/Unsicheres Passwort/EVIL/' {} | msgfmt -o /run/evil/LC_MESSAGES/nearmiss.mo - && \
         cp /etc/pam.d/common-password /etc/pam.d/t",
        workspace().join("packaging/po/de.po").display()
    );
    let drive = format!(
        "import locale, runpy; locale.setlocale(locale.LC_ALL, ''); \
         runpy.run_path('{}', run_name='__main__')",
        tool("pamdrive.py").display()
    );
    let case = r#"[{"folder": "/etc/pam.d", "service": "t", "user": "746573746572", "flags": 0,
        "answers": ["627574746572666c79", "627574746572666c79"]}]"#;
    let shell = format!("exec /usr/bin/python3 -c \"{drive}\"");
    let environment = "LC_ALL=C.UTF-8 LANGUAGE=../../../run/evil";
    let run = Scenario::new("retry=1")
        .prepare(&[&install(), &plant])
        .pipe(None, &["/bin/sh", "-c", &format!("export {environment}; {shell}")], case)
        .play_one();
    run.expect_shown("Unsicheres Passwort: ").expect_nowhere("EVIL");
}

#[test]
fn a_suggestion_is_shown_before_the_prompt_is_accepted_and_is_nowhere_in_the_log() {
    if skipped(no_namespace()) {
        return;
    }
    let words = workspace().join("packaging/wordlists/suggest.lst");
    let prepare = format!("install -m 0644 {} /etc/security/words.lst", words.display());
    let configuration = "hint = true\nmin_length = 12\nsuggest_words = \"/etc/security/words.lst\"\n";
    let asked = "At least 12 characters; several unrelated words are fine.";
    let rejected = "Rejected: common passwords, dictionary words and your name, even with small";
    let warning = "Alternatively, if no one else can see your terminal now, your password can be";
    let steps = [
        ("Current password: ", Type(OLD)),
        (asked, Wait),
        (rejected, Wait),
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
    let after = run.transcript.split_once("one of these: ").unwrap().1;
    let suggested: Vec<&str> =
        after.split_once("New password: ").unwrap().0.split(',').map(str::trim).collect();
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
