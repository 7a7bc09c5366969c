//! The environment the interpreter binds programs to.

mod registry;

use crate::answer::Model;
use crate::data::PosixData;
use crate::data::own::OwnPart;
use crate::kernel::processes;
use crate::kernel::signals::interruption;
use crate::lives::{self, last_end, life, main_thread};
use crate::options::Posix;
use crate::places;
use crate::recorded_calls;
use crate::sync::wait::PosixWait;
use crate::threads::{cancellation, scheduling};
use crate::waits;
use smallvec::SmallVec;
use std::sync::Arc;
use symx_interp::environment::{Bound, Environment, LastStep, LockNesting, ModelFn, Titles, WaitReason};
use symx_interp::machine::Executor;
use symx_interp::memory::byte_string::Stretch;
use symx_interp::state::State;
use symx_interp::stop::position::TakenLock;
use symx_interp::symbolic_trace::Synchronisation;
use symx_interp::threads::kept::Kept;
use symx_ir::{Modelled, SpanId};
use symx_trace::{Footprint, ThreadId};

impl Kept for Posix {
    type Data = PosixData;
    type Own = OwnPart;
    type Wait = PosixWait;
    type Model = ModelFn<Self>;
}

impl Environment for Posix {
    fn models(name: &str) -> Modelled {
        registry::lookup(name).map_or(Modelled::No, |entry| entry.row.modelled)
    }

    fn bind(&self, name: &str) -> Option<Bound<Self>> {
        registry::lookup(name).map(|entry| (&entry.function, entry.row.model))
    }

    fn main_thread(&self) -> Model {
        main_thread::run
    }

    fn other_thread(&self) -> Model {
        life::run
    }

    fn end_of_process(&self, executor: &Executor<'_, Self>, state: &State<Self>) -> Option<LastStep<Self>> {
        (!last_end::matters(&state.data)).then(|| last_end::step(executor, state))
    }

    fn start(&self) -> PosixData {
        PosixData::new(self.options())
    }

    fn is_same(&self, one: &PosixData, other: &PosixData) -> bool {
        one.is_same(other)
    }

    fn difference(&self, one: &PosixData, other: &PosixData) -> Option<&'static str> {
        one.difference(other)
    }

    fn without_time(&self, wait: &PosixWait) -> PosixWait {
        match *wait {
            PosixWait::Limited { goal, .. } => PosixWait::Limited { until: 0, goal },
            wait => wait,
        }
    }

    fn leads_on_alike(&self, one: &PosixData, other: &PosixData) -> bool {
        one.leads_on_alike(other)
    }

    fn is_only_later(&self, before: &PosixData, now: &PosixData) -> bool {
        before.is_only_later(now)
    }

    fn answers_as_recorded(&self) -> bool {
        !self.options().recorded_calls.is_empty()
    }

    fn recorded_answer(
        &self,
        state: &mut State<Self>,
        thread: ThreadId,
        function: &str,
    ) -> Option<Bound<Self>> {
        let (row, model) = recorded_calls::next(self.options(), state, thread, function)?;
        Some((registry::answered(row)?, model))
    }

    fn recorded_time_stamp(&self, state: &mut State<Self>, thread: ThreadId) -> Option<u64> {
        recorded_calls::time_stamp(self.options(), state, thread)
    }

    fn ready(&self, state: &State<Self>, thread: ThreadId, wait: &PosixWait) -> bool {
        wait.is_over(state, thread)
    }

    fn gives_up(&self, state: &State<Self>, thread: ThreadId) -> bool {
        state.data.may_cancel
            && cancellation::is_due(state, thread)
            && cancellation::waits_at_point(state, thread)
    }

    fn interruption(&self, state: &State<Self>, thread: ThreadId) -> Option<Model> {
        interruption::is_due(state, thread).then_some(interruption::run as Model)
    }

    fn interruption_footprint(&self, state: &State<Self>, thread: ThreadId) -> Footprint {
        interruption::footprint(state, thread)
    }

    fn awaited(&self, state: &State<Self>, thread: ThreadId, wait: &PosixWait) -> Option<Synchronisation> {
        wait.awaited(state, thread)
    }

    fn patience(&self, state: &State<Self>, thread: ThreadId, wait: &PosixWait) -> Option<u64> {
        wait.patience(state, thread)
    }

    fn priority(&self, data: &PosixData, thread: ThreadId) -> (u32, Option<u32>) {
        let record = data.threads.get(&thread);
        record.map_or((0, None), |record| scheduling::priority(record))
    }

    fn clock(&self, data: &PosixData) -> u64 {
        data.kernel.clock.now()
    }

    fn describe_wait(
        &self,
        state: &State<Self>,
        thread: ThreadId,
        wait: &PosixWait,
        titles: &Titles<'_>,
    ) -> String {
        wait.describe(state, thread, titles)
    }

    fn held(&self, state: &State<Self>, thread: ThreadId) -> Vec<TakenLock> {
        let sync = &state.data.own.sync;
        let mutexes = sync.mutexes.iter().filter(|(_, mutex)| mutex.owner == Some(thread));
        let rwlocks = sync.rwlocks.iter().filter_map(|(address, lock)| {
            lock.held_by(thread).map(|is_shared| TakenLock { address: *address, is_shared })
        });
        let spins = sync.spins.iter().filter(|(_, lock)| lock.owner == Some(thread));
        let alone = |address: &u64| TakenLock { address: *address, is_shared: false };
        let mut held: Vec<TakenLock> = mutexes.map(|(address, _)| alone(address)).collect();
        held.extend(rwlocks);
        held.extend(spins.map(|(address, _)| alone(address)));
        held
    }

    fn wait_reason(
        &self,
        state: &State<Self>,
        thread: ThreadId,
        wait: &PosixWait,
        titles: &Titles<'_>,
    ) -> WaitReason {
        waits::reason::explain(state, thread, wait, titles)
    }

    fn unjoined_threads(&self, state: &State<Self>) -> Vec<(ThreadId, SpanId)> {
        lives::unjoined(state)
    }

    fn nestings<'d>(&self, data: &'d PosixData) -> &'d imbl::Vector<Arc<LockNesting>> {
        &data.nestings
    }

    fn is_inside_library_lock(&self, data: &PosixData, thread: ThreadId) -> bool {
        data.library_locks.get(&thread).is_some_and(|count| *count > 0)
    }

    fn given_name(&self, data: &PosixData, thread: ThreadId) -> Option<String> {
        data.threads.get(&thread)?.given_name()
    }

    fn exchange(&self, data: &mut PosixData, own: &mut OwnPart) {
        own.exchange(data);
    }

    fn shared_memory(&self, data: &PosixData) -> SmallVec<[(u64, u64); 4]> {
        data.shared_memory()
    }

    fn is_of_process(&self, object: u64) -> bool {
        places::is_of_process(object)
    }

    fn end_among_processes(&self) -> Option<Model> {
        Some(processes::end::run)
    }

    fn standard_output(&self, data: &PosixData) -> Stretch {
        data.standard_output()
    }

    fn standard_error(&self, data: &PosixData) -> Stretch {
        data.standard_error()
    }

    fn files(&self, data: &PosixData) -> Vec<(String, Option<Stretch>)> {
        data.kernel.files.left()
    }

    fn roots(&self, data: &PosixData) -> Vec<u64> {
        data.roots()
    }
}
