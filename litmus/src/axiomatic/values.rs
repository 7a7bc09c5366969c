//! The values of a candidate execution.

use super::{Step, event};
use crate::program::{Instruction, Observed, Outcome, Program, REGISTERS, from_bytes, to_bytes};
use symx_memmodel::Execution;

/// The result of evaluating an execution.
pub(super) enum Values {
    /// As guessed, with this outcome.
    Outcome(Outcome),
    /// A branch or compare goes the other way.
    WrongGuess,
    /// Some value depends on itself, or on a read for which nothing was chosen yet.
    Unknown,
}

/// Computes values along program order and reads-from.
pub(super) fn evaluate(program: &Program, threads: &[Vec<Step>], execution: &Execution) -> Values {
    let mut registers = vec![0; REGISTERS + program.observed.len()];
    let mut written: Vec<Option<Vec<u8>>> = vec![None; execution.events.len()];
    let mut position = vec![0; threads.len()];
    let first_event: Vec<usize> = (0..threads.len())
        .map(|thread| execution.events.iter().filter(|event| (event.thread as usize) < thread).count())
        .collect();
    let mut next_event = first_event;
    // The byte of `address` that `source` wrote, `None` while unknown.
    let byte = |written: &[Option<Vec<u8>>], source: Option<usize>, address: u64| match source {
        None => Some(program.initial_byte(address)),
        Some(write) => {
            let offset = execution.events[write].range.offset_of(address)? as usize;
            written[write].as_ref().map(|bytes| bytes[offset])
        }
    };
    let value_read = |written: &[Option<Vec<u8>>], read: usize| -> Option<u64> {
        let bytes = execution.events[read].range.addresses().map(|address| {
            let location = execution.locations.iter().find(|at| at.range.offset_of(address).is_some())?;
            let (_, source) = location.reads_from.iter().find(|(reader, _)| *reader == read)?;
            byte(written, *source, address)
        });
        Some(from_bytes(bytes.collect::<Option<Vec<_>>>()?.into_iter()))
    };
    loop {
        let mut progress = false;
        for (thread, steps) in threads.iter().enumerate() {
            while let Some(step) = steps.get(position[thread]) {
                let index = next_event[thread];
                match step.instruction {
                    Instruction::Load { register, .. } => {
                        let Some(value) = value_read(&written, index) else { break };
                        registers[*register] = value;
                    }
                    Instruction::Store { range, value, .. } => {
                        written[index] = Some(to_bytes(value.evaluate(&registers), *range).collect());
                    }
                    Instruction::Update { register, range, update, .. } => {
                        let Some(old) = value_read(&written, index) else { break };
                        let new = update.apply(old, &registers);
                        if new.is_none() != step.fails {
                            return Values::WrongGuess;
                        }
                        written[index] = new.map(|new| to_bytes(new, *range).collect());
                        registers[*register] = old;
                    }
                    Instruction::Fence(_) => {}
                    Instruction::SkipUnless { register, equals, .. } => {
                        if (registers[*register] != *equals) != step.fails {
                            return Values::WrongGuess;
                        }
                    }
                }
                next_event[thread] += usize::from(event(thread, step).is_some());
                position[thread] += 1;
                progress = true;
            }
        }
        if !progress {
            break;
        }
    }
    if threads.iter().zip(&position).any(|(steps, &position)| position < steps.len()) {
        return Values::Unknown;
    }
    let last_byte = |address: u64| {
        let location = execution.locations.iter().find(|at| at.range.offset_of(address).is_some());
        let last = location.and_then(|location| location.coherence.last().copied());
        byte(&written, last, address).expect("all values are known")
    };
    let observe = |observed: &Observed| match observed {
        Observed::Register(register) => registers[*register],
        Observed::Memory(range) => from_bytes(range.addresses().map(last_byte)),
    };
    Values::Outcome(program.observed.iter().map(observe).collect())
}
