//! What `filterctl install` refuses before a byte is copied.

use std::{fs::File, path::Path};

use nearmiss_cli::{failure::Failure, keys, paths, report::number};
use nearmiss_filters::format::Header;
use nearmiss_policy::config::{Config, DEFAULT_PATH};

use super::Install;
use crate::{
    breaches::expected::misfit,
    filter_file::{
        header::whole_header_at,
        provenance::{self, previous},
        replaceable::{FileKind, refuse_other_records},
        room,
    },
};

/// Filters of fewer words are not compared: their lists are edited by hand.
const COMPARED_FROM: u64 = 100;

impl Install {
    /// Refuses a folder as the target, and says what to name.
    pub(super) fn refuse_folder(&self) -> Result<(), Failure> {
        let is_folder = self.target.is_dir() || self.target.as_os_str().as_encoded_bytes().ends_with(b"/");
        let Some(name) = self.source.file_name().filter(|_| is_folder) else { return Ok(()) };
        let file = self.target.join(name);
        Err(Failure::plain(
            keys::FILTER_NOT_INSTALLED,
            format!(
                "{}: is a folder; name the file in it, by which the configuration names the filter, for \
                 instance {}",
                self.target.display(),
                file.display()
            ),
        ))
    }

    /// Refuses other files in the places of those that are written.
    pub(super) fn refuse_outputs(&self) -> Result<(), Failure> {
        let kept = previous(&self.target);
        FileKind::Filter.refuse_others(&self.target)?;
        refuse_other_records(&self.target)?;
        if !self.target.exists() {
            return Ok(());
        }
        FileKind::Filter.refuse_other_files(&kept)?;
        FileKind::Record.refuse_other_files(&provenance::path_for(&kept))
    }

    /// Refuses a filter that cannot replace the installed one, or does not fit on its disk.
    pub(super) fn is_possible(&self, header: &Header) -> Result<(), Failure> {
        let target = std::path::absolute(&self.target).unwrap_or_else(|_| self.target.clone());
        // Without a readable configuration, only the target is compared.
        let rules = Config::load(Path::new(DEFAULT_PATH)).map_or_else(|_| Vec::new(), |c| c.dictionaries);
        if let Some(reason) = misfit(header, &target, &rules) {
            return Err(Failure::plain(keys::FILTER_NOT_INSTALLED, reason));
        }
        self.refuse_fewer(header)?;
        let file = File::open(paths::absolute(&self.source))
            .map_err(|e| Failure::new(format!("cannot read {}", self.source.display()), e))?;
        // The installed one is copied as well.
        let copies = if self.target.exists() { 2 } else { 1 };
        room::check(&file, header, &target, copies)
            .map_err(|reason| Failure::plain(&reason, format!("{}: {reason}", self.source.display())))
    }

    /// Refuses a filter that was built from a part of its lists: every host that it is handed out to would
    /// accept the other words.
    fn refuse_fewer(&self, header: &Header) -> Result<(), Failure> {
        let before = whole_header_at(&self.target).map_or(0, |installed| installed.words);
        if self.allow_fewer || before < COMPARED_FROM || header.words >= before.div_ceil(2) {
            return Ok(());
        }
        Err(Failure::plain(
            keys::FILTER_NOT_INSTALLED,
            format!(
                "{}: less than half of the installed filter: {} of {} words; check the lists that it was \
                 built from, or accept that with --allow-fewer; nothing was changed",
                self.source.display(),
                number(header.words),
                number(before)
            ),
        ))
    }
}
