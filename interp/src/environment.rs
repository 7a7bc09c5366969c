//! The seam to the modelled outside: everything a program calls but does not define.
//!
//! The interpreter knows no function by name. An [`Environment`] binds names to models; a model sees the
//! program only through a [`Call`] and answers with an [`Outcome`].

use crate::machine::Executor;
use crate::memory::byte_string::Stretch;
use crate::state::State;
use crate::stop::Stop;
use crate::stop::position::TakenLock;
use crate::symbolic_trace::Synchronisation;
use crate::threads::kept::Kept;
use crate::threads::modelled::ModelledFunction;
use crate::threads::thread::{ModelFrame, Operation};
use crate::value::Value;
use smallvec::SmallVec;
use std::fmt::Debug;
use std::sync::Arc;
use symx_ir::{Modelled, SpanId};
use symx_trace::{Footprint, ThreadId, WaitKind};

/// A call of a modelled function in progress: what the model sees of the program.
pub struct Call<'a, 'm, E: Environment> {
    pub(crate) executor: &'a mut Executor<'m, E>,
    pub(crate) state: &'a mut State<E>,
    pub(crate) thread: ThreadId,
    pub(crate) frame: &'a mut ModelFrame<E>,
}

/// The model of a function.
///
/// It is called on arrival with phase 0, and again with the next phase each time what it asked for is done.
/// That is [`Outcome::Park`] (when the thread is scheduled and the wait is over), or [`Outcome::Invoke`]
/// (when the function has returned). Between phases it remembers only the call's arguments and
/// [`Call::scratch`]. A phase that returns `Err` has changed nothing: it may be
/// run again.
pub type ModelFn<E> = fn(&mut Call<'_, '_, E>) -> Result<Outcome<E>, Stop>;

/// A modelled function with its model.
pub type Bound<E> = (&'static ModelledFunction, ModelFn<E>);

/// A model's request for what happens next.
#[derive(Debug)]
pub enum Outcome<E: Environment> {
    /// The call is done; the result is ignored by callers that expect none.
    Return(Value),
    /// The next phase is a visible operation: the thread stops before it, and is resumed when scheduled.
    Park(Operation<E>),
    /// The same, but the thread is resumed with this phase again;
    /// [`Call::scratch`] distinguishes the two.
    ParkBefore(Operation<E>),
    /// Call a function of the program, then go on with the next phase.
    Invoke {
        /// Its address.
        function: u64,
        /// Its arguments, one slot each.
        arguments: SmallVec<[Value; 4]>,
    },
    /// The same for the handler of a signal: what it does is no part of the thread's recorded path.
    Handle {
        /// Its address.
        function: u64,
        /// Its arguments, one slot each.
        arguments: SmallVec<[Value; 4]>,
    },
    /// Continue with the library's own definition of this function, with the same arguments.
    Fallback,
    /// Leave all activations but the outermost model (the thread's entry). That is resumed with the next
    /// phase and this value as the invoked function's result (`pthread_exit`).
    Unwind(Value),
    /// Return to an earlier activation (`longjmp`): keep this many activations, write `value` to the pending
    /// call's result there and go on after it.
    Jump {
        /// Activations that stay.
        depth: u32,
        /// The instruction of the topmost of them to continue after (a call).
        pc: u32,
        /// The value that call now returns.
        value: Value,
    },
    /// Enter a landing pad ([`Call::landing_pad`]): leave the activations
    /// above it, take its unwind edge and hand it these values.
    Land {
        /// Activations that stay.
        depth: u32,
        /// Address of the exception in flight.
        exception: u64,
        /// The selector of the landing pad: 0 for a clean-up, a [`type_selector`](crate::step::type_selector)
        /// for a catch, negative for a filter.
        selector: i32,
    },
    /// The thread has ended.
    ThreadExit,
    /// The process ends with this status (0 to 255).
    ProcessExit(u8),
}

/// Why a wait does not end.
#[derive(Debug, Default)]
pub struct WaitReason {
    /// The event that would end it.
    pub kind: WaitKind,
    /// Threads that hold what is waited for.
    pub holders: SmallVec<[ThreadId; 2]>,
    /// How it came about: one line each, where, and the thread that is meant.
    pub notes: Vec<(String, SpanId, Option<ThreadId>)>,
}

/// The main thread's step when all threads have ended.
#[derive(Debug)]
pub struct LastStep<E: Environment> {
    /// The model that it runs then, its phase being 0 when the step is taken.
    pub model: ModelFn<E>,
    /// The function that reports name.
    pub function: &'static ModelledFunction,
    /// The wait and footprint of its step.
    pub operation: Operation<E>,
}

/// A lock that a thread takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LockTaken {
    /// Its address.
    pub address: u64,
    /// Whether it is taken together with others.
    pub shared: bool,
    /// Where, if known.
    pub span: SpanId,
}

