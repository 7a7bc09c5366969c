//! Running a program again under moves that need not fit: [`Replay`] for the engines.
//!
//! Attempts resemble one another: those that begin alike go on from a copy of the state where they part,
//! instead of from `main`.

use crate::driver::{self, ByNumber, Reached, Unpreempted};
use crate::replays::limits::{MOST_KEPT, MOST_PAUSES, MOST_STEPS_WITH_LOOPS, TURN_OF_LOOPS};
use crate::replays::limits::{MOST_STEPS_AFTER, TURN};
use crate::state_graph::endless::find_livelock;
use crate::{ExploreOptions, exit_checks};
use smallvec::SmallVec;
use std::sync::Arc;
use symx_expr::StopToken;
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::machine::{Executor, Machine};
use symx_interp::memory::Site;
use symx_interp::state::{End, State};
use symx_trace::{
    Agent, Attempt, Decision, Failure, FailureKind, Footprint, Move, Reorder, Replay, Run, RunEnd, ThreadId,
    ThreadName,
};

/// Runs a program again and again in search of one failure.
pub struct Rerun<'m, E: Environment> {
    executor: Executor<'m, E>,
    options: ExploreOptions,
    /// Names of the threads by the numbers the moves use.
    names: Vec<ThreadName>,
    failure: Failure,
    /// How many steps beyond the moves an execution may take.
    patience: usize,
    /// The token that ends the execution under way.
    cutoff: StopToken,
    /// The last execution that failed, and states on its way.
    known: Execution<E>,
}

/// An execution under way, and where it has been.
#[derive(Clone)]
struct Execution<E: Environment> {
    made: Vec<Move>,
    /// By move, what it touched.
    footprints: Vec<Footprint>,
    decisions: Vec<Decision>,
    preemptions: u32,
    running: ThreadId,
    /// How often a thread ran for long without a visible step.
    pauses: u32,
    /// Whether the race looked for has happened, which ends nothing by itself.
    has_raced: bool,
    /// States before an agent's first step in a row: moves and decisions made before, preemptions, the thread
    /// that ran.
    kept: Vec<(usize, usize, u32, ThreadId, State<E>)>,
}

impl<'m, E: Environment> Rerun<'m, E> {
    /// Looks for `failure` in executions of `machine`, whose symbolic inputs have values. `visible` is what
    /// of memory counts as visible, `names` the names of the threads by the numbers the moves will use.
    pub fn new(
        machine: &'m Machine<E>,
        solver: Box<dyn Solver + 'm>,
        visible: Option<&[Site]>,
        names: &[ThreadName],
        failure: &Failure,
        options: &ExploreOptions,
    ) -> Self {
        let mut executor = Executor::new(machine, solver);
        executor.visible = visible.map(|sites| Arc::new(sites.iter().copied().collect()));
        Self {
            executor,
            options: options.clone(),
            names: names.to_vec(),
            failure: failure.clone(),
            patience: if failure.kind == FailureKind::Livelock {
                MOST_STEPS_WITH_LOOPS
            } else {
                MOST_STEPS_AFTER as usize
            },
            cutoff: StopToken::default(),
            known: Execution {
                made: Vec::new(),
                footprints: Vec::new(),
                decisions: Vec::new(),
                preemptions: 0,
                running: ThreadId::MAIN,
                pauses: 0,
                has_raced: false,
                kept: vec![(0, 0, 0, ThreadId::MAIN, machine.initial_state())],
            },
        }
    }

    /// The same, with executions that end as soon as there is a reason to, and then lead nowhere.
    pub fn until(self, cutoff: StopToken) -> Self {
        Self { cutoff, ..self }
    }

    /// The agent of this execution that a move means, if it is there already.
    fn here(&self, state: &State<E>, agent: Agent) -> Option<Agent> {
        let name = self.names.get(agent.thread().index())?;
        let thread = state.threads.iter().find(|thread| thread.name == *name)?.id;
        Some(match agent {
            Agent::Thread(_) => Agent::Thread(thread),
            Agent::Buffer { lane, .. } => Agent::Buffer { thread, lane },
        })
    }

