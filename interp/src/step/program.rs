//! The loop over a function's code: concrete operands on machine words, everything else elsewhere.

use super::accesses::alignment::is_aligned;
use super::{GoOn, floats};
use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::{Contents, Origin, Site, SiteKind};
use crate::paths::halts::Arrival;
use crate::state::State;
use crate::stop::{Fault, Incomplete, Stop};
use crate::threads::frame::Frame;
use crate::threads::running::Running;
use crate::threads::thread::Activation;
use crate::words::integers::{binary, cast, compare, mask, poison, signed};
use std::sync::Arc;
use symx_expr::StopToken;
use symx_ir::address::Cell;
use symx_ir::instruction::{BinaryOp, Inst};
use symx_ir::{FunctionId, Operand};
use symx_trace::{FailureDetail, FailureKind, IncompleteReason, ThreadId};

/// Instructions executed before it is asked whether to continue. A program that touches a new page in each
/// third of them takes some 20 MiB meanwhile.
pub(crate) const SLICE: u64 = 1 << 14;

impl<E: Environment> Executor<'_, E> {
    /// Runs `frame` (taken off the stack) until it calls, returns or stops.
    pub(crate) fn run_program(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        mut frame: Arc<Frame>,
    ) -> GoOn<E> {
        let machine = self.machine;
        let left = machine.options.max_instructions.saturating_sub(self.executed_before(state));
        // One instruction is forgiven.
        let most = if self.present.forgiven.is_some() { 0 } else { self.pause };
        let mut count = Count {
            executed: 0,
            budget: left.min(SLICE).min(most),
            whole: left.min(most),
            end: if left > most { Stop::Paused } else { Stop::OutOfSteps },
        };
        let next = loop {
            let top = Arc::make_mut(&mut frame);
            let function = machine.program.function(top.function);
            let mut running = Running { frame: top, function, thread };
            let left = self.interpret(state, &mut running, &mut count);
            if let Some(coverage) = &mut self.notes.coverage {
                coverage.reach(running.frame.function, running.frame.pc);
            }
            if let Some(census) = &mut self.notes.census {
                census.leave();
            }
            if let Err(stop) = &left {
                self.note_stop(thread, (running.frame.function, running.frame.pc), stop);
            }
            match left {
                Ok(Next::Call) => {
                    let Some(callee) = self.plain_call(&running) else { break Ok(Next::Call) };
                    let caller = std::mem::replace(&mut frame, callee);
                    state.thread_mut(thread).stack.push(Activation::Program(caller));
                    if let Err(stop) = count.check(&machine.options.stop) {
                        break Err(stop);
                    }
                }
                Ok(Next::Return(operand)) => {
                    let Some(caller) = self.plain_return(state, thread, &mut frame, operand) else {
                        break Ok(Next::Return(operand));
                    };
                    self.keep_frame(std::mem::replace(&mut frame, caller));
                }
                Err(stop) => break Err(stop),
            }
        };
        self.counters.instructions += count.executed;
        let thread_state = state.thread_mut(thread);
        thread_state.instructions += count.executed;
        match next {
            Ok(Next::Call) => {
                thread_state.stack.push(Activation::Program(frame));
                let entered = self.enter_call(state, thread);
                if let Err(stop) = &entered
                    && let Some(Activation::Program(frame)) = state.thread(thread).stack.last()
                {
                    self.note_stop(thread, (frame.function, frame.pc), stop);
                }
                entered
            }
            Ok(Next::Return(operand)) => {
                let (function, pc) = (frame.function, frame.pc);
                let left = self.leave(state, thread, frame, operand);
                if let Err(stop) = &left {
                    self.note_stop(thread, (function, pc), stop);
                }
                left?;
                Ok(None)
            }
            Err(stop) => {
                thread_state.stack.push(Activation::Program(frame));
                Err(stop)
            }
        }
    }

    /// The census and the log hear of a thread that stops at an instruction.
    #[inline]
    fn note_stop(&mut self, thread: ThreadId, (function, pc): (FunctionId, u32), stop: &Stop) {
        if let Some(census) = &mut self.notes.census {
            census.stop(thread, function, pc);
        }
        if let Some(log) = &mut self.notes.log {
            log.stop(thread, (function, pc), stop);
        }
    }

    fn interpret(
        &mut self,
        state: &mut State<E>,
        running: &mut Running<'_>,
        count: &mut Count,
    ) -> Result<Next, Stop> {
        let machine = self.machine;
        let function = running.function;
        let code = &function.code[..];
        let prepared = self.machine.prepared.of(&self.machine.program, running.frame.function);
        // Where instructions are counted, or only one is to be executed, each is to be seen.
        let is_single = count.whole == 0;
        let halting = match &self.notes.halts {
            Some(halts) if !is_single => {
                let thread = state.thread(running.thread);
                let depth = thread.stack.len();
                let concerns = halts.concerns(&machine.program, running.frame.function, depth);
                concerns.then_some((depth, thread.instructions))
            }
            _ => None,
        };
        let is_watched =
            self.notes.census.is_some() || self.notes.log.is_some() || is_single || halting.is_some();
        loop {
            if let Some(prepared) = prepared
                && !is_watched
                && running.concrete()
                && self.sprint(state, running, prepared, &mut count.executed, count.budget)
            {
                count.go_on(&machine.options.stop)?;
                continue;
            }
            let inst = &code[running.frame.pc as usize];
            if is_watched {
                if is_single && count.executed > 0 {
                    return Err(count.end.clone());
                }
                if let Some(census) = &mut self.notes.census {
                    let own = function.in_program.then_some(function.module_index);
                    census.arrive(running.thread, running.frame.function, own, running.frame.pc);
                }
                if let Some(log) = &mut self.notes.log {
                    log.arrive(&machine.program, state, running);
                }
                // It arrived at the operation before which it is parked when it parked.
                if let Some((depth, before)) = halting
                    && !self.present.granted
                    && let Some(halts) = &mut self.notes.halts
                {
                    let arrival = Arrival {
                        thread: running.thread,
                        depth,
                        function: running.frame.function,
                        pc: running.frame.pc,
                        executed: before + count.executed,
                        begins_line: false,
                    };
                    if halts.arrive(&machine.program, arrival) {
                        return Err(Stop::Paused);
                    }
                }
            }
            count.executed += 1;
            self.present.effects += u32::from(reaches_beyond_registers(inst));
            match *inst {
                Inst::Binary { op, bits, flags, dst, a, b } => match (running.word(a), running.word(b)) {
                    (Some(x), Some(y)) => match (binary(op, bits, x, y), poison(op, bits, flags, x, y)) {
                        (Some(result), None) => running.set_word(dst, result),
                        (Some(wrapped), Some(reason)) if self.wraps(reason)? => {
                            running.set_word(dst, wrapped);
                        }
                        (Some(_), Some(reason)) => {
                            let value = self.poison(state, running.thread, running.span(), bits, reason)?;
                            running.frame.set(dst, value);
                            self.present.effects += 1;
                        }
                        (None, _) => return Err(division_fault(op, y)),
                    },
                    _ => {
                        let value = self.symbolic_binary(state, running, (op, flags), bits, [a, b])?;
                        running.frame.set(dst, value);
                    }
                },
                Inst::Compare { predicate, bits, dst, a, b } => match (running.word(a), running.word(b)) {
                    (Some(x), Some(y)) => running.set_word(dst, compare(predicate, bits, x, y).into()),
                    _ => {
                        let value = self.symbolic_compare(running, predicate, bits, [a, b]);
                        running.frame.set(dst, value);
                    }
                },
                Inst::Cast { op, from, to, dst, src } => match running.word(src) {
                    Some(value) => running.set_word(dst, cast(op, from, to, value)),
                    None => {
                        let value = self.symbolic_cast(running, op, [from, to], src);
                        running.frame.set(dst, value);
                    }
                },
                Inst::PointerIndex { index_bits, scale, dst, base, index } => {
                    match (running.word(base), running.word(index)) {
                        (Some(base), Some(index)) => {
                            let distance = (signed(index, index_bits) as u64).wrapping_mul(scale.into());
                            running.set_word(dst, base.wrapping_add(distance));
                        }
                        _ => {
                            let value =
                                self.symbolic_pointer_index(running, index_bits, scale, [base, index]);
                            running.frame.set(dst, value);
                        }
                    }
                }
                Inst::Select { dst, cond, a, b } => match running.word(cond) {
                    Some(cond) => {
                        let value = running.value(if cond & 1 == 1 { a } else { b });
                        running.frame.set(dst, value);
                    }
                    None => {
                        let value = self.symbolic_select(running, cond, [a, b]);
                        running.frame.set(dst, value);
                    }
                },
                Inst::Copy { dst, src, count } => {
                    for index in 0..count {
                        let value = running.value(src.offset(index));
                        running.frame.set(dst + index, value);
                    }
                }
                Inst::Load { bits, align_log2, dst, address, .. } => {
                    let length = u64::from(bits).div_ceil(8);
                    if let Some(address) = running.word(address)
                        && is_aligned(address, align_log2)
                        && let Some(word) = self.load_alone(state, running.thread, address, length)
                    {
                        running.set_word(dst, word & mask(bits));
                        running.frame.pc += 1;
                        continue;
                    }
                    let value = self.load_slowly(state, running, address, length, align_log2)?;
                    let value = self.narrow(value, bits);
                    running.frame.set(dst, value);
                }
                Inst::Store { bits, align_log2, address, value, .. } => {
                    let length = u64::from(bits).div_ceil(8);
                    if let (Some(address), Some(word)) = (running.word(address), running.word(value))
                        && is_aligned(address, align_log2)
                        && self.store_alone(state, running.thread, address, length, word)
                    {
                        running.frame.pc += 1;
                        continue;
                    }
                    self.store_slowly(state, running, [address, value], length, align_log2)?;
                }
                Inst::Float { op, format, dst, a, b } => match (running.word(a), running.word(b)) {
                    (Some(x), Some(y)) => running.set_word(dst, floats::binary(op, format, x, y)),
                    _ => self.symbolic_float(state, running, (op, format), dst, [a, b])?,
                },
                Inst::FloatUnary { op, format, dst, src } => match running.word(src) {
                    Some(x) => running.set_word(dst, floats::unary(op, format, x)),
                    None => self.symbolic_float_unary(running, op, format, dst, src),
                },
                Inst::FloatCompare { predicate, format, dst, a, b } => {
                    match (running.word(a), running.word(b)) {
                        (Some(x), Some(y)) => {
                            running.set_word(dst, floats::compare(predicate, format, x, y).into());
                        }
                        _ => self.symbolic_float_compare(running, predicate, format, dst, [a, b]),
                    }
                }
                Inst::Alloca { align_log2, site, dst, count, size } => {
                    let count = self.number(state, running, count)?;
                    let size = count.saturating_mul(size.into());
                    let address = self.stack_object(state, running, site, size, align_log2)?;
                    running.set_word(dst, address);
                }
                Inst::Extended { index } => {
                    self.extended(state, running, index)?;
                }
                Inst::Call { .. } => return Ok(Next::Call),
                Inst::Jump { edge } => {
                    self.take_edge(state, running, edge)?;
                    count.check(&machine.options.stop)?;
                    continue;
                }
                Inst::Branch { cond, edges } => {
                    let taken = match running.word(cond) {
                        Some(cond) => cond & 1 == 1,
                        None => {
                            let cond = running.value(cond);
                            self.decide_branch(state, running, cond, edges)?
                        }
                    };
                    self.take_edge(state, running, edges + u32::from(!taken))?;
                    count.check(&machine.options.stop)?;
                    continue;
                }
                Inst::CompareBranch { predicate, bits, a, b, edges } => {
                    let taken = match (running.word(a), running.word(b)) {
                        (Some(x), Some(y)) => compare(predicate, bits, x, y),
                        _ => {
                            let condition = self.symbolic_compare(running, predicate, bits, [a, b]);
                            self.decide_branch(state, running, condition, edges)?
                        }
                    };
                    self.take_edge(state, running, edges + u32::from(!taken))?;
                    count.check(&machine.options.stop)?;
                    continue;
                }
                Inst::Switch { value, index } => {
                    let switch = &function.switches[index as usize];
                    let value = match running.word(value) {
                        Some(value) => value,
                        None => {
                            let value = running.value(value);
                            self.note_place(running.span());
                            self.decide_switch(state, value, switch)?
                        }
                    };
                    self.take_edge(state, running, switch.edge(value))?;
                    count.check(&machine.options.stop)?;
                    continue;
                }
                Inst::Return { value } => return Ok(Next::Return(value)),
                Inst::Unreachable => {
                    return Err(Fault::new(
                        FailureKind::Abort,
                        FailureDetail::Unreachable,
                        "code marked unreachable was reached",
                    )
                    .into());
                }
            }
            running.frame.pc += 1;
        }
    }

    fn executed_before(&self, state: &State<E>) -> u64 {
        if self.machine.options.max_instructions == u64::MAX {
            return 0;
        }
        state.executed()
    }

    /// Goes along a control-flow edge: the guide is asked, phi nodes move, the next block begins.
    #[inline(always)]
    pub(crate) fn take_edge(
        &mut self,
        state: &mut State<E>,
        running: &mut Running<'_>,
        edge: u32,
    ) -> Result<(), Stop> {
        let function = running.function;
        self.path_follows(state, running.thread, function, edge)?;
        if let Some(bound) = self.machine.options.unroll {
            count_back_edge(running, edge, bound)?;
        }
        if let Some(coverage) = &mut self.notes.coverage {
            coverage.take(running.frame.function, edge);
        }
        if let Some(log) = &mut self.notes.log {
            log.take(function, (running.frame.function, running.frame.pc), edge);
        }
        let edge = &function.edges[edge as usize];
        if edge.move_count > 0 {
            let moves = &function.moves[edge.first_move as usize..][..edge.move_count as usize];
            if running.concrete() {
                for step in moves {
                    running.frame.slots[step.dst as usize] = running.bits(step.src);
                }
            } else {
                for step in moves {
                    let value = running.value(step.src);
                    running.frame.set(step.dst, value);
                }
            }
        }
        running.frame.pc = edge.target;
        Ok(())
    }

    fn stack_object(
        &mut self,
        state: &mut State<E>,
        running: &mut Running<'_>,
        site: u16,
        size: u64,
        align_log2: u8,
    ) -> Result<u64, Stop> {
        if let Some(address) = place_on_given_stack(state, running, size, align_log2) {
            running.frame.allocas.push(Cell::NOWHERE);
            return Ok(address);
        }
        self.ask_for_object(size)?;
        let site = Site::new(SiteKind::Stack(running.frame.function.0, site));
        let origin = Origin { thread: running.thread, span: running.span() };
        let address =
            state.memory.allocate(size, align_log2, site, origin, Contents::Unwritten).map_err(|_| {
                Fault::new(
                    FailureKind::Memory,
                    FailureDetail::StackOverflow,
                    format!("stack overflow: no room for {size} bytes"),
                )
            })?;
        running.frame.allocas.push(Cell::of(address).expect("objects lie in cells"));
        Ok(address)
    }

    /// A concrete operand; a symbolic one forks over its values.
    pub(crate) fn number(
        &mut self,
        state: &mut State<E>,
        running: &Running<'_>,
        operand: Operand,
    ) -> Result<u64, Stop> {
        match running.word(operand) {
            Some(bits) => Ok(bits),
            None => self.concretize(state, running.value(operand)),
        }
    }
}

