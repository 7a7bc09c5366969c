//! Which steps of a failing execution its failure depends on in a way that differs from passing executions.
//!
//! A dynamic slice (Agrawal, Horgan 1990) is followed from the failure and from the best predictor. From a
//! read it goes to the write, if what was read differs from passing executions. It follows control if other
//! executions do not come to the step as often. A step is relevant if such a difference is among what it
//! depends on. Linear in the dependences of the execution that are followed.

use super::dependences::{Caller, Dependences, Need, Source};
use super::differences::{Differences, Site, is_read, site_of};
use rustc_hash::{FxHashMap, FxHashSet};
use symx_trace::{CallEffect, CodePlace, FailureDetail, FailureKind, LoggedAccess, RunLog};

/// Most steps and accesses that are looked at. Each is compared in all executions, which are some thousands:
/// a hundred million comparisons take seconds.
const MOST: usize = 1 << 14;

/// A step of a thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Step {
    /// When.
    pub time: u64,
    /// The thread.
    pub thread: u32,
    /// The instruction.
    pub place: CodePlace,
}

/// What is followed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Item {
    /// What a step needs.
    Need { thread: u32, need: Need, time: u64 },
    /// An access, by its index.
    Access(usize),
}

/// When a write is met that a read might have read from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Met {
    /// Before the read: another write has come between.
    Before,
    /// After the read, or not in this execution, which ends before.
    Later,
}

/// The dependences of one execution.
pub(super) struct Relevance<'a> {
    run: &'a RunLog,
    source: &'a dyn Source,
    differences: &'a Differences<'a>,
    /// By thread and instruction, when it was executed.
    times: FxHashMap<Site, Vec<u64>>,
    /// By thread, when it executed an instruction.
    steps: FxHashMap<u32, Vec<u64>>,
    /// By thread and instruction, when it called what returned a result.
    results: FxHashMap<Site, Vec<u64>>,
    numbers: FxHashMap<Item, usize>,
    items: Vec<Item>,
    /// Until when a call's function may have computed its result.
    until: Vec<u64>,
    parents: Vec<Vec<usize>>,
    /// Which are differences or sources of them.
    marked: Vec<usize>,
}

/// Relevant steps, and whether there were too many to look at all.
pub(super) struct Relevant {
    /// In the order of the execution.
    pub steps: Vec<Step>,
    /// Whether some were not looked at.
    pub is_cut: bool,
}

impl<'a> Relevance<'a> {
    /// Of the execution shown.
    pub fn new(run: &'a RunLog, source: &'a dyn Source, differences: &'a Differences<'a>) -> Self {
        let mut times: FxHashMap<Site, Vec<u64>> = FxHashMap::default();
        let mut steps: FxHashMap<u32, Vec<u64>> = FxHashMap::default();
        for step in &run.steps {
            times.entry((step.thread, step.place)).or_default().push(step.time);
            steps.entry(step.thread).or_default().push(step.time);
        }
        let mut results: FxHashMap<Site, Vec<u64>> = FxHashMap::default();
        for result in &run.results {
            results.entry((result.step.thread, result.step.place)).or_default().push(result.step.time);
        }
        Self {
            run,
            source,
            differences,
            times,
            steps,
            results,
            numbers: FxHashMap::default(),
            items: Vec::new(),
            until: Vec::new(),
            parents: Vec::new(),
            marked: Vec::new(),
        }
    }

    /// The relevant steps, with those where threads fail or wait and those of `predictor`.
    pub fn steps(mut self, predictor: &[Step]) -> Relevant {
        let ends = self.run.ends_at.iter().filter_map(|(thread, place)| {
            let time = self.last((*thread, *place), u64::MAX)?;
            Some(Step { time, thread: *thread, place: *place })
        });
        let ends: Vec<Step> = ends.collect();
        for step in ends.iter().chain(predictor) {
            let root = self.root(*step);
            self.marked.extend(root);
        }
        for end in &ends {
            self.follow_life(*end);
        }
        let mut next = 0;
        while next < self.items.len() && self.items.len() < MOST {
            match self.items[next] {
                Item::Need { thread, need, time } => self.expand(next, thread, need, time),
                Item::Access(access) => self.expand_access(next, access),
            }
            next += 1;
        }
        let is_cut = next < self.items.len();
        Relevant { steps: self.relevant(), is_cut }
    }

