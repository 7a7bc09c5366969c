//! Steps of the reference: one thread performs one operation, as the rows say.

use super::objects::Object;
use crate::calls::{Call, Kind, Takes};
use crate::program::{Operation, Own, Program, Stored, ToThread, Update, VARIABLES};
use crate::rows::{Answer, Rows, name_of};

/// How an execution ends.
pub enum End {
    Exit,
    Misuse,
    Assertion,
}

/// The data that all states share.
pub struct Machine<'p> {
    rows: &'p Rows,
    program: &'p Program,
    code: Vec<Vec<Instruction<'p>>>,
}

/// A thread's code without nesting.
enum Instruction<'p> {
    Do(&'p Operation),
    /// Goes on there unless this is the result.
    Unless(i32, usize),
    /// `main` looks at a variable at its end.
    Look(u8),
}

/// Everything.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct State {
    threads: Vec<Thread>,
    objects: Vec<Object>,
    variables: [i32; VARIABLES as usize],
    returned: Vec<u64>,
    printed: Vec<u8>,
    /// How much had been printed when `main` reported.
    reported: Option<usize>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Thread {
    life: Life,
    next: usize,
    phase: Phase,
    seen: u64,
    result: i32,
    asked: bool,
    disabled: bool,
    returns: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Life {
    NotCreated,
    Alive,
    Ended,
}

/// A thread's position in its present operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Phase {
    Before,
    Asleep,
    /// Out of the queue, as that came about. It has yet to lock the mutex.
    Woken(Leaves),
    /// It has checked for a cancellation request and found none; its operation is next.
    Checked,
    Gathering(u8),
    /// In a routine: the variable is read, then written.
    Routine,
    RoutineRead(i32),
    RoutineDone,
    /// Leaves; its values' destructors first.
    Ending {
        cancelled: bool,
    },
}

/// How a sleeper leaves the queue of a condition variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Leaves {
    /// A request may still end the wait if no other sleeper could have had the signal.
    Signalled {
        is_cancellable: bool,
    },
    Elapsed,
    Cancelled,
}

impl State {
    pub fn new(program: &Program) -> Self {
        let thread = |number| Thread {
            life: if number == 0 { Life::Alive } else { Life::NotCreated },
            next: 0,
            phase: Phase::Before,
            seen: 1,
            result: 0,
            asked: false,
            disabled: false,
            returns: 0,
        };
        Self {
            threads: (0..program.threads.len()).map(thread).collect(),
            objects: program.objects.iter().map(|kind| Object::new(*kind)).collect(),
            variables: [0; VARIABLES as usize],
            returned: Vec::new(),
            printed: Vec::new(),
            reported: None,
        }
    }

    /// The whole output: the report of `main`, with what other threads print before and after it.
    pub fn output(&self) -> Vec<u8> {
        let (before, after) = self.printed.split_at(self.reported.unwrap_or(self.printed.len()));
        let words = self.returned.iter().chain(std::iter::once(&self.threads[0].seen));
        let report = words.flat_map(|word| word.to_le_bytes());
        before.iter().copied().chain(report).chain(after.iter().copied()).collect()
    }

    /// Whether no thread is left that could wait.
    pub fn is_over(&self) -> bool {
        self.threads.iter().all(|thread| thread.life != Life::Alive)
    }

    fn finish(&mut self, me: usize, result: i32) {
        let thread = &mut self.threads[me];
        thread.result = result;
        thread.seen = thread.seen << 8 | u64::from(result as u8);
        thread.next += 1;
        thread.phase = Phase::Before;
    }
}

type Next = Vec<(State, Option<End>)>;

impl<'p> Machine<'p> {
    pub fn new(rows: &'p Rows, program: &'p Program) -> Self {
        let mut code: Vec<Vec<Instruction>> = program
            .threads
            .iter()
            .map(|operations| {
                let mut flat = Vec::new();
                flatten(operations, &mut flat);
                flat
            })
            .collect();
        code[0].extend((0..VARIABLES).map(Instruction::Look));
        Self { rows, program, code }
    }

    /// The states after each step that is possible.
    pub fn next(&self, state: &State) -> Next {
        (0..state.threads.len()).flat_map(|me| self.step(state, me)).collect()
    }