    /// The move that a step of `agent` is; threads the schedule does not know get numbers after those it
    /// knows.
    fn there(&mut self, state: &State<E>, agent: Agent) -> Agent {
        let name = &state.thread(agent.thread()).name;
        let known = self.names.iter().position(|other| other == name);
        let number = known.unwrap_or_else(|| {
            self.names.push(name.clone());
            self.names.len() - 1
        });
        let thread = ThreadId(number as u32);
        match agent {
            Agent::Thread(_) => Agent::Thread(thread),
            Agent::Buffer { lane, .. } => Agent::Buffer { thread, lane },
        }
    }

    /// One step. `false` if the execution cannot be followed, or time is up.
    fn take(
        &mut self,
        execution: &mut Execution<E>,
        state: &mut State<E>,
        agent: Agent,
        enabled: &[Agent],
        choices: &[u32],
    ) -> bool {
        if self.cutoff.reason().is_some() {
            return false;
        }
        let there = self.there(state, agent);
        if execution.made.last().is_none_or(|last| last.agent != there) && execution.kept.len() < MOST_KEPT {
            execution.kept.push((
                execution.made.len(),
                execution.decisions.len(),
                execution.preemptions,
                execution.running,
                state.clone(),
            ));
        }
        if let Agent::Thread(thread) = agent
            && thread != execution.running
        {
            execution.preemptions += u32::from(enabled.contains(&Agent::Thread(execution.running)));
            execution.running = thread;
        }
        execution.decisions.push(Decision::Run(agent));
        execution.footprints.push(exit_checks::footprint(&self.executor, state, agent, &self.options));
        let mut made = Move { agent: there, choices: SmallVec::new() };
        let mut choose = ByNumber(|count| {
            let wanted = choices.get(made.choices.len()).copied().unwrap_or(0);
            let choice = if wanted < count { wanted } else { 0 };
            made.choices.push(choice);
            execution.decisions.push(Decision::Choose(choice));
            Some(choice)
        });
        match driver::whole_step(&mut self.executor, state, agent, &mut choose) {
            Ok(Reached::NextStep) => {}
            Ok(Reached::Pause) => execution.pauses += 1,
            Err(_) => return false,
        }
        execution.made.push(made);
        execution.has_raced = self.executor.notes.races.drain(..).any(|race| race.same_fault(&self.failure));
        true
    }

    /// Takes the moves that are possible; `false` if the execution cannot be followed.
    fn follow(&mut self, execution: &mut Execution<E>, state: &mut State<E>, moves: &[Move]) -> bool {
        let mut at = 0;
        while at < moves.len() && state.end.is_none() && !execution.has_raced {
            let agent = moves[at].agent;
            let enabled = self.executor.enabled(state);
            let here = self.here(state, agent).filter(|here| enabled.contains(here));
            let Some(here) = here else {
                // It is blocked: the next agent's turn.
                at += moves[at..].iter().take_while(|step| step.agent == agent).count();
                continue;
            };
            if !self.take(execution, state, here, &enabled, &moves[at].choices) {
                return false;
            }
            at += 1;
        }
        true
    }

    /// Continues without preemption; store buffers drain when no thread can run. `false` if the end does not
    /// come.
    fn finish(&mut self, execution: &mut Execution<E>, state: &mut State<E>) -> bool {
        let is_livelock = self.failure.kind == FailureKind::Livelock;
        let longest = if is_livelock { TURN_OF_LOOPS } else { TURN };
        let (mut steps, mut turns) = (0_usize, Unpreempted::turns_of(longest));
        while state.end.is_none() && !execution.has_raced {
            let enabled = self.executor.enabled(state);
            let Some(next) = turns.next(execution.running, &enabled) else {
                self.executor.stuck(state);
                return true;
            };
            // Whether others come round beside the threads that spin takes longer to say.
            let is_found = is_livelock
                && match steps == 0 || steps.is_power_of_two() {
                    true => find_livelock(&mut self.executor, state, &[]),
                    false => steps < TURN_OF_LOOPS as usize && self.executor.find_livelock(state, &[]),
                };
            if is_found {
                return true;
            }
            steps += 1;
            // A loop around what is not visible as yet is not seen to be one.
            let spins = is_livelock && execution.pauses > MOST_PAUSES;
            if spins || steps > self.patience || !self.take(execution, state, next, &enabled, &[]) {
                return false;
            }
        }
        true
    }

