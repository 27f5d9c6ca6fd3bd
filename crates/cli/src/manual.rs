//! The command `man` of a tool: manual pages generated from the definition of its command line.
//!
//! They contain no date, so that two builds of the same version give the same bytes. "Examples:" and similar
//! headings after a command's help become sections of the page; the text before the first of them belongs to
//! the description.

mod synopsis;

use std::{
    io,
    path::{Path, PathBuf},
};

use clap::Command;
use clap_mangen::{
    Man,
    roff::{Roff, roman},
};

use nearmiss_filters::storage::{Access, Replacement, make_folders};

use crate::{
    exit::Exit,
    failure::{Failure, Outcome},
    keys, report,
};

/// Prints a manual page, or writes all of them into a folder.
#[derive(clap::Args)]
pub struct Args {
    /// Print the page of this subcommand instead of the program's own.
    #[arg(value_name = "SUBCOMMAND")]
    subcommand: Vec<String>,
    /// Write the pages of the program and of every subcommand into this folder.
    #[arg(short, long, value_name = "DIR", conflicts_with = "subcommand")]
    output: Option<PathBuf>,
}

impl Args {
    /// Prints or writes the pages.
    ///
    /// # Errors
    /// There is no such subcommand; the folder or standard output cannot be written.
    pub fn run(&self, manual: &Manual) -> Outcome {
        let pages = manual.pages();
        match &self.output {
            Some(folder) => write_all(&pages, folder)?,
            None => report::print_bytes(&manual.page_of(&self.subcommand, &pages)?.text)?,
        }
        Ok(Exit::Done)
    }
}

/// The manual of a tool.
pub struct Manual {
    command: Command,
    section: &'static str,
    see_also: &'static str,
}

/// A rendered manual page.
pub struct Page {
    /// The name of its file: `filterctl-ladder-init.8`.
    pub file_name: String,
    /// Its text, for man(1).
    pub text: Vec<u8>,
}

impl Manual {
    /// The manual of the tool with this definition, in this section, each page of which ends with `see_also`.
    pub fn new(definition: Command, section: &'static str, see_also: &'static str) -> Manual {
        // Without clap's own `help`, which repeats every subcommand; `build` fills in the subcommands' full
        // names.
        let mut command = definition.disable_help_subcommand(true);
        command.build();
        Manual { command, section, see_also }
    }

    /// The pages of the tool and of all subcommands that are not hidden.
    pub fn pages(&self) -> Vec<Page> {
        self.pages_from(&self.command)
    }

    fn pages_from(&self, command: &Command) -> Vec<Page> {
        let below = command.get_subcommands().filter(|below| !below.is_hide_set());
        self.page(command).into_iter().chain(below.flat_map(|below| self.pages_from(below))).collect()
    }

    fn page_of<'a>(&self, subcommand: &[String], pages: &'a [Page]) -> Result<&'a Page, Failure> {
        let name = self.command.get_name();
        let wanted: Vec<&str> = std::iter::once(name).chain(subcommand.iter().map(String::as_str)).collect();
        let wanted = format!("{}.{}", wanted.join("-"), self.section);
        pages.iter().find(|page| page.file_name == wanted).ok_or_else(|| {
            let message = format!(
                "there is no subcommand '{}'; {name} --help lists all subcommands, and {name} man --output \
                 DIR writes all pages",
                subcommand.join(" ")
            );
            Failure::plain(keys::ARGUMENTS, message)
        })
    }

    /// The page of one command; rendering into memory only fails if the renderer is wrong, and the test of
    /// every page would show it.
    fn page(&self, command: &Command) -> Option<Page> {
        let man = Man::new(command.clone()).section(self.section);
        let mut sections = Vec::new();
        self.render_sections(&man, command, &mut sections).ok()?;
        let sections = String::from_utf8(sections).ok()?;
        let full_name = command.get_display_name().unwrap_or(command.get_name());
        let text = self.with_one_head(&sections, full_name).into_bytes();
        Some(Page { file_name: man.get_filename(), text })
    }

    fn render_sections(&self, man: &Man, command: &Command, text: &mut Vec<u8>) -> io::Result<()> {
        man.render_name_section(text)?;
        synopsis::section(command).to_writer(text)?;
        man.render_description_section(text)?;
        description(&after_help(command)).to_writer(text)?;
        man.render_options_section(text)?;
        if command.has_subcommands() {
            man.render_subcommands_section(text)?;
        }
        self.closing_sections(command).to_writer(text)
    }

    /// The definition of an apostrophe, which the renderer repeats before each section, once; then the title,
    /// which it renders wrongly without a date (the version replaces the date).
    fn with_one_head(&self, sections: &str, name: &str) -> String {
        let (apostrophe, body): (Vec<&str>, Vec<&str>) = sections
            .lines()
            .partition(|line| line.starts_with(".ie \\n(.g") || line.starts_with(".el .ds Aq"));
        let apostrophe = apostrophe.get(..2).unwrap_or_default().join("\n");
        let (title, section) = (name.to_uppercase(), self.section);
        let version = self.command.get_version().unwrap_or_default();
        let body = body.join("\n");
        format!("{apostrophe}\n.TH \"{title}\" {section} \"\" \"nearmiss {version}\" \"nearmiss\"\n{body}\n")
    }

    /// The text after a command's help, with further reading.
    fn closing_sections(&self, command: &Command) -> Roff {
        let mut roff = Roff::default();
        for line in after_help(command).lines().skip_while(|line| heading(line).is_none()) {
            match heading(line) {
                Some(heading) => start_section(&mut roff, heading),
                None => push_verbatim(&mut roff, line),
            }
        }
        roff.control("fi", []);
        roff.control("SH", ["SEE ALSO"]);
        roff.text([roman(self.see_also)]);
        roff
    }
}

