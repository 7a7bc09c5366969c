//! A read at a symbolic index as a tree of choices.
//!
//! Arrays stay away from the solver. Of three shapes the one with the fewest gates is built. They are binary
//! search over runs of equal cells, a multiplexer over the index's bits (no comparison), and tests for
//! exceptions to the most frequent cell. Cells that were written at a symbolic index are seen through first.

use rustc_hash::FxHashMap;

use crate::node::{BinaryOperator, Node, Term};
use crate::pool::Terms;

impl Terms {
    /// The cell at `index`, counted from zero.
    ///
    /// The caller sees to it that the index is below the number of cells: for others the value is that of
    /// some cell.
    ///
    /// # Panics
    /// If there are no cells, their widths differ, or the last index does not fit the index's width.
    pub fn select(&self, index: Term, cells: &[Term]) -> Term {
        let index_width = self.width(index);
        assert!(!cells.is_empty(), "a cell is selected from at least one");
        let fits = index_width >= 64 || (cells.len() as u64 - 1) >> index_width == 0;
        assert!(fits, "{} cells have indices of more than {index_width} bits", cells.len());
        if let Some(position) = self.as_constant(index)
            && let Some(cell) = usize::try_from(position).ok().and_then(|position| cells.get(position))
        {
            return *cell;
        }
        if let Some(read) = self.select_written(index, cells) {
            return read;
        }
        let runs = runs_of(cells);
        let (usual, exceptions) = exceptions_of(cells);
        let choice = u64::from(self.width(cells[0]));
        let comparison = u64::from(index_width);
        let search_cost = (runs.len() as u64 - 1) * (choice + comparison);
        let exceptions_cost = exceptions.len() as u64 * (choice + comparison);
        let bits_cost = count_multiplexers(cells) * choice;
        if bits_cost <= search_cost && bits_cost <= exceptions_cost {
            self.select_by_bits(index, cells)
        } else if exceptions_cost < search_cost {
            exceptions.into_iter().rev().fold(usual, |rest, (position, cell)| {
                let hit = self.equal(index, self.constant(index_width, position as u64));
                self.if_then_else(hit, cell, rest)
            })
        } else {
            self.search(index, &runs)
        }
    }

    /// Cells of which one was written, where another index said: that value where the indices meet, else what
    /// the cells held before. One comparison takes the place of one a cell.
    fn select_written(&self, index: Term, cells: &[Term]) -> Option<Term> {
        let written = |cell: Term| {
            let Node::IfThenElse { condition, then, otherwise, .. } = *self.node(cell) else { return None };
            let (other, place) = self.as_binary_constant(BinaryOperator::Equal, condition)?;
            Some((other, self.as_constant(place)?, then, otherwise))
        };
        let (other, first, value, _) = written(*cells.first()?)?;
        let mut before = Vec::with_capacity(cells.len());
        for (position, cell) in cells.iter().enumerate() {
            let (index, place, then, otherwise) = written(*cell)?;
            if index != other || then != value || place != first.checked_add(position as u64)? {
                return None;
            }
            before.push(otherwise);
        }
        let width = self.width(index).max(self.width(other)) + 1;
        let (place, other) = (self.zero_extend(index, width), self.zero_extend(other, width));
        let hit = self.equal(self.add(place, self.constant(width, first)), other);
        Some(self.if_then_else(hit, value, self.select(index, &before)))
    }

    /// Binary search; the depth is logarithmic in the number of runs.
    fn search(&self, index: Term, runs: &[(usize, Term)]) -> Term {
        if let [(_, cell)] = runs {
            return *cell;
        }
        let (lower, upper) = runs.split_at(runs.len() / 2);
        let below = self.unsigned_less(index, self.constant(self.width(index), upper[0].0 as u64));
        self.if_then_else(below, self.search(index, lower), self.search(index, upper))
    }

    fn select_by_bits(&self, index: Term, cells: &[Term]) -> Term {
        let mut level = cells.to_vec();
        let mut bit = 0;
        while level.len() > 1 {
            let odd = self.extract(index, bit, 1);
            level = level
                .chunks(2)
                .map(|pair| match *pair {
                    [even, at_odd] => self.if_then_else(odd, at_odd, even),
                    // The partner is past the last cell, where any value will do.
                    _ => pair[0],
                })
                .collect();
            bit += 1;
        }
        level[0]
    }
}

/// The first position and the cell of every run of equal cells.
fn runs_of(cells: &[Term]) -> Vec<(usize, Term)> {
    let mut runs: Vec<(usize, Term)> = Vec::new();
    for (position, cell) in cells.iter().enumerate() {
        if runs.last().is_none_or(|(_, last)| last != cell) {
            runs.push((position, *cell));
        }
    }
    runs
}

