//! An access at a symbolic place within one object, as terms: every cell that it may touch takes part.
//!
//! How many cells those are follows from what the offset shows on its face. That is its bounds, and low bits
//! that are always the same: an index into `int`s is a multiple of four. The solver is asked only if that is
//! too coarse.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::Object;
use crate::state::State;
use crate::stop::Stop;
use crate::value::{Byte, Value};
use smallvec::smallvec;
use symx_expr::solver::{Branch, Unresolved};
use symx_expr::{Term, Terms};
use symx_ir::address::Cell;

/// The places within an object that an access may go to: `count` of them, `stride` bytes apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// Whose.
    pub cell: Cell,
    /// Offset of the first place.
    first: u64,
    stride: u64,
    count: u64,
    /// Which place, counted from zero.
    index: Term,
}

impl<E: Environment> Executor<'_, E> {
    /// The places for `length` bytes at the symbolic `address`, which lies within the object at `base`. Where
    /// there are more than are worth a term, stops with a fork that halves them.
    pub(crate) fn window(
        &mut self,
        state: &State<E>,
        base: u64,
        address: Term,
        length: u64,
    ) -> Result<Window, Stop> {
        let machine = self.machine;
        let terms = &machine.terms;
        let cell = Cell::of(base).expect("an object lies in a cell");
        let object = state.memory.get(cell).expect("resolved to an object");
        let offset = terms.subtract(address, terms.constant(64, base));
        let low = terms.low_bits(offset);
        let stride = 1_u64 << low.count.min(32);
        let residue = low.value & (stride - 1);
        let (least, most) = terms.unsigned_bounds(offset);
        let mut range = (least, most.min(object.size - length));
        let places = |(least, most): (u64, u64)| {
            let first = least + (residue.wrapping_sub(least) & (stride - 1));
            (first, most.checked_sub(first).map_or(0, |span| span / stride + 1))
        };
        let affordable = (machine.options.select_limit / length.max(1)).max(1);
        if places(range).1 > affordable {
            range =
                self.queries.unsigned_range(&state.path, offset).map_err(|unresolved| match unresolved {
                    Unresolved::Infeasible => Stop::Infeasible,
                    Unresolved::Unknown(undecided) => undecided.into(),
                })?;
        }
        let (first, count) = places(range);
        if count == 0 {
            return Err(Stop::Infeasible);
        }
        if count > affordable {
            let middle = terms.constant(64, first + count / 2 * stride);
            let below = terms.unsigned_less(offset, middle);
            return match self.queries.branch(&state.path, below) {
                Branch::Unknown(undecided) => Err(undecided.into()),
                // The range is exact: there are addresses on either side.
                _ => Err(Stop::Fork(smallvec![below, terms.not(below)])),
            };
        }
        let from_first = terms.subtract(offset, terms.constant(64, first));
        let bits = (64 - (count - 1).leading_zeros()).max(1);
        let index = terms.extract(from_first, stride.trailing_zeros(), bits);
        Ok(Window { cell, first, stride, count, index })
    }

    /// Reads `length` (at most 8) bytes `at` bytes into each place, as one value.
    pub(crate) fn read_window(&self, state: &State<E>, window: &Window, at: u64, length: u64) -> Value {
        let terms = &self.machine.terms;
        let object = state.memory.get(window.cell).expect("resolved to an object");
        if window.count == 1 {
            return object.read(terms, window.first + at, length);
        }
        let width = 8 * length as u32;
        let cells: Vec<Term> = window
            .offsets()
            .map(|offset| object.read(terms, offset + at, length).term(terms, width))
            .collect();
        Value::of(terms, terms.select(window.index, &cells))
    }

    /// Writes the low `length` (at most 8) bytes of `value`, `at` bytes into the place that it is.
    pub(crate) fn write_window(
        &self,
        state: &mut State<E>,
        window: &Window,
        at: u64,
        length: u64,
        value: Value,
    ) {
        let terms = &self.machine.terms;
        let object = state.memory.get_mut(window.cell).expect("resolved to an object");
        if window.stride >= length {
            window.write_cells(terms, object, at, length, value);
        } else {
            window.write_bytes(terms, object, at, length, value);
        }
    }
}

impl Window {
    /// The offsets of the places.
    fn offsets(&self) -> impl Iterator<Item = u64> + use<> {
        let Window { first, stride, count, .. } = *self;
        (0..count).map(move |place| first + place * stride)
    }

    /// That the access goes to this place.
    fn is_at(&self, terms: &Terms, place: u64) -> Term {
        if self.count == 1 {
            return Term::TRUE;
        }
        terms.equal(self.index, terms.constant(terms.width(self.index), place))
    }

    /// Writes places that do not overlap.
    fn write_cells(&self, terms: &Terms, object: &mut Object, at: u64, length: u64, value: Value) {
        let width = 8 * length as u32;
        let new = terms.zero_extend(value.term(terms, width), width);
        for (place, offset) in (0..).zip(self.offsets()) {
            let old = object.read(terms, offset + at, length).term(terms, width);
            let cell = terms.if_then_else(self.is_at(terms, place), new, old);
            object.write(terms, offset + at, length, Value::of(terms, cell));
        }
    }

    /// Writes places that overlap: a byte is each byte of the value in turn, or what it was.
    fn write_bytes(&self, terms: &Terms, object: &mut Object, at: u64, length: u64, value: Value) {
        let new = Byte::split(terms, value, length);
        let last = (self.count - 1) * self.stride;
        for within in 0..last + length {
            let offset = self.first + at + within;
            let mut byte = object.byte(terms, offset).term(terms);
            for (index, new) in (0..).zip(&new) {
                let Some(place) = within.checked_sub(index) else { continue };
                if place <= last && place.is_multiple_of(self.stride) {
                    let here = self.is_at(terms, place / self.stride);
                    byte = terms.if_then_else(here, new.term(terms), byte);
                }
            }
            object.set_byte(offset, Byte::of(terms, byte));
        }
    }
}
