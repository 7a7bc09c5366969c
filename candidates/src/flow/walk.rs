//! Through one function: which locks are held at each instruction, which threads there may be, and what is
//! accessed.

use super::Flow;
use super::accesses::{At, Made, of_instruction};
use super::addresses::{Addresses, Root, Traced};
use super::alive::{Alive, CREATED, JOINED};
use super::called::CallAt;
use super::joins::EVER;
use super::state::{Cells, Output, Roots, State, joined};
use super::summary::{Access, Address, Exit, Kind, LockName, Summary};
use crate::offsets::{Shift, UNBOUNDED};
use std::collections::VecDeque;
use std::rc::Rc;
use symx_expr::StopReason;
use symx_ir::{Inst, Operand, SpanId};

impl Flow<'_, '_> {
    /// The summary of a function, when those it calls have theirs.
    pub(super) fn walk(&mut self, addresses: &Addresses<'_>) -> Result<Summary, StopReason> {
        let function = addresses.function;
        self.budget.ask(function.blocks.len().saturating_mul(size_of::<Option<State>>()))?;
        let mut states: Vec<Option<State>> = vec![None; function.blocks.len()];
        let mut open: VecDeque<u32> = VecDeque::new();
        if let Some(first) = states.first_mut() {
            *first = Some(State::default());
            open.push_back(0);
        }
        while let Some(block) = open.pop_front() {
            let Some(state) = states[block as usize].clone() else { continue };
            for (next, state) in self.block(addresses, block, state)? {
                let changed = match &mut states[next as usize] {
                    Some(known) => known.merge(&state),
                    none => {
                        *none = Some(state);
                        true
                    }
                };
                if changed && !open.contains(&next) {
                    open.push_back(next);
                }
            }
        }
        let mut output = Output::default();
        let mut summary = Summary::default();
        for block in 0..function.blocks.len() as u32 {
            let Some(state) = states[block as usize].clone() else { continue };
            let mut last = state.clone();
            self.block_to(addresses, block, &mut last, Some(&mut output))?;
            summary.released = joined(&summary.released, &last.released);
            summary.alive = summary.alive.or(&state.alive).or(&last.alive);
            let end = end_of(addresses, block);
            if matches!(function.code[end as usize], Inst::Return { .. }) {
                let exit = Exit { held: last.held.clone(), alive: last.alive.clone() };
                summary.exit = Some(match summary.exit.take() {
                    None => exit,
                    Some(known) => {
                        let mut both = State { held: known.held, alive: known.alive, ..State::default() };
                        both.merge(&State { held: exit.held, alive: exit.alive, ..State::default() });
                        Exit { held: both.held, alive: both.alive }
                    }
                });
            }
        }
        // Locks relative to the function's own registers and variables mean nothing to its callers.
        if let Some(exit) = &mut summary.exit {
            exit.held.retain(|held| match held.lock.name {
                LockName::Key(key) => matches!(key.root, Root::Parameter(_)),
                _ => true,
            });
        }
        summary.accesses = output.accesses.into_list();
        summary.starts = output.starts.into_iter().collect();
        Ok(summary)
    }

    /// Through a block; what holds at the beginnings of those that follow.
    fn block(
        &mut self,
        addresses: &Addresses<'_>,
        block: u32,
        mut state: State,
    ) -> Result<Vec<(u32, State)>, StopReason> {
        let function = addresses.function;
        let goes_on = self.block_to(addresses, block, &mut state, None)?;
        let end = end_of(addresses, block);
        let only = addresses.only_edge(&self.returned, &function.code[end as usize]);
        let mut next = Vec::new();
        for number in function.blocks[block as usize].edges() {
            let edge = &function.edges[number];
            let is_unwinding = match function.code[end as usize] {
                Inst::Call { site } => {
                    function.calls[site as usize].invoke.is_some_and(|(_, unwind)| unwind == number as u32)
                }
                _ => false,
            };
            if only.is_some_and(|only| only != number as u32) || !goes_on && !is_unwinding {
                continue;
            }
            let mut state = state.clone();
            let moves = edge.first_move as usize..(edge.first_move + edge.move_count) as usize;
            function.moves[moves].iter().for_each(|step| state.drop_register(step.dst));
            for site in self.joins.entered(addresses.id, number as u32) {
                state.alive =
                    state.alive.then(&Alive::one(site, CREATED)).then(&Alive::one(site | EVER, CREATED));
            }
            for site in self.joins.left(addresses.id, number as u32) {
                state.alive = state.alive.then(&Alive::one(site, JOINED));
            }
            next.push((edge.block, state));
        }
        Ok(next)
    }

