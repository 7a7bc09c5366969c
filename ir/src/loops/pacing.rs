//! Registers that only pace a loop: they decide how long a round idles, and nothing else.
//!
//! Code that waits backs off: it pauses for longer from round to round, then yields (crossbeam's `Backoff`,
//! which Rust's channels have). The number of rounds is in a register then. Two threads that stand at the
//! same place in such a loop, with the same in all other registers, do the same from there, though one idles
//! for longer.
//!
//! That is a question of what flows from a register. It may flow into computations, and into branches whose
//! ways meet again within the loop. Between such a branch and the place where they meet there may be
//! computations and calls that idle. What is written there depends on the register, too. Nothing that depends
//! on it is an address, a value stored, an argument, or read after the loop.
//!
//! A way that idles is taken to end, as C does (C11, 6.8.5p6), and an assumption about the register to hold.

use super::{code, innermost_loop};
use crate::function::{CallSite, Edge, Function};
use crate::instruction::{BinaryOp, Extended, Inst, Slot};
use crate::live::live_on_leaving_without_jumps;
use crate::registers::{reads, written};

/// Those of the registers `live` before the instruction at `pc`, by slot, that only pace the innermost loop
/// around it. `is_idle` says which calls do nothing but idle, with the same result always.
pub fn pacing_registers(
    function: &Function,
    pc: u32,
    live: &[bool],
    is_idle: impl Fn(&CallSite) -> bool,
) -> Vec<Slot> {
    if function.saves_points {
        return Vec::new();
    }
    let Some((_, body)) = innermost_loop(function, function.block_at(pc)) else { return Vec::new() };
    let around = Loop::new(function, &body, is_idle);
    let after = live_on_leaving_without_jumps(function, &body);
    let candidates = (0..).zip(live).filter(|(slot, live)| **live && around.writes(*slot));
    candidates.map(|(slot, _)| slot).filter(|slot| around.is_paced_by(*slot, &after)).collect()
}

/// A loop of a function.
struct Loop<'f> {
    function: &'f Function,
    /// By block, whether it belongs to the loop.
    body: &'f [bool],
    /// By block, those between its end and where all ways from there meet again, if they only idle.
    idle_ways: Vec<Option<Vec<usize>>>,
}

impl<'f> Loop<'f> {
    fn new(function: &'f Function, body: &'f [bool], is_idle: impl Fn(&CallSite) -> bool) -> Self {
        let idles = |inst: &Inst| match *inst {
            Inst::Jump { .. } | Inst::Branch { .. } | Inst::CompareBranch { .. } | Inst::Switch { .. } => {
                true
            }
            Inst::Call { site } => is_idle(&function.calls[site as usize]),
            _ => computes(function, inst),
        };
        let idles: Vec<bool> =
            (0..body.len()).map(|block| body[block] && code(function, block).iter().all(idles)).collect();
        let idle_ways = (0..body.len())
            .map(|block| {
                let meets = (0..body.len()).filter(|meet| body[block] && body[*meet]);
                meets.filter_map(|meet| ways_until(function, block, meet, &idles)).min_by_key(Vec::len)
            })
            .collect();
        Self { function, body, idle_ways }
    }

    fn blocks(&self) -> impl Iterator<Item = usize> {
        (0..self.body.len()).filter(|block| self.body[*block])
    }

    /// Whether a register is written in the loop.
    fn writes(&self, slot: Slot) -> bool {
        self.blocks().any(|block| {
            code(self.function, block).iter().any(|inst| written(self.function, inst).contains(&slot))
                || edges(self.function, block)
                    .iter()
                    .any(|edge| moves(self.function, edge).any(|(dst, _)| dst == slot))
        })
    }

    /// Whether a register only paces the loop. `after`, by slot, are those that matter after it.
    fn is_paced_by(&self, counter: Slot, after: &[bool]) -> bool {
        let mut depends = Depends(vec![false; self.function.slots as usize]);
        depends.0[counter as usize] = true;
        loop {
            let known = depends.count();
            if !self.blocks().all(|block| self.follow(block, &mut depends)) {
                return false;
            }
            if depends.count() == known {
                return depends.0.iter().zip(after).all(|(depends, is_read)| !(depends & is_read));
            }
        }
    }

