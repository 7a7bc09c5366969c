//! Elements of vectors by an index: a choice among the lanes where the index is symbolic.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::threads::running::Running;
use crate::value::Value;
use symx_expr::Term;
use symx_ir::{Operand, Slot};

impl<E: Environment> Executor<'_, E> {
    /// `dst` (`width` slots) = element `index` of a vector of `lanes` elements. Beyond the end the last is
    /// taken.
    pub(super) fn extract_element(
        &self,
        running: &mut Running<'_>,
        dst: Slot,
        [vector, index]: [Operand; 2],
        width: u32,
        lanes: u32,
    ) {
        let element = |lane: u32, slot: u32| running.value(vector.offset(lane * width + slot));
        let found: Vec<Value> = match running.value(index) {
            Value::Concrete(index) => {
                let lane = index.min(u64::from(lanes) - 1) as u32;
                (0..width).map(|slot| element(lane, slot)).collect()
            }
            Value::Symbolic(index) => {
                let chosen = |slot| {
                    let last = element(lanes - 1, slot);
                    (0..lanes - 1).rev().fold(last, |rest, lane| {
                        self.either(self.is_lane(index, lane), element(lane, slot), rest)
                    })
                };
                (0..width).map(chosen).collect()
            }
        };
        for (slot, value) in (0..).zip(found) {
            running.frame.set(dst + slot, value);
        }
    }

    /// `dst` = a vector with element `index` replaced.
    pub(super) fn insert_element(
        &self,
        running: &mut Running<'_>,
        dst: Slot,
        [vector, element, index]: [Operand; 3],
        width: u32,
        lanes: u32,
    ) {
        let index = running.value(index);
        for slot in 0..width * lanes {
            let (old, lane) = (running.value(vector.offset(slot)), slot / width);
            let new = running.value(element.offset(slot % width));
            let value = match index {
                Value::Concrete(index) if u64::from(lane) == index => new,
                Value::Concrete(_) => old,
                Value::Symbolic(index) => self.either(self.is_lane(index, lane), new, old),
            };
            running.frame.set(dst + slot, value);
        }
    }

    /// Whether an index names a lane. One too narrow to hold its number does not.
    fn is_lane(&self, index: Term, lane: u32) -> Term {
        let terms = &self.machine.terms;
        let width = terms.width(index);
        if width < 32 && lane >> width != 0 {
            return Term::FALSE;
        }
        terms.equal(index, terms.constant(width, lane.into()))
    }
}
