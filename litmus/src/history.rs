//! The operational half of models that keep history: threads run in every order, each load in every way.

use crate::program::{Instruction, Observed, Outcome, Program, REGISTERS, from_bytes, to_bytes};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use symx_memmodel::{ByteRange, Ordering, WriteHistory};

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    next: Vec<usize>,
    registers: [u64; REGISTERS],
    /// The newest value of each byte.
    memory: BTreeMap<u64, u8>,
    history: WriteHistory<u8>,
}

impl State {
    fn newest(&self, range: ByteRange) -> Vec<u8> {
        range.addresses().map(|address| self.memory.get(&address).copied().unwrap_or(0)).collect()
    }

    fn write(&mut self, range: ByteRange, bytes: &[u8]) {
        self.memory.extend(range.addresses().zip(bytes.iter().copied()));
    }

    /// The states after a load, each with what it read.
    fn load(&self, thread: u32, ordering: Ordering, range: ByteRange) -> Vec<(Self, u64)> {
        let before = self;
        let newest = self.newest(range);
        let readings = before.history.readings(thread, ordering, range, &newest);
        let after = |reading| {
            let mut after = before.clone();
            after.history.read(thread, ordering, range, reading);
            (after, from_bytes(reading.bytes.iter().copied()))
        };
        readings.iter().map(after).collect()
    }

    /// The states after the next instruction of a thread.
    fn run(&self, program: &Program, thread: usize) -> Vec<Self> {
        let Some(instruction) = program.threads[thread].get(self.next[thread]) else { return Vec::new() };
        let mut after = self.clone();
        after.next[thread] += 1;
        let id = thread as u32;
        match instruction {
            Instruction::Load { register, range, ordering } => {
                let loaded = after.load(id, *ordering, *range).into_iter();
                return loaded
                    .map(|(mut after, value)| {
                        after.registers[*register] = value;
                        after
                    })
                    .collect();
            }
            Instruction::Store { range, value, ordering } => {
                let bytes: Vec<u8> = to_bytes(value.evaluate(&self.registers), *range).collect();
                after.history.write(id, *ordering, *range, &bytes, &self.newest(*range));
                after.write(*range, &bytes);
            }
            Instruction::Update { register, range, update, ordering } => {
                let newest = after.history.newest(*range, &self.newest(*range)).into_iter();
                let updated = newest.map(|reading| {
                    let mut after = after.clone();
                    after.history.settle(*range, &reading);
                    let old = from_bytes(reading.bytes.iter().copied());
                    let new = update.apply(old, &self.registers);
                    let bytes = new.map(|new| to_bytes(new, *range).collect::<Vec<u8>>());
                    after.history.update(id, *ordering, *range, bytes.as_deref(), &reading.bytes);
                    after.write(*range, bytes.as_deref().unwrap_or(&reading.bytes));
                    after.registers[*register] = old;
                    after
                });
                return updated.collect();
            }
            Instruction::Fence(ordering) => after.history.fence(id, *ordering),
            Instruction::SkipUnless { register, equals, count } => {
                if self.registers[*register] != *equals {
                    after.next[thread] += count;
                }
            }
        }
        vec![after]
    }

    /// The outcomes once all threads have ended: memory is read by an observer that has waited for them.
    fn observe(&self, program: &Program) -> Vec<Outcome> {
        let observer = program.threads.len() as u32;
        let mut start = self.clone();
        (0..observer).for_each(|thread| start.history.order().follow(thread, observer));
        let mut partial = vec![(start, Vec::new())];
        for observed in &program.observed {
            let mut extended = Vec::new();
            for (state, outcome) in partial {
                let seen = match observed {
                    Observed::Register(register) => vec![(state.clone(), state.registers[*register])],
                    Observed::Memory(range) => state.load(observer, Ordering::NotAtomic, *range),
                };
                extended.extend(seen.into_iter().map(|(state, value)| {
                    let mut outcome: Outcome = outcome.clone();
                    outcome.push(value);
                    (state, outcome)
                }));
            }
            partial = extended;
        }
        partial.into_iter().map(|(_, outcome)| outcome).collect()
    }
}

/// The outcomes of `program`.
pub fn outcomes(program: &Program) -> BTreeSet<Outcome> {
    let mut start = State {
        next: vec![0; program.threads.len()],
        registers: [0; REGISTERS],
        memory: BTreeMap::new(),
        history: WriteHistory::default(),
    };
    for (range, value) in &program.initial {
        start.write(*range, &to_bytes(*value, *range).collect::<Vec<u8>>());
    }
    let mut seen = HashSet::from([start.clone()]);
    let mut open = vec![start];
    let mut outcomes = BTreeSet::new();
    while let Some(state) = open.pop() {
        let ended = program.threads.iter().zip(&state.next).all(|(code, next)| *next == code.len());
        if ended {
            outcomes.extend(state.observe(program));
        }
        let threads = 0..program.threads.len();
        let successors = threads.flat_map(|thread| state.run(program, thread));
        open.extend(successors.filter(|successor| seen.insert(successor.clone())));
    }
    outcomes
}
