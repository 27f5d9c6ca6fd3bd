//! `filterctl man`: the manual pages of section 8, made from the definition of the command line.
//!
//! They hold no date, so that two builds of the same version give the same bytes. The "Examples:" and the like
//! that follow a command's help become sections of their page.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap::Command;
use clap_mangen::{
    Man,
    roff::{Roff, roman},
};

use crate::{
    cli,
    exit::Exit,
    failure::{Failure, Outcome},
    report,
};

const AFTER: &str = "\
Examples:
  filterctl man | man -l -
  filterctl man --page build | man -l -
  filterctl man /usr/share/man/man8";

/// Prints a manual page, or writes all of them into a folder.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// Print the page of this subcommand instead of filterctl's own.
    #[arg(long, value_name = "SUBCOMMAND", conflicts_with = "folder")]
    page: Option<String>,
    /// Write the pages of filterctl and of every subcommand into this folder.
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl Args {
    /// Prints or writes the pages.
    ///
    /// # Errors
    /// There is no such subcommand; the folder or standard output cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        let pages = pages(&built_definition());
        match &self.folder {
            Some(folder) => write_all(&pages, folder)?,
            None => report::print_bytes(&self.page_asked_for(&pages)?.text)?,
        }
        Ok(Exit::Done)
    }

    fn page_asked_for<'a>(&self, pages: &'a [Page]) -> Result<&'a Page, Failure> {
        let wanted =
            self.page.as_ref().map_or("filterctl.8".to_owned(), |name| format!("filterctl-{name}.8"));
        pages.iter().find(|page| page.file_name == wanted).ok_or_else(|| {
            Failure::plain(format!("there is no page {wanted}; filterctl --help lists the subcommands"))
        })
    }
}

/// A rendered manual page.
struct Page {
    file_name: String,
    text: Vec<u8>,
}

/// The definition with the full names of all subcommands filled in, and without clap's own `help`, which repeats
/// every one of them.
fn built_definition() -> Command {
    let mut command = cli::definition().disable_help_subcommand(true);
    command.build();
    command
}

/// The pages of `command` and of everything below it.
fn pages(command: &Command) -> Vec<Page> {
    let own = page(command);
    let below = command.get_subcommands().filter(|below| !below.is_hide_set()).flat_map(pages);
    own.into_iter().chain(below).collect()
}

/// The page of one command; rendering into memory fails only where the renderer is wrong, and the test of every
/// page would show it.
fn page(command: &Command) -> Option<Page> {
    let man = Man::new(command.clone()).section("8");
    let mut sections = Vec::new();
    render_sections(&man, command, &mut sections).ok()?;
    let sections = String::from_utf8(sections).ok()?;
    let full_name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    Some(Page { file_name: man.get_filename(), text: with_one_head(&sections, &full_name).into_bytes() })
}

fn render_sections(man: &Man, command: &Command, text: &mut Vec<u8>) -> io::Result<()> {
    man.render_name_section(text)?;
    man.render_synopsis_section(text)?;
    man.render_description_section(text)?;
    man.render_options_section(text)?;
    if command.has_subcommands() {
        man.render_subcommands_section(text)?;
    }
    closing_sections(command).to_writer(text)
}

/// The definition of an apostrophe, which the renderer repeats before each section, once; then the title, which it
/// renders wrongly without a date (the version takes the place of the date).
fn with_one_head(sections: &str, name: &str) -> String {
    let (apostrophe, body): (Vec<&str>, Vec<&str>) =
        sections.lines().partition(|line| line.starts_with(".ie \\n(.g") || line.starts_with(".el .ds Aq"));
    let apostrophe = apostrophe.get(..2).unwrap_or_default().join("\n");
    let title = name.to_uppercase();
    let version = env!("CARGO_PKG_VERSION");
    let body = body.join("\n");
    format!("{apostrophe}\n.TH \"{title}\" 8 \"\" \"nearmiss {version}\" \"nearmiss\"\n{body}\n")
}

/// What follows a command's help, and where to read on.
fn closing_sections(command: &Command) -> Roff {
    let mut roff = Roff::default();
    let after = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    for line in after.lines() {
        match line.strip_suffix(':').filter(|line| !line.starts_with(' ')) {
            Some(heading) => start_section(&mut roff, heading),
            None => push_verbatim(&mut roff, line),
        }
    }
    roff.control("fi", []);
    roff.control("SH", ["SEE ALSO"]);
    roff.text([roman("filterctl(8), pam_nearmiss(8), nearmiss.conf(5)")]);
    roff
}

fn start_section(roff: &mut Roff, heading: &str) {
    roff.control("fi", []);
    roff.control("SH", [heading.to_uppercase().as_str()]);
    roff.control("nf", []);
}

fn push_verbatim(roff: &mut Roff, line: &str) {
    roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
}

fn write_all(pages: &[Page], folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder)
        .map_err(|e| Failure::new(format!("cannot create the folder {}", folder.display()), e))?;
    for page in pages {
        let path = folder.join(&page.file_name);
        fs::write(&path, &page.text)
            .map_err(|e| Failure::new(format!("cannot write {}", path.display()), e))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages escape the hyphen; flags are looked for without escapes.
    fn plain(page: &Page) -> String {
        String::from_utf8(page.text.clone()).unwrap().replace('\\', "")
    }

    fn every_command(command: &Command) -> Vec<Command> {
        let below = command.get_subcommands().flat_map(every_command);
        std::iter::once(command.clone()).chain(below).collect()
    }

    #[test]
    fn every_command_has_a_page_and_every_flag_is_in_it() {
        let definition = built_definition();
        let pages = pages(&definition);
        let commands = every_command(&definition);
        assert_eq!(pages.len(), commands.len());
        for (page, command) in pages.iter().zip(&commands) {
            let text = plain(page);
            for flag in command.get_arguments().filter_map(clap::Arg::get_long) {
                assert!(text.contains(&format!("--{flag}")), "{}: --{flag}", page.file_name);
            }
        }
    }

    #[test]
    fn pages_are_of_section_8_without_a_date() {
        for page in pages(&built_definition()) {
            let title = plain(&page).lines().find(|line| line.starts_with(".TH")).unwrap().to_owned();
            let version = env!("CARGO_PKG_VERSION");
            assert!(title.ends_with(&format!(" 8 \"\" \"nearmiss {version}\" \"nearmiss\"")), "{title}");
        }
    }

    #[test]
    fn examples_become_a_section() {
        let pages = pages(&built_definition());
        let text = plain(pages.iter().find(|page| page.file_name == "filterctl-man.8").unwrap());
        assert!(text.contains(".SH EXAMPLES\n.nf\nfilterctl man | man -l -\n"), "{text}");
    }
}
