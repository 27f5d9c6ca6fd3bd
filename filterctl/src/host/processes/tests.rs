use super::{sample::*, *};

fn one(root: &Path) -> Process {
    named(root, |name| name == "mariadbd").unwrap().remove(0)
}

#[test]
fn a_system_that_shows_no_processes_is_told_from_one_that_runs_none() {
    let root = tempfile::tempdir().unwrap();
    assert!(named(root.path(), |_| true).is_none());
    fs::create_dir(root.path().join("proc")).unwrap();
    assert!(named(root.path(), |_| true).is_none(), "a folder to mount it on");
    Made::default().put(root.path());
    assert_eq!(named(root.path(), |name| name == "slapd").unwrap().len(), 0);
    assert_eq!(one(root.path()).number, 100);
}

#[test]
fn start_groups_and_code_are_read() {
    let root = tempfile::tempdir().unwrap();
    let code = ["/usr/lib/a b.so", "/usr/lib/gone.so", "/usr/lib/old.so (deleted)", "[vdso]"];
    fs::create_dir_all(root.path().join("usr/lib")).unwrap();
    fs::write(root.path().join("usr/lib/a b.so"), "").unwrap();
    Made { seconds: 90, groups: "110 990", code: &code, ..Made::default() }.put(root.path());
    let process = one(root.path());
    assert_eq!((process.started, process.user), (Some(BOOTED + 90), Some(104)));
    assert_eq!(process.groups, [110, 110, 990]);
    let code: Vec<(String, bool)> = process
        .code
        .unwrap()
        .into_iter()
        .map(|mapped| (mapped.path.display().to_string(), mapped.is_replaced))
        .collect();
    let wanted = [("/usr/lib/a b.so", false), ("/usr/lib/gone.so", true), ("/usr/lib/old.so", true)];
    assert_eq!(code, wanted.map(|(path, is_replaced)| (path.to_owned(), is_replaced)));
}

/// Any user can start a program of this name.
#[test]
fn a_process_of_a_person_is_no_server() {
    let root = tempfile::tempdir().unwrap();
    Made { user: 1000, ..Made::default() }.put(root.path());
    assert_eq!(named(root.path(), |_| true).unwrap().len(), 0);
}

/// A file moved over the path has another inode; the path says nothing of it where a mount hides it.
#[test]
fn another_file_under_the_same_path_is_seen() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("lib")).unwrap();
    let [file, other] = ["lib/a.so", "lib/b.so"].map(|name| root.path().join(name));
    fs::write(&file, "").unwrap();
    fs::write(&other, "").unwrap();
    Made { code: &["/lib/a.so"], ..Made::default() }.put(root.path());
    let is_replaced = || one(root.path()).code.unwrap()[0].is_replaced;
    assert!(!is_replaced());
    let link = root.path().join("proc/100/map_files/0000-0fff");
    fs::remove_file(&link).unwrap();
    assert!(!is_replaced(), "what cannot be compared is not replaced");
    std::os::unix::fs::symlink(&other, &link).unwrap();
    assert!(is_replaced());
}

#[test]
fn a_child_counts_with_its_parent_and_a_container_for_nothing() {
    let root = tempfile::tempdir().unwrap();
    Made { number: 7, name: "postgres", ..Made::default() }.put(root.path());
    Made { number: 8, parent: 7, name: "postgres", ..Made::default() }.put(root.path());
    Made { number: 9, name: "postgres", ..Made::default() }.put(root.path());
    let elsewhere = tempfile::tempdir().unwrap();
    let link = root.path().join("proc/9/root");
    let numbers = || -> Vec<u32> {
        named(root.path(), |_| true).unwrap().iter().map(|process| process.number).collect()
    };
    assert_eq!(numbers(), [7, 9]);
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), &link).unwrap();
    assert_eq!(numbers(), [7]);
}

#[test]
fn the_unit_of_a_process_is_a_service_of_the_system() {
    let of_cluster = "0::/system.slice/system-postgresql.slice/postgresql@15-main.service\n";
    assert_eq!(unit(of_cluster).as_deref(), Some("postgresql@15-main.service"));
    let older = "12:pids:/x\n1:name=systemd:/system.slice/mariadb.service\n";
    assert_eq!(unit(older).as_deref(), Some("mariadb.service"));
    for none in ["0::/user.slice/user-0.slice/session-1.scope\n", "0::/\n", ""] {
        assert_eq!(unit(none), None, "{none}");
    }
}

#[test]
fn a_name_may_have_parentheses_and_a_short_line_is_none() {
    let zeros = "0 ".repeat(17);
    let line = Line::of(&format!("1 (a) (b) S 3 {zeros}55 0")).unwrap();
    assert_eq!((line.name.as_str(), line.parent, line.ticks), ("a) (b", 3, 55));
    for bad in ["", "1 (a", "1 (a) S", "1 (a) S 3 0 0"] {
        assert!(Line::of(bad).is_none(), "{bad:?}");
    }
}
