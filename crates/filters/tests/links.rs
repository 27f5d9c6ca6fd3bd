//! The symbolic links that the walk follows, and those that it refuses, by name and reason.
//!
//! The rule is compared with a naive reader: it resolves the text of a path on a picture of the tree, by
//! recursion, without a descriptor.

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    os::unix::fs::{PermissionsExt, lchown, symlink},
    path::{Path, PathBuf},
};

use nearmiss_filters::storage::{
    Access, Act, Folder, Place, Replacement, StorageError, Walk, make_folders, open_trusted, read_trusted,
};
use proptest::prelude::*;

/// A user who is not trusted.
const STRANGER: u32 = 4343;

fn tree() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = fs::canonicalize(dir.path()).unwrap();
    for name in ["etc", "store"] {
        fs::create_dir(path.join(name)).unwrap();
    }
    fs::write(path.join("store/conf"), "content").unwrap();
    (dir, path)
}

fn open_to_others(folder: &Path) {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o1777)).unwrap();
}

fn is_root() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        let _ = writeln!(std::io::stderr(), "SKIPPED: needs root: a link that belongs to another user");
    }
    is_root
}

fn refused<T: std::fmt::Debug>(result: Result<T, StorageError>) -> (Act, PathBuf) {
    let error = result.unwrap_err();
    (error.act, error.path)
}

#[test]
fn a_link_in_a_closed_folder_is_as_good_as_what_it_leads_to() {
    let (_dir, root) = tree();
    let etc = root.join("etc");
    // NixOS links files; a ConfigMap links to a link to a folder; ostree and a moved cache link folders.
    symlink(root.join("store/conf"), etc.join("absolute")).unwrap();
    symlink("../store/conf", etc.join("relative")).unwrap();
    symlink("../store", etc.join("..data")).unwrap();
    symlink("..data/conf", etc.join("map")).unwrap();
    symlink("../store/../etc/../store/./conf", etc.join("winding")).unwrap();
    symlink("../../../../../../../../../..", etc.join("top")).unwrap();
    let through_the_top = etc.join("top").join(root.strip_prefix("/").unwrap()).join("store/conf");
    for name in ["absolute", "relative", "map", "winding", "..data/conf", "../store/conf"] {
        assert_eq!(read_trusted(&etc.join(name), 100).unwrap(), b"content", "{name}");
        let updated = Walk::default().open_for_update(&etc.join(name)).map(drop);
        // A file is not written through a link under its own name.
        let expected = if name.contains('/') { Ok(()) } else { Err(Act::NotRegular) };
        assert_eq!(updated.map_err(|error| error.act), expected, "{name}");
    }
    assert_eq!(read_trusted(&through_the_top, 100).unwrap(), b"content");
    assert_eq!(Folder::open_trusted(&etc.join("..data")).unwrap().names().unwrap().count(), 1);
}

#[test]
fn a_link_where_others_can_create_files_is_refused_by_its_name() {
    let (_dir, root) = tree();
    let link = root.join("etc/link");
    symlink(root.join("store"), &link).unwrap();
    open_to_others(&root.join("etc"));
    let file = link.join("conf");
    assert_eq!(refused(open_trusted(&file)), (Act::OpenLink, link.clone()));
    assert_eq!(refused(Folder::open_trusted(&link)), (Act::OpenLink, link.clone()));
    assert_eq!(refused(Place::of(&file)), (Act::OpenLink, link.clone()));
    assert_eq!(refused(make_folders(&link.join("new"), 0o700)), (Act::OpenLink, link.clone()));
    let text = open_trusted(&file).unwrap_err().to_string();
    assert!(text.starts_with(link.to_str().unwrap()) && text.contains("symbolic link"), "{text}");
    // The same from a link that is trusted.
    symlink("etc/link/conf", root.join("first")).unwrap();
    assert_eq!(refused(open_trusted(&root.join("first"))), (Act::OpenLink, link));
}

#[test]
fn a_link_of_another_user_is_refused_by_its_name() {
    if !is_root() {
        return;
    }
    let (_dir, root) = tree();
    let link = root.join("etc/link");
    symlink(root.join("store"), &link).unwrap();
    lchown(&link, Some(STRANGER), None).unwrap();
    assert_eq!(refused(open_trusted(&link.join("conf"))), (Act::ForeignLink, link.clone()));
    let written = Replacement::create(&link.join("conf"), Access::Private);
    assert_eq!(refused(written), (Act::ForeignLink, link));
    assert_eq!(fs::read_dir(root.join("store")).unwrap().count(), 1, "nothing was created behind it");
}

