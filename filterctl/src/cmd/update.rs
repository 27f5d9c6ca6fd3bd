//! `filterctl update`: the system's filter anew from every list there is, when any of them has changed.
//!
//! It is made to be called whenever a package has put something into the folders of lists: what is no list is
//! told and skipped, and nothing is done when nothing has changed. What the filter was made from is kept
//! beside it, in `NAME.sources`, and written after it: whoever is interrupted in between builds once more
//! than needed. Every build has a new random key.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use nearmiss_filters::{
    config::DEFAULT_DICTIONARY,
    dictionary::{Build, DictionaryFilter, Loading, Spec, counters::identity_of_parts},
    format::Kind,
    hash::Key,
    list::{Entry, LineCounts, LineFormat},
    storage::{Access, Replacement, StorageError, read_trusted},
};
use serde::{Deserialize, Serialize};

use crate::{
    access::NewAccess,
    exit::Exit,
    failure::{self, Failure, Outcome, printable},
    input::{self, InputError, ListName, MaxText, WordList},
    jobs::Jobs,
    make::{self, Written},
    paths,
    progress::Progress,
    report::{
        self, Report, SCHEMA,
        header::Facts,
        lists::{self, Tally},
    },
    sizing::Sizing,
    sources::{self, Fingerprint, Skipped, Source},
};

/// Where packages and administrators put word lists.
const FOLDERS: [&str; 2] = ["/usr/share/dict", "/usr/local/share/dict"];

/// The most bytes of the record beside the filter.
const MAX_RECORD_BYTES: usize = 64 << 10;

const AFTER: &str = "\
Lists:
  All files in the folders but symbolic links, READMEs, hidden files and backups. A
  list that cannot be read, is none, or has more text than --max-text is reported
  and left out; so is a list, or a whole folder, that anyone but root may
  write. Put lists of your own into /usr/local/share/dict.

Exit status:
  0  the filter is up to date, built anew or not
  2  it could not be built; the old one is as it was

Examples:
  filterctl update
  filterctl update --folder /srv/lists --output /var/cache/nearmiss/site.filter";

/// Builds the system's filter anew when a word list has changed.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Args {
    /// The filter to write; an older one is replaced in one step.
    #[arg(short, long, value_name = "FILE", default_value = DEFAULT_DICTIONARY)]
    output: PathBuf,
    /// Take the lists in this folder (several may be given) instead of /usr/share/dict and
    /// /usr/local/share/dict.
    #[arg(long = "folder", value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Leave the built-in list out.
    #[arg(long)]
    no_common: bool,
    /// Build even when nothing has changed: with a new key.
    #[arg(long)]
    force: bool,
    /// Leave out a list with more text than this, unpacked: a number of bytes, or with K, M, G or T behind
    /// it.
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = MaxText::parse)]
    max_text: MaxText,
    #[command(flatten)]
    access: NewAccess,
    #[command(flatten)]
    sizing: Sizing,
    #[command(flatten)]
    jobs: Jobs,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    /// Show no progress and print no report; lists that cannot be used are told all the same.
    #[arg(short, long)]
    quiet: bool,
}

/// What is in the file beside the filter.
#[derive(Serialize, Deserialize, PartialEq)]
struct Record {
    schema: u32,
    /// Of settings, names and contents of the lists.
    fingerprint: String,
    /// Of the filter that was built from them.
    filter: String,
}

