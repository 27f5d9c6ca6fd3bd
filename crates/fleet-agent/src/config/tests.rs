use super::*;

/// The keys without a default.
const OPTIONAL: [&str; 3] = ["password_file", "certificate", "key"];

/// The text that the packages ship, every value being the default.
#[test]
fn the_documented_file_is_the_default() {
    let text = include_str!("../../../../packaging/fleet/agent.toml");
    assert_eq!(Config::parse(text).unwrap(), Config::default());
    let is_value = |rest: &&str| !rest.starts_with([' ', '#']);
    let values = |optional: bool| -> String {
        let lines = text.lines().filter_map(|line| line.strip_prefix('#').filter(is_value));
        let kept = lines.filter(|line| optional || !OPTIONAL.iter().any(|key| line.starts_with(key)));
        kept.flat_map(|line| [line, "\n"]).collect()
    };
    assert_eq!(Config::parse(&values(false)).unwrap(), Config::default());
    // Every key is present.
    assert_eq!(values(true).lines().count(), 14);
    let full = Config::parse(&values(true)).unwrap();
    assert!(full.password_file.is_some() && full.certificate.is_some() && full.key.is_some());
}

#[test]
fn what_is_wrong_is_refused_with_its_line() {
    for (text, line, says) in [
        ("tls = true\nnode = []\n", "line 2", "unknown field `node`"),
        ("\n\nworkers = 0\n", "line 3", "must be 1 to 64"),
        ("timeout_ms = 45\n", "line 1", "must be 5 to 40"),
        ("hot_seconds = \"1\"\n", "line 1", "write a whole number, without quotes"),
        ("tls = \"yes\"\n", "line 1", "write true or false, without quotes"),
        ("\nuser = 5\n", "line 2", "write text, in quotes"),
        ("ca = true\n", "line 1", "write text, in quotes"),
        ("key = [\"k.pem\"]\n", "line 1", "write text, in quotes"),
        ("nodes = \"a:1\"\n", "line 1", "write a list"),
        ("nodes = [1]\n", "line 1", "write text, in quotes"),
        ("\nnodes = [\"a:1\", \"b\"]\n", "line 2", "`b` is not HOST:PORT"),
        ("tls = yes\n", "line 1", ""),
    ] {
        let message = Config::parse(text).unwrap_err();
        assert!(message.contains(line) && message.contains(says), "{message}");
    }
    assert!(Config::parse("nodes = []").unwrap_err().contains("at least one"));
    assert!(Config::parse("key = \"k.pem\"").unwrap_err().contains("together"));
}

#[test]
fn a_file_is_read_whole_or_refused() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for (length, is_read) in [(MAX_BYTES, true), (MAX_BYTES + 1, false), (2 * MAX_BYTES, false)] {
        file.as_file().set_len(length).unwrap();
        let bytes = read(file.path()).ok().map(|bytes| bytes.len() as u64);
        assert_eq!(bytes, is_read.then_some(length));
    }
}

#[test]
fn files_lie_beside_the_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.toml");
    fs::write(&path, "password_file = \"pw\"\ncertificate = \"/c.pem\"\nkey = \"k.pem\"\n").unwrap();
    let config = Config::load(&path).unwrap();
    assert_eq!(config.password_file, Some(folder.path().join("pw")));
    assert_eq!((config.ca, config.certificate), (folder.path().join("ca.pem"), Some("/c.pem".into())));
    assert!(Config::load(&path.with_file_name("none")).unwrap_err().to_string().contains("none"));
    fs::write(folder.path().join("pw"), "secret\nrest\n").unwrap();
    assert_eq!(*read_password(&folder.path().join("pw")).unwrap(), "secret");
    fs::write(folder.path().join("pw"), "secret\r\n").unwrap();
    assert_eq!(*read_password(&folder.path().join("pw")).unwrap(), "secret");
    fs::write(folder.path().join("pw"), "\n").unwrap();
    assert!(read_password(&folder.path().join("pw")).is_err());
}
