//! Executions as a sketch sees them: which fail alike, which writes were read, which accesses the slice
//! touches.

use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use symx_trace::sketch::RunCounts;
use symx_trace::{CodePlace, Failure, LoggedAccess, RunLog, Weight};

/// Executions by how they end.
#[derive(Clone, Debug)]
pub struct Sorted<'a> {
    /// Those with the failure that the sketch is about.
    pub failing: Vec<&'a RunLog>,
    /// Those that do not fail.
    pub passing: Vec<&'a RunLog>,
    /// How many fail otherwise; they are not counted.
    pub otherwise: Weight,
}

impl<'a> Sorted<'a> {
    /// Sorts executions by whether they end in `failure`.
    pub fn by(runs: &'a [RunLog], failure: &Failure) -> Self {
        let mut sorted = Self { failing: Vec::new(), passing: Vec::new(), otherwise: Weight::ZERO };
        for run in runs {
            match &run.failure {
                Some(other) if other.same_fault(failure) => sorted.failing.push(run),
                Some(_) => sorted.otherwise += run.weight,
                None => sorted.passing.push(run),
            }
        }
        sorted
    }

    /// How many runs these stand for.
    pub fn counts(&self) -> RunCounts {
        let [failing, passing] = self.weights();
        let [failing, passing, otherwise] =
            [failing, passing, self.otherwise].map(|weight| weight.runs().round() as u32);
        RunCounts { failing, passing, otherwise }
    }

    /// The weights of all failing executions, and of all passing ones.
    pub(super) fn weights(&self) -> [Weight; 2] {
        [&self.failing, &self.passing].map(|of| of.iter().map(|run| run.weight).sum())
    }
}

/// For each instruction that reads memory, the instructions that wrote there last before it in some of the
/// executions.
pub fn writers(runs: &[&RunLog]) -> BTreeMap<CodePlace, BTreeSet<CodePlace>> {
    let mut found: BTreeMap<CodePlace, BTreeSet<CodePlace>> = BTreeMap::new();
    for run in runs {
        let accesses: Vec<&LoggedAccess> = run.accesses.iter().collect();
        for (access, writes) in accesses.iter().zip(last_writes(&accesses)) {
            if access.mode != symx_trace::AccessMode::Write || access.waits {
                let places = writes.into_iter().map(|write| accesses[write].place);
                found.entry(access.place).or_default().extend(places);
            }
        }
    }
    found
}

/// Bytes of an access that are looked at one by one.
const MANY: u64 = 64;

/// For each access the writes that wrote its bytes last before it, ascending.
pub(super) fn last_writes(accesses: &[&LoggedAccess]) -> Vec<Vec<usize>> {
    // By address of a byte, the latest write; larger ones are rare and looked for by themselves.
    let mut latest: FxHashMap<u64, usize> = FxHashMap::default();
    let mut large: Vec<usize> = Vec::new();
    let mut found = Vec::with_capacity(accesses.len());
    for (now, access) in accesses.iter().enumerate() {
        let bytes = access.start..access.end;
        let wide = large.iter().rev().copied().find(|write| accesses[*write].overlaps(access));
        let first = bytes.clone().take(MANY as usize);
        let mut writes: Vec<usize> = match wide {
            None => first.filter_map(|byte| latest.get(&byte).copied()).collect(),
            Some(wide) => {
                let covers = |byte: u64| (accesses[wide].start..accesses[wide].end).contains(&byte);
                let own = |byte: u64| latest.get(&byte).copied().max(covers(byte).then_some(wide));
                first.filter_map(own).collect()
            }
        };
        writes.sort_unstable();
        writes.dedup();
        found.push(writes);
        match (access.mode.writes(), bytes.end.saturating_sub(bytes.start) > MANY) {
            (true, true) => large.push(now),
            (true, false) => latest.extend(bytes.map(|byte| (byte, now))),
            (false, _) => {}
        }
    }
    found
}

/// The accesses to memory that the instructions of a slice touch, in their order.
pub(super) fn tracked<'a>(run: &'a RunLog, slice: &BTreeMap<CodePlace, u32>) -> Vec<&'a LoggedAccess> {
    let of_slice = run.accesses.iter().filter(|access| slice.contains_key(&access.place));
    let ranges = Ranges::of(of_slice);
    run.accesses.iter().filter(|access| ranges.find(access).is_some()).collect()
}

