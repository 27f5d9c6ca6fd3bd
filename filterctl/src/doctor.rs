//! Examines whether a password change works now, and whether the password is checked as configured.
//!
//! [`examine`] repeats the steps of a password change, in the same order, and checks each: `stack` reads the
//! PAM lines, `settings` the configuration, `filters` reads every page and queries the site, `ladder` and
//! `fleet` examine the counting of passwords. Each returns findings as data; `cmd::doctor` prints them.
//! Nothing is changed.

pub(crate) mod acts;
mod child;
mod copy;
mod filters;
mod fleet;
mod ladder;
mod names;
mod overridden;
mod own_settings;
mod pam_auth_update;
mod part_fixes;
mod probe;
pub(crate) mod record;
mod remedy;
mod servers;
mod settings;
pub(crate) mod stack;
mod walk;
mod words;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use nearmiss_filters::keys::MessageKey;
use nearmiss_policy::config::{Config, DEFAULT_PATH};

pub(crate) use self::fleet::StoreFlags;
use crate::{
    configuration,
    flags::system::System,
    host::{
        pam_stack::{Stack, StackEntry},
        settings_file::SettingsFile,
        shell::in_root,
    },
};
use nearmiss_cli::{
    failure::Failure,
    finding::{Finding, State},
    keys,
};

/// A part of the examination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// The lines of PAM and their modules, and the level of enforcement.
    Stack,
    /// The filters, and their decisions.
    Filters,
    /// The ladders of chosen and of guessed passwords.
    Ladder,
    /// The ladders that are shared with other hosts.
    Fleet,
    /// Servers that set passwords without PAM.
    Servers,
}

/// The subject of the examination.
pub(crate) struct Subject {
    /// The root folder of the system.
    root: PathBuf,
    /// The service whose stack is read.
    service: String,
    /// The stack of that service, or of `other`; none if the system has neither.
    stack: Option<Stack>,
    /// The configuration's file.
    conf: PathBuf,
    /// The root of the system that this file belongs to.
    conf_root: PathBuf,
    /// True if the command line names it.
    has_named_conf: bool,
    /// True if the command line names the service: no other one is examined.
    has_named_service: bool,
    /// True to run modules whose effects may reach beyond the copy of this machine.
    runs_all: bool,
}

impl Subject {
    /// The subject that these flags name.
    pub(crate) fn of(system: &System) -> Subject {
        let stack = system.stack();
        let SettingsFile { root: conf_root, path: conf } =
            system.conf(stack.as_ref().and_then(Stack::checking_entry));
        let has_named_conf = system.names_conf();
        let has_named_service = system.names_service();
        let (root, service) = (system.root.clone(), system.service().to_owned());
        Subject { root, service, stack, conf, conf_root, has_named_conf, has_named_service, runs_all: false }
    }

    /// The same, with modules run whose effects may reach beyond the copy of this machine, or not.
    pub(crate) fn running_all(self, runs_all: bool) -> Subject {
        Subject { runs_all, ..self }
    }

    /// The configuration to read instead of the one that the line names.
    fn named_conf(&self) -> Option<&Path> {
        self.has_named_conf.then_some(&self.conf)
    }

    /// The line of the stack that checks passwords.
    pub(crate) fn line(&self) -> Option<&StackEntry> {
        self.stack.as_ref()?.checking_entry()
    }

    /// The configuration, as the module reads it at its line of the stack.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn config(&self) -> Result<Config, Failure> {
        configuration::load_of(&self.settings()).map(|config| self.as_asked(config))
    }

    fn settings(&self) -> SettingsFile {
        SettingsFile { root: self.conf_root.clone(), path: self.conf.clone() }
    }

    /// A command that reads the same configuration: one of another system acts on the files of that system,
    /// and not on the running one's of the same names.
    fn command(&self, words: &str) -> String {
        let inside = self.conf.strip_prefix(&self.conf_root).unwrap_or(&self.conf);
        let (root, inside) = (self.conf_root.as_path(), Path::new("/").join(inside));
        let is_default = inside == Path::new(DEFAULT_PATH);
        let conf = if is_default { String::new() } else { format!(" --conf {}", remedy::quoted(&inside)) };
        in_root(root, &format!("filterctl {words}{conf}"))
    }

    /// The command that shows the settings that differ from the defaults, with their files.
    fn changed_settings(&self) -> String {
        self.command("config --changed")
    }

    /// The configuration as the module reads it at its line of the stack, whose level and filter override it.
    pub(crate) fn as_asked(&self, config: Config) -> Config {
        configuration::at_line(config, &self.conf_root, self.line())
    }
}