/// The text after the help of a command.
fn after_help(command: &Command) -> String {
    command.get_after_long_help().map(ToString::to_string).unwrap_or_default()
}

/// The heading in a line of it, if it is one.
fn heading(line: &str) -> Option<&str> {
    line.strip_suffix(':').filter(|line| !line.starts_with(' '))
}

/// The text before the first heading: paragraphs, and indented lines unchanged.
fn description(after: &str) -> Roff {
    let mut roff = Roff::default();
    let mut was_indented = false;
    let text = after.lines().take_while(|line| heading(line).is_none());
    for line in std::iter::once("").chain(text) {
        let is_indented = line.starts_with("  ");
        if is_indented != was_indented {
            roff.control(if is_indented { "nf" } else { "fi" }, []);
            was_indented = is_indented;
        }
        if line.is_empty() {
            roff.control("PP", []);
        } else {
            roff.text([roman(line)]);
        }
    }
    if was_indented {
        roff.control("fi", []);
    }
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
    let folder =
        make_folders(folder, 0o755).map_err(|e| Failure::new("cannot create the folder of the pages", e))?;
    for page in pages {
        let written =
            Replacement::create(&folder.join(&page.file_name), Access::Public).and_then(|mut file| {
                file.write(&page.text)?;
                file.commit()
            });
        written.map_err(|e| Failure::new("cannot write the pages", e))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Arg;

    use super::*;

    fn manual() -> Manual {
        let inner = Command::new("inner").about("Does it").arg(Arg::new("deep").long("deep"));
        let after = "Exit status:\n  0  done\n\nExamples:\n  tool outer | less";
        let outer = Command::new("outer").about("Does more").after_long_help(after).subcommand(inner);
        let gone = Command::new("gone").hide(true);
        let tool = Command::new("tool").version("1.2").about("Is one").subcommand(outer).subcommand(gone);
        Manual::new(tool, "1", "other(8)")
    }

    /// Pages escape the hyphen; flags are looked for without escapes.
    fn plain(page: &Page) -> String {
        String::from_utf8(page.text.clone()).unwrap().replace('\\', "")
    }

    #[test]
    fn commands_have_pages_unless_they_are_hidden() {
        let pages = manual().pages();
        let names: Vec<&str> = pages.iter().map(|page| page.file_name.as_str()).collect();
        assert_eq!(names, ["tool.1", "tool-outer.1", "tool-outer-inner.1"]);
        assert!(!plain(&pages[0]).contains("gone"));
        assert!(plain(&pages[2]).contains("--deep"));
    }

    #[test]
    fn titles_have_a_version_and_no_date() {
        for page in manual().pages() {
            let title = plain(&page).lines().find(|line| line.starts_with(".TH")).unwrap().to_owned();
            assert!(title.ends_with(" 1 \"\" \"nearmiss 1.2\" \"nearmiss\""), "{title}");
        }
    }

    #[test]
    fn what_follows_the_help_becomes_sections() {
        let text = plain(&manual().pages()[1]);
        assert!(text.contains(".SH \"EXIT STATUS\"\n.nf\n0  done\n"), "{text}");
        assert!(
            text.contains(".SH EXAMPLES\n.nf\ntool outer | less\n.fi\n.SH \"SEE ALSO\"\nother(8)\n"),
            "{text}"
        );
    }

    /// After the options it would be attached to the text of the last one.
    #[test]
    fn what_precedes_the_first_heading_belongs_to_the_description() {
        let after = "It reads a\nfile.\nNot that.\n\n  as it\n  stands\nand on.\n\nExamples:\n  tool";
        let tool = Command::new("tool").version("1").about("Is one").after_long_help(after);
        let text = plain(&Manual::new(tool, "1", "other(8)").pages()[0]);
        let about =
            "Is one\n.PP\nIt reads a\nfile.\nNot that.\n.PP\n.nf\n  as it\n  stands\n.fi\nand on.\n.PP\n";
        assert!(text.contains(about), "{text}");
        assert!(text.find("It reads a") < text.find(".SH OPTIONS"), "{text}");
    }

    #[test]
    fn the_synopsis_has_the_values_of_options() {
        let tool = Command::new("tool").version("1").arg(Arg::new("c").long("conf").value_name("FILE"));
        let text = plain(&Manual::new(tool, "1", "other(8)").pages()[0]);
        assert!(text.contains("[fB--conffR fIFILEfR]"), "{text}");
    }

    #[test]
    fn a_page_is_found_by_the_words_of_its_command() {
        let manual = manual();
        let pages = manual.pages();
        let find = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            manual.page_of(&words, &pages).map(|page| page.file_name.clone()).map_err(|e| e.to_string())
        };
        assert_eq!(find(&[]).unwrap(), "tool.1");
        assert_eq!(find(&["outer", "inner"]).unwrap(), "tool-outer-inner.1");
        let message = find(&["outer", "none"]).unwrap_err();
        assert!(message.contains("'outer none'") && message.contains("man --output DIR"), "{message}");
    }
}
