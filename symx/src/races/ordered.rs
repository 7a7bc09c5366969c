//! Pairs of places whose accesses an execution had ordered, for telling candidates for races apart.

use rustc_hash::FxHashSet;
use symx_interp::machine::races::OrderedPair;
use symx_ir::Program;

/// An access: file, line, column if it counts, and whether it writes.
pub type Place<'p> = (&'p str, u32, Option<u32>, bool);

/// Pairs of accesses, by place.
#[derive(Clone, Debug, Default)]
pub struct OrderedPlaces<'p> {
    /// The lesser place of a pair first.
    pairs: FxHashSet<[Place<'p>; 2]>,
}

impl<'p> OrderedPlaces<'p> {
    /// The places of pairs that executions of a program had ordered.
    pub fn of(program: &'p Program, seen: &FxHashSet<OrderedPair>) -> Self {
        let mut pairs = FxHashSet::default();
        for pair in seen {
            let [Some(one), Some(other)] = pair.spans.map(|span| program.position(span)) else { continue };
            for counts in [true, false] {
                let place = |(file, line, column): (&'p str, u32, u32), writes| {
                    (file, line, counts.then_some(column), writes)
                };
                pairs.insert(sorted([place(one, pair.writes[0]), place(other, pair.writes[1])]));
            }
        }
        Self { pairs }
    }

    /// Whether a pair is among them, in either order.
    pub fn have(&self, pair: [Place<'_>; 2]) -> bool {
        self.pairs.contains(&sorted(pair))
    }
}

fn sorted([one, other]: [Place<'_>; 2]) -> [Place<'_>; 2] {
    if one <= other { [one, other] } else { [other, one] }
}
