//! `nearmiss-authselect` beside a stand-in for authselect that copies a profile: which profile is made, and
//! from which one.

use crate::{
    Folder,
    namespace::{printed, private_mounts},
};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../packaging/authselect/nearmiss-authselect");

/// What the real one says without a selected profile, with exit status 2.
const AUTHSELECT: &str = r#"#!/bin/sh
case $1 in
    current) cat "$state" 2> /dev/null || { echo "No existing configuration detected."; exit 2; } ;;
    create-profile)
        mkdir -p /etc/authselect/custom/nearmiss
        for name in system-auth password-auth; do
            echo "auth required pam_env.so from-$4" > /etc/authselect/custom/nearmiss/$name
            echo "password sufficient pam_unix.so" >> /etc/authselect/custom/nearmiss/$name
        done ;;
esac
"#;

/// What the lines say, with `make` for the script, in a private `/etc`; none if there can be none.
fn said(lines: &str) -> Option<String> {
    let folder = Folder::new();
    for (name, text) in [("authselect", AUTHSELECT), ("filterctl", "#!/bin/sh\nexit 1\n")] {
        folder.file(name, text);
    }
    let prepare = format!(
        "chmod +x {path}/authselect {path}/filterctl; cp -a /etc/alternatives {path}/
        mount -t tmpfs tmpfs /etc; cp -a {path}/alternatives /etc/
        PATH={path}:$PATH; export PATH state={path}/state
        profile=/etc/authselect/custom/nearmiss
        make() {{ sh {SCRIPT} \"$@\" 2>&1 || echo \"exit $?\"; }}
        from() {{ grep -o 'from-.*' $profile/system-auth; }}",
        path = folder.path("").display()
    );
    private_mounts(&format!("{prepare}\n{lines}")).as_mut().map(printed)
}

#[test]
fn the_profile_is_made_from_the_one_in_use_and_anew_from_the_same() {
    let Some(said) = said(
        "echo 'winbind with-mkhomedir' > $state; make > /dev/null; from
        echo 'custom/nearmiss with-nearmiss' > $state; rm $profile/system-auth
        make --again | grep apply; from
        rm -r $profile; make; make sssd > /dev/null; from",
    ) else {
        return;
    };
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[..3], ["from-winbind", "now run: authselect apply-changes", "from-winbind"], "{said}");
    assert!(lines[3].contains("is gone; name the profile"), "{said}");
    assert_eq!(lines[4..], ["exit 1", "from-sssd"], "{said}");
}

#[test]
fn without_a_selected_profile_it_is_sssd() {
    let Some(said) = said("make > /dev/null; from; make | tail -1") else { return };
    assert_eq!(said, "from-sssd\nexit 1\n");
}
