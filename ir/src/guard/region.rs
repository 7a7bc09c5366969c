//! Code of several blocks that a lock is held on: a region with one entry.
//!
//! The region has the blocks on the ways from the block of its first access to the blocks of the others. The
//! lock is acquired before the first access. It is released after the last access of a block from which no
//! other is reached, and on the edges that leave the region. Linear in blocks and edges.

use super::{Piece, Unguarded};
use crate::function::Function;

/// A region with one entry.
pub(super) struct Region {
    /// The code of each of its blocks on which the lock is held; the entry is the first.
    pub held: Vec<Piece>,
    /// Of these, the blocks at whose last instruction the lock is released.
    pub ends: Vec<Piece>,
    /// The edges on which the lock is released.
    pub exits: Vec<usize>,
}

impl Region {
    /// The region of pieces of different blocks, if one of the blocks is its only entry.
    pub fn of(function: &Function, pieces: &[Piece]) -> Result<Self, Unguarded> {
        let block = |at: usize| function.blocks.partition_point(|block| block.start as usize <= at) - 1;
        let of_block = |number: usize| pieces.iter().find(|piece| block(piece.first) == number);
        let entry = pieces.iter().map(|piece| block(piece.first)).find(|entry| {
            let inside = inside(function, *entry, |number| of_block(number).is_some());
            has_one_entry(function, *entry, &inside) && pieces.iter().all(|piece| inside[block(piece.first)])
        });
        let entry = entry.ok_or(Unguarded::SeveralPieces)?;
        let inside = inside(function, entry, |number| of_block(number).is_some());
        let stays = |edge: usize| {
            let to = function.edges[edge].block as usize;
            inside[to] && to != entry
        };
        let mut region = Self { held: Vec::new(), ends: Vec::new(), exits: Vec::new() };
        let others = (0..function.blocks.len()).filter(|number| *number != entry && inside[*number]);
        for number in std::iter::once(entry).chain(others) {
            let own = &function.blocks[number];
            let next =
                function.blocks.get(number + 1).map_or(function.code.len(), |next| next.start as usize);
            let first = match of_block(number).filter(|_| number == entry) {
                Some(piece) => piece.first,
                None => own.start as usize,
            };
            match of_block(number).filter(|_| !own.edges().any(stays)) {
                Some(piece) => {
                    let end = Piece { first, last: piece.last };
                    region.held.push(end);
                    region.ends.push(end);
                }
                None => {
                    region.held.push(Piece { first, last: next - 1 });
                    region.exits.extend(own.edges().filter(|edge| !stays(*edge)));
                }
            }
        }
        Ok(region)
    }

    /// Whether all of a piece is inside.
    pub fn covers(&self, piece: &Piece) -> bool {
        self.held.iter().any(|held| held.first <= piece.first && piece.last <= held.last)
    }

    /// Whether some of a piece is inside.
    pub fn meets(&self, piece: &Piece) -> bool {
        self.held.iter().any(|held| held.first <= piece.last && piece.first <= held.last)
    }
}

/// The blocks on ways from the entry to those that are `wanted`, none of which comes to the entry again.
fn inside(function: &Function, entry: usize, wanted: impl Fn(usize) -> bool) -> Vec<bool> {
    let count = function.blocks.len();
    let successors = |number: usize| {
        let edges = &function.edges[function.blocks[number].edges()];
        edges.iter().map(|edge| edge.block as usize).filter(|to| *to != entry)
    };
    let mut from_entry = vec![false; count];
    let mut open = vec![entry];
    while let Some(number) = open.pop() {
        if !std::mem::replace(&mut from_entry[number], true) {
            open.extend(successors(number));
        }
    }
    let mut before = vec![Vec::new(); count];
    for number in (0..count).filter(|number| from_entry[*number]) {
        successors(number).for_each(|to| before[to].push(number));
    }
    let mut inside = vec![false; count];
    open.extend((0..count).filter(|number| from_entry[*number] && wanted(*number)));
    while let Some(number) = open.pop() {
        if !std::mem::replace(&mut inside[number], true) {
            open.extend(&before[number]);
        }
    }
    inside
}

/// Whether no edge from outside leads into the region past its entry.
fn has_one_entry(function: &Function, entry: usize, inside: &[bool]) -> bool {
    function.blocks.iter().zip(inside).filter(|(_, inside)| !**inside).all(|(block, _)| {
        let edges = &function.edges[block.edges()];
        edges.iter().all(|edge| edge.block as usize == entry || !inside[edge.block as usize])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::{Block, Edge};
    use crate::instruction::{Inst, Operand};

    /// Blocks of two instructions each, with these successors.
    fn graph(successors: &[&[u32]]) -> Function {
        let mut function = Function::default();
        for (targets, number) in successors.iter().zip(0..) {
            let first_edge = function.edges.len() as u32;
            let count = targets.len() as u32;
            function.blocks.push(Block { start: 2 * number, first_edge, edge_count: count });
            let edge = |block: &u32| Edge { block: *block, target: 2 * block, first_move: 0, move_count: 0 };
            function.edges.extend(targets.iter().map(edge));
            let slot = Operand::slot(0);
            function.code.push(Inst::Store {
                bits: 8,
                volatile: false,
                align_log2: 0,
                address: slot,
                value: slot,
            });
            function.code.push(Inst::Unreachable);
        }
        function
    }

    fn piece(block: usize) -> Piece {
        Piece { first: 2 * block, last: 2 * block }
    }

    fn starts(pieces: &[Piece]) -> Vec<usize> {
        pieces.iter().map(|piece| piece.first / 2).collect()
    }

    #[test]
    fn an_arm_ends_and_the_way_around_it_exits() {
        // if (0) { 1 } 2
        let region = Region::of(&graph(&[&[1, 2], &[2], &[]]), &[piece(0), piece(1)]).unwrap();
        assert_eq!((starts(&region.held), starts(&region.ends)), (vec![0, 1], vec![1]));
        assert_eq!(region.exits, [1], "the edge from 0 to 2");
        assert!(region.covers(&piece(0)) && !region.meets(&piece(2)));
    }

    #[test]
    fn a_loop_around_acquires_anew() {
        // 0: do { 1: if { 2 } 3 } while; 4
        let region = Region::of(&graph(&[&[1], &[2, 3], &[3], &[1, 4], &[]]), &[piece(1), piece(2)]).unwrap();
        assert_eq!((starts(&region.held), starts(&region.ends)), (vec![1, 2], vec![2]));
        assert_eq!(region.exits, [2], "the edge from 1 to 3");
    }

    #[test]
    fn an_entry_from_elsewhere_is_none() {
        // 0 leads to 1 and to 2; 1 leads to 2.
        let way = graph(&[&[1, 2], &[2], &[]]);
        assert!(Region::of(&way, &[piece(1), piece(2)]).is_err());
    }
}