    fn step(&self, state: &State, me: usize) -> Next {
        let thread = &state.threads[me];
        if thread.life != Life::Alive {
            return Vec::new();
        }
        let mut state = state.clone();
        if let Phase::Ending { cancelled } = thread.phase {
            return self.end(state, me, cancelled);
        }
        match self.code[me].get(thread.next) {
            None if me == 0 && state.reported.is_none() => {
                state.reported = Some(state.printed.len());
                vec![(state, None)]
            }
            None if me == 0 => vec![(state, Some(End::Exit))],
            None => {
                state.threads[me].returns = thread.seen;
                self.leave(state, me, false)
            }
            Some(Instruction::Unless(value, behind)) => {
                let goes_on = thread.result == *value;
                state.threads[me].next = if goes_on { thread.next + 1 } else { *behind };
                vec![(state, None)]
            }
            Some(Instruction::Look(variable)) => {
                let value = state.variables[usize::from(*variable)];
                state.finish(me, value);
                vec![(state, None)]
            }
            Some(Instruction::Do(operation)) => self.perform(state, me, operation),
        }
    }

    fn perform(&self, mut state: State, me: usize, operation: &Operation) -> Next {
        let result = state.threads[me].result;
        match operation {
            Operation::Load(which, _) => {
                let value = state.variables[usize::from(*which)];
                state.finish(me, value);
            }
            Operation::Store(which, _, stored) => {
                state.variables[usize::from(*which)] = match stored {
                    Stored::Constant(value) => i32::from(*value),
                    Stored::Next => result + 1,
                };
                state.threads[me].next += 1;
            }
            Operation::Update(which, _, update) => {
                let place = &mut state.variables[usize::from(*which)];
                let old = *place;
                match update {
                    Update::Add(by) => *place += i32::from(*by),
                    Update::Exchange(new) => *place = i32::from(*new),
                    Update::CompareExchange(expected, new) if old == i32::from(*expected) => {
                        *place = i32::from(*new);
                    }
                    Update::CompareExchange(..) => {}
                }
                state.finish(me, old);
            }
            Operation::Print(letter) => {
                state.printed.push(*letter as u8);
                state.threads[me].next += 1;
            }
            Operation::FailIf(value) if result == *value => return vec![(state, Some(End::Assertion))],
            Operation::FailIf(_) | Operation::Fence(_) | Operation::Own(Own::Yield) => {
                state.threads[me].next += 1;
            }
            Operation::Own(Own::TestCancel) => {
                if is_due(&state, me) {
                    return self.cancelled(state, me);
                }
                state.threads[me].next += 1;
            }
            Operation::Own(own) => {
                let old = std::mem::replace(&mut state.threads[me].disabled, *own == Own::DisableCancel);
                state.finish(me, i32::from(old));
            }
            Operation::Thread(to, which) => return self.to_thread(state, me, *to, *which),
            Operation::Call(call, objects) => match call.takes {
                Takes::ConditionAndMutex
                | Takes::StandardConditionAndMutex
                | Takes::Condition
                | Takes::StandardCondition => return self.condition(state, me, call, objects),
                _ => return self.call(state, me, call, objects[0]),
            },
            Operation::Input(_) | Operation::If(..) | Operation::Repeat(..) | Operation::CleanUp(..) => {
                unreachable!("not covered, or flat")
            }
        }
        vec![(state, None)]
    }

    fn to_thread(&self, mut state: State, me: usize, to: ToThread, which: usize) -> Next {
        let call = match to {
            ToThread::Create => {
                state.threads[which].life = Life::Alive;
                state.finish(me, 0);
                return vec![(state, None)];
            }
            ToThread::Join => "join",
            ToThread::TryJoin => "tryjoin",
            ToThread::TimedJoin => "timedjoin",
            _ => "cancel",
        };
        let life = if state.threads[which].life == Life::Ended { "ended" } else { "runs" };
        if is_due(&state, me) && call.ends_with("join") && call != "tryjoin" {
            // The libraries check for a cancellation request only where they wait.
            let mut ways = self.cancelled(state.clone(), me);
            if life == "ended" {
                ways.extend(self.answered(state, me, which, life, call));
            }
            return ways;
        }
        self.answered(state, me, which, life, call)
    }

    /// The answer of a call about a thread.
    fn answered(&self, mut state: State, me: usize, which: usize, life: &str, call: &str) -> Next {
        let (Answer::Number(answer), after) = self.rows.answer("thread", life, call) else {
            return Vec::new();
        };
        state.finish(me, answer);
        match after {
            "asked" => state.threads[which].asked = true,
            "joined" => {
                let returned = state.threads[which].returns;
                match me {
                    0 => state.returned.push(returned),
                    _ => {
                        let seen = &mut state.threads[me].seen;
                        *seen = seen.wrapping_mul(1_000_003).wrapping_add(returned);
                    }
                }
            }
            _ => {}
        }
        vec![(state, None)]
    }

