//! Random executions beside an exhaustive exploration. A bug that many schedules show, deep in the open part,
//! need not wait for its turn.
//!
//! The walk goes on as without probes, and counts and verdicts of what it completes are its own. Each time it
//! has made four times as many executions, random executions follow. They take a small part of the
//! instructions that it executed. Of known instructions, which cost it next to nothing, they take a smaller
//! part. In them a few steps suffice to leave the neighbourhood in which a depth-first walk stays for long.
//! Small explorations end before the first probe. All goes by counts, not by the clock: with one worker the
//! same failure is found every time.

use crate::random::sampling::Sampling;
use crate::{Exploration, ExploreOptions, Observer, Progress, RandomSchedules};
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::machine::Machine;
use symx_trace::IncompleteReason;

/// Why a walk ends when a random execution has failed.
pub(crate) const FOUND: IncompleteReason = IncompleteReason::FoundAtRandom;

/// Why a probe ends without having found anything.
const ENOUGH: IncompleteReason = IncompleteReason::EnoughAtRandom;

/// Executions of the walk, blocked ones included, before the first probe.
const BEFORE_PROBING: u64 = 1 << 10;

/// How many times as many there are at the next one.
const BETWEEN_PROBES: u64 = 4;

/// The part of the instructions that the walk really executed that random executions take, and of those whose
/// outcome it knew. They are to cost little beside the walk.
const SHARE: u64 = 32;
const SHARE_OF_KNOWN: u64 = 512;

/// Random executions of one probe at least. Where executions are long, those of a walk share most of their
/// steps, and a part of the others would be none.
const FEWEST: usize = 1 << 5;

/// How many times as many instructions as the walk one probe may take, in executions that do not end. The
/// walk may have executed little more than the program's beginning, which its executions share.
const LONGEST: u64 = 2;

/// The aims of random executions, in turns. Every second one has each order of two dependent steps equally
/// often; between them one agent is held back for long. Uniform choices do neither.
const AIMS: [RandomSchedules; 6] = [
    RandomSchedules::PartialOrder,
    RandomSchedules::Pct { depth: 2 },
    RandomSchedules::PartialOrder,
    RandomSchedules::Pct { depth: 3 },
    RandomSchedules::PartialOrder,
    RandomSchedules::Pct { depth: 5 },
];

/// Whether an exploration leaves anything to random executions: it is to end with the first
/// failure, wherever that is.
pub(crate) fn is_wanted(options: &ExploreOptions, observer: &dyn Observer) -> bool {
    let takes_any = !options.keep_going && !options.keep_endings && !observer.wants_paths();
    let is_bounded = options.bound.is_some() || options.max_executions.is_some() || options.bounds_forks();
    takes_any && !is_bounded
}

/// Probes a walk's program when it is time.
pub(crate) struct Probing<'p, 'm, E: Environment> {
    machine: &'m Machine<E>,
    solver: &'p (dyn Fn() -> Box<dyn Solver + 'm> + Sync),
    options: &'p ExploreOptions,
    sampling: Sampling,
    /// How many executions the walk makes before the next probe.
    next: u64,
    /// How many random executions there were.
    tried: usize,
    /// The result of the one that failed.
    failed: Option<Exploration>,
}

impl<'p, 'm, E: Environment> Probing<'p, 'm, E> {
    pub(crate) fn new(
        machine: &'m Machine<E>,
        solver: &'p (dyn Fn() -> Box<dyn Solver + 'm> + Sync),
        options: &'p ExploreOptions,
    ) -> Self {
        let sampling = Sampling::new(AIMS[0], options.seed);
        Self { machine, solver, options, sampling, next: BEFORE_PROBING, tried: 0, failed: None }
    }

    /// Probes if it is time. Whether the walk ends, for that or because its observer says so.
    pub(crate) fn look(
        &mut self,
        observer: &mut dyn Observer,
        progress: &Progress,
    ) -> Option<IncompleteReason> {
        if let Some(reason) = observer.progress(progress) {
            return Some(reason);
        }
        let made = progress.executions + progress.blocked;
        if made < self.next || self.failed.is_some() {
            return None;
        }
        self.next = BETWEEN_PROBES * made;
        self.probe(observer, progress).then_some(FOUND)
    }

    /// Adds the results at random to those of the walk, which has ended for that.
    pub(crate) fn add_to(self, result: &mut Exploration) {
        let Some(failed) = self.failed else { return };
        if self.options.end_with(&result.failures) {
            return;
        }
        result.incomplete.retain(|cut| cut.reason != FOUND);
        result.saved = None;
        result.note_misuse(&failed.misuse);
        result.failures.extend(failed.failures);
        result.is_random = true;
    }

    /// Random executions of a part of the instructions of the walk. Whether one of them failed.
    fn probe(&mut self, observer: &mut dyn Observer, progress: &Progress) -> bool {
        let mut executor = self.options.executor(self.machine, (self.solver)());
        let mut exploration = Exploration::default();
        let executed = progress.instructions - progress.known;
        let longest = LONGEST * progress.instructions;
        let mut watching = Watching { observer, progress, longest };
        let most = executed / SHARE + progress.known / SHARE_OF_KNOWN;
        let before = self.tried;
        while exploration.progress.instructions < most || self.tried - before < FEWEST {
            self.sampling.schedules = AIMS[self.tried % AIMS.len()];
            self.tried += 1;
            if !self.sampling.once(&mut executor, self.options, &mut watching, &mut exploration) {
                break;
            }
        }
        if !self.options.end_with(&exploration.failures) {
            return false;
        }
        exploration.note_misuse(&executor.notes.misuse);
        self.failed = Some(exploration);
        true
    }
}

/// The walk's observer while random executions run: it sees the walk's progress, and may end all. So does an
/// execution that does not terminate.
struct Watching<'w> {
    observer: &'w mut dyn Observer,
    progress: &'w Progress,
    /// Instructions that random executions may take altogether.
    longest: u64,
}

impl Observer for Watching<'_> {
    fn progress(&mut self, random: &Progress) -> Option<IncompleteReason> {
        let is_enough = random.instructions > self.longest;
        self.observer.progress(self.progress).or(is_enough.then_some(ENOUGH))
    }
}
