//! The words of lists, as a filter has them: cleaned and each once.

use std::{collections::HashSet, path::PathBuf};

use nearmiss_cli::{
    input::{self, Expected, InputError, ListName, WordList},
    progress::Progress,
};
use nearmiss_filters::{
    format::Kind,
    list::{Entry, LineFormat},
    word::Word,
};

/// The distinct cleaned words of lists, in the order of their first occurrence.
///
/// # Errors
/// An [`InputError`] for a list that cannot be read or holds no words.
pub(crate) fn read_words(lists: &[PathBuf], progress: &Progress) -> Result<Vec<Word>, InputError> {
    let names: Vec<ListName> = lists.iter().cloned().map(ListName::Path).collect();
    let lists = input::open(&names, &Expected::of(Kind::Words), progress)?;
    let mut words = Words::default();
    progress.start("reading", lists.iter().map(WordList::stored_bytes).sum());
    for list in &lists {
        words.read(list, progress)?;
    }
    progress.finish();
    Ok(words.in_order)
}

#[derive(Default)]
struct Words {
    seen: HashSet<Vec<u8>>,
    in_order: Vec<Word>,
}

impl Words {
    fn read(&mut self, list: &WordList, progress: &Progress) -> Result<(), InputError> {
        let format = LineFormat { kind: Kind::Words, min_count: 0 };
        let (mut counts, mut entry) = (nearmiss_filters::list::LineCounts::default(), Entry::default());
        let mut reading = list.read(progress)?;
        while let Some(block) = reading.next_block()? {
            counts.append(&format.read_block(block, &mut entry, |entry| self.add(entry)));
        }
        list.check(&counts)
    }

    fn add(&mut self, entry: &Entry) {
        if self.seen.insert(entry.word.as_bytes().to_vec()) {
            self.in_order.push(entry.word.clone());
        }
    }
}
