use super::*;

#[test]
fn without_encryption_nothing_leaves_the_machine() {
    let connector = Connector::new(&Config { tls: false, ..Config::default() }).unwrap();
    let soon = Instant::now() + Duration::from_secs(1);
    for host in ["192.0.2.1", "example.org", "2001:db8::1", "127.0.0.1.example.org"] {
        let node = Address { host: host.to_owned(), port: 6379 };
        assert!(matches!(connector.connect(&node, soon), Err(Fault::Refused(_))), "{host}");
    }
    assert!(is_of_this_machine("127.0.0.9") && is_of_this_machine("::1"));
}

/// Any user of the machine can listen on a port while the store is down.
#[test]
fn without_encryption_a_password_goes_through_a_closed_folder_alone() {
    use std::{fs, net::TcpListener, os::unix::fs::PermissionsExt, os::unix::net::UnixListener};

    let config = Config { tls: false, ..Config::default() };
    let long = Duration::from_secs(300);
    let connect = |node: &Address, password| {
        let connector = Connector::of(&config, "nmagent", password, long).unwrap();
        connector.connect(node, Instant::now() + long).map(drop)
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let node = Address { host: "127.0.0.1".to_owned(), port: listener.local_addr().unwrap().port() };
    assert!(matches!(connect(&node, Some("secret")), Err(Fault::Refused(_))));
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "nobody was connected to");
    assert_eq!(connect(&node, None), Ok(()));
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("store.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let node: Address = socket.display().to_string().parse().unwrap();
    for (mode, is_closed) in [(0o770, false), (0o1777, false), (0o757, false), (0o2755, true), (0o700, true)]
    {
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
        let answer = std::thread::scope(|scope| {
            if is_closed {
                scope.spawn(|| {
                    let (mut peer, _) = listener.accept().unwrap();
                    let mut asked = [0; 4];
                    std::io::Read::read_exact(&mut peer, &mut asked).unwrap();
                    std::io::Write::write_all(&mut peer, b"+OK\r\n").unwrap();
                    let _ = std::io::Read::read(&mut peer, &mut [0; 64]);
                });
            }
            connect(&node, Some("secret"))
        });
        assert_eq!(answer.is_ok(), is_closed, "{mode:o}: {answer:?}");
    }
}

/// A user who may write above the socket's folder, or owns one of the folders, can replace it.
#[test]
fn every_folder_above_the_stores_socket_is_looked_at() {
    use std::{
        fs,
        os::unix::{fs::PermissionsExt, fs::chown, net::UnixListener},
    };

    if !geteuid().is_root() {
        println!("SKIPPED: only root can give a folder away");
        return;
    }
    let top = tempfile::tempdir().unwrap();
    let [outer, inner] = [top.path().join("run"), top.path().join("run/store")];
    fs::create_dir_all(&inner).unwrap();
    let socket = inner.join("store.sock");
    let _listener = UnixListener::bind(&socket).unwrap();
    let node: Address = socket.display().to_string().parse().unwrap();
    let config = Config { tls: false, nodes: vec![node], ..Config::default() };
    let (root, store, other) = (0, 4242, 4243);
    let check = |modes: [u32; 2], owners: [u32; 3]| {
        for (folder, mode) in [&outer, &inner].into_iter().zip(modes) {
            fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
        }
        for (path, owner) in [&outer, &inner, &socket].into_iter().zip(owners) {
            chown(path, Some(owner), None).unwrap();
        }
        crate::doctor::check_files(&config)
    };
    for (modes, owners) in [
        ([0o755, 0o755], [root, root, root]),
        ([0o755, 0o2755], [root, store, store]),
        ([0o755, 0o700], [store, store, root]),
        ([0o1777, 0o755], [root, root, store]),
    ] {
        let expected = if owners == [root, root, store] { "is owned neither" } else { "" };
        let answer = check(modes, owners).err().map(|failure| failure.to_string()).unwrap_or_default();
        assert!(answer.contains(expected) && answer.is_empty() == expected.is_empty(), "{answer}");
    }
    for (modes, owners, words) in [
        ([0o755, 0o770], [root, store, store], "may write"),
        ([0o777, 0o755], [root, root, root], "may write"),
        ([0o1777, 0o755], [root, store, store], "may write"),
        ([0o755, 0o755], [other, store, store], "is owned neither"),
        ([0o755, 0o755], [root, store, other], "is owned neither"),
    ] {
        let refused = check(modes, owners).unwrap_err().to_string();
        assert!(refused.contains(words), "{modes:?} {owners:?}: {refused}");
    }
}

/// A configuration with a node that the agent never connects to is wrong.
#[test]
fn a_way_that_is_never_taken_is_refused_by_check() {
    let folder = tempfile::tempdir().unwrap();
    let password = folder.path().join("password");
    std::fs::write(&password, "secret\n").unwrap();
    std::fs::set_permissions(&password, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let config = |host: &str, is_far: bool| {
        let node = vec![Address { host: host.to_owned(), port: 6379 }];
        let config = Config { tls: false, ..Config::default() };
        if is_far { Config { far_nodes: node, ..config } } else { Config { nodes: node, ..config } }
    };
    let check = |config: &Config| crate::doctor::check_files(config).map_err(|e| e.to_string());
    assert_eq!(check(&config("127.0.0.1", false)), Ok(()));
    for is_far in [false, true] {
        let refused = check(&config("192.0.2.1", is_far)).unwrap_err();
        assert!(refused.starts_with("192.0.2.1:6379: ") && refused.contains("this machine"), "{refused}");
        let config = Config { password_file: Some(password.clone()), ..config("127.0.0.1", is_far) };
        let refused = check(&config).unwrap_err();
        assert!(refused.contains("127.0.0.1:6379") && refused.contains("UNIX socket"), "{refused}");
    }
}

/// Who can read the store's password can act as the agent, and who can write it can stop the agent.
#[test]
fn a_secret_that_others_can_read_or_write_is_refused_by_check() {
    use std::{fs, os::unix::fs::PermissionsExt};

    let folder = tempfile::tempdir().unwrap();
    let [password, key] = ["password", "key"].map(|name| folder.path().join(name));
    for file in [&password, &key] {
        fs::write(file, "secret\n").unwrap();
    }
    let host = Address { host: "127.0.0.1".to_owned(), port: 6379 };
    let config = Config { tls: false, nodes: vec![host], ..Config::default() };
    let by_password = Config { password_file: Some(password.clone()), ..config.clone() };
    let by_key = Config { key: Some(key.clone()), ..config };
    let [readable, writable] = ["can be read by others", "can be written by others"];
    for (mode, words) in [(0o666, writable), (0o660, writable), (0o644, readable), (0o640, ""), (0o600, "")] {
        for (config, file) in [(&by_password, &password), (&by_key, &key)] {
            fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
            let said = crate::doctor::check_files(config).err().map(|e| e.to_string()).unwrap_or_default();
            let is_named = said.starts_with(&format!("{}: can be", file.display()));
            assert!(is_named != words.is_empty() && said.contains(words), "{mode:o}: {said}");
        }
    }
}

/// An administrator may connect to a node without them, to load them.
#[test]
fn a_node_without_this_agents_functions_is_not_connected_to() {
    use crate::fake_node::{FakeNode, LONG, config, late, libraries};

    for (code, expected) in [
        (None, Err(Fault::NoFunctions)),
        (Some("others"), Err(Fault::OtherFunctions)),
        (Some(functions::text()), Ok(())),
    ] {
        let node = FakeNode::start(move |_| libraries(code));
        let connector = Connector { timeout: LONG, ..Connector::new(&config(&[])).unwrap() };
        assert_eq!(connector.connect(&node.address, late()).map(drop), expected);
        let administrator = Connector { checks_functions: false, ..connector };
        assert_eq!(administrator.connect(&node.address, late()).map(drop), Ok(()));
    }
}

#[test]
fn certificates_that_are_not_there_are_named() {
    let config = Config { ca: "/nonexistent/ca.pem".into(), ..Config::default() };
    assert!(Connector::new(&config).err().unwrap().to_string().contains("/nonexistent/ca.pem"));
}