    fn call(&self, mut state: State, me: usize, call: &Call, at: usize) -> Next {
        let kind = self.program.objects[at];
        match state.threads[me].phase {
            Phase::Routine => {
                state.threads[me].phase = Phase::RoutineRead(state.variables[0]);
                return vec![(state, None)];
            }
            Phase::RoutineRead(value) => {
                state.variables[0] = value + 1;
                state.threads[me].phase = Phase::RoutineDone;
                return vec![(state, None)];
            }
            Phase::RoutineDone => {
                state.objects[at] = Object::Once { running: false, done: true };
                state.finish(me, 0);
                return vec![(state, None)];
            }
            Phase::Gathering(of) => {
                let Object::Barrier { round, .. } = state.objects[at] else { unreachable!("a barrier") };
                if round == of {
                    return Vec::new();
                }
                state.finish(me, 0);
                return vec![(state, None)];
            }
            _ => {}
        }
        let is_point =
            matches!(kind, Kind::Semaphore(_)) && call.name.contains("wait") && call.name != "trywait";
        let has_checked = state.threads[me].phase == Phase::Checked;
        let waits = call.name != "timedwait-invalid" && state.objects[at].word(me) == "zero";
        // glibc's sem_clockwait looks for a request only where it waits.
        let has_to_check = is_point && call.name != "clockwait" && !has_checked;
        if is_point && is_due(&state, me) && (has_to_check || waits) {
            return self.cancelled(state, me);
        }
        if has_to_check {
            state.threads[me].phase = Phase::Checked;
            return vec![(state, None)];
        }
        if call.name == "getvalue" {
            let Object::Semaphore { value } = state.objects[at] else { unreachable!("a semaphore") };
            state.finish(me, i32::from(value));
            return vec![(state, None)];
        }
        let (answer, after) = self.rows.answer(name_of(kind), state.objects[at].word(me), call.name);
        match answer {
            Answer::Waits => Vec::new(),
            Answer::Undefined => vec![(state, Some(End::Misuse))],
            Answer::Number(number) => {
                state.objects[at].become_word(me, after);
                state.finish(me, translated(kind, number));
                vec![(state, None)]
            }
            Answer::Gathers => {
                let Object::Barrier { round, .. } = state.objects[at] else { unreachable!("a barrier") };
                state.objects[at].become_word(me, after);
                state.threads[me].phase = Phase::Gathering(round);
                vec![(state, None)]
            }
            Answer::Runs => {
                state.objects[at].become_word(me, after);
                state.threads[me].phase = Phase::Routine;
                vec![(state, None)]
            }
            Answer::Sleeps => unreachable!("of condition variables"),
        }
    }

    fn condition(&self, mut state: State, me: usize, call: &Call, objects: &[usize]) -> Next {
        let condition = objects[0];
        let Object::Condition { sleepers } = state.objects[condition].clone() else {
            unreachable!("a condition variable")
        };
        if call.takes.count() == 1 {
            if sleepers.is_empty() {
                state.finish(me, 0);
                return vec![(state, None)];
            }
            let wake = |woken: &[usize], is_cancellable| {
                let mut state = state.clone();
                let how = Leaves::Signalled { is_cancellable };
                woken.iter().for_each(|sleeper| self.wake(&mut state, *sleeper, condition, how));
                state.finish(me, 0);
                (state, None)
            };
            if call.name == "broadcast" {
                return vec![wake(&sleepers, true)];
            }
            // A thread with a request takes no signal that another sleeper could have.
            let (asked, others): (Vec<usize>, Vec<usize>) =
                sleepers.iter().copied().partition(|sleeper| is_due(&state, *sleeper));
            let is_cancellable = others.len() <= 1;
            let can_have = if others.is_empty() { asked } else { others };
            return can_have.iter().map(|one| wake(&[*one], is_cancellable)).collect();
        }
        let guard = objects[1];
        let kind = self.program.objects[guard];
        match state.threads[me].phase {
            Phase::Asleep => {
                let mut ways = Vec::new();
                let mut leave = |how| {
                    let mut state = state.clone();
                    self.wake(&mut state, me, condition, how);
                    ways.push((state, None));
                };
                if is_due(&state, me) {
                    leave(Leaves::Cancelled);
                } else if call.name == "timedwait" {
                    leave(Leaves::Elapsed);
                }
                ways
            }
            Phase::Woken(how) => {
                let word = state.objects[guard].word(me);
                // One level was released, and the mutex is still its own.
                let (locked, after) = self.rows.answer(name_of(kind), word, "lock");
                let Answer::Number(locked) = locked else { return Vec::new() };
                state.objects[guard].become_word(me, after);
                if how == Leaves::Cancelled {
                    return self.cancelled(state, me);
                }
                let mut ways = Next::new();
                if how == (Leaves::Signalled { is_cancellable: true }) && is_due(&state, me) {
                    ways.extend(self.cancelled(state.clone(), me));
                }
                let answer = if how == Leaves::Elapsed { 110 } else { 0 };
                let result = if locked == 0 { answer } else { locked };
                state.finish(me, translated(kind, result));
                ways.push((state, None));
                ways
            }
            _ => {
                let (answer, _) = self.rows.answer(name_of(kind), state.objects[guard].word(me), call.name);
                match answer {
                    Answer::Undefined => vec![(state, Some(End::Misuse))],
                    Answer::Number(number) => {
                        state.finish(me, translated(kind, number));
                        vec![(state, None)]
                    }
                    _ => {
                        let word = state.objects[guard].word(me);
                        let (_, after) = self.rows.answer(name_of(kind), word, "unlock");
                        state.objects[guard].become_word(me, after);
                        let mut sleepers = sleepers;
                        sleepers.push(me);
                        sleepers.sort_unstable();
                        state.objects[condition] = Object::Condition { sleepers };
                        state.threads[me].phase = Phase::Asleep;
                        vec![(state, None)]
                    }
                }
            }
        }
    }

