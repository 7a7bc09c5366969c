//! Phi nodes as moves on edges.
//!
//! The phis of a block all read before any of them writes. As a sequence, a move must not overwrite what a
//! later one reads; a cycle (two phis that swap) goes through the spare slot.

use super::Builder;
use crate::llvm::Block;
use crate::unsupported::Translated;
use rustc_hash::FxHashMap;
use symx_ir::function::Move;
use symx_ir::{Operand, Slot};

impl<'m> Builder<'_, 'm> {
    /// The moves of the edge between two blocks, to be done at the same time.
    pub(super) fn parallel_moves(&mut self, from: Block<'m>, to: Block<'m>) -> Translated<Vec<Move>> {
        let Some(pairs) = self.incoming.get(&(to, from)).cloned() else {
            return Ok(Vec::new());
        };
        let mut moves = Vec::new();
        for (phi, received) in pairs {
            if received.is_undefined() {
                // Any value will do; the slot has one.
                continue;
            }
            let slots = self.source.shape(phi.type_of())?.slots();
            let (dst, src) = (self.result(phi)?, self.operand(received)?);
            moves.extend((0..slots).map(|slot| Move { dst: dst + slot, src: src.offset(slot) }));
        }
        Ok(moves)
    }

    /// Appends `moves` in an order that has their parallel effect; returns the first one's
    /// index and their count.
    pub(super) fn place_moves(&mut self, moves: Vec<Move>) -> (u32, u32) {
        let first = self.out.moves.len() as u32;
        let spare = match self.spare {
            _ if moves.len() < 2 => 0,
            Some(spare) => spare,
            None => {
                let spare = self.fresh(1);
                *self.spare.insert(spare)
            }
        };
        let ordered = sequential(moves, spare);
        self.out.moves.extend_from_slice(&ordered);
        (first, ordered.len() as u32)
    }
}

/// Orders parallel moves (each written slot occurs once) so that one after the other they
/// have the same effect.
fn sequential(moves: Vec<Move>, spare: Slot) -> Vec<Move> {
    let mut pending: Vec<Move> =
        moves.into_iter().filter(|step| step.src != Operand::slot(step.dst)).collect();
    // Count of pending moves that read a slot.
    let mut readers: FxHashMap<Slot, u32> = FxHashMap::default();
    let written: FxHashMap<Slot, usize> =
        pending.iter().enumerate().map(|(at, step)| (step.dst, at)).collect();
    for step in &pending {
        if !step.src.is_constant() {
            *readers.entry(step.src.index() as Slot).or_default() += 1;
        }
    }
    let mut ordered = Vec::with_capacity(pending.len());
    let mut done = vec![false; pending.len()];
    let mut ready: Vec<usize> =
        (0..pending.len()).filter(|&at| !readers.contains_key(&pending[at].dst)).collect();
    for start in 0..=pending.len() {
        while let Some(at) = ready.pop() {
            done[at] = true;
            ordered.push(pending[at]);
            let src = pending[at].src;
            if src.is_constant() {
                continue;
            }
            let slot = src.index() as Slot;
            if let Some(count) = readers.get_mut(&slot) {
                *count -= 1;
                if let (0, Some(&freed)) = (*count, written.get(&slot)) {
                    ready.push(freed);
                }
            }
        }
        if start < pending.len() && !done[start] {
            // Only cycles are left. Set the slot that this move overwrites aside, and let its
            // reader read it there.
            let slot = pending[start].dst;
            ordered.push(Move { dst: spare, src: Operand::slot(slot) });
            for step in pending.iter_mut().filter(|step| step.src == Operand::slot(slot)) {
                step.src = Operand::slot(spare);
            }
            readers.insert(slot, 0);
            ready.push(start);
        }
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(moves: &[(Slot, Slot)]) -> (Vec<Slot>, Vec<Slot>) {
        let steps = moves.iter().map(|&(dst, src)| Move { dst, src: Operand::slot(src) }).collect();
        let mut frame: Vec<Slot> = (0..10).collect();
        let mut expected = frame.clone();
        for &(dst, src) in moves {
            expected[dst as usize] = src;
        }
        for step in sequential(steps, 9) {
            frame[step.dst as usize] = frame[step.src.index()];
        }
        (frame[..9].to_vec(), expected[..9].to_vec())
    }

    #[test]
    fn sequential_moves_have_the_parallel_effect() {
        let cases: &[&[(Slot, Slot)]] = &[
            &[(0, 1), (1, 0)],
            &[(0, 1), (1, 2), (2, 0), (3, 0), (4, 1)],
            &[(0, 1), (1, 2), (2, 3)],
            &[(2, 3), (1, 2), (0, 1)],
            &[(0, 1), (1, 0), (2, 3), (3, 2), (4, 4), (5, 0)],
            &[(0, 2), (1, 2), (2, 0)],
        ];
        for case in cases {
            let (frame, expected) = run(case);
            assert_eq!(frame, expected, "{case:?}");
        }
    }
}