/// Address of a variable that lies in memory which the program gave its thread for that.
pub(super) fn place_on_given_stack<E: Environment>(
    state: &mut State<E>,
    running: &Running<'_>,
    size: u64,
    align_log2: u8,
) -> Option<u64> {
    let thread = state.thread(running.thread);
    let depth = thread.stack.len() as u32;
    let stack = thread.given_stacks.iter().rposition(|stack| stack.serves(depth))?;
    let stack = &mut state.thread_mut(running.thread).given_stacks[stack];
    stack.place(depth, &running.frame.allocas, size, align_log2)
}

/// Instructions executed since the thread was last left to run, and how many it may be.
struct Count {
    executed: u64,
    /// How many it may be before it is asked whether to continue.
    budget: u64,
    whole: u64,
    /// The stop of the thread then.
    end: Stop,
}

impl Count {
    #[inline(always)]
    fn check(&mut self, stop: &StopToken) -> Result<(), Stop> {
        if self.executed > self.budget { self.go_on(stop) } else { Ok(()) }
    }

    /// Asks whether to continue, and begins the next slice.
    #[cold]
    fn go_on(&mut self, stop: &StopToken) -> Result<(), Stop> {
        if self.executed > self.whole {
            return Err(self.end.clone());
        }
        stop.check()?;
        self.budget = self.whole.min(self.executed + SLICE);
        Ok(())
    }
}

