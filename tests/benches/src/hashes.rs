//! A count-min sketch (Cormode & Muthukrishnan 2005): the usual way to count in little memory, beside the
//! ladder.

use nearmiss_filters::hash::Key;

/// Rows of counters; an element's count is the least of its counters.
pub struct CountMin {
    rows: usize,
    width: usize,
    counters: Vec<u32>,
    key: Key,
}

impl CountMin {
    pub fn new(rows: usize, width: usize) -> CountMin {
        CountMin { rows, width, counters: vec![0; rows * width], key: Key::new([9; 16]) }
    }

    /// Two halves of one hash give every row its place (Kirsch & Mitzenmacher 2006).
    fn places(&self, element: &[u8]) -> impl Iterator<Item = usize> + use<> {
        let hash = self.key.hash(element);
        let (first, second) = (hash as u32, (hash >> 32) as u32 | 1);
        let width = self.width;
        (0..self.rows).map(move |row| {
            row * width + first.wrapping_add(second.wrapping_mul(row as u32)) as usize % width
        })
    }

    pub fn count(&self, element: &[u8]) -> u32 {
        self.places(element).map(|place| self.counters[place]).min().unwrap_or(0)
    }

    pub fn add(&mut self, element: &[u8]) -> u32 {
        let count = self.count(element);
        for place in self.places(element) {
            self.counters[place] += 1;
        }
        count
    }
}