/// A thread that holds locks takes another one, for which it would have waited.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LockNesting {
    /// The thread.
    pub thread: ThreadId,
    /// By thread number, how many of its stretches between creations and joins have ended before the
    /// thread's present one begins.
    pub stretch: Arc<[u32]>,
    /// The locks that it holds.
    pub held: Vec<LockTaken>,
    /// The lock that it takes.
    pub wanted: LockTaken,
}

/// How people call what a wait is about.
pub struct Titles<'a> {
    /// The name of an address, as in "`queue`".
    pub place: Box<dyn Fn(u64) -> String + 'a>,
    /// A thread, as in "T1 worker".
    pub thread: Box<dyn Fn(ThreadId) -> String + 'a>,
}

/// The modelled outside of a program.
pub trait Environment: Kept<Model = ModelFn<Self>> {
    /// Whether and how it answers the function called `name`.
    fn models(name: &str) -> Modelled;

    /// The model of the function called `name`.
    fn bind(&self, name: &str) -> Option<Bound<Self>>;

    /// The model that runs the main thread: initialises libc, runs constructors and
    /// `main`, exits. No arguments.
    fn main_thread(&self) -> ModelFn<Self>;

    /// The model that runs every other thread. Arguments: start routine, its argument.
    fn other_thread(&self) -> ModelFn<Self>;

    /// The last step of the main thread, which has ended, when all threads have. `None` where the last one to
    /// end ends the process itself.
    fn end_of_process(&self, _executor: &Executor<'_, Self>, _state: &State<Self>) -> Option<LastStep<Self>> {
        None
    }

    /// The bookkeeping at program start.
    fn start(&self) -> Self::Data;

    /// Whether nothing distinguishes two bookkeepings, and nothing in them leads back into an activation (but
    /// by returning to it). May be denied where it would take long to find out.
    fn is_same(&self, one: &Self::Data, other: &Self::Data) -> bool;

    /// Whether what follows two bookkeepings is the same, whatever locks were taken inside of others before.
    fn leads_on_alike(&self, one: &Self::Data, other: &Self::Data) -> bool {
        self.is_same(one, other)
    }

