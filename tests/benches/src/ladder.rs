//! The ladder: height, step and bulk priming, beside a count-min sketch and a counter of every element.

use std::{cell::RefCell, collections::HashMap};

use nearmiss_filters::ladder::{LadderFilter, MasterKey, MemoryBits, Params, Rungs, SeededRandom};

use crate::{
    harness::{Contender, processor_time, race},
    hashes::CountMin,
    report::{Target, bytes, duration, figure, line, section},
    work::{PASSWORDS, Work},
};

/// Elements asked for in a round.
const ELEMENTS: usize = 20_000;

/// Runs the measure.
pub fn run(work: &Work) {
    section(
        "ladder, the module's preset (2²² bits, 16 rungs, 2 steps), without its slow hash (processor time)",
    );
    let words = work.passwords(PASSWORDS);
    let params = Params::new(1 << 22, 16, 16, 2).expect("the preset");
    let mut random = SeededRandom::new(1);
    let bits = MemoryBits::random(params.bits(), &mut random).expect("random bits");
    let ladder = LadderFilter::new(params, &MasterKey::new([7; 32]), &[0; 16], bits);
    let inputs: Vec<&[u8]> = words.iter().take(ELEMENTS).map(|word| &word[..]).collect();
    let rungs: Vec<Rungs> = inputs.iter().map(|input| ladder.rungs_of(input)).collect();
    let sketch = RefCell::new(CountMin::new(4, 1 << 15));
    let counter: RefCell<HashMap<Vec<u8>, u32>> = RefCell::default();
    for word in &words {
        *counter.borrow_mut().entry(word.to_vec()).or_default() += 1;
    }
    let mut reading = [
        Contender::each("height", &inputs, |input| {
            ladder.height(&ladder.rungs_of(input)).expect("memory") > 8
        }),
        Contender::each("count-min", &inputs, |input| sketch.borrow().count(input) > 8),
        Contender::each("HashMap", &inputs, |input| counter.borrow().get(*input).is_some_and(|&n| n > 8)),
    ];
    compare("height", "count", &race(&mut reading));
    let mut writing = [
        Contender::each("step", &inputs, |input| {
            ladder.step(&ladder.rungs_of(input), &mut random).expect("memory") > 8
        }),
        Contender::each("count-min", &inputs, |input| sketch.borrow_mut().add(input) > 8),
        Contender::each("HashMap", &inputs, |input| {
            let mut counter = counter.borrow_mut();
            let count = counter.entry(input.to_vec()).or_default();
            *count += 1;
            *count > 8
        }),
    ];
    compare("step", "count one more", &race(&mut writing));
    drop(writing);
    let start = processor_time();
    for rungs in &rungs {
        ladder.record(rungs, &mut random).expect("memory");
    }
    let seconds = (processor_time() - start) / 1e9;
    let speed = rungs.len() as f64 / seconds / 1e6;
    line("bulk priming, M elements/s", &format!("{} M/s", figure(speed)), "", speed, Target::None);
    let sizes = (bytes(params.bits() as f64 / 8.0), "count-min 524 kB; HashMap grows with what was seen");
    line("memory", &sizes.0, sizes.1, params.bits() as f64 / 8.0, Target::None);
}

fn compare(ours: &str, theirs: &str, times: &[f64]) {
    let name = format!("{ours} {}", duration(times[0]));
    for (peer, time) in ["count-min sketch, 4 rows", "HashMap of every password"].iter().zip(&times[1..]) {
        let other = format!("{peer}, {theirs} {}", duration(*time));
        line(&format!("{ours}, ours ÷ theirs"), &name, &other, times[0] / time, Target::None);
    }
}
