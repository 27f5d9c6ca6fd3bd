use super::*;

#[test]
fn a_line_is_its_words() {
    let line = StackEntry::parse("-password [success=1 default=ignore] /lib/pam_x.so a b=1 b=2 # c").unwrap();
    assert_eq!((line.kind.as_str(), line.control.as_str()), ("password", "[success=1 default=ignore]"));
    assert_eq!((line.name(), line.has("a"), line.value("b")), ("pam_x.so", true, Some("2")));
    assert!(line.is_silent);
    let spaced = StackEntry::parse("password [success = 1  default= ignore] pam_x.so").unwrap();
    assert_eq!(spaced.control, "[success=1  default=ignore]");
    let line = StackEntry::parse("Password REQUISITE pam_x.so [a b\\]c] d []").unwrap();
    assert_eq!((line.kind.as_str(), line.control.as_str()), ("password", "requisite"));
    assert_eq!((line.arguments, line.is_silent), (vec!["a b]c".into(), "d".into(), String::new()], false));
    for none in ["", "# password", "password", "password required", "password [x pam_x.so"] {
        assert!(StackEntry::parse(none).is_none(), "{none}");
    }
}

#[test]
fn included_lines_stand_where_they_are_included() {
    let root = tempfile::tempdir().unwrap();
    for (name, text) in [
        (
            "etc/pam.d/passwd",
            "auth optional pam_a.so\n@include common-password\npassword include vendor\n@include gone#",
        ),
        ("etc/pam.d/common-password", "\npassword required \\\n  pam_b.so x\npassword substack loop\n"),
        ("etc/pam.d/loop", "password include loop\n"),
        ("usr/share/pam/pam.d/vendor", "password optional pam_c.so\n"),
    ] {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let stack = Stack::of_service(root.path(), "passwd").unwrap();
    let told: Vec<_> = stack.lines.iter().map(|line| (line.name(), line.number)).collect();
    assert_eq!(told, [("pam_b.so", 2), ("pam_c.so", 1)]);
    assert!(stack.lines[0].place().ends_with("etc/pam.d/common-password:2") && stack.lines[0].has("x"));
    let [missing] = stack.missing.as_slice() else { panic!("{:?}", stack.missing) };
    assert_eq!((missing.module.as_str(), missing.number), ("gone", 4));
    assert!(Stack::of_service(root.path(), "none").is_none());
}
