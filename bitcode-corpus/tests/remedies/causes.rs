//! Claims of explanations about all executions, checked against executions in random orders of the failing
//! one's moves. None passes in which the orders of a root cause hold. Where every execution is said to fail
//! in one way, each does.

use std::collections::HashMap;
use std::mem::discriminant;
use std::path::Path;
use std::time::{Duration, Instant};
use symx::harness::rerun;
use symx_trace::explanation::{Check, Dependence, ExecutedStep, Execution, Reach};
use symx_trace::replay::{Move, RunEnd};
use symx_trace::{Explanation, ThreadName};

/// Executions of a program at most, and for how long: some end only where a livelock is found.
const EXECUTIONS: u32 = 200;
const LONGEST: Duration = Duration::from_secs(10);
/// Steps in a row of one thread, at most, where the order is not that of the failing execution.
const LONGEST_ROW: usize = 6;
/// Moves of a schedule that is shuffled.
const MOST_MOVES: usize = 2_000;

/// Says what contradicts the explanation of a schedule, if anything does.
pub fn hold(explanation: &Explanation, program: &Path, schedule: &Path, source: &Path) -> Result<(), String> {
    let mut random = fastrand::Rng::with_seed(26);
    let mut left = EXECUTIONS;
    let begun = Instant::now();
    let mut order = |given: &[Move]| {
        left = left.checked_sub(1).filter(|_| given.len() <= MOST_MOVES && begun.elapsed() < LONGEST)?;
        Some(shuffled(given, &mut random))
    };
    let mut wrong = None;
    let mut show = |end: RunEnd, passing: Option<Execution>| {
        let may_be = match explanation.dependence {
            Dependence::Order => true,
            Dependence::WhichFailure => end != RunEnd::Fine,
            Dependence::Inputs | Dependence::Nothing => end == RunEnd::SameFailure,
        };
        if !may_be {
            wrong = Some(format!("every execution is said to fail, but one ends so: {end:?}"));
        }
        if let Some(passing) = passing.filter(|passing| contradicts(explanation, passing)) {
            wrong = Some(format!("the orders of the cause hold, and it passes: {}", in_words(&passing)));
        }
    };
    rerun(program, schedule, source.parent().unwrap_or(Path::new(".")), &mut order, &mut show)?;
    if let Some(passing) = explanation.passing.as_ref().filter(|passing| contradicts(explanation, passing)) {
        wrong = Some(format!(
            "the orders of the cause hold in the execution compared with: {}",
            in_words(passing)
        ));
    }
    wrong.map_or(Ok(()), Err)
}

/// Each agent's moves in their order, in rows of random lengths.
fn shuffled(given: &[Move], random: &mut fastrand::Rng) -> Vec<Move> {
    let mut of: HashMap<_, Vec<&Move>> = HashMap::new();
    given.iter().rev().for_each(|one| of.entry(one.agent).or_default().push(one));
    let mut agents: Vec<_> = given.iter().map(|one| one.agent).collect();
    agents.sort_unstable();
    agents.dedup();
    let mut shuffled = Vec::new();
    while !agents.is_empty() {
        let place = random.usize(..agents.len());
        let rest = of.get_mut(&agents[place]).expect("it has moves");
        for _ in 0..random.usize(1..=LONGEST_ROW) {
            shuffled.extend(rest.pop().cloned());
        }
        if rest.is_empty() {
            agents.swap_remove(place);
        }
    }
    shuffled
}

/// Whether an execution that passes is one that the cause says fails.
fn contradicts(explanation: &Explanation, passing: &Execution) -> bool {
    let (failing, cause) = (&explanation.failing, &explanation.cause);
    let is_meant = match (cause.reach, &cause.check) {
        (Reach::Program, _) | (Reach::Paths, Check::Complete { .. }) => true,
        (Reach::Paths, _) => keeps_paths(failing, passing),
    };
    let holds = |(early, late): &(u32, u32)| match (
        there(failing, *early, passing),
        there(failing, *late, passing),
    ) {
        (Some(early), Some(late)) => early < late,
        // A step that is not to be found may have another name there.
        _ => false,
    };
    !cause.orders.is_empty() && is_meant && cause.orders.iter().all(holds)
}

/// Where the step of one execution is in another one: as often as its thread did the same at the same place
/// before.
fn there(execution: &Execution, number: u32, other: &Execution) -> Option<usize> {
    let step = &execution.steps[number as usize];
    let thread =
        |of: &Execution, step: &ExecutedStep| -> ThreadName { of.threads[step.thread as usize].name.clone() };
    let name = thread(execution, step);
    let is_like = |of: &Execution, one: &ExecutedStep| {
        thread(of, one) == name
            && discriminant(&one.kind) == discriminant(&step.kind)
            && (&one.object, &one.location) == (&step.object, &step.location)
    };
    let before = execution.steps[..number as usize].iter().filter(|one| is_like(execution, one)).count();
    let mut like = other.steps.iter().enumerate().filter(|(_, one)| is_like(other, one));
    like.nth(before).map(|(place, _)| place)
}

/// Whether threads do there what they do in the failing execution, and nothing else until the one that fails
/// has done so.
fn keeps_paths(failing: &Execution, passing: &Execution) -> bool {
    let Some(failure) = &failing.failure else { return false };
    let numbers = (0..failing.steps.len() as u32).filter(|number| failing.steps[*number as usize].is_taken());
    let places = numbers.map(|number| (number, there(failing, number, passing)));
    let Some(places) = places.map(|(number, place)| Some((number, place?))).collect::<Option<Vec<_>>>()
    else {
        return false;
    };
    let is_own = |number: u32| {
        let thread = failing.steps[number as usize].thread;
        failing.threads[thread as usize].name == failure.thread
    };
    let fails = places.iter().filter(|(number, _)| is_own(*number)).map(|(_, place)| *place).max();
    (0..fails.unwrap_or(0) as u32).all(|number| there(passing, number, failing).is_some())
}

fn in_words(execution: &Execution) -> String {
    let step = |step: &ExecutedStep| {
        let name = &execution.threads[step.thread as usize].name;
        format!("thread {name}: {:?} {} at line {}", step.kind, step.object, step.location.line)
    };
    execution.steps.iter().map(step).collect::<Vec<_>>().join("; ")
}