/// The most frequent cell, and the others with their positions.
fn exceptions_of(cells: &[Term]) -> (Term, Vec<(usize, Term)>) {
    let mut counts: FxHashMap<Term, usize> = FxHashMap::default();
    for cell in cells {
        *counts.entry(*cell).or_default() += 1;
    }
    let usual =
        counts.iter().max_by_key(|(cell, count)| (**count, **cell)).map_or(cells[0], |(cell, _)| *cell);
    let others = cells.iter().copied().enumerate().filter(|(_, cell)| *cell != usual).collect();
    (usual, others)
}

/// How many distinct choices a multiplexer over the index's bits has.
fn count_multiplexers(cells: &[Term]) -> u64 {
    // Equal pairs on one level share a node; a node of two equal halves is none.
    let mut numbers: FxHashMap<Term, usize> = FxHashMap::default();
    let mut level: Vec<usize> = cells
        .iter()
        .map(|cell| {
            let next = numbers.len();
            *numbers.entry(*cell).or_insert(next)
        })
        .collect();
    let (mut next, mut count) = (numbers.len(), 0);
    while level.len() > 1 {
        let mut pairs: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        level = level
            .chunks(2)
            .map(|pair| match *pair {
                [even, odd] if even != odd => *pairs.entry((even, odd)).or_insert_with(|| {
                    next += 1;
                    next
                }),
                _ => pair[0],
            })
            .collect();
        count += pairs.len() as u64;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Assignment, BitVector, evaluate};

    fn check(terms: &Terms, values: &[u64]) {
        let index = terms.symbol("i", 32);
        let cells: Vec<Term> = values.iter().map(|value| terms.constant(8, *value)).collect();
        let selected = terms.select(index, &cells);
        for (position, value) in values.iter().enumerate() {
            let at = |i| -> Assignment { [(index, BitVector::from_u64(32, i))].into_iter().collect() };
            assert_eq!(evaluate(terms, selected, &at(position as u64)).to_u64(), Some(*value), "{position}");
        }
    }

    #[test]
    fn every_shape_selects_every_cell() {
        let terms = Terms::new();
        let table: Vec<u64> = (0..256).map(|i| i * i * 7 % 256).collect();
        check(&terms, &table);
        check(&terms, &table[..77]);
        check(&terms, &(0..100).map(|i| u64::from(i > 40) + u64::from(i > 77)).collect::<Vec<_>>());
        check(&terms, &(0..100).map(|i| if i == 33 { 5 } else { 9 }).collect::<Vec<_>>());
        check(&terms, &[4]);
    }

    #[test]
    fn symbolic_cells_are_selected_too() {
        let terms = Terms::new();
        let index = terms.symbol("i", 8);
        let cells: Vec<Term> = (0..5).map(|i| terms.symbol(&format!("c{i}"), 16)).collect();
        let selected = terms.select(index, &cells);
        let assignment: Assignment = cells
            .iter()
            .zip(10..)
            .map(|(cell, value)| (*cell, BitVector::from_u64(16, value)))
            .chain([(index, BitVector::from_u64(8, 3))])
            .collect();
        assert_eq!(evaluate(&terms, selected, &assignment).to_u64(), Some(13));
    }

    #[test]
    fn a_write_at_an_index_is_seen_through() {
        let terms = Terms::new();
        let (read, write) = (terms.symbol("r", 4), terms.symbol("w", 6));
        let value = terms.symbol("v", 16);
        let table: Vec<Term> = (0..10).map(|i| terms.constant(16, i * i)).collect();
        let written: Vec<Term> = (0..10)
            .map(|i| {
                terms.if_then_else(terms.equal(write, terms.constant(6, i + 3)), value, table[i as usize])
            })
            .collect();
        let selected = terms.select(read, &written);
        let Node::IfThenElse { then, otherwise, .. } = *terms.node(selected) else { panic!("a choice") };
        assert_eq!((then, otherwise), (value, terms.select(read, &table)));
        for (r, w) in [(0, 3), (2, 4), (9, 12), (5, 63), (7, 10)] {
            let assignment: Assignment = [(read, 4, r), (write, 6, w), (value, 16, 999)]
                .map(|(symbol, width, value)| (symbol, BitVector::from_u64(width, value)))
                .into_iter()
                .collect();
            let expected = if r + 3 == w { 999 } else { r * r };
            assert_eq!(evaluate(&terms, selected, &assignment).to_u64(), Some(expected), "{r} {w}");
        }
    }

    #[test]
    fn an_exception_costs_one_comparison() {
        let terms = Terms::new();
        let (index, usual, other) = (terms.symbol("i", 32), terms.symbol("u", 8), terms.symbol("o", 8));
        let mut cells = vec![usual; 64];
        cells[20] = other;
        let expected = terms.if_then_else(terms.equal(index, terms.constant(32, 20)), other, usual);
        assert_eq!(terms.select(index, &cells), expected);
    }
}
