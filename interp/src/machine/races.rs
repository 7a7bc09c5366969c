//! The races that an execution has shown.

use crate::memory::Site;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use symx_ir::{Program, SpanId};
use symx_memmodel::{AccessKind, AccessShadow, ByteRange, Epoch, ShadowedAccess, Synchronisation};
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

/// Two accesses of two threads to one place, one directly after the other: they conflict, and are ordered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct OrderedPair {
    /// Where the accesses are, the earlier one first.
    pub spans: [SpanId; 2],
    /// Whether each writes.
    pub writes: [bool; 2],
}

/// The pairs of accesses that executions had ordered.
#[derive(Clone, Debug)]
pub struct OrderedPairs {
    /// By span: whether it is of the program's own code.
    own: Arc<[bool]>,
    /// The pairs.
    pub seen: FxHashSet<OrderedPair>,
}

impl OrderedPairs {
    /// None so far of a program.
    pub fn of(program: &Program) -> Self {
        let mut own = vec![false; program.spans.len()];
        for function in program.functions.iter().filter(|function| function.in_program) {
            function.spans.iter().for_each(|span| own[span.0 as usize] = true);
        }
        Self { own: own.into(), seen: FxHashSet::default() }
    }

    /// Whether code at a span is the program's own.
    pub(crate) fn is_own(&self, span: SpanId) -> bool {
        self.own.get(span.0 as usize).copied().unwrap_or(false)
    }
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
    /// The pairs of accesses that were ordered, if they are wanted.
    pub ordered: Option<OrderedPairs>,
}

impl QuietRaces {
    /// Of an execution that is about to begin; pairs that are ordered are added to `ordered`, if wanted.
    pub fn with(ordered: Option<OrderedPairs>) -> Self {
        Self { ordered, ..Self::default() }
    }

    /// Notes an access of the program's code at `span`; whether it races with an earlier one.
    pub(crate) fn access(
        &mut self,
        order: &Synchronisation,
        (event, span): (Epoch, SpanId),
        kind: AccessKind,
        range: ByteRange,
    ) -> bool {
        let pairs = &mut self.ordered;
        let ordered = |earlier: u32, earlier_kind: AccessKind| {
            if let Some(pairs) = pairs {
                let writes = [earlier_kind.writes, kind.writes];
                pairs.seen.insert(OrderedPair { spans: [SpanId(earlier), span], writes });
            }
        };
        let access = ShadowedAccess { event, kind, origin: span.0 };
        self.shadow.access(order, access, range, ordered)
    }

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
