//! Enforcement plans: the steps of a schedule in terms a native run has.
//!
//! As a text, a plan begins with the lines `symx-plan 2`, and `program` with the hash of the module. Next are
//! the counts of threads, of steps that have a turn and of ends, and what is reported to a debugger. The
//! threads' names follow, then the steps in the order of their turns, the ends of threads, and `end`. A step
//! is a letter ([`Action`]), the thread by number, the function's index and the instruction's number in it.
//! Its occurrence follows, and for calls whose result the schedule decides, the result. The runtime
//! (`runtime/enforce.c`) reads it.

use std::fmt::Write;
use symx_trace::profile::ProgramHash;

/// Version of the format.
pub const VERSION: u32 = 2;

/// How a step is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// As it is, in turn.
    Perform,
    /// A call in which the thread takes further steps: it begins in turn.
    Enter,
    /// Going to sleep at a condition variable.
    Release,
    /// Going on from there.
    Wake,
    /// At a barrier, with others to come.
    Arrive,
    /// Going on from there.
    Depart,
    /// An end: the thread does not get this far before the failure.
    Hold,
    /// An end: the thread waits here forever.
    Block,
    /// An end: the failure is here.
    Fail,
}

impl Action {
    fn letter(self) -> char {
        match self {
            Action::Perform => 'p',
            Action::Enter => 'e',
            Action::Release => 'r',
            Action::Wake => 'w',
            Action::Arrive => 'a',
            Action::Depart => 'd',
            Action::Hold => 'h',
            Action::Block => 'b',
            Action::Fail => 'f',
        }
    }
}

/// A step of the plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlannedStep {
    /// Its thread, by number among the plan's.
    pub thread: u32,
    /// The function's index among the defined ones of the module.
    pub function: u32,
    /// The instruction's number in the function.
    pub instruction: u32,
    /// Its occurrence: how often the thread has come there with it, from 1.
    pub occurrence: u32,
    /// How it is taken.
    pub action: Action,
    /// The result of the call, where the schedule decides it.
    pub result: Option<i32>,
    /// For people: what and where it is.
    pub description: String,
}

/// What a trap reports to a debugger that the program runs in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Traps {
    /// Nothing.
    #[default]
    None,
    /// The run has diverged from the schedule.
    Divergence,
    /// That, and the failing instruction is reached: one that does not crash by itself.
    Failure,
}

/// A schedule as a native run can keep it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The module it is for.
    pub program: ProgramHash,
    /// Names of the threads that take steps, or are not to begin before the failure.
    pub threads: Vec<String>,
    /// The steps, in the order in which they are taken.
    pub steps: Vec<PlannedStep>,
    /// The positions of threads in the end, at most one step each.
    pub ends: Vec<PlannedStep>,
}

impl Plan {
    /// The plan as the runtime reads it.
    pub fn write(&self, traps: Traps) -> String {
        let mut text = format!("symx-plan {VERSION}\nprogram ");
        self.program.0.iter().for_each(|byte| write!(text, "{byte:02x}").expect("a string takes all"));
        let (threads, turns, ends) = (self.threads.len(), self.steps.len(), self.ends.len());
        let trap = match traps {
            Traps::None => 0,
            Traps::Divergence => 1,
            Traps::Failure => 2,
        };
        writeln!(text, "\nthreads {threads} turns {turns} ends {ends} trap {trap}").expect("as above");
        self.threads.iter().for_each(|name| writeln!(text, "thread {name}").expect("as above"));
        for step in self.steps.iter().chain(&self.ends) {
            let PlannedStep { thread, function, instruction, occurrence, action, .. } = step;
            let letter = action.letter();
            write!(text, "{letter} {thread} {function} {instruction} {occurrence}").expect("as above");
            if let Some(result) = step.result {
                write!(text, " {result}").expect("as above");
            }
            text.push('\n');
        }
        text.push_str("end\n");
        text
    }

    /// Step `number`, those with a turn first, then the ends.
    pub fn step(&self, number: u32) -> Option<&PlannedStep> {
        self.steps.iter().chain(&self.ends).nth(number as usize)
    }
}
