//! Output of threads to standard output, as terms. Where something is expected of that, the bug is that it
//! differs.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::byte_string::Stretch;
use crate::state::State;
use crate::symbolic_trace::{Happening, Tracer, Written};
use crate::threads::running::MemoryAccess;
use crate::value::Byte;
use rustc_hash::FxHashMap;
use symx_expr::{Term, Terms, evaluate};
use symx_ir::SpanId;
use symx_ir::address::Cell;
use symx_memmodel::{ByteRange, Ordering};
use symx_trace::{Access, Footprint, Mode, Place, ThreadId};

/// Places at which bytes may lie, times bytes, that a comparison has at most.
const MOST_COMPARED: usize = 1 << 20;

impl<E: Environment> Executor<'_, E> {
    /// Standard output, with the values of its symbols while a trace is made.
    pub fn known_output(&self, state: &State<E>) -> Stretch {
        let written = self.machine.environment.standard_output(&state.data);
        let Some(tracer) = self.notes.tracer.as_deref().filter(|_| !written.is_concrete()) else {
            return written;
        };
        Stretch::of(written.iter().map(|byte| match byte {
            Byte::Symbolic(term) => {
                Byte::Concrete(evaluate(&self.machine.terms, term, &tracer.values).limbs()[0] as u8)
            }
            concrete => concrete,
        }))
    }

    /// Notes the output of the call just performed to standard output, if something is expected of that;
    /// returns whether it has written. Neither the output nor the order in which threads write need stay what
    /// it is.
    pub(super) fn trace_output(
        &mut self,
        state: &State<E>,
        thread: ThreadId,
        span: SpanId,
        announced: &Footprint,
    ) -> bool {
        let (Some(_), Some(tracer)) = (&self.machine.options.expected_output, &self.notes.tracer) else {
            return false;
        };
        let machine = self.machine;
        let known: usize = tracer.output.iter().map(|written| written.bytes.len()).sum();
        let output = machine.environment.standard_output(&state.data);
        if output.len() <= known {
            return false;
        }
        let has_begun = tracer.has_begun;
        let new = output.part(known, output.len() - known);
        let mut bytes: Vec<Term> = new.iter().map(|byte| byte.term(&machine.terms)).collect();
        let (mut event, mut is_whole) = (None, true);
        if has_begun {
            let is_read = |access: &&Access| access.mode == Mode::Read;
            let memory = announced.iter().filter(is_read).filter_map(|access| match access.place {
                Place::Memory { start, end } => Some((start, end)),
                _ => None,
            });
            let memory: Vec<(u64, u64)> = memory.collect();
            let length: u64 = memory.iter().map(|(start, end)| end - start).sum();
            let mut at = 0;
            is_whole = length == bytes.len() as u64;
            for (start, end) in memory {
                if is_whole {
                    self.trace_bytes_written(
                        state,
                        thread,
                        span,
                        start,
                        &mut bytes[at..at + (end - start) as usize],
                    );
                    at += (end - start) as usize;
                } else {
                    self.trace_call_reads(state, thread, span, start, end - start);
                }
            }
            let place = announced.iter().find_map(|access| match access.place {
                Place::Stream(_) if access.mode != Mode::Read => Some(access.place),
                _ => None,
            });
            if let (Some(place), Some(tracer)) = (place, &mut self.notes.tracer) {
                tracer.note(Happening::Output { place, length: bytes.len() as u64 }, span);
                event = Some((tracer.running, tracer.own().events.len() - 1));
            }
        }
        self.notes
            .tracer
            .iter_mut()
            .for_each(|tracer| tracer.output.push(Written { event, bytes: bytes.clone(), is_whole }));
        true
    }

    /// The bytes that unobservable calls wrote to standard output, after all that were noted.
    pub(super) fn unnoticed_output(&self, state: &State<E>, tracer: &Tracer) -> Vec<Term> {
        let output = self.machine.environment.standard_output(&state.data);
        let known: usize = tracer.output.iter().map(|written| written.bytes.len()).sum();
        let rest = output.part(known, output.len().saturating_sub(known));
        rest.iter().map(|byte| byte.term(&self.machine.terms)).collect()
    }

    /// Notes that shared bytes were read to be written: they are what the reads return.
    fn trace_bytes_written(
        &mut self,
        state: &State<E>,
        thread: ThreadId,
        span: SpanId,
        address: u64,
        bytes: &mut [Term],
    ) {
        let Some(cell) = Cell::of(address).filter(|cell| self.is_traced(state, *cell)) else { return };
        let machine = self.machine;
        let mut at = 0;
        for piece in bytes.chunks_mut(super::calls::PIECE as usize) {
            let Some(object) = state.memory.get(cell) else { return };
            let offset = address + at - object.base;
            let held: Vec<Byte> =
                (0..piece.len() as u64).map(|index| object.byte(&machine.terms, offset + index)).collect();
            let range = ByteRange::new(address + at, piece.len() as u64);
            let access = MemoryAccess { thread, span, range, ordering: Ordering::NotAtomic };
            let (_, seen) = self.trace_read(state, cell, access, &held);
            piece.iter_mut().zip(seen).for_each(|(byte, seen)| *byte = seen.term(&machine.terms));
            at += piece.len() as u64;
        }
    }
}

/// That the output, and then the `rest`, is not `expected`, if that can be expressed. `positions` are those
/// of the calls that may change their order, counted from the first byte that is written while there are
/// threads.
pub(super) fn unexpected(
    terms: &Terms,
    tracer: &Tracer,
    rest: &[Term],
    expected: &[u8],
    positions: &FxHashMap<(ThreadId, usize), Term>,
) -> Option<Term> {
    let total: usize = tracer.output.iter().map(|written| written.bytes.len()).sum();
    // An execution that writes too much or too little does so in any order.
    if total + rest.len() != expected.len() {
        return Some(Term::TRUE);
    }
    let alone = tracer.output.iter().take_while(|written| written.event.is_none());
    let first: usize = alone.map(|written| written.bytes.len()).sum();
    let is_at = |bytes: &[Term], at: usize| -> Term {
        let same = bytes.iter().zip(&expected[at..]);
        terms.all(same.map(|(byte, wanted)| terms.equal(*byte, terms.constant(8, u64::from(*wanted)))))
    };
    let (mut at, mut all) = (0, Vec::new());
    for Written { event, bytes, is_whole } in &tracer.output {
        if !is_whole && !positions.is_empty() {
            return None;
        }
        match event.and_then(|event| positions.get(&event)) {
            Some(position) => {
                let last = total - first - bytes.len();
                if (last + 1).saturating_mul(bytes.len()) > MOST_COMPARED {
                    return None;
                }
                let nowhere = (0..=last).filter_map(|offset| {
                    let fits = is_at(bytes, first + offset);
                    let is_here = terms.equal(*position, terms.constant(64, offset as u64));
                    (fits != Term::FALSE).then(|| terms.not(terms.all([is_here, fits])))
                });
                all.push(terms.not(terms.all(nowhere)));
            }
            // Where some may change their order, and this is none of them, nothing says where it comes.
            None if at >= first && !positions.is_empty() => return None,
            None => all.push(is_at(bytes, at)),
        }
        at += bytes.len();
    }
    all.push(is_at(rest, at));
    Some(terms.not(terms.all(all)))
}
