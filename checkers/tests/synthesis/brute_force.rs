//! Every execution of a trace, one by one.

use std::collections::HashSet;
use symx_checkers::synthesis::{Machine, Problem, State};
use symx_expr::Assignment;

/// Whether some execution shows the bug; `None` if there are more states than `most`.
pub fn is_possible(problem: &Problem, most: usize) -> Option<bool> {
    let machine = Machine::new(problem, &Assignment::new());
    let start = machine.start();
    if !machine.can_start() {
        return Some(false);
    }
    let mut seen = HashSet::from([start.clone()]);
    let mut open = vec![start];
    while let Some(state) = open.pop() {
        if machine.is_over(&state) && machine.shows_bug(&state) {
            return Some(true);
        }
        if seen.len() > most {
            return None;
        }
        for next in successors(problem, &machine, &state) {
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    Some(false)
}

fn successors(problem: &Problem, machine: &Machine, state: &State) -> Vec<State> {
    let mut successors = Vec::new();
    for thread in 0..problem.thread_count() {
        for wakes in 0..machine.sleepers(state, thread).len().max(1) {
            let mut next = state.clone();
            if machine.execute(&mut next, thread, wakes).is_ok() {
                successors.push(next);
            }
        }
        for lane in machine.committable(state, thread) {
            let mut next = state.clone();
            machine.commit(&mut next, thread, lane).expect("the lane may commit");
            successors.push(next);
        }
    }
    successors
}