    fn wake(&self, state: &mut State, sleeper: usize, condition: usize, how: Leaves) {
        if let Object::Condition { sleepers } = &mut state.objects[condition] {
            sleepers.retain(|one| *one != sleeper);
        }
        state.threads[sleeper].phase = Phase::Woken(how);
    }

    fn cancelled(&self, mut state: State, me: usize) -> Next {
        state.threads[me].returns = u64::MAX;
        state.threads[me].disabled = true;
        self.leave(state, me, true)
    }

    /// The destructors of its values, then its end.
    fn leave(&self, mut state: State, me: usize, cancelled: bool) -> Next {
        state.threads[me].phase = Phase::Ending { cancelled };
        for object in &mut state.objects {
            if let Object::Key { set } = object
                && set.contains(&me)
            {
                set.retain(|one| *one != me);
                state.variables[1] += 4;
                return vec![(state, None)];
            }
        }
        self.end(state, me, cancelled)
    }

    fn end(&self, mut state: State, me: usize, cancelled: bool) -> Next {
        if state.objects.iter().any(|object| matches!(object, Object::Key { set } if set.contains(&me))) {
            return self.leave(state, me, cancelled);
        }
        // Robust mutexes become free one by one, before it has ended.
        let robust = |(_, kind): &(&mut Object, &Kind)| kind.is_robust();
        let mut objects = state.objects.iter_mut().zip(&self.program.objects).filter(robust);
        if let Some((object, kind)) = objects.find(|(object, _)| HELD.contains(&object.word(me))) {
            let (_, after) = self.rows.answer(name_of(*kind), object.word(me), "end");
            object.become_word(me, after);
            return vec![(state, None)];
        }
        for (object, kind) in state.objects.iter_mut().zip(&self.program.objects) {
            let word = object.word(me);
            if matches!(object, Object::Mutex { .. }) && HELD.contains(&word) {
                match self.rows.answer(name_of(*kind), word, "end") {
                    (Answer::Undefined, _) if cancelled => {}
                    (Answer::Undefined, _) => return vec![(state, Some(End::Misuse))],
                    (_, after) => object.become_word(me, after),
                }
            }
        }
        state.threads[me].life = Life::Ended;
        vec![(state, None)]
    }
}

/// States of a mutex that the thread has.
const HELD: [&str; 3] = ["mine", "mine+", "dead-mine"];

fn is_due(state: &State, me: usize) -> bool {
    state.threads[me].asked && !state.threads[me].disabled
}

/// C11's calls answer in words of their own.
fn translated(kind: Kind, number: i32) -> i32 {
    match (kind.is_standard_mutex(), number) {
        (false, _) | (true, 0) => number,
        (true, 16) => 1,
        (true, 110) => 4,
        (true, _) => 2,
    }
}

fn flatten<'p>(operations: &'p [Operation], code: &mut Vec<Instruction<'p>>) {
    for operation in operations {
        match operation {
            Operation::If(value, inner) => {
                let at = code.len();
                code.push(Instruction::Unless(*value, 0));
                flatten(inner, code);
                code[at] = Instruction::Unless(*value, code.len());
            }
            Operation::Repeat(rounds, inner) => (0..*rounds).for_each(|_| flatten(inner, code)),
            operation => code.push(Instruction::Do(operation)),
        }
    }
}
