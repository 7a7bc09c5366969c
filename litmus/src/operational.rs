//! Every outcome of a program by running it in every way: threads and buffers as agents.

use crate::program::{Instruction, Observed, Outcome, Program, REGISTERS, from_bytes, to_bytes};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use symx_memmodel::{BufferedStore, ByteRange, Drain, FenceEffect, MemoryModel, StoreBuffer, StorePlacement};

#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Thread {
    next: usize,
    buffer: StoreBuffer<u8>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    threads: Vec<Thread>,
    registers: [u64; REGISTERS],
    memory: BTreeMap<u64, u8>,
}

impl State {
    fn read(&self, thread: usize, range: ByteRange) -> u64 {
        let mut bytes: Vec<u8> =
            range.addresses().map(|address| self.memory.get(&address).copied().unwrap_or(0)).collect();
        for forwarded in self.threads[thread].buffer.forward(range) {
            bytes[forwarded.offset as usize] = *forwarded.value;
        }
        from_bytes(bytes.into_iter())
    }

    fn write(&mut self, range: ByteRange, bytes: impl Iterator<Item = u8>) {
        self.memory.extend(range.addresses().zip(bytes));
    }

    /// Runs the thread's next instruction; `None` if it has to wait or there is none.
    fn run(&self, program: &Program, model: &dyn MemoryModel, thread: usize) -> Option<Self> {
        let instruction = program.threads[thread].get(self.threads[thread].next)?;
        let buffer = &self.threads[thread].buffer;
        let mut after = self.clone();
        after.threads[thread].next += 1;
        match instruction {
            Instruction::Load { register, range, ordering } => {
                if !buffer.permits(model.load(*ordering)) {
                    return None;
                }
                after.registers[*register] = self.read(thread, *range);
            }
            Instruction::Store { range, value, ordering } => {
                let bytes = to_bytes(value.evaluate(&self.registers), *range);
                let placement = model.store(*ordering);
                match placement {
                    StorePlacement::Memory => after.write(*range, bytes),
                    StorePlacement::DrainThenMemory => {
                        if !buffer.permits(Drain::Everything) {
                            return None;
                        }
                        after.write(*range, bytes);
                    }
                    StorePlacement::Buffer | StorePlacement::BufferAfterStoreStore => {
                        let buffer = &mut after.threads[thread].buffer;
                        if placement == StorePlacement::BufferAfterStoreStore {
                            buffer.push_store_store();
                        }
                        buffer.push(BufferedStore {
                            address: range.address,
                            bytes: bytes.collect(),
                            event: 0,
                        });
                    }
                }
            }
            Instruction::Update { register, range, update, ordering } => {
                if !buffer.permits(model.read_modify_write(*ordering, *range)) {
                    return None;
                }
                let old = self.read(thread, *range);
                if let Some(new) = update.apply(old, &self.registers) {
                    after.write(*range, to_bytes(new, *range));
                }
                after.registers[*register] = old;
            }
            Instruction::Fence(ordering) => match model.fence(*ordering) {
                FenceEffect::None => {}
                FenceEffect::StoreStore => after.threads[thread].buffer.push_store_store(),
                FenceEffect::Drain if buffer.permits(Drain::Everything) => {}
                FenceEffect::Drain => return None,
            },
            Instruction::SkipUnless { register, equals, count } => {
                if self.registers[*register] != *equals {
                    after.threads[thread].next += count;
                }
            }
        }
        Some(after)
    }

    /// The states one step away.
    fn successors(&self, program: &Program, model: &dyn MemoryModel) -> Vec<Self> {
        let mut successors = Vec::new();
        for thread in 0..self.threads.len() {
            successors.extend(self.run(program, model, thread));
            for lane in self.threads[thread].buffer.committable(model) {
                let mut after = self.clone();
                let store = after.threads[thread].buffer.commit(model, lane).expect("the lane is enabled");
                after.write(store.range(), store.bytes.iter().copied());
                successors.push(after);
            }
        }
        successors
    }
}

/// The outcomes of `program` under `model`.
pub fn outcomes(program: &Program, model: &dyn MemoryModel) -> BTreeSet<Outcome> {
    if model.keeps_history() {
        return crate::history::outcomes(program);
    }
    let mut start = State {
        threads: vec![Thread::default(); program.threads.len()],
        registers: [0; REGISTERS],
        memory: BTreeMap::new(),
    };
    for (range, value) in &program.initial {
        start.write(*range, to_bytes(*value, *range));
    }
    let mut seen = HashSet::from([start.clone()]);
    let mut open = vec![start];
    let mut outcomes = BTreeSet::new();
    while let Some(state) = open.pop() {
        let successors = state.successors(program, model);
        if successors.is_empty() {
            let ended = program.threads.iter().zip(&state.threads).all(|(code, at)| at.next == code.len());
            assert!(ended && state.threads.iter().all(|thread| thread.buffer.is_empty()), "no step is stuck");
            outcomes.insert(
                program
                    .observed
                    .iter()
                    .map(|observed| match observed {
                        Observed::Register(register) => state.registers[*register],
                        Observed::Memory(range) => state.read(0, *range),
                    })
                    .collect(),
            );
        }
        open.extend(successors.into_iter().filter(|successor| seen.insert(successor.clone())));
    }
    outcomes
}
