//! The order of events that holds in every execution: a relation kept transitively closed.

use crate::synthesis::problem::EventId;

/// A strict partial order of events, or a relation with a cycle.
#[derive(Clone, Debug)]
pub struct FixedOrder {
    events: usize,
    words: usize,
    /// By event, a bit for every event that comes after it.
    after: Vec<u64>,
    is_cyclic: bool,
}

impl FixedOrder {
    /// The order that follows from pairs of earlier and later events.
    pub fn new(events: usize, pairs: &[(EventId, EventId)]) -> Self {
        let words = events.div_ceil(64);
        let mut order = Self { events, words, after: vec![0; events * words], is_cyclic: false };
        let mut successors = vec![Vec::new(); events];
        let mut predecessors = vec![0_u32; events];
        for (earlier, later) in pairs {
            successors[earlier.index()].push(later.index());
            predecessors[later.index()] += 1;
        }
        let mut sorted: Vec<usize> = (0..events).filter(|event| predecessors[*event] == 0).collect();
        let mut done = 0;
        while let Some(&event) = sorted.get(done) {
            done += 1;
            for &later in &successors[event] {
                predecessors[later] -= 1;
                if predecessors[later] == 0 {
                    sorted.push(later);
                }
            }
        }
        order.is_cyclic = done < events;
        for &event in sorted.iter().rev() {
            for &later in &successors[event] {
                order.put_after(event, later);
            }
        }
        order
    }

    /// Whether the relation contradicts itself.
    pub fn is_cyclic(&self) -> bool {
        self.is_cyclic
    }

    /// Whether an event comes before another.
    pub fn precedes(&self, earlier: EventId, later: EventId) -> bool {
        let bit = self.after[earlier.index() * self.words + later.index() / 64];
        bit >> (later.index() % 64) & 1 == 1
    }

    /// Adds that an event comes before another, with all that follows; whether that is new.
    pub fn add(&mut self, earlier: EventId, later: EventId) -> bool {
        if earlier == later || self.precedes(later, earlier) {
            self.is_cyclic = true;
            return true;
        }
        if self.precedes(earlier, later) {
            return false;
        }
        for event in 0..self.events as u32 {
            let event = EventId(event);
            if (event == earlier || self.precedes(event, earlier)) && !self.precedes(event, later) {
                self.put_after(event.index(), later.index());
            }
        }
        true
    }

    /// Puts an event, and all after it, after another.
    fn put_after(&mut self, event: usize, later: usize) {
        self.after[event * self.words + later / 64] |= 1 << (later % 64);
        for word in 0..self.words {
            self.after[event * self.words + word] |= self.after[later * self.words + word];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_closed_and_notices_cycles() {
        let mut order = FixedOrder::new(5, &[(EventId(0), EventId(1)), (EventId(3), EventId(4))]);
        assert!(order.precedes(EventId(0), EventId(1)) && !order.precedes(EventId(0), EventId(4)));
        assert!(order.add(EventId(1), EventId(3)));
        assert!(order.precedes(EventId(0), EventId(4)) && !order.add(EventId(0), EventId(4)));
        assert!(!order.is_cyclic());
        assert!(order.add(EventId(4), EventId(0)) && order.is_cyclic());
        assert!(FixedOrder::new(2, &[(EventId(0), EventId(1)), (EventId(1), EventId(0))]).is_cyclic());
    }
}