    /// Adds what depends on a register through one block. Whether it only paces there.
    fn follow(&self, block: usize, depends: &mut Depends) -> bool {
        let function = self.function;
        for inst in code(function, block) {
            let mut is_read = false;
            reads(function, inst, |first, count| is_read |= depends.any(first, count));
            match inst {
                _ if !is_read => {}
                Inst::Branch { .. } | Inst::CompareBranch { .. } | Inst::Switch { .. } => {
                    let Some(ways) = &self.idle_ways[block] else { return false };
                    self.follow_ways(block, ways, depends);
                }
                _ if computes(function, inst) => depends.add(written(function, inst)),
                _ => return false,
            }
        }
        for (dst, src) in edges(function, block).iter().flat_map(|edge| moves(function, edge)) {
            if src.is_some_and(|src| depends.any(src, 1)) {
                depends.add(dst..dst + 1);
            }
        }
        true
    }

    /// Adds what is written on the ways from the end of a block, of which one is taken.
    fn follow_ways(&self, from: usize, ways: &[usize], depends: &mut Depends) {
        let function = self.function;
        for inst in ways.iter().flat_map(|passed| code(function, *passed)) {
            depends.add(written(function, inst));
        }
        for edge in ways.iter().chain([&from]).flat_map(|block| edges_without_unwinding(function, *block)) {
            moves(function, edge).for_each(|(dst, _)| depends.add(dst..dst + 1));
        }
    }
}

/// By slot, whether a register depends on another one.
struct Depends(Vec<bool>);

impl Depends {
    fn any(&self, first: Slot, count: u32) -> bool {
        self.0[first as usize..(first + count) as usize].contains(&true)
    }

    fn add(&mut self, slots: std::ops::Range<Slot>) {
        self.0[slots.start as usize..slots.end as usize].fill(true);
    }

    fn count(&self) -> usize {
        self.0.iter().filter(|depends| **depends).count()
    }
}

/// The blocks on all ways from the end of a block to another one, if each way leads there and only `idles`.
fn ways_until(function: &Function, from: usize, until: usize, idles: &[bool]) -> Option<Vec<usize>> {
    let (mut passed, mut open) = (Vec::new(), vec![from]);
    while let Some(block) = open.pop() {
        for edge in edges_without_unwinding(function, block) {
            let next = edge.block as usize;
            if next == until || passed.contains(&next) {
                continue;
            }
            if !idles[next] {
                return None;
            }
            passed.push(next);
            open.push(next);
        }
    }
    Some(passed)
}

fn edges(function: &Function, block: usize) -> &[Edge] {
    &function.edges[function.blocks[block].edges()]
}

/// The edges on which a block that idles is left: what idles does not unwind.
fn edges_without_unwinding(function: &Function, block: usize) -> &[Edge] {
    let normal = match code(function, block).last() {
        Some(Inst::Call { site }) => function.calls[*site as usize].invoke.map(|(normal, _)| normal as usize),
        _ => None,
    };
    match normal {
        Some(normal) => &function.edges[normal..=normal],
        None => edges(function, block),
    }
}

/// The registers written along an edge, each with the one it is a copy of, unless that is a constant.
fn moves<'f>(function: &'f Function, edge: &Edge) -> impl Iterator<Item = (Slot, Option<Slot>)> + use<'f> {
    let first = edge.first_move as usize;
    function.moves[first..first + edge.move_count as usize]
        .iter()
        .map(|step| (step.dst, (!step.src.is_constant()).then(|| step.src.index() as Slot)))
}

/// Whether an instruction only computes, and cannot fail.
fn computes(function: &Function, inst: &Inst) -> bool {
    match *inst {
        Inst::Binary { op, .. } => {
            use BinaryOp::{SDiv, SRem, UDiv, URem};
            !matches!(op, UDiv | SDiv | URem | SRem)
        }
        Inst::Compare { .. }
        | Inst::Cast { .. }
        | Inst::PointerIndex { .. }
        | Inst::Select { .. }
        | Inst::Copy { .. }
        | Inst::Float { .. }
        | Inst::FloatUnary { .. }
        | Inst::FloatCompare { .. } => true,
        Inst::Extended { index } => matches!(
            function.extended[index as usize],
            Extended::Bits { .. } | Extended::Minmax { .. } | Extended::Assume { .. }
        ),
        _ => false,
    }
}
