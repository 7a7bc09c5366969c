//! From a schedule to a symbolic trace, from there to another schedule, and back to the program.

use crate::limits::budget::Deadline;
use crate::report::FewestPreemptions;
use crate::schedules::fewest_preemptions::prove;
use crate::schedules::scheduled::Scheduled;
use symx_checkers::synthesis::{
    Problem, Synthesis, SynthesisLimits, Unsolved, steps_of, synthesize_side_by_side,
};
use symx_expr::StopToken;
use symx_interp::tracing::{NotTraced, Traced};
use symx_posix_explore::{Enacted, enact, symbolic_trace};
use symx_trace::symbolic::Taken;

/// The symbolic trace of the execution under a schedule; it is abandoned at `over`.
pub fn trace_of(scheduled: &Scheduled, over: &StopToken) -> Result<Traced, NotTraced> {
    let machine = scheduled.session.machine_for(&scheduled.schedule.inputs);
    let solver = scheduled.session.solver(StopToken::default());
    let decisions: Vec<_> = scheduled.schedule.unfolded().collect();
    let sites = scheduled.sites.as_deref();
    let mut traced = symbolic_trace(&machine, solver, sites, &decisions, &scheduled.options, over)?;
    traced.trace.program = scheduled.schedule.program.clone();
    traced.trace.program_hash = scheduled.schedule.program_hash.clone();
    Ok(traced)
}

/// Runs the program so that the events of the trace of a schedule happen in this order. At the `cutoff` that
/// is without an end.
pub fn enact_steps(
    scheduled: &Scheduled,
    traced: &Traced,
    steps: &[Taken],
    cutoff: &StopToken,
) -> Result<Enacted, NotTraced> {
    let machine = scheduled.session.machine_for(&scheduled.schedule.inputs);
    let solver = scheduled.session.solver(StopToken::default());
    enact(&machine, solver, traced, steps, &scheduled.options, cutoff)
}

/// The result of looking for a schedule of a trace.
pub enum Solved {
    /// The engine's name, its steps, and what the program did under them.
    Found {
        /// Which engine.
        engine: &'static str,
        /// How often its schedule changes threads.
        switches: u32,
        /// How often it interrupts an enabled thread.
        preemptions: u32,
        /// The proof about that, if there was to be one.
        fewest: Option<FewestPreemptions>,
        /// The program's execution.
        enacted: Enacted,
    },
    /// There is none, as this engine says.
    Impossible(&'static str),
    /// It is unknown, for this reason.
    Unknown(String),
}

/// How a schedule is looked for.
pub struct Solving {
    /// How many engines are asked at a time.
    pub jobs: usize,
    /// Whether it is to be proven that no other schedule has fewer preemptions.
    pub proves_minimal: bool,
    /// When all is to end.
    pub deadline: Deadline,
}

/// Looks for a schedule of the trace that shows its bug, and runs the program under it.
pub fn solve(
    scheduled: &Scheduled,
    traced: &Traced,
    problem: &Problem,
    solving: &Solving,
) -> Result<Solved, NotTraced> {
    let mut limits = SynthesisLimits::default();
    // Z3 fails where an allocation does, so its limit is set to what is left.
    if let Some(left) = solving.deadline.mebibytes_left() {
        limits.z3.memory_mebibytes = limits.z3.memory_mebibytes.map(|most| most.min(left));
    }
    // The program has to be run under what is found.
    let until = solving.deadline.within(solving.deadline.left() / 4 * 3);
    let over = until.cutoff();
    let (mut schedule, mut engine, at_least) =
        match synthesize_side_by_side(problem, &limits, solving.jobs, &over) {
            Synthesis::Found { schedule, engine, at_least } => (schedule, engine, at_least),
            Synthesis::Impossible { engine } => return Ok(Solved::Impossible(engine)),
            Synthesis::Unknown(reasons) => {
                let reasons: Vec<String> = reasons.iter().map(Unsolved::to_string).collect();
                return Ok(Solved::Unknown(reasons.join("; ")));
            }
        };
    let is_fewest = schedule.preemptions == at_least;
    let known = is_fewest.then_some(FewestPreemptions { at_least, found: at_least, not_proven: None });
    let fewest = known.or_else(|| {
        if !solving.proves_minimal {
            return None;
        }
        let (proof, fewest) = prove(problem, schedule.preemptions, &over);
        if let Some(better) = fewest.better {
            (schedule, engine) = (better, "search");
        }
        Some(proof)
    });
    let steps = match steps_of(problem, &schedule) {
        Ok(steps) => steps,
        Err(why) => return Ok(Solved::Unknown(why.to_string())),
    };
    let enacted = enact_steps(scheduled, traced, &steps, &solving.deadline.cutoff())?;
    if let Some(limit) = solving.deadline.reason().filter(|_| enacted.end.is_none()) {
        return Ok(Solved::Unknown(format!("{limit}; a schedule was found but not replayed")));
    }
    let (switches, preemptions) = (schedule.context_switches, schedule.preemptions);
    Ok(Solved::Found { engine, switches, preemptions, fewest, enacted })
}
