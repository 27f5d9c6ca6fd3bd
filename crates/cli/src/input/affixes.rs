//! The rules of a dictionary of hunspell: the file beside it with the extension `.aff`.

use std::{
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};

use nearmiss_filters::text::system_reason;
use nearmiss_lists::{Charset, Charsets, hunspell::Affixes};

use super::{
    ListName,
    error::{InputError, Problem},
    junk::{SINGLE_LINES, is_over},
    origin::{self, FromStart, Origin},
    sample::Sample,
};

/// The most bytes of the rules of a dictionary: the largest published ones have 3 MB.
const MOST_AFFIXES: u64 = 16 << 20;

/// The ends of the names of packed lists.
const PACKED: [&str; 3] = ["gz", "xz", "zst"];

/// The rules of a dictionary, and the name of their file: the one beside it with the extension `.aff`.
pub(super) fn of(name: &ListName, origin: &Origin) -> Result<Option<(Affixes, String)>, InputError> {
    let (ListName::Path(path) | ListName::Opened { path, .. }) = name else { return Ok(None) };
    let Some(beside) = affixes_beside(path) else { return Ok(None) };
    let file = beside.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let problem = |reason: String| origin.error(Problem::Affixes(file.clone(), reason));
    let rules = match name {
        ListName::Opened { affixes, .. } => affixes.clone(),
        _ => origin::beside(&beside).map_err(|e| problem(system_reason(&e)))?.map(Arc::new),
    };
    let Some(rules) = rules else { return Ok(None) };
    let mut text = Vec::new();
    let read = FromStart::new(rules).take(MOST_AFFIXES).read_to_end(&mut text);
    read.map_err(|e| problem(system_reason(&e)))?;
    let affixes = Affixes::parse(&text).map_err(|e| problem(e.to_string()))?;
    Ok(Some((affixes, file)))
}

/// The path of the rules of a dictionary of hunspell, whether or not they are there; none for a list whose
/// name is not that of a dictionary.
pub fn affixes_beside(dictionary: &Path) -> Option<PathBuf> {
    let is_so = |path: &Path, end: &str| path.extension().is_some_and(|its| its.eq_ignore_ascii_case(end));
    let is_packed = PACKED.iter().any(|end| is_so(dictionary, end));
    let unpacked = if is_packed { dictionary.with_extension("") } else { dictionary.to_owned() };
    is_so(&unpacked, "dic").then(|| unpacked.with_extension("aff"))
}

/// Refuses rules whose charset is not that of the dictionary.
///
/// # Errors
/// The rules name a charset of single bytes, and the words beyond ASCII are UTF-8, which is no accident.
pub(super) fn see_charset(
    origin: &Origin,
    affixes: &Affixes,
    file: &str,
    found: Charsets,
) -> Result<(), InputError> {
    let charset = affixes.charset();
    let is_utf8 = found.utf8_lines > SINGLE_LINES && found.other_lines < found.utf8_lines / 10;
    if found.said.is_some() || !charset.is_single_byte() || !is_utf8 {
        return Ok(());
    }
    let reason = format!(
        "by them the dictionary is in {}, and it is in UTF-8: write SET UTF-8, or say --charset utf-8",
        Charset::of(charset).name()
    );
    Err(origin.error(Problem::Affixes(file.to_owned(), reason)))
}

/// The doubt about a dictionary without rules of which one entry in ten has flags.
pub(super) fn missing(sample: &Sample) -> Option<String> {
    let lines = sample.lines();
    let flagged = lines.iter().filter(|line| line.text.contains(&b'/')).count() as u64;
    is_over(flagged, lines.len() as u64, 10).then(|| {
        "has flags, and no file with their rules beside it that has its name and the end .aff: only the \
         stems of its words are stored"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_dictionary_has_its_rules_beside_it() {
        let beside = |path: &str| affixes_beside(Path::new(path));
        for (dictionary, rules) in [
            ("/a/x.dic", "/a/x.aff"),
            ("y.DIC", "y.aff"),
            ("z.dic.gz", "z.aff"),
            ("/a.b/c.d.dic.zst", "/a.b/c.d.aff"),
        ] {
            assert_eq!(beside(dictionary), Some(PathBuf::from(rules)));
        }
        assert_eq!((beside("dic"), beside("x.gz"), beside("x.txt.xz")), (None, None, None));
    }
}