/// Examines these parts, or all of them if none is named.
pub(crate) fn examine(subject: &Subject, only: &[Part], store: &StoreFlags) -> Vec<Finding> {
    let is_asked = |part| only.is_empty() || only.contains(&part);
    let mut findings = Vec::new();
    let config = settings::load(&subject.settings()).map(|config| subject.as_asked(config));
    // A host that only protects a server needs no PAM line.
    let is_stack_asked =
        is_asked(Part::Stack) && (only.contains(&Part::Stack) || !servers::are_all_there_is(&subject.root));
    if is_stack_asked {
        let found = stack::examine(subject, config.as_ref().ok());
        findings.extend(remedy::acting_on(&subject.root, found));
    }
    if is_asked(Part::Servers) {
        let found = servers::examine(subject, only.contains(&Part::Servers));
        findings.extend(remedy::acting_on(&subject.root, found));
    }
    match config {
        Err(unusable) => findings.extend(remedy::acting_on(&subject.conf_root, [unusable])),
        Ok(config) => {
            let found = of_settings(subject, &config, only, store);
            findings.extend(remedy::acting_on(&subject.conf_root, found));
        }
    }
    let is_root = rustix::process::geteuid().is_root();
    let mut once: Vec<Finding> = Vec::new();
    for finding in findings {
        let finding = if is_root { finding } else { seen(&subject.root, finding) };
        // Two filters behind one link have the same fault.
        if !once.contains(&finding) {
            once.push(finding);
        }
    }
    once
}

/// Examines the settings, and what they name.
fn of_settings(subject: &Subject, config: &Config, only: &[Part], store: &StoreFlags) -> Vec<Finding> {
    let is_asked = |part| only.is_empty() || only.contains(&part);
    let mut findings = Vec::new();
    if is_asked(Part::Stack) {
        findings.extend(settings::examine(subject, config));
        findings.extend(words::examine(subject, config));
        findings.extend(own_settings::examine(subject));
    }
    if is_asked(Part::Filters) {
        findings.extend(filters::examine(subject, config));
        findings.extend(overridden::examine(subject));
    }
    if is_asked(Part::Ladder) {
        findings.extend(ladder::examine(subject, config));
    }
    if is_asked(Part::Fleet) {
        findings.extend(fleet::examine(subject, config, store, only.contains(&Part::Fleet)));
    }
    findings
}

/// The finding as a user has it: what only root may look at is not judged, and root is asked.
fn seen(root: &Path, finding: Finding) -> Finding {
    let of_access = [keys::FILE_DENIED, keys::NOT_ROOT].map(MessageKey::as_str);
    let is_denied = finding.key.as_deref().is_some_and(|key| of_access.contains(&key));
    if !is_denied || finding.state == State::Unjudged {
        return finding;
    }
    let message = format!("not judged: {}", finding.message);
    Finding { state: State::Unjudged, message, ..finding }.fix(remedy::below(root, "sudo filterctl doctor"))
}

/// For tests: a site that does not depend on the machine.
#[cfg(test)]
mod sample {
    use nearmiss_policy::config::DictionaryRule;

    use super::*;

    /// A site with these filters, these settings ahead of the first table, and no ladder.
    pub(super) fn config(settings: &str, filters: &[&Path]) -> Config {
        let none = |name: &str| format!("{name} = \"/nonexistent/none\"\n");
        let [file, guessed, chosen] = ["file", "guessed", "chosen"].map(none);
        let text = format!(
            "packaged = false\n{settings}\n[ladder]\n{file}[guesses]\n{file}[fleet]\n{guessed}{chosen}"
        );
        let dictionaries = filters.iter().map(|file| DictionaryRule::new(file.to_path_buf())).collect();
        Config { dictionaries, ..Config::parse(Path::new("/site.conf"), text.as_bytes()).unwrap() }
    }

    /// A system in this folder, without stacks and with a missing configuration.
    pub(super) fn subject(root: &Path) -> Subject {
        let (root, service) = (root.to_owned(), "passwd".to_owned());
        let conf = "/nonexistent/site.conf".into();
        Subject {
            root,
            service,
            stack: None,
            conf,
            conf_root: "/".into(),
            has_named_conf: false,
            has_named_service: false,
            runs_all: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        system: System,
    }

    /// The stack is tested with the line's own configuration, unless the command line names another.
    #[test]
    fn a_configuration_that_the_command_line_names_takes_the_place_of_the_lines() {
        let root = tempfile::tempdir().unwrap();
        let pam = root.path().join("etc/pam.d");
        std::fs::create_dir_all(&pam).unwrap();
        std::fs::write(pam.join("passwd"), "password required pam_nearmiss.so conf=/none/line.conf\n")
            .unwrap();
        let subject = |more: &[&str]| {
            let fixed = ["doctor", "--root", root.path().to_str().unwrap()];
            Subject::of(&Flags::parse_from(fixed.iter().chain(more)).system)
        };
        let own = subject(&[]);
        assert_eq!((own.conf.clone(), own.named_conf()), (root.path().join("none/line.conf"), None));
        let named = subject(&["--conf", "/none/named.conf"]);
        assert_eq!(named.named_conf(), Some(Path::new("/none/named.conf")));
        // The files that an image's configuration names are the image's own.
        let place = root.path().display();
        let expected = format!("chroot {place} filterctl config --conf /none/line.conf");
        assert_eq!(own.command("config"), expected);
        assert_eq!(named.command("config"), "filterctl config --conf /none/named.conf");
    }
}
