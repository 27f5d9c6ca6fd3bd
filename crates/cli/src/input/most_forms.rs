//! The number of forms of an entry of a dictionary that are words of a list, those with the fewest affixes
//! first. A few languages put so many endings together that all forms would be hundreds of millions.

use nearmiss_lists::hunspell::Affixes;

use super::sample::{Sample, SampledLine};

/// The most forms of an entry.
const MOST: usize = 200;

/// The most forms of all entries together, unless that would leave fewer than [`FEWEST`] for each.
const MOST_OF_ALL: u64 = 10_000_000;

/// The fewest forms of an entry to which the limits may come.
const FEWEST: usize = 20;

/// Limits the forms of each entry, as the forms of some entries of the dictionary suggest: most have a few.
pub(super) fn limit(affixes: &mut Affixes, entries: &Sample) {
    affixes.set_max_forms(MOST);
    let all = entries.seen();
    let forms: Vec<usize> = entries.lines().into_iter().map(|line| forms_of(affixes, line)).collect();
    affixes.set_max_forms(most(&forms, all));
}

fn forms_of(affixes: &Affixes, line: &SampledLine) -> usize {
    affixes.expand(&affixes.decode(&line.text), &mut |_| {}).forms
}

/// The highest limit with which `all` entries, of which some have these numbers of forms, have at most
/// [`MOST_OF_ALL`] forms.
fn most(forms: &[usize], all: u64) -> usize {
    let fits = |most: &usize| {
        let sum: usize = forms.iter().map(|forms| forms.min(most)).sum();
        (sum as u64).saturating_mul(all) <= MOST_OF_ALL.saturating_mul(forms.len() as u64)
    };
    (FEWEST..=MOST).rev().find(fits).unwrap_or(FEWEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_for_the_forms_that_there_are() {
        let mut few = vec![1; 990];
        assert_eq!(most(&few, 9_000_000), MOST, "one form each");
        few.extend([5000; 10]);
        assert_eq!(most(&few, 100_000), MOST, "some with many are no reason to cut all");
        assert_eq!(most(&[150; 1000], 100_000), 100);
        assert_eq!(most(&[MOST; 1000], 9_000_000), FEWEST);
        assert_eq!(most(&[], 0), MOST, "nothing to cut");
    }

    #[test]
    fn entries_with_many_forms_keep_them_in_a_long_dictionary() {
        let rules: String = (0..150).map(|n| format!("SFX A 0 x{n} .\n")).collect();
        let mut affixes = Affixes::parse(format!("SFX A Y 150\n{rules}").as_bytes()).unwrap();
        let entry =
            |n: usize| if n.is_multiple_of(100) { format!("word{n}/A\n") } else { format!("word{n}\n") };
        let text: String = (0..100_000).map(entry).collect();
        let mut entries = Sample::default();
        entries.draw(text.as_bytes());
        limit(&mut affixes, &entries);
        let mut words = 0;
        let expansion = affixes.expand("stem/A", &mut |_| words += 1);
        assert_eq!((words, expansion.limited), (151, false));
    }
}