#[test]
fn the_folder_that_a_link_leads_to_is_judged_as_any_other() {
    let (_dir, root) = tree();
    let link = root.join("etc/link");
    symlink(root.join("store"), &link).unwrap();
    fs::set_permissions(root.join("store"), fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(refused(open_trusted(&link.join("conf"))), (Act::OthersMayWrite, root.join("store")));
    fs::set_permissions(root.join("store"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(root.join("store/conf"), fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(refused(open_trusted(&link.join("conf"))), (Act::OthersMayWrite, root.join("store/conf")));
}

#[test]
fn eight_links_are_followed_and_neither_a_ninth_nor_a_circle() {
    let (_dir, root) = tree();
    let numbered = |number: u32| root.join(format!("etc/{number}"));
    symlink("../store/conf", numbered(1)).unwrap();
    for number in 2..=9 {
        symlink((number - 1).to_string(), numbered(number)).unwrap();
    }
    assert_eq!(read_trusted(&numbered(8), 100).unwrap(), b"content");
    assert_eq!(refused(open_trusted(&numbered(9))), (Act::TooManyLinks, numbered(1)));
    symlink("self", root.join("etc/self")).unwrap();
    symlink("two", root.join("etc/one")).unwrap();
    symlink("one", root.join("etc/two")).unwrap();
    for name in ["self", "one"] {
        let (act, path) = refused(open_trusted(&root.join("etc").join(name)));
        assert_eq!((act, path), (Act::TooManyLinks, root.join("etc").join(name)));
    }
}

/// A disk that is not mounted is not a site without a configuration, without a ladder.
#[test]
fn what_a_link_leads_to_is_never_taken_for_missing() {
    let (_dir, root) = tree();
    let [file, folder] = ["etc/file", "etc/folder"].map(|name| root.join(name));
    symlink(root.join("none/conf"), &file).unwrap();
    symlink("../none", &folder).unwrap();
    symlink("../store", root.join("etc/good")).unwrap();
    for (path, link) in [(file.clone(), &file), (folder.clone(), &folder), (folder.join("conf"), &folder)] {
        let error = open_trusted(&path).unwrap_err();
        assert_eq!((error.act, &error.path, error.is_missing()), (Act::DanglingLink, link, false));
    }
    for path in ["etc/good/none", "etc/none", "etc/good/none/conf"] {
        assert!(open_trusted(&root.join(path)).unwrap_err().is_missing(), "{path}: the link leads somewhere");
    }
}

#[test]
fn what_is_written_is_in_the_folder_that_the_link_leads_to() {
    let (_dir, root) = tree();
    let link = root.join("etc/cache");
    symlink("../store", &link).unwrap();
    let mut new = Replacement::create(&link.join("conf"), Access::Private).unwrap();
    new.write(b"new").unwrap();
    new.commit().unwrap();
    assert_eq!(fs::read(root.join("store/conf")).unwrap(), b"new");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_dir(root.join("store")).unwrap().count(), 1);
    assert_eq!(make_folders(&link.join("a/b"), 0o700).unwrap(), root.join("store/a/b"));
}

// What follows is the naive reader.

#[derive(Clone, Debug)]
enum Kind {
    Folder { mode: u32 },
    File,
    Link(String),
}

#[derive(Clone, Debug)]
struct Node {
    kind: Kind,
    is_foreign: bool,
}

type Tree = BTreeMap<PathBuf, Node>;

/// Where a path leads in the tree: the path of a file, or the act and the path of the refusal; none if the
/// file is missing.
type Found = Result<PathBuf, Option<(Act, PathBuf)>>;

/// The names of this path from this folder, where `links` were followed before and `name_of_link` is the link
/// that the first `of_link` names are from.
fn naive(tree: &Tree, folder: &Path, names: &[String], links: usize, from: Option<(&Path, usize)>) -> Found {
    let refuse = |act, path: &Path| Err(Some((act, path.to_owned())));
    let Some((name, rest)) = names.split_first() else { return refuse(Act::NotRegular, folder) };
    let later = from.and_then(|(link, left)| (left > 1).then_some((link, left - 1)));
    if name == "." {
        return naive(tree, folder, rest, links, later);
    }
    if name == ".." {
        return naive(tree, folder.parent().unwrap_or(folder), rest, links, later);
    }
    let at = folder.join(name);
    let Some(node) = tree.get(&at) else {
        return Err(from.map(|(link, _)| (Act::DanglingLink, link.to_owned())));
    };
    let is_open = |path: &Path| match tree.get(path).map(|node| &node.kind) {
        Some(Kind::Folder { mode }) => mode & 0o022 != 0,
        _ => false,
    };
    match &node.kind {
        Kind::Link(_) if node.is_foreign => refuse(Act::ForeignLink, &at),
        Kind::Link(_) if is_open(folder) => refuse(Act::OpenLink, &at),
        Kind::Link(_) if links == 8 => refuse(Act::TooManyLinks, &at),
        Kind::Link(target) => {
            let ahead = target.split('/').filter(|name| !name.is_empty());
            let mut ahead: Vec<String> = ahead.map(str::to_owned).collect();
            // All that the outermost link still has ahead stays from a link.
            let from_links = ahead.len() + later.map_or(0, |(_, left)| left);
            ahead.extend_from_slice(rest);
            let start = if target.starts_with('/') { Path::new("/") } else { folder };
            naive(tree, start, &ahead, links + 1, (from_links > 0).then_some((&at, from_links)))
        }
        _ if node.is_foreign && (rest.is_empty() == matches!(node.kind, Kind::File)) => {
            refuse(Act::ForeignOwner, &at)
        }
        Kind::File if rest.is_empty() => Ok(at),
        Kind::Folder { mode } if !rest.is_empty() && mode & 0o022 != 0 && mode & 0o1000 == 0 => {
            refuse(Act::OthersMayWrite, &at)
        }
        Kind::Folder { .. } if !rest.is_empty() => naive(tree, &at, rest, links, later),
        _ => refuse(Act::NotRegular, &at),
    }
}

/// A name in the tree. A link may lead out of the tree: no folder of the machine has such a name.
fn name() -> impl Strategy<Value = String> {
    "[abc]".prop_map(|letter| format!("{letter}-of-the-tree"))
}

fn node() -> impl Strategy<Value = (Kind, bool)> {
    let step = prop_oneof![4 => name(), 2 => Just("..".to_owned()), 1 => Just(".".to_owned())];
    let target = (any::<bool>(), prop::collection::vec(step, 1..4));
    let modes = prop_oneof![6 => Just(0o755), 1 => Just(0o1777), 1 => Just(0o775)];
    let kind = prop_oneof![
        3 => modes.prop_map(|mode| Kind::Folder { mode }),
        2 => Just(Kind::File),
        5 => target.prop_map(|(is_absolute, names)| {
            Kind::Link(format!("{}{}", if is_absolute { "/" } else { "" }, names.join("/")))
        }),
    ];
    (kind, prop::bool::weighted(0.08))
}

/// Makes the nodes whose folders exist below the root, and returns the picture of them.
fn make(root: &Path, nodes: Vec<(Vec<String>, (Kind, bool))>, can_give: bool) -> Tree {
    let mut tree = Tree::new();
    let outside = root.ancestors().skip(1).map(Path::to_owned);
    let closed = |mode| Node { kind: Kind::Folder { mode }, is_foreign: false };
    for above in outside {
        // A sticky folder, as /tmp is, holds the root of the tree.
        let mode = fs::metadata(&above).unwrap().permissions().mode() & 0o7777;
        tree.insert(above, closed(mode));
    }
    tree.insert(root.to_owned(), closed(0o755));
    for (names, (kind, is_foreign)) in nodes {
        let path = names.iter().fold(root.to_owned(), |path, name| path.join(name));
        let is_in_folder = path
            .parent()
            .and_then(|above| tree.get(above))
            .is_some_and(|node| matches!(node.kind, Kind::Folder { .. }));
        if !is_in_folder || tree.contains_key(&path) {
            continue;
        }
        let kind = match kind {
            Kind::Link(target) if target.starts_with('/') => {
                Kind::Link(format!("{}{target}", root.display()))
            }
            other => other,
        };
        match &kind {
            Kind::Folder { mode } => {
                fs::create_dir(&path).unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode(*mode)).unwrap();
            }
            Kind::File => fs::write(&path, path.as_os_str().as_encoded_bytes()).unwrap(),
            Kind::Link(target) => symlink(target, &path).unwrap(),
        }
        let is_foreign = is_foreign && can_give;
        if is_foreign {
            lchown(&path, Some(STRANGER), None).unwrap();
        }
        tree.insert(path, Node { kind, is_foreign });
    }
    tree
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn the_walk_leads_where_a_naive_reader_of_the_tree_gets(
        nodes in prop::collection::vec((prop::collection::vec(name(), 1..4), node()), 1..24),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        fs::set_permissions(&root, fs::Permissions::from_mode(0o755)).unwrap();
        let tree = make(&root, nodes, rustix::process::geteuid().is_root());
        let asked: Vec<PathBuf> = tree.keys().filter(|path| path.starts_with(&root)).cloned().collect();
        let walk = Walk::default();
        for path in asked.iter().cloned().chain(asked.iter().map(|path| path.join("a-of-the-tree"))) {
            let names: Vec<String> =
                path.iter().skip(1).map(|name| name.to_str().unwrap().to_owned()).collect();
            let expected = naive(&tree, Path::new("/"), &names, 0, None);
            // A walk that knows folders leads to the same files as one that does not.
            for found in [walk.read(&path, 1000), read_trusted(&path, 1000)] {
                let shown = path.display();
                match (&expected, found) {
                    (Ok(file), Ok(bytes)) => prop_assert_eq!(file.as_os_str().as_encoded_bytes(), &bytes),
                    (Err(None), Err(error)) => prop_assert!(error.is_missing(), "{shown}: {error}"),
                    (Err(Some((act, at))), Err(error)) => {
                        prop_assert_eq!((act, at), (&error.act, &error.path), "{}", shown);
                    }
                    (expected, found) => prop_assert!(false, "{shown}: {expected:?} {found:?}"),
                }
            }
        }
    }
}