    /// To the end of a block; whether it is reached.
    fn block_to(
        &mut self,
        addresses: &Addresses<'_>,
        block: u32,
        state: &mut State,
        mut output: Option<&mut Output>,
    ) -> Result<bool, StopReason> {
        let mut cells = Cells::new();
        for pc in addresses.function.blocks[block as usize].start..=end_of(addresses, block) {
            self.budget.proceed()?;
            if !self.instruction(addresses, pc, state, &mut cells, output.as_deref_mut())? {
                return Ok(false);
            }
            addresses.written(pc).for_each(|slot| state.drop_register(slot));
        }
        Ok(true)
    }

    fn instruction(
        &mut self,
        addresses: &Addresses<'_>,
        pc: u32,
        state: &mut State,
        cells: &mut Cells,
        mut output: Option<&mut Output>,
    ) -> Result<bool, StopReason> {
        let function = addresses.function;
        let inst = &function.code[pc as usize];
        if let Some(output) = output.as_deref_mut() {
            for made in of_instruction(function, inst) {
                self.note(addresses, pc, made, state, output);
            }
        }
        match *inst {
            Inst::Store { bits, address, value, .. } => {
                let to = addresses.trace(self.facts, &self.returned, address, false);
                let place = to.filter(|to| to.shift.stride == 0).map(|to| (to.root, to.shift.add));
                // A fixed distance apart, two stores of words do not overlap; others may.
                cells.retain(|(known, _)| {
                    place.is_some_and(|place| place.0 == known.0 && place.1.abs_diff(known.1) >= 8)
                });
                if bits == 64
                    && let Some(place) = place
                {
                    cells.push((place, value));
                }
            }
            Inst::Call { site } => {
                let at = CallAt { addresses, pc, call: &function.calls[site as usize] };
                return self.call(at, state, cells, output);
            }
            Inst::Return { .. } => {
                if let Some(output) = output {
                    self.end_of_variables(addresses, pc, state, output);
                }
            }
            Inst::Extended { .. } => cells.clear(),
            _ => {}
        }
        Ok(true)
    }

    /// The variables of the function that others can get to end with it.
    fn end_of_variables(&mut self, addresses: &Addresses<'_>, pc: u32, state: &State, output: &mut Output) {
        for inst in &addresses.function.code {
            if let Inst::Alloca { dst, .. } = *inst {
                let made = Made {
                    at: At::Operand(Operand::slot(dst)),
                    shift: Shift::ANYWHERE,
                    size: UNBOUNDED,
                    is_aligned: false,
                    kind: Kind::END,
                };
                self.note(addresses, pc, made, state, output);
            }
        }
    }

    /// Notes an access.
    pub(super) fn note(
        &mut self,
        addresses: &Addresses<'_>,
        pc: u32,
        made: Made,
        state: &State,
        output: &mut Output,
    ) {
        let id = addresses.id;
        let places = match made.at {
            At::Operand(operand) => self.facts.operand(id, operand),
            At::Node(node) => self.facts.node(node).to_vec(),
            At::OfFiles => self.facts.node(self.facts.of_files).to_vec(),
        };
        self.budget.weigh(places.len());
        let places = self.accessible(&places, made.shift);
        if places.is_empty() {
            return;
        }
        let mut roots = Roots::default();
        let mut address = Address::Places(places.into());
        if let At::Operand(operand) = made.at {
            roots = self.roots(addresses, operand, made.shift);
            let wide = addresses.trace(self.facts, &self.returned, operand, true);
            if let Some(Traced { root: Root::Parameter(parameter), shift }) = wide {
                address = Address::Parameter(parameter, shift.then(made.shift).into());
            }
        }
        let mut locks = Vec::new();
        for held in &state.held {
            self.seen_from(addresses, roots, held.lock, &mut locks);
        }
        locks.sort_unstable();
        locks.dedup();
        let span = self.written_span(addresses, pc);
        output.accesses.add(Access {
            span,
            kind: made.kind,
            size: made.size,
            is_aligned: made.is_aligned,
            address,
            locks,
            released: Rc::clone(&state.released),
            alive: state.alive.clone(),
        });
    }

    /// The program's source location of an instruction, if that is its own code.
    pub(super) fn written_span(&self, addresses: &Addresses<'_>, pc: u32) -> Option<SpanId> {
        let span = addresses.function.spans[pc as usize];
        addresses
            .function
            .in_program
            .then(|| self.facts.objects.program.outside_library_sources(span))
            .flatten()
    }
}

/// The last instruction of a block.
fn end_of(addresses: &Addresses<'_>, block: u32) -> u32 {
    let function = addresses.function;
    let next = function.blocks.get(block as usize + 1);
    next.map_or(function.code.len() as u32, |next| next.start) - 1
}
