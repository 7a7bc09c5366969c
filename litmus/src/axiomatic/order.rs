//! A strict order of events that grows pair by pair, and refuses what would make it a cycle.

use symx_memmodel::Location;

/// Events as the bits of a word.
pub(super) type Events = u64;

/// The set of one event.
pub(super) fn only(event: usize) -> Events {
    1 << event
}

/// The events of a set.
pub(super) fn each(mut events: Events) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = events.trailing_zeros() as usize;
        events &= events.wrapping_sub(1);
        (first < Events::BITS as usize).then_some(first)
    })
}

/// A transitive order.
#[derive(Clone)]
pub(super) struct Order {
    /// By event, what comes after it.
    after: Vec<Events>,
    /// By event, what comes before it.
    before: Vec<Events>,
}

impl Order {
    /// The transitive closure of some pairs, unless they have a cycle.
    pub(super) fn new(events: usize, pairs: &[(usize, usize)]) -> Option<Self> {
        assert!(events <= Events::BITS as usize, "litmus programs are small");
        let mut order = Self { after: vec![0; events], before: vec![0; events] };
        pairs.iter().all(|&(one, other)| order.add(one, other)).then_some(order)
    }

    /// Orders one event before another; false if it comes after it already.
    #[must_use]
    pub(super) fn add(&mut self, one: usize, other: usize) -> bool {
        if one == other || self.after[other] & only(one) != 0 {
            return false;
        }
        if self.after[one] & only(other) == 0 {
            let earlier = self.before[one] | only(one);
            let later = self.after[other] | only(other);
            each(earlier).for_each(|event| self.after[event] |= later);
            each(later).for_each(|event| self.before[event] |= earlier);
        }
        true
    }

    /// The events before an event.
    pub(super) fn before(&self, event: usize) -> Events {
        self.before[event]
    }

    /// Two of some events that have no order.
    pub(super) fn unordered(&self, events: Events) -> Option<(usize, usize)> {
        each(events).find_map(|event| {
            let others = events & !only(event) & !self.after[event] & !self.before[event];
            each(others).next().map(|other| (event, other))
        })
    }

    /// Adds what follows from reads-from, with coherence and from-reads a part of the order. A write that
    /// overwrites what was read comes after the read. A write that comes before the read was overwritten by
    /// what it read. `writes` are those of each location. False if that is a cycle.
    #[must_use]
    pub(super) fn follow(&mut self, locations: &[Location], writes: &[Events]) -> bool {
        loop {
            let mut settled = true;
            for (location, writes) in locations.iter().zip(writes) {
                for &(read, source) in &location.reads_from {
                    let others = writes & !only(read) & !source.map_or(0, only);
                    let (overwriting, overwritten) = match source {
                        Some(source) => (
                            self.after[source] & others & !self.after[read],
                            self.before[read] & others & !self.before[source],
                        ),
                        None => (others & !self.after[read], 0),
                    };
                    settled &= overwriting | overwritten == 0;
                    let consistent = each(overwriting).all(|write| self.add(read, write))
                        && each(overwritten).all(|write| source.is_none_or(|read| self.add(write, read)));
                    if !consistent {
                        return false;
                    }
                }
            }
            if settled {
                return true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_memmodel::ByteRange;

    #[test]
    fn an_order_is_transitive_and_has_no_cycle() {
        let mut order = Order::new(4, &[(0, 1), (2, 3)]).unwrap();
        assert_eq!(order.unordered(0b1111), Some((0, 2)));
        assert!(order.add(1, 2));
        assert_eq!(order.before(3), 0b111);
        assert!(!order.add(3, 0) && !order.add(1, 1));
        assert_eq!(order.unordered(0b1111), None);
        assert!(Order::new(2, &[(0, 1), (1, 0)]).is_none());
    }

    #[test]
    fn what_is_overwritten_comes_before() {
        // Writes 0 and 1, read 2 of write 0.
        let location =
            Location { range: ByteRange::new(0, 1), coherence: vec![], reads_from: vec![(2, Some(0))] };
        let mut overwritten = Order::new(3, &[(0, 2), (1, 2)]).unwrap();
        assert!(overwritten.follow(std::slice::from_ref(&location), &[0b11]));
        assert_eq!(overwritten.before(0), 0b10, "else the read would have come before the other write");
        let mut overwriting = Order::new(3, &[(0, 1)]).unwrap();
        assert!(overwriting.follow(&[location], &[0b11]));
        assert_eq!(overwriting.before(1), 0b101);
    }
}
