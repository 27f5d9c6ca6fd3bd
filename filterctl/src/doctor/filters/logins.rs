//! The filters that are used at logins: whether they are usable and accurate enough to force a change, and
//! whether the stack has the lines that use them.

use std::path::Path;

use nearmiss_cli::{finding::Finding, keys};
use nearmiss_filters::{
    dictionary::sizing::{Demand, may_demand},
    format::Header,
};
use nearmiss_policy::{config::Config, site::Site};

use crate::doctor::{Subject, ladder::guess_lines::LoginLines, remedy};

const CHECK: &str = "logins";

/// Examines the filters with `logins = true`.
pub(super) fn examine(subject: &Subject, config: &Config) -> Vec<Finding> {
    let site = Site::new(config.clone());
    let lines = LoginLines::below(&subject.root);
    let mut findings: Vec<Finding> = site
        .login_filters()
        .map(|(path, opened)| match opened {
            Ok(filter) => of_filter(path, filter.header(), lines.force_change),
            Err(unusable) => Finding::wrong(
                unusable.key,
                CHECK,
                format!("{unusable}; the passwords of logins are not looked up in it"),
            )
            .fix(remedy::of_filter(&subject.conf_root, path)),
        })
        .collect();
    if findings.is_empty() {
        return findings;
    }
    if !(lines.passed && lines.notify) {
        let message = "logins = true, but no auth line \"pam_nearmiss.so passed\" with an account line \
                       \"pam_nearmiss.so notify\": passwords of logins are not looked up; see \
                       pam_nearmiss(8)";
        findings.push(
            Finding::warning(keys::LOGIN_LINES, CHECK, message)
                .fix(remedy::enable(&subject.root, "nearmiss-leaked")),
        );
    }
    // The check of the ladder of guessed passwords examines these lines as well.
    if !config.guesses.file.exists() {
        findings.extend(lines.misplaced(CHECK));
    }
    if config.log_users {
        let message = "log_users = true: every reader of the system log learns whose password is leaked";
        let finding = Finding::warning(keys::SETTINGS_WEAK, CHECK, message);
        findings.push(finding.fix(subject.changed_settings()));
    }
    findings
}

fn of_filter(path: &Path, header: &Header, is_demanded: bool) -> Finding {
    let path = path.display();
    if may_demand(header) {
        return Finding::fine(
            CHECK,
            format!("{path}: users with one of its passwords are notified at login"),
        );
    }
    let once_in = 1.0 / Demand::of(header).stated_lookup_rate();
    if is_demanded {
        let message = format!(
            "{path}: one login in {once_in:.0} is notified by accident, so the option force-change does not \
             force changes for this filter: users are only notified; rebuild it with --logins"
        );
        return Finding::warning(keys::LOGIN_ACCIDENTS, CHECK, message).fix("man filterctl-build");
    }
    Finding::fine(
        CHECK,
        format!(
            "{path}: users with one of its passwords are notified at login; one login in {once_in:.0} by \
             accident"
        ),
    )
}
