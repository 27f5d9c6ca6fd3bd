//! The programs under test, built by cargo on first use: the module, the module that panics, and `filterctl`.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
};

use serde_json::Value;

/// The built programs of one profile.
pub struct Artifacts {
    /// `libpam_nearmiss.so`.
    pub module: PathBuf,
    /// The `filterctl` binary.
    pub filterctl: PathBuf,
}

/// Module and `filterctl` as they are shipped; `NEARMISS_TEST_PROFILE` names another profile for a quick run.
pub fn artifacts() -> &'static Artifacts {
    static BUILT: OnceLock<Artifacts> = OnceLock::new();
    BUILT.get_or_init(|| build(&variable("NEARMISS_TEST_PROFILE").unwrap_or_else(|| "release".to_owned())))
}

/// Module and `filterctl` of the release profile, whatever the other tests run.
pub fn released() -> &'static Artifacts {
    static BUILT: OnceLock<Artifacts> = OnceLock::new();
    BUILT.get_or_init(|| build("release"))
}

/// A module whose every check panics with the password in its message.
pub fn panicking_module() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| module_with("panic-injection"))
}

/// A module that asks public filters through the page cache, page by page.
pub fn page_by_page_module() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| module_with("page-by-page"))
}

/// The folder with `libnearmiss.so.1` and `libnearmiss.so` of the profile that the tests run.
pub fn library() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        library_of(&variable("NEARMISS_TEST_PROFILE").unwrap_or_else(|| "release".to_owned()))
    })
}

/// The same of the release profile, whatever the other tests run.
pub fn released_library() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| library_of("release"))
}

fn library_of(profile: &str) -> PathBuf {
    let archive = find(&cargo_build(&["-p", "nearmiss-capi", "--profile", profile]), "nearmiss", ".a");
    let folder = archive.with_file_name(format!("libnearmiss-{}", std::process::id()));
    let status = Command::new(workspace().join("capi/link.sh")).arg(&archive).arg(&folder).status();
    assert!(status.expect("link.sh can be run").success(), "libnearmiss.so.1 could not be linked");
    folder
}

/// The module with a feature that only tests have. It is built into a folder of its own, so that it never
/// lies where the real one is looked for.
fn module_with(feature: &str) -> PathBuf {
    let folder = workspace().join("target").join(feature);
    let folder = folder.to_str().expect("the workspace's path is UTF-8");
    let arguments = ["-p", "pam-nearmiss", "--features", feature, "--target-dir", folder];
    find(&cargo_build(&arguments), "pam_nearmiss", ".so")
}

/// The workspace's folder.
pub fn workspace() -> &'static Path {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().expect("the tests are a member of a workspace")
}

/// Fails unless the file that this script makes of others is what it would make now.
pub fn assert_made_by(script: &str) {
    let mut check = Command::new("python3");
    check.arg(workspace().join(script)).arg("--check").env("PYTHONDONTWRITEBYTECODE", "1");
    let output = check.output().expect("python3 can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A script or source of `tests/tools`.
pub fn tool(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tools").join(name)
}

/// `nearmiss-agent`, which cargo builds with the tests.
pub fn agent() -> PathBuf {
    built_with_the_tests("nearmiss-test-agent")
}

/// `nearmiss-fetch`, which cargo builds with the tests.
pub fn fetch() -> PathBuf {
    built_with_the_tests("nearmiss-test-fetch")
}

fn built_with_the_tests(name: &str) -> PathBuf {
    let test = env::current_exe().expect("a test knows where it is");
    let folder = test.parent().and_then(Path::parent).expect("it lies in a folder of the build");
    folder.join(name)
}

fn build(profile: &str) -> Artifacts {
    let built = cargo_build(&["-p", "pam-nearmiss", "-p", "filterctl", "--profile", profile]);
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

#[allow(
    clippy::disallowed_methods,
    reason = "cargo and make tell a test about itself through the environment"
)]
pub(crate) fn variable(name: &str) -> Option<String> {
    env::var(name).ok()
}
