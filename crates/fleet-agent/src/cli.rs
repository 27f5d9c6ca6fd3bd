//! The command line.

use std::{env, io, path::PathBuf, process::ExitCode};

use crate::{
    config::{Config, DEFAULT_PATH, check_writers},
    doctor, listen, load, log, serve,
};
use clap::{CommandFactory, Parser, Subcommand};
use nearmiss_cli::{
    VERSION_AND_COMMIT,
    exit::Exit,
    failure::{Failure, Outcome},
    usage,
};

const AFTER: &str = "\
Exit status:
  0  success; doctor: nothing is wrong
  1  doctor: something is wrong; standard output names it and how to fix it
     load-functions, end-functions: a node is unchanged; standard output says why
  2  error; standard error says why, on one line
  3  doctor: nothing is wrong, but something is weaker than it should be

Examples:
  nearmiss-agent --conf /etc/nearmiss-agent/agent.toml
  nearmiss-agent doctor --user admin --password-file /root/admin.password
  nearmiss-agent load-functions --user loader --password-file /root/loader.password";

/// Looks up and records passwords in the ladder that a fleet shares on Redis or Valkey, for the PAM module of
/// this host.
#[derive(Parser)]
#[command(name = "nearmiss-agent", version, long_version = VERSION_AND_COMMIT)]
#[command(after_long_help = AFTER, help_expected = true)]
struct Cli {
    /// The configuration.
    #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH, global = true)]
    conf: PathBuf,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Reads the configuration and the files that it names, and reports errors in them.
    Check,
    Doctor(doctor::Args),
    LoadFunctions(load::LoadArgs),
    EndFunctions(load::EndArgs),
}

/// The whole program: reads the command line, executes it and returns the exit status.
pub fn run() -> ExitCode {
    let exit = match usage::read::<Cli>("nearmiss-agent", env::args_os()) {
        Ok(cli) => cli.run().unwrap_or_else(|failure| failure.report()),
        Err(exit) => exit,
    };
    exit.into()
}

impl Cli {
    fn run(&self) -> Outcome {
        let config = Config::load(&self.conf)?;
        let out = &mut io::stdout().lock();
        match &self.command {
            None => run_agent(&config).map(|()| Exit::Done),
            Some(Command::Check) => {
                check_writers(&self.conf)?;
                doctor::check_files(&config).map(|()| Exit::Done)
            }
            Some(Command::Doctor(args)) => args.run(&config, out),
            Some(Command::LoadFunctions(args)) => args.run(&config, out).map(exit),
            Some(Command::EndFunctions(args)) => args.run(&config, out).map(exit),
        }
    }
}

/// The definition of the command line, for tests that go through every option.
#[doc(hidden)]
pub fn command() -> clap::Command {
    Cli::command()
}

fn exit(is_well: bool) -> Exit {
    if is_well { Exit::Done } else { Exit::No }
}

fn run_agent(config: &Config) -> Result<(), Failure> {
    let socket = config.socket.display();
    let listener = listen::listener(&config.socket)
        .map_err(|error| Failure::plain(&error, format!("{socket}: {error}")))?;
    listen::drop_to(&config.run_as).map_err(|error| Failure::plain(&error, error.to_string()))?;
    log::notice(&format_args!("serving requests; {} nodes are configured", config.nodes.len()));
    serve(&listener, config).map_err(|error| Failure::plain(&error, error.to_string()))
}
