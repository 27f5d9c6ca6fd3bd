use std::{fs, os::unix::fs::PermissionsExt};

use nearmiss_filters::{
    ladder::{HeaderError, KeyProblem},
    storage::StorageError,
};
use nearmiss_policy::config::Config;

use super::*;

/// No list's name makes the contents of the exact filter: one command builds both.
#[test]
fn both_packaged_filters_are_built_by_the_same_command() {
    for file in PACKAGED {
        assert_eq!(of_filter(Path::new("/"), Path::new(file)), "filterctl update", "{file}");
        let of_image = of_filter(Path::new("/image"), &Path::new("/image").join(&file[1..]));
        assert_eq!(of_image, "chroot /image filterctl update", "{file}");
    }
    assert!(of_filter(Path::new("/"), Path::new("/none/own.filter")).starts_with("filterctl install"));
}

/// No command that is printed for another system changes the running one.
#[test]
fn a_command_for_another_system_acts_there_or_on_its_files() {
    let root = Path::new("/my image");
    for (command, expected) in [
        ("apt install wfrench", "chroot '/my image' apt install wfrench"),
        ("apt install x && ldconfig", "chroot '/my image' apt install x && chroot '/my image' ldconfig"),
        ("vi +1 '/my image/etc/pam.d/passwd'", "vi +1 '/my image/etc/pam.d/passwd'"),
        ("chroot '/my image' filterctl update", "chroot '/my image' filterctl update"),
        (
            "rm '/my image/w.update' && filterctl update",
            "rm '/my image/w.update' && chroot '/my image' filterctl update",
        ),
        ("sed -i 's/a && b/c/' '/my image/f'", "sed -i 's/a && b/c/' '/my image/f'"),
        ("filterctl doctor --service NAME", "filterctl doctor --root '/my image' --service NAME"),
        ("sudo filterctl doctor", "sudo filterctl doctor --root '/my image'"),
        ("man pam_nearmiss", "man pam_nearmiss"),
    ] {
        assert_eq!(below(root, command), expected);
        assert_eq!(below(Path::new("/"), command), command);
    }
    let root = Path::new("/anna's image");
    let remove = on_files("rm", [root.join("w.update").as_path()]);
    assert_eq!(
        below(root, &format!("{remove} && filterctl update")),
        format!("{remove} && {}", in_root(root, "filterctl update"))
    );
}

#[test]
fn a_rule_that_a_file_broke_has_its_command() {
    let line = |act| of_storage(&StorageError::rule(Path::new("/f"), act));
    assert_eq!(line(Act::OthersMayWrite).as_deref(), Some("chmod go-w /f"));
    assert_eq!(line(Act::OthersMayRead).as_deref(), Some("chmod 0600 /f"));
    assert_eq!(line(Act::ForeignOwner).as_deref(), Some("chown root /f"));
    assert_eq!(line(Act::ForeignLink).as_deref(), Some("chown -h root /f"));
    assert_eq!(line(Act::Busy), None);
}

/// No limit, mode, owner or access of the moment takes the counts of a ladder away.
#[test]
fn a_ladder_is_made_anew_only_where_its_content_is_lost() {
    use std::io::{Error, ErrorKind};
    let files = LadderFiles { file: "/l".into(), key: "/k".into() };
    let file = Path::new("/l");
    let line = |error: LadderError| of_ladder(Path::new("/"), &error, &files, "make it anew".to_owned());
    let system = |code: i32| line(StorageError::io(file, Act::Open, Error::from_raw_os_error(code)).into());
    for code in [libc::EMFILE, libc::ENFILE, libc::ENOMEM, libc::EAGAIN] {
        assert_eq!(system(code), AGAIN, "{code}");
    }
    for code in [libc::EACCES, libc::EIO, libc::ESTALE, libc::ELOOP] {
        assert_eq!(system(code), "ls -ld /l", "{code}");
    }
    let rule = |path: &str, act| line(StorageError::rule(Path::new(path), act).into());
    assert_eq!(rule("/l", Act::OthersMayWrite), "chmod 0600 /l");
    assert_eq!(rule("/k", Act::OthersMayRead), "chmod 0600 /k");
    assert_eq!(rule("/folder", Act::OthersMayWrite), "chmod go-w /folder");
    assert_eq!(rule("/folder", Act::ForeignOwner), "chown root /folder");
    assert_eq!(rule("/l", Act::DanglingLink), "ls -ld /l");
    let newer = HeaderError::Version { got: 9, expected: 3 };
    assert_eq!(line(LadderError::File { path: file.to_owned(), problem: newer }), upgrade(Path::new("/")));
    let newer = LadderError::Key { path: "/k".into(), problem: KeyProblem::Version };
    assert_eq!(line(newer), upgrade(Path::new("/")));
    let source = || Error::from(ErrorKind::OutOfMemory);
    assert_eq!(line(LadderError::Random(source())), AGAIN);
    assert_eq!(line(LadderError::NotSeen { path: "/run/seen".into() }), "rm /run/seen");
    let path = || file.to_owned();
    for lost in [
        LadderError::OtherKey { path: path(), key: "/k".into() },
        LadderError::SlowGuesses { path: path() },
        StorageError::rule(file, Act::TooLarge).into(),
        StorageError::io(Path::new("/k"), Act::Open, ErrorKind::NotFound).into(),
    ] {
        assert_eq!(line(lost), "make it anew");
    }
}

#[test]
fn an_editor_opens_at_the_line_of_the_stack() {
    let mut line = StackEntry::parse("password requisite pam_nearmiss.so").unwrap();
    (line.file, line.number) = ("/etc/pam.d/common password".into(), 7);
    assert_eq!(edit(&line), "vi +7 '/etc/pam.d/common password'");
}

#[test]
fn a_configuration_that_cannot_be_used_has_the_command_that_mends_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("site.conf");
    let path = file.display();
    let command = || of_configuration(&Config::load(&file).unwrap_err());
    assert_eq!(command(), Some(format!("vi {path}")), "it is missing");
    fs::write(&file, "# a comment\nmin_lenght = 9\n").unwrap();
    assert_eq!(command(), Some(format!("vi +2 {path}")));
    fs::write(&file, b"# caf\xe9\n").unwrap();
    assert_eq!(command(), Some(format!("vi {path}")));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(command(), Some(format!("chmod go-w {path}")));
}

#[test]
fn a_filter_that_is_gone_comes_back_from_where_it_came() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("site.filter");
    let path = file.display();
    assert_eq!(of_filter(Path::new("/"), &file), format!("filterctl install NEW.filter {path}"));
    fs::write(provenance::previous(&file), "").unwrap();
    assert_eq!(of_filter(Path::new("/"), &file), format!("filterctl rollback {path}"));
}
