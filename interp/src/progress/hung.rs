//! Where a recorded run that hung was ended, its threads would have gone on. Their records end at any moment.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::{End, State};
use crate::stop::Step;
use symx_trace::{Agent, ThreadId};

impl<E: Environment> Executor<'_, E> {
    /// Whether threads follow the record of a run that hung, as far as is known.
    pub fn follows_a_hang(&self) -> bool {
        self.machine.options.guide.as_ref().is_some_and(|guide| guide.may_have_hung())
    }

    /// A step of a thread from `before` may have led beyond its record. It then goes on to where the thread
    /// parks, as in a replay, and the thread stands there. If that decides anything, it is left where it is.
    pub fn park_beyond_record(&mut self, mut before: State<E>, state: &mut State<E>, thread: ThreadId) {
        if !state.thread(thread).is_left_at_end_of_record() {
            return;
        }
        before.set_end_of_record(thread, false);
        let step = self.aside(|executor| executor.step(&mut before, Agent::Thread(thread)));
        let now = before.thread(thread);
        let stands = before.end.is_none() && now.pending.is_some() && !now.is_about_to_fail();
        if matches!(step, Step::Done) && stands {
            before.set_end_of_record(thread, true);
            *state = before;
        }
    }

    /// Ends the execution as a livelock if it is in one once records restrict no thread, and if the recorded
    /// run ended so.
    pub fn find_recorded_livelock(&mut self, state: &mut State<E>) -> bool {
        let machine = self.machine;
        let Some(guide) = machine.options.guide.as_ref().filter(|guide| guide.may_have_hung()) else {
            return false;
        };
        if state.threads.iter().any(|thread| thread.is_left_at_end_of_record()) {
            return false;
        }
        let mut free = state.clone();
        for index in 0..state.threads.len() {
            free.set_end_of_record(ThreadId(index as u32), false);
        }
        let is_found = self.find_livelock(&mut free, &[])
            && matches!(&free.end, Some(End::Failed(failure)) if guide.accepts(&free, failure));
        if is_found {
            *state = free;
        }
        is_found
    }
}

impl<E: Environment> State<E> {
    /// Has a thread stand at the end of its record, or go on beyond that as it likes.
    fn set_end_of_record(&mut self, thread: ThreadId, stands: bool) {
        if let Some(cursor) = &mut self.thread_mut(thread).guide {
            (cursor.finished, cursor.free) = (stands, !stands);
        }
    }
}
