//! The races that an execution has shown.

use crate::memory::Site;
use rustc_hash::{FxHashMap, FxHashSet};
use symx_ir::SpanId;
use symx_memmodel::{AccessShadow, ByteRange};
use symx_trace::{Race, ThreadId};

/// The races of one execution.
#[derive(Debug, Default)]
pub struct Sightings {
    /// The step under way.
    pub step: usize,
    /// The races, by two places and an object.
    pub seen: Vec<SeenRace>,
    /// The allocation sites of the objects that race.
    pub sites: FxHashSet<Site>,
    pub(crate) numbers: FxHashMap<(u64, SpanId, bool, SpanId, bool), usize>,
}

/// A race and where in the execution it was.
#[derive(Clone, Debug)]
pub struct SeenRace {
    /// The race.
    pub race: Race,
    /// Where its accesses are.
    pub spans: [SpanId; 2],
    /// Its occurrences.
    pub at: Vec<Instance>,
}

/// An occurrence of a race: two steps of two threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The steps, by number.
    pub steps: [usize; 2],
    /// The threads that take them.
    pub threads: [ThreadId; 2],
    /// The bytes that both access.
    pub range: ByteRange,
}

/// Which memory races, where only that is to be known of an execution: no access parks its thread for it.
#[derive(Debug, Default)]
pub struct QuietRaces {
    /// The accesses so far.
    pub shadow: AccessShadow,
    /// How many accesses there were, but for looks at one place, again and again.
    pub noted: u64,
    /// The allocation sites of the objects that race: the name of the first of them, and where it did.
    pub racy: FxHashMap<Site, (String, SpanId)>,
    /// The thread that has accessed an object; `None` for several.
    users: FxHashMap<u64, Option<ThreadId>>,
    /// How many accesses there were to objects of a site. Repeated reads of one place count as one: a thread
    /// that spins does not make a program large.
    accesses: FxHashMap<Site, u64>,
    /// By object, the last access if it was a read: by which thread, and where.
    looks: FxHashMap<u64, (ThreadId, u64)>,
    /// The sites of objects that several threads have accessed.
    shared: FxHashSet<Site>,
}

impl QuietRaces {
    /// Counts an access to an object.
    pub(crate) fn count(&mut self, thread: ThreadId, address: u64, writes: bool, base: u64, site: Site) {
        if writes {
            self.looks.remove(&base);
        } else if self.looks.insert(base, (thread, address)) == Some((thread, address)) {
            return;
        }
        self.noted += 1;
        let user = self.users.entry(base).or_insert(Some(thread));
        if *user != Some(thread) && user.take().is_some() {
            self.shared.insert(site);
        }
        *self.accesses.entry(site).or_default() += 1;
    }

    /// How many accesses there were that an exploration has to look at.
    pub fn shared_accesses(&self) -> u64 {
        self.shared.iter().filter_map(|site| self.accesses.get(site)).sum()
    }
}