    fn root(&mut self, step: Step) -> Option<usize> {
        let time = self.last((step.thread, step.place), step.time.saturating_add(1))?;
        let item = Item::Need { thread: step.thread, need: Need::Value(step.place), time };
        Some(self.add(item, u64::MAX, None))
    }

    /// Steps from which a marked one is reached.
    fn relevant(&mut self) -> Vec<Step> {
        let mut is_relevant = vec![false; self.items.len()];
        let mut open = std::mem::take(&mut self.marked);
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut is_relevant[at], true) {
                open.extend(&self.parents[at]);
            }
        }
        let needs = self.items.iter().zip(is_relevant).filter_map(|(item, is_relevant)| match *item {
            Item::Need { thread, need, time } if is_relevant && !self.source.is_jump(need.place()) => {
                Some(Step { time, thread, place: need.place() })
            }
            _ => None,
        });
        let mut steps: Vec<Step> = needs.collect();
        steps.sort_unstable();
        steps.dedup();
        steps
    }

    fn add(&mut self, item: Item, until: u64, parent: Option<usize>) -> usize {
        let fresh = self.items.len();
        let at = *self.numbers.entry(item).or_insert(fresh);
        if at == fresh {
            self.items.push(item);
            self.until.push(until);
            self.parents.push(Vec::new());
        }
        self.parents[at].extend(parent);
        at
    }

    fn add_need(&mut self, thread: u32, need: Need, time: u64, until: u64, parent: usize) -> usize {
        self.add(Item::Need { thread, need, time }, until, Some(parent))
    }

    /// When a thread executed an instruction last before a time.
    fn last(&self, site: Site, before: u64) -> Option<u64> {
        let times = self.times.get(&site)?;
        times[..times.partition_point(|time| *time < before)].last().copied()
    }

    /// How often a thread had executed an instruction at a time, that time included.
    fn number(&self, site: Site, time: u64) -> u64 {
        let later = self.times.get(&site).map_or(0, |times| {
            let until = times.partition_point(|at| *at <= time);
            times.len() - until
        });
        self.run.visits.get(&site).map_or(1, |visits| visits.count.saturating_sub(later as u64))
    }

    /// What a step needs: control, if others do not come to it, values, and what it reads.
    fn expand(&mut self, at: usize, thread: u32, need: Need, time: u64) {
        let dependences = self.source.dependences(need);
        let site = (thread, need.place());
        if self.differences.reaches(site, self.number(site, time)) {
            self.expand_control(at, thread, &dependences, time);
        }
        let until = self.until[at];
        for value in dependences.values {
            let is_result = value.place().function != need.place().function;
            let before = if is_result { until } else { time };
            if let Some(computed) = self.last((thread, value.place()), before) {
                self.add_need(thread, value, computed, before, at);
            }
        }
        for parameter in dependences.parameters {
            if let Some((creator, caller, called)) = self.caller(thread, &dependences.callers, time) {
                self.add_need(creator, caller.passes(parameter), called, called, at);
            }
        }
        if let Need::Value(_) = need {
            self.expand_result(at, site, time);
            for access in self.accesses_of(site, time) {
                self.add(Item::Access(access), 0, Some(at));
            }
        }
    }

    fn expand_control(&mut self, at: usize, thread: u32, dependences: &Dependences, time: u64) {
        // Of several branches the one executed last has decided.
        let branches = dependences.branches.iter();
        let taken = branches.filter_map(|branch| Some((self.last((thread, *branch), time)?, *branch))).max();
        if let Some((taken, branch)) = taken {
            let branch = self.add_need(thread, Need::Value(branch), taken, taken, at);
            self.marked.push(branch);
        } else if dependences.branches.is_empty()
            && let Some((creator, caller, called)) = self.caller(thread, &dependences.callers, time)
        {
            self.add_need(creator, Need::Execution(caller.place), called, called, at);
        }
    }

    /// The call by which a thread has come into a function: its own, or the creation of the thread.
    fn caller(&self, thread: u32, callers: &[Caller], time: u64) -> Option<(u32, Caller, u64)> {
        let own = callers.iter().filter_map(|caller| {
            let called = self.last((thread, caller.place), time)?;
            Some((called, *caller))
        });
        if let Some((called, caller)) = own.max_by_key(|(called, _)| *called) {
            return Some((thread, caller, called));
        }
        let creator = self.creator(thread)?;
        let began = self.steps.get(&thread)?.first().copied()?;
        let created = callers.iter().filter(|caller| !caller.is_direct).filter_map(|caller| {
            let called = self.last((creator, caller.place), began)?;
            Some((called, *caller))
        });
        let (called, caller) = created.max_by_key(|(called, _)| *called)?;
        Some((creator, caller, called))
    }

    fn creator(&self, thread: u32) -> Option<u32> {
        let name = self.run.threads.get(thread as usize)?;
        let creator = self.run.threads.iter().position(|other| name.is_child_of(other))?;
        Some(creator as u32)
    }

    fn expand_result(&mut self, at: usize, site: Site, time: u64) {
        let results = self.results.get(&site).map_or(&[][..], Vec::as_slice);
        let nth = results.partition_point(|result| *result <= time).checked_sub(1);
        if nth.is_some_and(|nth| self.differences.returns(site, nth)) {
            self.marked.push(at);
        }
    }

    /// The accesses of one execution of an instruction: until the thread's next one.
    fn accesses_of(&self, site: Site, time: u64) -> Vec<usize> {
        let steps = self.steps.get(&site.0).map_or(&[][..], Vec::as_slice);
        let first = steps.partition_point(|step| *step < time).checked_sub(1).map_or(0, |at| steps[at] + 1);
        let next = steps.get(steps.partition_point(|step| *step <= time)).copied().unwrap_or(u64::MAX);
        let accesses = &self.differences.accesses;
        let begin = accesses.partition_point(|access| access.time < first);
        let end = accesses.partition_point(|access| access.time < next);
        (begin..end).filter(|at| (accesses[*at].thread, accesses[*at].place) == site).collect()
    }

    /// Where an access went: its source if it differs, and what passing executions read in its place.
    fn expand_access(&mut self, at: usize, index: usize) {
        let accesses = &self.differences.accesses;
        let access = accesses[index];
        if !is_read(access) {
            self.expand_late_use(at, index);
            return;
        }
        let reading = self.differences.reading(index);
        // What a library passes on has no value in the log.
        if !reading.differs && access.value.is_some() {
            return;
        }
        let sources = self.differences.sources[index].clone();
        for source in &sources {
            let write = self.differences.accesses[*source];
            self.add_step((write.thread, write.place), write.time, reading.differs, at);
        }
        if !reading.differs {
            return;
        }
        self.marked.push(at);
        if sources.is_empty() {
            self.add_allocation(access, at);
        }
        let writers: Vec<Site> =
            sources.iter().map(|source| site_of(self.differences.accesses[*source])).collect();
        let mut open: Vec<(Site, Met)> = Vec::new();
        for alternative in reading.alternatives {
            let met = self.add_alternative(index, &writers, alternative, at);
            open.extend(met.map(|met| (alternative, met)));
        }
        self.add_creations(index, &writers, &open, at);
    }

    /// A write that fails as the life of its memory has ended depends on what ended it.
    fn expand_late_use(&mut self, at: usize, index: usize) {
        let differences = self.differences;
        let access = differences.accesses[index];
        if !self.run.ends_at.contains(&site_of(access)) {
            return;
        }
        for source in &differences.sources[index] {
            let write = differences.accesses[*source];
            let effect = write.call.as_ref().map(|call| call.effect);
            if matches!(effect, Some(CallEffect::Free | CallEffect::Destroy)) {
                self.add_step(site_of(write), write.time, true, at);
            }
        }
    }

    /// The step of a thread at an instruction that had begun at a time.
    fn add_step(&mut self, (thread, place): Site, time: u64, is_marked: bool, parent: usize) {
        let Some(time) = self.last((thread, place), time.saturating_add(1)) else { return };
        let step = self.add_need(thread, Need::Value(place), time, time, parent);
        if is_marked {
            self.marked.push(step);
        }
    }

    /// What nothing has written is as the allocation left it.
    fn add_allocation(&mut self, access: &LoggedAccess, parent: usize) {
        let Some((thread, place)) = self.run.allocations.get(&(access.start, access.end)).copied() else {
            return;
        };
        if let Some(time) = self.last((thread, place), access.time) {
            let allocation = self.add_need(thread, Need::Execution(place), time, time, parent);
            self.marked.push(allocation);
        }
    }

    /// Whether an access leaves an object depends on the size with which that was allocated.
    fn follow_life(&mut self, end: Step) {
        let failure = self.run.failure.as_ref();
        let is_outside = failure.is_some_and(|failure| {
            failure.kind == FailureKind::Memory && failure.detail == FailureDetail::OutOfBounds
        });
        if !is_outside {
            return;
        }
        let site = (end.thread, end.place);
        let mut own = self.run.accesses.iter().rev().filter(|access| site_of(access) == site);
        if let (Some(access), Some(root)) = (own.next(), self.root(end)) {
            self.add_allocation(access, root);
        }
    }

    /// A write that passing executions read from. Where all is in one thread, its control decides which write
    /// is read; otherwise the schedule does. If the write is missing, a branch may have avoided it. When it
    /// is met, unless that is so.
    fn add_alternative(
        &mut self,
        index: usize,
        writers: &[Site],
        alternative: Site,
        at: usize,
    ) -> Option<Met> {
        let accesses = &self.differences.accesses;
        let access = accesses[index];
        let own = accesses.iter().filter(|other| site_of(other) == alternative && other.overlaps(access));
        let times: Vec<u64> = own.map(|other| other.time).collect();
        let before = times.iter().rev().find(|time| **time < access.time);
        match before.or_else(|| times.iter().find(|time| **time > access.time)) {
            Some(time) => {
                let is_of_thread = |(thread, _): &Site| *thread == access.thread;
                if !is_of_thread(&alternative) || !writers.iter().all(is_of_thread) {
                    self.add_step(alternative, *time, true, at);
                }
                Some(if *time < access.time { Met::Before } else { Met::Later })
            }
            None if self.add_missing(alternative, at) => None,
            None => Some(Met::Later),
        }
    }

    /// The branch that led away from an instruction to which the thread has not come, or from the call of its
    /// function (a potential dependence: Gyimóthy, Beszédes, Forgács 1999). Whether there is one.
    fn add_missing(&mut self, (thread, place): Site, at: usize) -> bool {
        let mut open = vec![place];
        let mut seen: FxHashSet<CodePlace> = FxHashSet::default();
        let mut is_avoided = false;
        while let Some(place) = open.pop() {
            let is_entered = self.times.contains_key(&(thread, self.source.block_entry(place)));
            if is_entered || !seen.insert(place) {
                continue;
            }
            let Dependences { branches, callers, .. } = self.source.dependences(Need::Execution(place));
            let taken =
                branches.iter().filter_map(|it| Some((self.last((thread, *it), u64::MAX)?, *it))).max();
            match taken {
                Some((taken, branch)) => {
                    let branch = self.add_need(thread, Need::Value(branch), taken, taken, at);
                    self.marked.push(branch);
                    is_avoided = true;
                }
                None if branches.is_empty() => open.extend(callers.iter().map(|caller| caller.place)),
                None => open.extend(branches),
            }
        }
        is_avoided
    }

    /// Where accesses of a thread and of its creator come in either order, the creation is what allows that.
    fn add_creations(&mut self, index: usize, writers: &[Site], alternatives: &[(Site, Met)], at: usize) {
        let read = self.differences.accesses[index].thread;
        let may_be_late = writers.iter().filter(|write| self.differences.may_come_first(index, **write));
        let mut unordered: Vec<(u32, u32)> = may_be_late.map(|write| (read, write.0)).collect();
        let late = alternatives.iter().filter(|(_, met)| *met == Met::Later);
        unordered.extend(late.map(|(alternative, _)| (read, alternative.0)));
        for write in writers {
            let others = alternatives.iter().map(|(alternative, _)| *alternative);
            let others = others.filter(|other| self.differences.may_precede(*write, *other));
            unordered.extend(others.map(|other| (write.0, other.0)));
        }
        for (one, other) in unordered {
            for (creator, thread) in [(one, other), (other, one)] {
                if self.creator(thread) == Some(creator) {
                    self.add_creation(creator, thread, at);
                }
            }
        }
    }

    fn add_creation(&mut self, creator: u32, thread: u32, parent: usize) {
        let number = self.run.threads[thread as usize].number() as usize;
        let creations = self.run.accesses.iter().filter(|access| access.thread == creator && access.end == 0);
        let Some(creation) = number.checked_sub(1).and_then(|nth| creations.clone().nth(nth)) else { return };
        if let Some(time) = self.last((creator, creation.place), creation.time.saturating_add(1)) {
            let step = self.add_need(creator, Need::Execution(creation.place), time, time, parent);
            self.marked.push(step);
        }
    }
}