impl Args {
    /// Builds the filter, if need be.
    ///
    /// # Errors
    /// There is no list at all, or the filter cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        let (sources, mut skipped) = self.find();
        let fingerprint = self.fingerprint(&sources);
        if !self.force && self.is_current(&fingerprint) {
            return self.print(&Update {
                file: self.file(),
                rebuilt: false,
                facts: None,
                lists: Vec::new(),
                skipped,
            });
        }
        let progress = Progress::new(self.quiet);
        let lists = self.usable(&sources, &progress, &mut skipped);
        let (written, counts, filter) = self.build(&lists, &progress)?;
        let record = Record { schema: SCHEMA, fingerprint, filter };
        self.write_record(&record)?;
        make::log("updated", &self.output, &written.header);
        let (facts, lists) = (Some(written.facts()), lists::of(&lists, &counts));
        self.print(&Update { file: self.file(), rebuilt: true, facts, lists, skipped })
    }

    /// All lists by their names, and what is left out.
    fn find(&self) -> (Vec<Source>, Vec<Skipped>) {
        let defaults = FOLDERS.iter().map(PathBuf::from).filter(|folder| folder.exists());
        let folders: Vec<PathBuf> =
            if self.folders.is_empty() { defaults.collect() } else { self.folders.clone() };
        let (mut lists, mut skipped) = (Vec::new(), Vec::new());
        for folder in folders {
            match sources::lists_in(&folder, |path| self.is_own(path)) {
                Ok(found) => {
                    lists.extend(found.lists);
                    skipped.extend(found.others);
                    skipped.extend(found.refused.iter().map(reported));
                }
                Err(error) => skipped.push(reported(&error)),
            }
        }
        (lists, skipped)
    }

    /// True for what this command writes itself: in a folder of lists it would change them at every call.
    fn is_own(&self, list: &Path) -> bool {
        list == self.output || list == self.record_path()
    }

    fn fingerprint(&self, lists: &[Source]) -> String {
        let Spec { deletion_bits, stated, .. } = self.sizing.spec();
        // What the same lists would be made into another filter by.
        let settings = format!("{} {deletion_bits} {stated:?} {}", env!("CARGO_PKG_VERSION"), self.no_common);
        let mut fingerprint = Fingerprint::new(&settings);
        if !self.no_common {
            fingerprint.add_bytes(input::BUILT_IN);
        }
        for list in lists {
            fingerprint.add_list(list);
        }
        fingerprint.finish()
    }

    /// True when the filter is there, whole, readable by those who shall read it, and was built from what
    /// there is now.
    fn is_current(&self, fingerprint: &str) -> bool {
        if Access::of_replaced(&self.output) != Some(self.access.of(&self.output)) {
            return false;
        }
        let record = read_trusted(&paths::real(&self.record_path()), MAX_RECORD_BYTES).ok();
        let record = record.and_then(|bytes| serde_json::from_slice::<Record>(&bytes).ok());
        let Some(record) = record.filter(|record| record.fingerprint == *fingerprint) else { return false };
        let filter = DictionaryFilter::open(&paths::real(&self.output), Loading::Mapped);
        let Ok(filter) = filter else { return false };
        let Ok(pages) = filter.copied_pages() else { return false };
        let filter = name_of(identity_of_parts(filter.header(), &pages));
        record == Record { schema: SCHEMA, fingerprint: record.fingerprint.clone(), filter }
    }

    /// The lists that can be read and have words.
    fn usable(&self, sources: &[Source], progress: &Progress, skipped: &mut Vec<Skipped>) -> Vec<WordList> {
        let built_in = (!self.no_common).then_some(ListName::BuiltIn);
        let mut lists: Vec<WordList> = built_in
            .and_then(|name| input::open(&[name], Kind::Words, progress).ok())
            .into_iter()
            .flatten()
            .collect();
        for source in sources {
            match self.open(source, progress) {
                Ok(list) => lists.extend(list),
                Err(error) => skipped.push(told_list(&source.path, &error)),
            }
        }
        lists
    }

    fn open(&self, source: &Source, progress: &Progress) -> Result<Vec<WordList>, InputError> {
        let name = ListName::Opened(source.path.clone(), source.file.clone());
        let lists = input::open_within(self.max_text, &[name], Kind::Words, progress)?;
        let (format, mut entry) = (LineFormat { kind: Kind::Words, min_count: 0 }, Entry::default());
        for list in &lists {
            let counts =
                make::read_all(list, progress, |block| format.read_block(block, &mut entry, |_| {}))?;
            list.check(&counts)?;
        }
        Ok(lists)
    }

    /// Builds and writes the filter; returns what was written, the lines of each list and the filter's name.
    fn build(
        &self,
        lists: &[WordList],
        progress: &Progress,
    ) -> Result<(Written, Vec<LineCounts>, String), Failure> {
        let key = Key::random().map_err(|e| Failure::plain(format!("cannot choose a key: {e}")))?;
        let (threads, created) = (self.jobs.threads(), make::now());
        let build = Build { threads, created, ..Build::new(self.sizing.spec(), key) };
        let file = make::begin(&self.output, lists, &self.access)?;
        let surveyed = make::survey(lists, build.survey(), progress).map_err(|e| self.failure(e))?;
        let mut builder = build.builder(&surveyed.findings).map_err(|e| self.failure(e))?;
        let sink = make::Sink { builder: &mut builder, counters: None };
        make::insert(sink, lists, &surveyed.counts, progress).map_err(|e| self.failure(e))?;
        let written = make::write(builder, file, None)?;
        let pages = make::open(&self.output)?.copied_pages().map_err(|e| self.failure(e))?;
        let name = name_of(identity_of_parts(&written.header, &pages));
        Ok((written, surveyed.counts, name))
    }

    fn record_path(&self) -> PathBuf {
        let mut name = self.output.as_os_str().to_owned();
        name.push(".sources");
        PathBuf::from(name)
    }

    fn write_record(&self, record: &Record) -> Result<(), Failure> {
        let mut bytes = serde_json::to_vec(record).map_err(|e| self.failure(e))?;
        bytes.push(b'\n');
        let file = Replacement::create(&self.record_path(), Access::Private);
        let mut file = file.map_err(|e| self.failure(e))?;
        file.write(&bytes).and_then(|()| file.commit()).map_err(|e| self.failure(e))
    }

    fn file(&self) -> String {
        self.output.display().to_string()
    }

    fn print(&self, update: &Update) -> Outcome {
        if !self.quiet || self.json {
            report::print(update, self.json)?;
        }
        Ok(Exit::Done)
    }

    fn failure(&self, source: impl std::error::Error + 'static) -> Failure {
        Failure::new(format!("cannot update {}", self.output.display()), source)
    }
}

/// A folder or a list that cannot be opened, or is not to be trusted, is reported on stderr, too: a caller
/// may print nothing else.
fn reported(error: &StorageError) -> Skipped {
    failure::warn(&format!("{error}; left out"));
    Skipped::new(&error.path, &error.reason())
}

/// A list that cannot be used; its error begins with its name.
fn told_list(path: &Path, error: &InputError) -> Skipped {
    failure::warn(&format!("{error}; left out"));
    let (name, text) = (path.display().to_string(), error.to_string());
    let reason = text.strip_prefix(&name).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(&text);
    Skipped::new(path, reason)
}

fn name_of(identity: u64) -> String {
    format!("{identity:016x}")
}

/// What was done.
#[derive(Serialize)]
struct Update {
    file: String,
    rebuilt: bool,
    #[serde(flatten)]
    facts: Option<Facts>,
    lists: Vec<Tally>,
    skipped: Vec<Skipped>,
}

impl Report for Update {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let file = printable(&self.file);
        let Some(facts) = &self.facts else { return writeln!(out, "{file}: up to date") };
        writeln!(out, "{file}")?;
        facts.write_text(out)?;
        self.lists.iter().try_for_each(|list| list.write_text(out))?;
        self.skipped.iter().try_for_each(|skipped| {
            writeln!(out, "  left out {}: {}", printable(&skipped.file), printable(&skipped.reason))
        })
    }
}
