//! `filterctl migrate` beside the modules that it replaces, unpacked and never installed
//! (`tools/unpack.sh`): what any line of a stack rejects as too short, the configuration that is printed
//! rejects as too short.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use nearmiss_tests::{
    artifacts::{artifacts, tool},
    report_tried,
    skip::{no_namespace, skipped},
    sshd::libraries,
};
use serde_json::{Value, json};

/// A stack with the files that its modules read.
struct Generated {
    files: Vec<(&'static str, Vec<u8>)>,
    lines: Vec<Vec<u8>>,
    passwords: Vec<Vec<u8>>,
}

/// Numbers of a fixed sequence (xorshift64).
struct Sequence(u64);

impl Sequence {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// A number, or what people and editors make of it.
    fn number(&mut self) -> String {
        let number = self.below(34);
        let odd = ["", "x", "0x10", "99999999999", "2147483647", "-3", "0", "two"];
        match self.below(12) {
            0 => self.one(&odd).to_owned(),
            1 => format!("{number}x"),
            2 => format!("+{number}"),
            _ => number.to_string(),
        }
    }

    fn pwquality(&mut self) -> (&'static str, String) {
        let names = ["minlen", "minlen", "MinLen", "difok", "dcredit", "ucredit", "minclass", "retry"];
        match self.below(14) {
            0 => ("frobnicate", String::new()),
            1 => ("enforce_for_root", self.one(&["", "0"]).to_owned()),
            2 => ("badwords", "initech".to_owned()),
            3 => (self.one(&["dcredit", "lcredit"]), self.one(&["-1", "0", "1", "2"]).to_owned()),
            _ => (self.one(&names), self.number()),
        }
    }

    fn file(&mut self) -> Vec<u8> {
        let mut file = Vec::new();
        for _ in 0..self.below(6) {
            let (name, value) = self.pwquality();
            let separator = self.one(&["=", " = ", "\t", " == ", "  =\u{b}"]);
            let end = self.one(&["", "", " # note", "\r", "  "]);
            file.extend(format!("{name}{separator}{value}{end}\n").bytes());
        }
        match self.below(20) {
            0 => file.extend(b"badwords = caf\xe9\nminlen = 12\n"),
            1 => file.extend(format!("badwords = {}\nminlen = 6\n", "x".repeat(1100)).bytes()),
            2 => file.extend(b"minlen = 20\0\nminlen = 6\n"),
            3 => file.extend(b"\n# only a comment\nminlen = 17"),
            _ => {}
        }
        file
    }

    fn line(&mut self) -> Vec<u8> {
        let folder = libraries().join("security").display().to_string();
        if self.below(3) == 0 {
            let mut line = format!("password requisite {folder}/pam_passwdqc.so");
            for _ in 0..self.below(3) {
                line += " ";
                line += &self.passwdqc();
            }
            return line.into_bytes();
        }
        let mut line = format!("password requisite {folder}/pam_pwquality.so");
        for _ in 0..self.below(4) {
            let (name, value) = self.pwquality();
            line += " ";
            line += name;
            if !value.is_empty() || self.below(2) > 0 {
                line += "=";
                line += &value;
            }
        }
        if self.below(8) == 0 {
            line += " [minlen= 19]";
        }
        line.into_bytes()
    }

    fn passwdqc(&mut self) -> String {
        let own = ["min=x,8,8,8,8", "min=11", "enforce=users", "similar=permit", "max=40", "passphrase=0"];
        match self.below(4) {
            0 => self.one(&own).to_owned(),
            1 => "config=/etc/security/passwdqc.conf".to_owned(),
            _ => self.lengths(),
        }
    }

    /// Mostly five lengths, none larger than the one before it.
    fn lengths(&mut self) -> String {
        let mut lengths: Vec<usize> = (0..5).map(|_| self.below(36)).collect();
        if self.below(10) > 0 {
            lengths.sort_unstable_by(|a, b| b.cmp(a));
        }
        let disabled = self.below(6);
        let length = |(at, length): (usize, usize)| {
            if at < disabled { "disabled".to_owned() } else { length.to_string() }
        };
        format!("min={}", lengths.into_iter().enumerate().map(length).collect::<Vec<_>>().join(","))
    }

    fn password(&mut self) -> Vec<u8> {
        let letters: Vec<char> = "abcdxyzABCXYZ0123456789.,!%öß".chars().collect();
        let length = 1 + self.below(36);
        let password: String = (0..length).map(|_| self.one(&letters)).collect();
        password.into_bytes()
    }

