//! `filterctl ladder`: plans the ladders of chosen and of guessed passwords (plan), and makes, reads and
//! feeds the ones of this system (init, info, height, step, report); `filterctl doctor --only ladder`
//! examines them.

mod height;
mod info;
mod init;
mod place;
mod plan;
mod repair;
mod report;
mod step;

use nearmiss_cli::{
    commands,
    ladder::{numbers, refusals},
};

const AFTER: &str = "\
Examples:
  filterctl ladder init
  filterctl ladder plan --users 5000 --max-share 0.002 --false-positive 1e-5
  filterctl ladder init --guessed
  filterctl doctor --only ladder";

commands! {
    /// Plans, makes and examines binomial ladders. With them, the module rejects passwords that are too
    /// common on this system or often guessed here; they reveal almost nothing about rare passwords.
    #[command(after_long_help = AFTER, subcommand_required = true)]
    struct Args with Command {
        Init(init::Args),
        Info(info::Args),
        Height(height::Args),
        Step(step::Args),
        Plan(plan::Args),
        Report(report::Args),
    }
}
