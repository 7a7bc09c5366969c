//! Whether each write keeps one place in coherence order, whatever bytes of it are read.
//!
//! What fixes the order of two writes fixes it at one byte ([`Writes`]). Writes of several bytes meet at
//! others, too, where other loads may fix it the other way, in one pair or around several. A write is
//! performed as one on every machine. So all that is fixed, at whatever byte, must have no cycle.

use crate::Epoch;
use crate::coherence::{Write, Writes};
use imbl::OrdMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// Two writes of one byte, of which the first comes before the second.
pub(crate) type Pair<'w, B> = (&'w Arc<Write<B>>, &'w Arc<Write<B>>);

/// Whether all writes have an order in which these pairs are, too.
pub(crate) fn have_order<B>(writes: &OrdMap<u64, Arc<Writes<B>>>, pairs: &[Pair<'_, B>]) -> bool {
    let is_before = |one: Epoch, other: &Arc<Write<B>>| {
        let mut found: SmallVec<[&Arc<Write<B>>; 8]> = SmallVec::from_iter([other]);
        let mut next = 0;
        while let Some(write) = found.get(next).copied() {
            let at = write.range.addresses().filter_map(|address| writes.get(&address));
            let asked = pairs.iter().filter(|(_, second)| second.event == write.event);
            for before in at.flat_map(|at| at.before(write.event)).chain(asked.map(|(first, _)| *first)) {
                if before.event == one {
                    return true;
                }
                if found.iter().all(|known| known.event != before.event) {
                    found.push(before);
                }
            }
            next += 1;
        }
        false
    };
    pairs.iter().all(|(first, second)| !is_before(second.event, first))
}
