//! A log as it is written: events become the units that [`Events`](super::unit::Events) reads.

use super::unit::{
    ABANDONED, ACTIVE, AGAIN, AGAIN_LAST, BEFORE_CALL, CREATED, ENDED, ENTER, Event, IN_LOOP, JUMPED_BACK,
    NARROW_MAX, OUTER, PATH, RETURN, ROUNDS_OF, ROUNDS_OFTEN, STOPPED, TICKS, WIDE_ENTER, WIDE_PATH,
    WIDE_RETURN,
};

/// The log of one thread while it grows. A path that follows itself is counted, not written again.
#[derive(Clone, Debug)]
pub struct Log {
    units: Vec<u16>,
    /// The clock at the last stamp.
    ticks: u64,
    /// The path that the last units record, if it is one that its activation completed and went on after.
    last: Option<u32>,
}

impl Log {
    /// The log of a thread that started when the clock stood at `started`.
    pub fn new(started: u64) -> Self {
        Log { units: Vec::new(), ticks: started, last: None }
    }

    /// Adds an event.
    pub fn put(&mut self, event: Event) {
        let last = std::mem::take(&mut self.last);
        match event {
            Event::Path(number) if last == Some(number) => {
                self.again();
                self.last = last;
            }
            Event::Path(number) => {
                match number <= NARROW_MAX {
                    true => self.units.push(PATH + number as u16 + 1),
                    false => self.value(WIDE_PATH, number),
                }
                self.last = Some(number);
            }
            Event::Again(times) => {
                (0..times).for_each(|_| self.again());
                self.last = last;
            }
            Event::Return(number) => self.narrow_or_wide(RETURN, WIDE_RETURN, number),
            Event::Enter(function) => self.narrow_or_wide(ENTER, WIDE_ENTER, function),
            Event::Abandoned(sum) => self.value(ABANDONED, sum),
            Event::JumpedBack(sum) => self.value(JUMPED_BACK, sum),
            Event::Created(number) => self.value(CREATED, number),
            Event::BeforeCall(ticks) => self.stamp(ticks),
            Event::Rounds { number, times } => {
                self.value(ROUNDS_OF, number);
                self.value(ROUNDS_OFTEN, times);
            }
            Event::Outer(functions) => self.value(OUTER, functions),
            Event::Active(function) => self.value(ACTIVE, function),
            Event::InLoop(number) => self.units.push(IN_LOOP + number as u16),
            Event::Stopped => self.units.push(STOPPED),
            Event::Ended => self.units.push(ENDED),
        }
    }

    /// How many units have not been taken.
    pub fn len(&self) -> usize {
        self.units.len()
    }

    /// Whether all units have been taken.
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// Takes the units written so far; the log goes on after them.
    pub fn take(&mut self) -> Vec<u16> {
        std::mem::take(&mut self.units)
    }

    /// The path before was taken once more.
    fn again(&mut self) {
        match self.units.last_mut() {
            Some(count @ AGAIN..AGAIN_LAST) => *count += 1,
            _ => self.units.push(AGAIN + 1),
        }
    }

    fn narrow_or_wide(&mut self, narrow: u16, wide: u16, number: u32) {
        match number <= NARROW_MAX {
            true => self.units.push(narrow + number as u16),
            false => self.value(wide, number),
        }
    }

    fn stamp(&mut self, ticks: u64) {
        let since = u32::try_from(ticks.wrapping_sub(self.ticks)).unwrap_or_else(|_| {
            let parts = (0..4).map(|part| (ticks >> (16 * part)) as u16);
            self.units.push(TICKS);
            self.units.extend(parts);
            0
        });
        self.value(BEFORE_CALL, since);
        self.ticks = ticks;
    }

    fn value(&mut self, tag: u16, value: u32) {
        self.units.extend([tag, value as u16, (value >> 16) as u16]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::unit::Events;

    fn read(units: &[u16]) -> Vec<Event> {
        Events::new(units, 100).map(|event| event.unwrap()).collect()
    }

    #[test]
    fn what_is_written_is_read() {
        let events = [
            Event::Enter(3),
            Event::Enter(0x3FFE),
            Event::Enter(0x3FFF),
            Event::Path(0),
            Event::Path(0x3FFD),
            Event::Path(0x3FFE),
            Event::Path(0x1_0000),
            Event::Rounds { number: 70, times: 1 << 20 },
            Event::BeforeCall(101),
            Event::Created(1),
            Event::BeforeCall(101 + (1 << 40)),
            Event::JumpedBack(7),
            Event::Abandoned(0x8000_0001),
            Event::Return(0x3FFE),
            Event::Return(0x3FFF),
            Event::Outer(2),
            Event::Active(5),
            Event::Stopped,
            Event::Ended,
            Event::InLoop(62),
        ];
        let mut log = Log::new(100);
        events.iter().for_each(|&event| log.put(event));
        assert_eq!(read(&log.take()), events);
        assert!(log.is_empty());
    }

    #[test]
    fn a_path_that_follows_itself_is_counted() {
        let mut log = Log::new(100);
        (0..5000).for_each(|_| log.put(Event::Path(2)));
        log.put(Event::BeforeCall(100));
        log.put(Event::Path(2));
        let mut units = log.take();
        log.put(Event::Path(2));
        units.extend(log.take());
        assert_eq!(
            read(&units),
            [
                Event::Path(2),
                Event::Again(4095),
                Event::Again(904),
                Event::BeforeCall(100),
                Event::Path(2),
                Event::Again(1)
            ]
        );
    }
}