    fn stack(&mut self, passwords: usize) -> Generated {
        let mut files = Vec::new();
        for name in ["pwquality.conf.d/10.conf", "pwquality.conf.d/20.conf", "pwquality.conf"] {
            if self.below(2) == 0 {
                files.push((name, self.file()));
            }
        }
        let lengths = self.lengths();
        files.push(("passwdqc.conf", format!("# lengths\n{lengths}\r\n").into_bytes()));
        let lines = (0..=self.below(3)).map(|_| self.line()).collect();
        Generated { files, lines, passwords: (0..passwords).map(|_| self.password()).collect() }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// For each stack and each of its lines the numbers of the passwords that are too short.
fn verdicts(stacks: &[Generated]) -> Vec<Vec<Option<Vec<usize>>>> {
    let case = |stack: &Generated| {
        let files: serde_json::Map<String, Value> =
            stack.files.iter().map(|(name, text)| ((*name).to_owned(), json!(hexadecimal(text)))).collect();
        let all = |texts: &[Vec<u8>]| texts.iter().map(|text| hexadecimal(text)).collect::<Vec<_>>();
        json!({ "files": files, "lines": all(&stack.lines), "passwords": all(&stack.passwords) })
    };
    let cases = json!(stacks.iter().map(case).collect::<Vec<_>>()).to_string();
    let errors = tempfile::NamedTempFile::new().unwrap();
    let mut driver = Command::new("unshare")
        .args(["-m", "--propagation", "private", "python3"])
        .arg(tool("lengths.py"))
        .env("LD_LIBRARY_PATH", libraries())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        // cracklib writes a line for each password without its dictionary.
        .stderr(fs::File::create(errors.path()).unwrap())
        .spawn()
        .unwrap();
    driver.stdin.take().unwrap().write_all(cases.as_bytes()).unwrap();
    let output = driver.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", fs::read_to_string(errors.path()).unwrap());
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The least length of the configuration that migrate prints.
fn migrated(stack: &Generated) -> (usize, String) {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &Path, text: &[u8]| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for (name, text) in &stack.files {
        write(&root.path().join("etc/security").join(name), text);
    }
    write(&root.path().join("etc/pam.d/passwd"), &stack.lines.join(&b'\n'));
    let output =
        Command::new(&artifacts().filterctl).arg("migrate").arg("--root").arg(root.path()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let length = text.lines().find_map(|line| line.strip_prefix("min_length = "));
    (length.map_or(8, |length| length.parse().unwrap()), text)
}

/// Returns the number of passwords that a line rejected as too short.
fn compare(stacks: usize, passwords: usize) -> usize {
    let mut sequence = Sequence(0x6e65_6172_6d69_7373);
    let stacks: Vec<Generated> = (0..stacks).map(|_| sequence.stack(passwords)).collect();
    let verdicts = verdicts(&stacks);
    assert_eq!(verdicts.len(), stacks.len());
    let mut rejected = 0;
    for (stack, of_lines) in stacks.iter().zip(&verdicts) {
        let (least, text) = migrated(stack);
        for (line, short) in stack.lines.iter().zip(of_lines) {
            for number in short.iter().flatten() {
                rejected += 1;
                let password = String::from_utf8_lossy(&stack.passwords[*number]);
                assert!(
                    password.chars().count() < least,
                    "{} rejects the length of {password}, and {least} is least:\n{text}",
                    String::from_utf8_lossy(line)
                );
            }
        }
    }
    report_tried("stacks of other modules, migrated", stacks.len());
    rejected
}

fn skips() -> bool {
    let module = libraries().join("security/pam_pwquality.so");
    let missing =
        (!module.exists()).then_some("needs pam_pwquality and pam_passwdqc (tests/tools/unpack.sh)");
    skipped(no_namespace().or(missing))
}

#[test]
fn what_the_other_modules_reject_for_its_length_is_rejected_for_its_length() {
    if !skips() {
        assert!(compare(60, 40) > 500, "most lines reject some");
    }
}

#[test]
#[ignore = "make torture: 2,000 stacks with 200 passwords each"]
fn what_the_other_modules_reject_for_its_length_is_rejected_for_its_length_2000_times() {
    if !skips() {
        assert!(compare(2000, 200) > 100_000, "most lines reject some");
    }
}