    /// The first part of two bookkeepings that differs, leaving out what only reports use.
    fn difference(&self, one: &Self::Data, other: &Self::Data) -> Option<&'static str> {
        (!self.is_same(one, other)).then_some("bookkeeping")
    }

    /// A wait without the preferred time at which it ends. That depends on when other threads slept, and
    /// decides nothing but which schedules are tried first.
    fn without_time(&self, wait: &Self::Wait) -> Self::Wait {
        wait.clone()
    }

    /// Whether nothing distinguishes two bookkeepings, as in [`is_same`](Self::is_same), but how much time
    /// has passed while threads slept. A thread that has read the clock between them has changed more than
    /// that.
    fn is_only_later(&self, before: &Self::Data, now: &Self::Data) -> bool;

    /// Whether there are recorded calls to be answered so, [one by one](Self::recorded_answer).
    fn answers_as_recorded(&self) -> bool {
        false
    }

    /// How a call that `thread` makes from recorded code is answered where a recorded run's calls answer;
    /// called once for each call.
    fn recorded_answer(
        &self,
        _state: &mut State<Self>,
        _thread: ThreadId,
        _function: &str,
    ) -> Option<Bound<Self>> {
        None
    }

    /// The processor's time stamp that `thread` reads next in recorded code, where it was recorded.
    fn recorded_time_stamp(&self, _state: &mut State<Self>, _thread: ThreadId) -> Option<u64> {
        None
    }

    /// Whether what `thread` waits for has come.
    fn ready(&self, state: &State<Self>, thread: ThreadId, wait: &Self::Wait) -> bool;

    /// Whether `thread` need not wait for what it waits for any more, whether or not that has come (it is
    /// to be cancelled).
    fn gives_up(&self, _state: &State<Self>, _thread: ThreadId) -> bool {
        false
    }

    /// A model to run in `thread` before its next step, whatever that is (the handler of a signal). It is
    /// asked of threads that have code to interrupt.
    fn interruption(&self, state: &State<Self>, thread: ThreadId) -> Option<ModelFn<Self>>;

    /// The footprint that every step of `thread` has because others may interrupt it; where an
    /// [interruption](Self::interruption) is due, that of the interruption.
    fn interruption_footprint(&self, state: &State<Self>, thread: ThreadId) -> Footprint;

    /// The effect that the end of the wait would have, as far as a symbolic trace can express it.
    fn awaited(
        &self,
        _state: &State<Self>,
        _thread: ThreadId,
        _wait: &Self::Wait,
    ) -> Option<Synchronisation> {
        None
    }

    /// The preferred time for the end of the wait of `thread`, though it may end at any time. In this order a
    /// plain run lets time pass.
    fn patience(&self, state: &State<Self>, thread: ThreadId, wait: &Self::Wait) -> Option<u64>;

    /// The priority of `thread` where a plain run can choose which thread goes on, 0 if it has none. Then the
    /// one processor that it is bound to, if any.
    fn priority(&self, _data: &Self::Data, _thread: ThreadId) -> (u32, Option<u32>) {
        (0, None)
    }

    /// The time of the clock, in the unit of [`patience`](Self::patience).
    fn clock(&self, data: &Self::Data) -> u64;

    /// For people: what `thread` waits for and what could end the wait, as in "the mutex `m`, held by T2
    /// worker".
    fn describe_wait(
        &self,
        state: &State<Self>,
        thread: ThreadId,
        wait: &Self::Wait,
        titles: &Titles<'_>,
    ) -> String;

    /// Exchanges what the current process has for itself, in `data`, with what another has, in `own`.
    fn exchange(&self, _data: &mut Self::Data, _own: &mut Self::Own) {}

    /// The objects of memory that the current process may share with others, by address, and their sizes.
    fn shared_memory(&self, _data: &Self::Data) -> SmallVec<[(u64, u64); 4]> {
        SmallVec::new()
    }

    /// Whether the object of this number, which is no address, is one that each process has for itself.
    fn is_of_process(&self, _object: u64) -> bool {
        false
    }

    /// The model of the end of a process where there are others. Argument: the status.
    fn end_among_processes(&self) -> Option<ModelFn<Self>> {
        None
    }

    /// The locks that `thread` holds.
    fn held(&self, _state: &State<Self>, _thread: ThreadId) -> Vec<TakenLock> {
        Vec::new()
    }

    /// Whether `thread` is inside a lock of a library's own: what it then touches of libraries'
    /// variables, the lock orders.
    fn is_inside_library_lock(&self, data: &Self::Data, thread: ThreadId) -> bool;

    /// Why no thread ends the wait of `thread`.
    fn wait_reason(
        &self,
        state: &State<Self>,
        thread: ThreadId,
        wait: &Self::Wait,
        titles: &Titles<'_>,
    ) -> WaitReason;

    /// The locks taken while others were held, in order.
    fn nestings<'d>(&self, data: &'d Self::Data) -> &'d imbl::Vector<Arc<LockNesting>>;

    /// Threads that have ended and have not been joined or detached, with where they were created.
    fn unjoined_threads(&self, state: &State<Self>) -> Vec<(ThreadId, SpanId)>;

    /// The name that the program has given a thread.
    fn given_name(&self, _data: &Self::Data, _thread: ThreadId) -> Option<String> {
        None
    }

    /// The bytes that the program has written to its standard output.
    fn standard_output(&self, data: &Self::Data) -> Stretch;

    /// The bytes that the program has written to standard error.
    fn standard_error(&self, data: &Self::Data) -> Stretch;

    /// The files that the program has written or done away with, by path; nothing for one that is gone.
    fn files(&self, data: &Self::Data) -> Vec<(String, Option<Stretch>)>;

    /// Objects that are still reachable through the bookkeeping; they do not count as leaked.
    fn roots(&self, data: &Self::Data) -> Vec<u64>;
}
