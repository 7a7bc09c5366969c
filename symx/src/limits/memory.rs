//! Memory as a limit: one account of what this process may take, which all that grows asks.
//!
//! Work is stopped before an allocation fails, which neither a solver nor symx survives.

use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use symx_expr::MemoryAccount;

/// How often the process is measured: in that time small allocations that are not asked for grow by some ten
/// MiB at most.
const LOOK: Duration = Duration::from_millis(2);

/// How much memory this process may have in use.
#[derive(Clone, Copy, Debug)]
struct Limit {
    /// Address space, in bytes, where that is limited.
    address_space: Option<u64>,
    /// Resident memory, in bytes.
    resident: Option<u64>,
}

/// How much of a limit of the address space is kept free.
#[derive(Clone, Copy, Debug)]
pub enum KeptFree {
    /// An eighth of it all. The allocator takes address space in large pieces, whether it is used or not.
    Eighth,
    /// Half of what is left now: a table of an engine's that grows is there twice for a while.
    HalfOfRest,
}

impl Limit {
    /// The memory that the system leaves; of resident memory, this many MiB, or three quarters of what is
    /// available.
    fn of_system(mebibytes: Option<u64>, kept: KeptFree) -> Self {
        let limit = number_in("/proc/self/limits", "Max address space");
        let available = || number_in("/proc/meminfo", "MemAvailable:").map(|kib| kib / 4 * 3 * 1024);
        let resident = mebibytes.map_or_else(available, |mib| Some(mib.saturating_mul(1 << 20)));
        Self::of(limit, resident, kept)
    }

    /// Under a limit of the address space, and with so much resident memory, both in bytes.
    fn of(limit: Option<u64>, resident: Option<u64>, kept: KeptFree) -> Self {
        let taken = Taken::now().map_or(0, |taken| taken.address_space);
        let most = |limit: u64| match kept {
            KeptFree::Eighth => limit / 8 * 7,
            KeptFree::HalfOfRest => taken + limit.saturating_sub(taken) / 2,
        };
        Self { address_space: limit.map(most), resident }
    }

    /// Bytes left now.
    fn left(&self) -> u64 {
        let Some(taken) = Taken::now() else { return u64::MAX };
        let left = |limit: Option<u64>, taken: u64| limit.map(|limit| limit.saturating_sub(taken));
        let address_space = left(self.address_space, taken.address_space);
        address_space.into_iter().chain(left(self.resident, taken.resident)).min().unwrap_or(u64::MAX)
    }
}

/// The memory that this process has in use, in bytes.
struct Taken {
    address_space: u64,
    resident: u64,
}

impl Taken {
    /// The system's report; none where it does not say.
    fn now() -> Option<Self> {
        let text = std::fs::read_to_string("/proc/self/statm").ok()?;
        let page = rustix::param::page_size() as u64;
        let mut pages = text.split(' ').map(|field| field.parse::<u64>());
        let mut next = || Some(pages.next()?.ok()? * page);
        Some(Self { address_space: next()?, resident: next()? })
    }
}

/// An account of what may be taken from now on, measured now and then; can be asked by several threads.
#[derive(Debug)]
pub struct MemoryLimit {
    account: Arc<MemoryAccount>,
    limit: Limit,
    since: Instant,
    /// When the process was measured last, in microseconds since then.
    looked: AtomicU64,
}

impl MemoryLimit {
    /// This many MiB of resident memory, or three quarters of what is available; and what the system leaves
    /// of the address space.
    pub fn of_system(mebibytes: Option<u64>, kept: KeptFree) -> Self {
        Self::of(Limit::of_system(mebibytes, kept))
    }

    fn of(limit: Limit) -> Self {
        let account = Arc::new(MemoryAccount::new(move || limit.left()));
        Self { account, limit, since: Instant::now(), looked: AtomicU64::new(0) }
    }

