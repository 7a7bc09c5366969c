//! Memory as a limit of what engines may take: they are stopped before an allocation fails, which no solver survives.

use crate::budget::number_in;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often the process's memory is looked at; reading it costs a system call.
const LOOK: Duration = Duration::from_millis(20);

/// How much memory this process may take from now on; can be asked by several threads.
#[derive(Debug)]
pub struct MemoryLimit {
    /// Address space that may be in use, in KiB: where that is limited, half of what is left, as a table that grows is
    /// there twice for a while.
    address_space_kib: Option<u64>,
    /// Resident memory, in KiB: three quarters of what is available.
    resident_kib: Option<u64>,
    since: Instant,
    /// When it was looked at last, in milliseconds since then.
    looked: AtomicU64,
    /// Whether it was exceeded: who stops for that gives memory back, and is to be told why afterwards, too.
    was_exceeded: AtomicBool,
}

impl MemoryLimit {
    /// What the system leaves.
    pub fn of_system() -> Self {
        let limit = number_in("/proc/self/limits", "Max address space").map(|bytes| bytes / 1024);
        Self::of(limit, number_in("/proc/meminfo", "MemAvailable:").map(|kib| kib / 4 * 3))
    }

    /// Under a limit of the address space, and with so much resident memory, both in KiB.
    pub(crate) fn of(limit_kib: Option<u64>, resident_kib: Option<u64>) -> Self {
        let taken = status("VmSize:").unwrap_or(0);
        let address_space_kib = limit_kib.map(|limit| taken + limit.saturating_sub(taken) / 2);
        Self {
            address_space_kib,
            resident_kib,
            since: Instant::now(),
            looked: AtomicU64::new(0),
            was_exceeded: AtomicBool::new(false),
        }
    }

    /// How much more may be taken, in MiB, if address space is limited.
    pub fn mebibytes_left(&self) -> Option<u32> {
        let left = self.address_space_kib?.saturating_sub(status("VmSize:")?);
        u32::try_from(left / 1024).ok()
    }

    /// Whether it is used up.
    pub fn is_exceeded(&self) -> bool {
        if self.was_exceeded.load(Ordering::Relaxed) {
            return true;
        }
        let now = self.since.elapsed().as_millis() as u64;
        if now < self.looked.load(Ordering::Relaxed) + LOOK.as_millis() as u64 {
            return false;
        }
        let is_more = |field, limit: Option<u64>| {
            limit.is_some_and(|limit| status(field).is_some_and(|taken| taken > limit))
        };
        let is_exceeded = is_more("VmSize:", self.address_space_kib) || is_more("VmRSS:", self.resident_kib);
        self.looked.store(now, Ordering::Relaxed);
        self.was_exceeded.fetch_or(is_exceeded, Ordering::Relaxed);
        is_exceeded
    }
}

/// What to say of a panic there if it is for want of memory: Z3 gives nothing where an allocation fails, and its crate then panics.
pub fn failed_allocation(at: Option<&Location>) -> Option<String> {
    let limit = number_in("/proc/self/limits", "Max address space").map(|bytes| bytes / 1024);
    want_of_memory(at?.file(), limit?, status("VmPeak:")?)
}

fn want_of_memory(file: &str, limit_kib: u64, peak_kib: u64) -> Option<String> {
    let is_of_z3 = file.split('/').any(|part| part.starts_with("z3-"));
    (is_of_z3 && peak_kib > limit_kib / 2)
        .then(|| format!("max-memory: Z3 failed; {peak_kib} of {limit_kib} KiB of address space were in use"))
}

fn status(field: &str) -> Option<u64> {
    number_in("/proc/self/status", field)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after_a_while(limit: &MemoryLimit) -> bool {
        std::thread::sleep(2 * LOOK);
        limit.is_exceeded()
    }

    #[test]
    fn half_of_the_address_space_left_may_be_taken() {
        let taken = status("VmSize:").unwrap();
        let limit = MemoryLimit::of(Some(taken + 2_000_000), None);
        assert!((taken..taken + 1_500_000).contains(&limit.address_space_kib.unwrap()));
        assert!(!after_a_while(&limit));
        assert!(after_a_while(&MemoryLimit { address_space_kib: Some(1), ..limit }));
        assert!(!after_a_while(&MemoryLimit::of(None, None)), "nothing is limited");
    }

    #[test]
    fn what_was_exceeded_stays_so_when_memory_is_given_back() {
        let limit = MemoryLimit::of(None, Some(1));
        assert!(after_a_while(&limit));
        assert!(after_a_while(&MemoryLimit { resident_kib: Some(u64::MAX), ..limit }));
    }

    #[test]
    fn address_space_left_is_told_only_where_it_is_limited() {
        let taken = status("VmSize:").unwrap();
        let left = MemoryLimit::of(Some(taken + 2_048_000), None).mebibytes_left();
        assert!(left.is_some_and(|left| (500..=1_000).contains(&left)), "{left:?}");
        assert_eq!(MemoryLimit::of(None, Some(1)).mebibytes_left(), None);
    }

    #[test]
    fn only_z3_in_little_address_space_fails_for_want_of_memory() {
        let z3 = "/registry/src/index/z3-0.22.0/src/ast/mod.rs";
        let said = want_of_memory(z3, 700_000, 600_000).unwrap();
        assert!(said.starts_with("max-memory: ") && said.contains("600000 of 700000"), "{said}");
        assert_eq!(want_of_memory(z3, 700_000, 100_000), None);
        assert_eq!(want_of_memory("expr/src/solver/z3_solver.rs", 700_000, 600_000), None);
    }

    #[test]
    fn resident_memory_is_limited() {
        assert!(after_a_while(&MemoryLimit::of(None, Some(1))));
    }
}