    fn fails_alike(&self, state: &State<E>) -> bool {
        exit_checks::failure_of(&self.executor, state, &self.options)
            .is_some_and(|failure| failure.same_fault(&self.failure))
    }
}

impl<E: Environment> Rerun<'_, E> {
    /// An execution that takes these moves, and the state it ends in.
    fn execute(&mut self, moves: &[Move]) -> Option<(Execution<E>, State<E>)> {
        let alike = self.known.made.iter().zip(moves).take_while(|(made, wanted)| made == wanted).count();
        let nearest = self.known.kept.partition_point(|(made, ..)| *made <= alike) - 1;
        let (made, decisions, preemptions, running, state) = &self.known.kept[nearest];
        let mut state = state.clone();
        let mut execution = Execution {
            made: self.known.made[..*made].to_vec(),
            footprints: self.known.footprints[..*made].to_vec(),
            decisions: self.known.decisions[..*decisions].to_vec(),
            preemptions: *preemptions,
            running: *running,
            pauses: 0,
            has_raced: false,
            kept: self.known.kept[..=nearest].to_vec(),
        };
        // The step from here is kept already.
        let rest = &moves[execution.made.len()..];
        let is_followed =
            self.follow(&mut execution, &mut state, rest) && self.finish(&mut execution, &mut state);
        is_followed.then_some((execution, state))
    }

    /// Later executions that begin alike go on from here.
    fn keep(&mut self, mut execution: Execution<E>) {
        execution.kept.dedup_by_key(|(made, ..)| *made);
        self.known = execution;
    }
}

impl<E: Environment> Replay for Rerun<'_, E> {
    fn attempt(&mut self, moves: &[Move]) -> Option<Attempt> {
        let (execution, state) = self.execute(moves)?;
        if !execution.has_raced && !self.fails_alike(&state) {
            return None;
        }
        let attempt = Attempt {
            moves: execution.made.clone(),
            decisions: execution.decisions.clone(),
            preemptions: execution.preemptions,
        };
        self.keep(execution);
        Some(attempt)
    }
}

impl<E: Environment> Reorder for Rerun<'_, E> {
    fn run(&mut self, moves: &[Move]) -> Option<Run> {
        let (execution, state) = self.execute(moves)?;
        let end = match &state.end {
            _ if execution.has_raced || self.fails_alike(&state) => RunEnd::SameFailure,
            Some(End::Exit(exit))
                if exit_checks::check(&self.executor, &state, *exit, &self.options).is_none() =>
            {
                RunEnd::Fine
            }
            Some(_) => RunEnd::OtherFailure,
            None => return None,
        };
        let left = state.threads.iter().filter(|thread| !thread.exited && thread.pending.is_some());
        let left: Vec<Agent> = left.map(|thread| Agent::Thread(thread.id)).collect();
        let waiting =
            left.into_iter().map(|agent| (self.there(&state, agent), self.executor.footprint(&state, agent)));
        let run = Run {
            waiting: waiting.collect(),
            moves: execution.made.clone(),
            footprints: execution.footprints.clone(),
            decisions: execution.decisions.clone(),
            end,
        };
        // Others are compared with the beginning that they share.
        if end == RunEnd::SameFailure && self.known.made.is_empty() {
            self.keep(execution);
        }
        Some(run)
    }
}