    /// The account that is asked for memory.
    pub fn account(&self) -> &Arc<MemoryAccount> {
        &self.account
    }

    /// How much more may be taken, in MiB, if address space is limited.
    pub fn mebibytes_left(&self) -> Option<u32> {
        let left = self.limit.address_space?.saturating_sub(Taken::now()?.address_space);
        u32::try_from(left >> 20).ok()
    }

    /// Whether it is used up, or was.
    pub fn is_exceeded(&self) -> bool {
        let now = self.since.elapsed().as_micros() as u64;
        if now >= self.looked.load(Ordering::Relaxed) + LOOK.as_micros() as u64 {
            self.looked.store(now, Ordering::Relaxed);
            self.account.look();
        }
        self.account.is_exceeded()
    }
}

/// Returns memory that was freed to the system, so that it no longer counts as taken.
pub fn return_freed_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it touches free memory of the allocator only.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// What to say of a panic there if it is for want of memory: Z3 gives nothing where an allocation fails, and
/// its crate then panics.
pub fn failed_allocation(at: Option<&Location>) -> Option<String> {
    let limit = number_in("/proc/self/limits", "Max address space").map(|bytes| bytes / 1024);
    want_of_memory(at?.file(), limit?, number_in("/proc/self/status", "VmPeak:")?)
}

fn want_of_memory(file: &str, limit_kib: u64, peak_kib: u64) -> Option<String> {
    let is_of_z3 = file.split('/').any(|part| part.starts_with("z3-"));
    (is_of_z3 && peak_kib > limit_kib / 2)
        .then(|| format!("max-memory: Z3 failed; {peak_kib} of {limit_kib} KiB of address space were in use"))
}

/// Peak resident memory of this process in KiB; 0 where the system does not say.
pub fn peak_memory_kib() -> u64 {
    number_in("/proc/self/status", "VmHWM:").unwrap_or(0)
}

/// The number after `field` in one of the system's files.
fn number_in(file: &str, field: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    line.split_whitespace().next()?.parse().ok()
}

/// A limit that is exceeded from the beginning.
#[cfg(test)]
pub fn exceeded() -> MemoryLimit {
    MemoryLimit::of(Limit { address_space: None, resident: Some(1) })
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
        let taken = Taken::now().unwrap().address_space;
        let limit = Limit::of(Some(taken + 2_000_000_000), None, KeptFree::HalfOfRest);
        assert!((taken..taken + 1_500_000_000).contains(&limit.address_space.unwrap()));
        assert!(!after_a_while(&MemoryLimit::of(limit)));
        let wide = Limit::of(Some(8 * taken), None, KeptFree::Eighth);
        assert_eq!(wide.address_space, Some(7 * taken));
        assert!(after_a_while(&MemoryLimit::of(Limit { address_space: Some(1), ..limit })));
        assert!(
            !after_a_while(&MemoryLimit::of(Limit::of(None, None, KeptFree::Eighth))),
            "nothing is limited"
        );
    }

    #[test]
    fn what_was_refused_ends_all_though_it_was_not_taken() {
        let limit = MemoryLimit::of_system(Some(1 << 20), KeptFree::Eighth);
        assert!(!after_a_while(&limit));
        assert!(limit.account().grants(1 << 20) && !limit.account().grants(1 << 50));
        assert!(limit.is_exceeded());
    }

    #[test]
    fn address_space_left_is_known_only_where_it_is_limited() {
        let taken = Taken::now().unwrap().address_space;
        let left = MemoryLimit::of(Limit::of(Some(taken + (2_000 << 20)), None, KeptFree::HalfOfRest));
        let left = left.mebibytes_left();
        assert!(left.is_some_and(|left| (500..=1_000).contains(&left)), "{left:?}");
        assert_eq!(exceeded().mebibytes_left(), None);
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
        assert!(after_a_while(&exceeded()));
        assert!(peak_memory_kib() > 100);
    }
}