enum Next {
    Call,
    Return(Operand),
}

/// Counts an edge that leads backwards; beyond the bound the execution is cut.
fn count_back_edge(running: &mut Running<'_>, edge: u32, bound: u32) -> Result<(), Stop> {
    if running.function.edges[edge as usize].target > running.frame.pc {
        return Ok(());
    }
    let counts = &mut running.frame.rare_mut().back_edges;
    let position = counts.iter().position(|entry| entry.0 == edge).unwrap_or_else(|| {
        counts.push((edge, 0));
        counts.len() - 1
    });
    if counts[position].1 == bound {
        let what = format!("a loop is cut after {bound} rounds");
        return Err(Stop::Incomplete(Incomplete {
            reason: IncompleteReason::Unroll,
            what,
            span: running.span(),
        }));
    }
    counts[position].1 += 1;
    Ok(())
}

/// Whether an instruction does more than compute with registers and go elsewhere in the code.
#[inline(always)]
fn reaches_beyond_registers(inst: &Inst) -> bool {
    matches!(inst, Inst::Load { .. } | Inst::Store { .. } | Inst::Alloca { .. } | Inst::Extended { .. })
}

#[cold]
fn division_fault(op: BinaryOp, divisor: u64) -> Stop {
    let word = if matches!(op, BinaryOp::URem | BinaryOp::SRem) { "remainder" } else { "division" };
    let (detail, message) = if divisor == 0 {
        (FailureDetail::DivisionByZero, format!("division by zero ({word})"))
    } else {
        (FailureDetail::DivisionOverflow, format!("{word} overflows: the least value divided by -1"))
    };
    Fault::new(FailureKind::Arithmetic, detail, message).into()
}