/// Those of some accesses that are to memory which several threads access and one writes.
pub(super) fn shared<'a>(accesses: &[&'a LoggedAccess]) -> Vec<&'a LoggedAccess> {
    let ranges = Ranges::of(accesses.iter().copied());
    let mut users: Vec<(Option<u32>, bool, bool)> = vec![(None, false, false); ranges.0.len()];
    for access in accesses {
        let Some(range) = ranges.find(access) else { continue };
        let (first, is_shared, is_written) = &mut users[range];
        *is_shared |= first.is_some_and(|first| first != access.thread);
        *is_written |= access.mode.writes();
        *first = Some(access.thread);
    }
    let is_shared = |access: &&&LoggedAccess| {
        ranges.find(access).is_some_and(|range| matches!(users[range], (_, true, true)))
    };
    accesses.iter().filter(is_shared).copied().collect()
}

/// Ranges of addresses, ascending, no two of which overlap.
struct Ranges(Vec<(u64, u64)>);

impl Ranges {
    /// The ranges that some accesses touch; those that overlap are one.
    fn of<'a>(accesses: impl Iterator<Item = &'a LoggedAccess>) -> Self {
        let mut ranges: Vec<(u64, u64)> = accesses.map(|access| (access.start, access.end)).collect();
        ranges.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::new();
        for (start, end) in ranges {
            match joined.last_mut().filter(|last| start < last.1) {
                Some(last) => last.1 = last.1.max(end),
                None => joined.push((start, end)),
            }
        }
        Self(joined)
    }

    /// The first range that an access overlaps.
    fn find(&self, access: &LoggedAccess) -> Option<usize> {
        let next = self.0.partition_point(|range| range.1 <= access.start);
        self.0.get(next).filter(|range| range.0 < access.end).map(|_| next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_trace::AccessMode;

    fn access(pc: u32, mode: AccessMode, start: u64, end: u64) -> LoggedAccess {
        LoggedAccess {
            time: pc.into(),
            thread: 0,
            place: CodePlace { function: 0, pc },
            mode,
            start,
            end,
            value: None,
            call: None,
            waits: false,
        }
    }

    #[test]
    fn a_read_has_the_writes_that_came_last() {
        let run = RunLog {
            accesses: vec![
                access(0, AccessMode::Write, 64, 68),
                access(1, AccessMode::Write, 64, 68),
                access(2, AccessMode::Write, 1000, 9000),
                access(3, AccessMode::Read, 64, 68),
                access(4, AccessMode::Read, 2000, 2004),
            ],
            ..RunLog::default()
        };
        let found = writers(&[&run]);
        let of = |pc| found[&CodePlace { function: 0, pc }].iter().map(|place| place.pc).collect::<Vec<_>>();
        assert_eq!((of(3), of(4)), (vec![1], vec![2]));
    }

    #[test]
    fn a_write_beside_what_is_read_is_not_its_source() {
        let accesses = [
            access(0, AccessMode::Write, 64, 68),
            access(1, AccessMode::Write, 68, 72),
            access(2, AccessMode::Read, 64, 68),
            access(3, AccessMode::Read, 66, 70),
        ];
        let all: Vec<&LoggedAccess> = accesses.iter().collect();
        assert_eq!(last_writes(&all)[2..], [vec![0], vec![0, 1]]);
    }

    #[test]
    fn what_overlaps_memory_of_the_slice_is_tracked() {
        let run = RunLog {
            accesses: vec![
                access(0, AccessMode::Write, 0, 100),
                access(1, AccessMode::Read, 8, 12),
                access(2, AccessMode::Write, 12, 16),
            ],
            ..RunLog::default()
        };
        let slice = BTreeMap::from([(CodePlace { function: 0, pc: 1 }, 0)]);
        let tracked: Vec<u32> = tracked(&run, &slice).iter().map(|access| access.place.pc).collect();
        assert_eq!(tracked, [0, 1]);
    }

    #[test]
    fn memory_of_one_thread_is_not_shared() {
        let mut accesses = [
            access(0, AccessMode::Write, 0, 4),
            access(1, AccessMode::Read, 8, 12),
            access(2, AccessMode::Read, 8, 12),
            access(3, AccessMode::Read, 0, 4),
        ];
        (accesses[2].thread, accesses[3].thread) = (1, 1);
        let all: Vec<&LoggedAccess> = accesses.iter().collect();
        let places: Vec<u32> = shared(&all).iter().map(|access| access.place.pc).collect();
        assert_eq!(places, [0, 3], "what is only read is not shared, either");
    }
}
