//! The script that packages ask before they are removed: which files of PAM name the module.

use crate::namespace::{printed, private_mounts};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../packaging/pam-stacks");

/// A stack of pam-auth-update, with our line in its block.
const GENERATED: &str = "# here are the per-package modules (the \"Primary\" block)\n\
    password requisite pam_nearmiss.so retry=3\n\
    # here's the fallback if no module succeeds\n\
    password requisite pam_deny.so\n\
    # and here are more per-package modules (the \"Additional\" block)\n\
    password optional pam_nearmiss.so record\n\
    # end of pam-auth-update config\n";

/// What the script prints if `/etc/pam.d` has these files; none if there are no private mounts.
fn named(files: &[(&str, &str)], argument: &str) -> Option<Vec<String>> {
    let written = files.iter().map(|(path, text)| {
        let path = if path.starts_with('/') { (*path).to_owned() } else { format!("/etc/pam.d/{path}") };
        format!("cat > '{path}' <<'END'\n{text}END\n")
    });
    let mounts = "mount -t tmpfs tmpfs /etc/pam.d; mount -t tmpfs tmpfs /mnt\n".to_owned();
    let lines: String = [mounts].into_iter().chain(written).collect();
    let mut command = private_mounts(&format!("{lines}exec '{SCRIPT}' {argument} 2>&1"))?;
    Some(printed(&mut command).lines().map(str::to_owned).collect())
}

#[test]
fn files_that_name_the_module_are_found_with_what_they_include_from_elsewhere() {
    let line = "password requisite pam_nearmiss.so\n";
    let files = [
        ("login", "# password requisite pam_nearmiss.so\nauth required pam_unix.so # pam_nearmiss.so\n"),
        ("passwd", "@include common-password\npassword include /mnt/site\n"),
        ("sshd", "@include common-password\nauth substack site-auth.d1\n"),
        ("common-password", "@include /mnt/circle\n"),
        ("site-auth", "auth required pam_unix.so\n"),
        ("site-auth.d1", "auth optional pam_nearmiss.so failed\n"),
        ("/mnt/site", line),
        ("/mnt/circle", "@include /mnt/circle\n@include /mnt/missing\n"),
    ];
    let Some(found) = named(&files, "") else { return };
    // A copy by its name, and yet a stack that another one includes.
    assert_eq!(found, ["/mnt/site", "/etc/pam.d/site-auth.d1"]);
}

#[test]
fn copies_are_no_stacks() {
    let line = "password requisite pam_nearmiss.so\n";
    let copies = ["x.bak", "x~", "x.pam-old", "x.dpkg-dist", "x.rpmsave", "samba.20240131", "x.ucf-old"];
    let files = copies.map(|name| (name, line)).into_iter().chain([("samba", "auth required pam_unix.so\n")]);
    let Some(found) = named(&files.collect::<Vec<_>>(), "") else { return };
    assert_eq!(found, Vec::<String>::new());
}

/// pam-auth-update takes its own lines away; a line beside them, or in another file, is somebody's own.
#[test]
fn lines_of_pam_auth_update_are_told_from_others() {
    let with_line = format!("{GENERATED}password optional pam_nearmiss.so record\n");
    for (files, found, own) in [
        (vec![("common-password", GENERATED)], vec!["/etc/pam.d/common-password"], vec![]),
        (
            vec![("common-password", with_line.as_str())],
            vec!["/etc/pam.d/common-password"],
            vec!["/etc/pam.d/common-password"],
        ),
        (vec![("mine", GENERATED)], vec!["/etc/pam.d/mine"], vec!["/etc/pam.d/mine"]),
    ] {
        let Some(all) = named(&files, "") else { return };
        assert_eq!(all, found);
        assert_eq!(named(&files, "own").unwrap(), own);
    }
}
