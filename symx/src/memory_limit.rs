//! Memory as a limit of what engines may take: they are stopped before an allocation fails, which no solver survives.

use crate::budget::number_in;
use std::sync::atomic::{AtomicU64, Ordering};
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
        Self { address_space_kib, resident_kib, since: Instant::now(), looked: AtomicU64::new(0) }
    }

    /// Whether it is used up.
    pub fn is_exceeded(&self) -> bool {
        let now = self.since.elapsed().as_millis() as u64;
        if now < self.looked.load(Ordering::Relaxed) + LOOK.as_millis() as u64 {
            return false;
        }
        let is_more = |field, limit: Option<u64>| {
            limit.is_some_and(|limit| status(field).is_some_and(|taken| taken > limit))
        };
        let is_exceeded = is_more("VmSize:", self.address_space_kib) || is_more("VmRSS:", self.resident_kib);
        // Who has exceeded it is told so each time.
        if !is_exceeded {
            self.looked.store(now, Ordering::Relaxed);
        }
        is_exceeded
    }
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
    fn resident_memory_is_limited() {
        assert!(after_a_while(&MemoryLimit::of(None, Some(1))));
    }
}
