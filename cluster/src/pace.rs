//! For how long units are explored, and into how many the rest of them is divided.
//!
//! Both follow from how many units are open and how many can be explored at a time. The simulation
//! (`cluster/examples/simulation.rs`) goes by the same rules.

use crate::Hints;
use std::time::Duration;

/// The slice while there are fewer units than workers: the next ones are to be there soon. It doubles with
/// each result that leaves no more units than there were.
const FIRST_SLICE: Duration = Duration::from_millis(50);

const MOST_DOUBLINGS: u32 = 16;

/// How many units there are to be for each that is explored at a time, so that no worker waits while results
/// are under way.
const UNITS_A_JOB: usize = 4;

/// Most units that are made of one at a time.
const MOST_PARTS: usize = 64;

/// Most results that are to come in a second: a server works for about a millisecond for each with its unit.
/// With more workers slices are longer.
const MOST_A_SECOND: f64 = 500.0;

/// How a campaign's units are handed out.
#[derive(Clone, Debug)]
pub struct Pace {
    slice: Duration,
    /// How many results came since one that left several units.
    without_more_units: u32,
}

impl Pace {
    /// With this slice once there are enough units.
    pub fn new(slice: Duration) -> Self {
        Self { slice, without_more_units: 0 }
    }

    /// Notes a result, and whether there are more units for it than there were.
    pub fn note(&mut self, is_more: bool) {
        self.without_more_units = if is_more { 0 } else { self.without_more_units + 1 };
    }

    /// How to explore units that are published now, with `open` units open and `jobs` explored at a time.
    pub fn hints(&self, open: usize, jobs: usize) -> Hints {
        let (open, jobs) = (open.max(1), jobs.max(1));
        // All that are open are divided, and not only the next one.
        let wanted = (UNITS_A_JOB * jobs).saturating_sub(open).div_ceil(open);
        let short = FIRST_SLICE * (1 << self.without_more_units.min(MOST_DOUBLINGS));
        let full = self.slice.max(Duration::from_secs_f64(jobs as f64 / MOST_A_SECOND));
        let slice = if open >= 2 * jobs { full } else { full.min(short) };
        Hints { slice, units: (1 + wanted).min(MOST_PARTS) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_come_to_a_few_for_each_worker() {
        let pace = Pace::new(Duration::from_secs(1));
        for jobs in [1, 2, 16, 256, 4096] {
            let (mut open, mut rounds) = (1, 0);
            while open < 2 * jobs {
                let hints = pace.hints(open, jobs);
                assert!(hints.slice < Duration::from_secs(1), "units are few");
                (open, rounds) = (open * hints.units, rounds + 1);
            }
            assert!(open <= 2 * UNITS_A_JOB * jobs && rounds <= 4, "{jobs} jobs: {open} after {rounds}");
        }
    }

    #[test]
    fn slices_leave_the_coordinator_time() {
        let pace = Pace::new(Duration::from_secs(1));
        for (jobs, seconds) in [(1, 1.0), (256, 1.0), (1000, 2.0), (4096, 8.192)] {
            let hints = pace.hints(4 * jobs, jobs);
            assert_eq!((hints.slice.as_secs_f64(), hints.units), (seconds, 1), "{jobs} jobs");
        }
    }
}
