//! The programs under test: those that were built before the tests, or built by cargo on first use.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
};

use serde_json::Value;

/// A password that a module with debug assertions panics at, with the password in the panic's message
/// (`pam-module/src/test_hooks.rs`).
pub const PANICS: &str = "panic-injection-Zz9";
/// A filter with this in its path is looked up through the page cache, page by page, by such a module.
pub const PAGE_BY_PAGE: &str = "page-by-page";

/// The built programs of one profile.
pub struct Artifacts {
    /// `libpam_nearmiss.so`.
    pub module: PathBuf,
    /// The `filterctl` binary.
    pub filterctl: PathBuf,
}

/// Module and `filterctl` of the profile that is tested.
pub fn artifacts() -> &'static Artifacts {
    static BUILT: OnceLock<Artifacts> = OnceLock::new();
    BUILT.get_or_init(|| match built() {
        Some(folder) => {
            Artifacts { module: folder.join("libpam_nearmiss.so"), filterctl: folder.join("filterctl") }
        }
        None => build(),
    })
}

/// Another program of the workspace: of the folder `NEARMISS_PROGRAMS`, where what is shipped is tested.
pub fn program(name: &str) -> PathBuf {
    match variable("NEARMISS_PROGRAMS").map(PathBuf::from).or_else(built) {
        Some(folder) => folder.join(name),
        None => find(&cargo_build(&["-p", name]), name, name),
    }
}

/// An example program of a package, as `cargo build --examples` builds it.
pub fn example(package: &str, name: &str) -> PathBuf {
    match variable("NEARMISS_PROGRAMS").map(PathBuf::from).or_else(built) {
        Some(folder) => folder.join("examples").join(name),
        None => find(&cargo_build(&["-p", package, "--example", name]), name, name),
    }
}

/// The folder with `libnearmiss.so.1` and `libnearmiss.so`.
pub fn library() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| match built() {
        Some(folder) => folder.join("libnearmiss"),
        None => link_library(),
    })
}

/// The folder of what was built before the tests (`tests/tools/stage.sh`); none if a test is run alone: it
/// has cargo build what it needs.
fn built() -> Option<PathBuf> {
    variable("NEARMISS_BUILT").map(PathBuf::from)
}

/// The profile that is tested, where a test is run alone.
fn profile() -> String {
    variable("NEARMISS_TEST_PROFILE").unwrap_or_else(|| "test-fast".to_owned())
}

fn link_library() -> PathBuf {
    let archive = find(&cargo_build(&["-p", "nearmiss-capi"]), "nearmiss", ".a");
    let folder = archive.with_file_name(format!("libnearmiss-{}", std::process::id()));
    let status = Command::new(workspace().join("crates/capi/link.sh")).arg(&archive).arg(&folder).status();
    assert!(status.expect("link.sh can be run").success(), "libnearmiss.so.1 could not be linked");
    folder
}

/// The shared object of the plugin or drop-in `target` in the package `package`.
pub fn plugin(package: &str, target: &str) -> PathBuf {
    match variable("NEARMISS_PROGRAMS").map(PathBuf::from).or_else(built) {
        Some(folder) => folder.join(format!("lib{target}.so")),
        None => find(&cargo_build(&["-p", package]), target, ".so"),
    }
}

/// The workspace's folder.
pub fn workspace() -> &'static Path {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().expect("the tests are a member of a workspace")
}

/// A script or source of `tests/tools`.
pub fn tool(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tools").join(name)
}

fn build() -> Artifacts {
    let built = cargo_build(&["-p", "pam-nearmiss", "-p", "filterctl"]);
    Artifacts {
        module: find(&built, "pam_nearmiss", ".so"),
        filterctl: find(&built, "filterctl", "filterctl"),
    }
}

/// Runs `cargo build`; gives what it says about each artefact.
fn cargo_build(arguments: &[&str]) -> Vec<Value> {
    let cargo = variable("CARGO").unwrap_or_else(|| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["build", "--message-format=json-render-diagnostics"])
        .args(arguments)
        .args(["--profile", &profile()])
        .current_dir(workspace())
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo can be run");
    assert!(output.status.success(), "cargo build {arguments:?} failed");
    let text = String::from_utf8(output.stdout).expect("cargo speaks UTF-8");
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn find(built: &[Value], target: &str, ending: &str) -> PathBuf {
    let of_target = |message: &&Value| message.pointer("/target/name").is_some_and(|name| name == target);
    let lists = built.iter().filter(of_target).filter_map(|message| message.get("filenames")?.as_array());
    let mut files = lists.flatten().filter_map(Value::as_str);
    let file = files.find(|file| file.ends_with(ending));
    PathBuf::from(file.unwrap_or_else(|| panic!("cargo built no {target} that ends with {ending}")))
}

/// Copies a file to where users other than its owner can read it.
pub fn copy_readable(from: &Path, to: &Path) {
    fs::copy(from, to).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    fs::set_permissions(to, fs::Permissions::from_mode(0o644)).expect("the owner may change the mode");
}

/// A variable of the environment.
#[allow(
    clippy::disallowed_methods,
    reason = "cargo and make tell a test about itself through the environment"
)]
pub fn variable(name: &str) -> Option<String> {
    env::var(name).ok()
}
