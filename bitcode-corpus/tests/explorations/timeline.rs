//! An execution of two threads, gone about in.

use crate::sums::{Patient, first_model, machine, solver};
use std::sync::Arc;
use symx_interp::paths::halts::{Grain, Pattern};
use symx_interp::threads::thread::Activation;
use symx_interp::{Executor, Machine, Options, State};
use symx_posix_explore::{
    Cursor, ExploreOptions, FixedSchedule, Hit, Look, Place, Position, Timeline, TimelineError, explore_all,
};
use symx_posix_model::Posix;
use symx_trace::{Agent, ThreadId};

/// Another thread adds up to 1 and then stores that; the main thread fails if it reads it.
const PROGRAM: &str = "
    @x = global i32 0
    define ptr @set(ptr %unused) {
      %a = add i32 0, 0
      %b = add i32 %a, 1
      store atomic i32 %b, ptr @x seq_cst, align 4
      ret ptr null
    }
    define i32 @main() {
      %thread = alloca i64
      %made = call i32 @pthread_create(ptr %thread, ptr null, ptr @set, ptr null)
      %seen = load atomic i32, ptr @x seq_cst, align 4
      %is_set = icmp eq i32 %seen, 1
      br i1 %is_set, label %bad, label %good
    bad:
      call void @abort()
      unreachable
    good:
      %handle = load i64, ptr %thread
      %joined = call i32 @pthread_join(i64 %handle, ptr null)
      ret i32 0
    }
    declare void @abort()
    declare i32 @pthread_create(ptr, ptr, ptr, ptr)
    declare i32 @pthread_join(i64, ptr)";

fn program() -> Machine<Posix> {
    machine(PROGRAM, first_model(), Options::default())
}

/// The failing execution.
fn failing(machine: &Machine<Posix>) -> Timeline<'_, Posix> {
    let solver = || solver(machine);
    let options = ExploreOptions::default();
    let explored = explore_all(machine, solver(), &options, &mut Patient);
    let found = &explored.failures[0];
    let schedule = FixedSchedule {
        visible: found.visible.as_deref(),
        decisions: &found.decisions,
        expected: Some(&found.failure),
    };
    Timeline::of(machine, solver, schedule, &options).expect("it replays")
}

fn x(cursor: &Cursor<'_, Posix>) -> u64 {
    let program = &cursor.executor().machine.program;
    let global = program.global_named("x").expect("it is there");
    let object = cursor.state().memory.near(global.address).expect("alive");
    object.read_word(0, 4)
}

/// Looks for every instruction of `set`.
struct InSet {
    function: symx_ir::FunctionId,
}

impl Look<Posix> for InSet {
    fn within_step(
        &mut self,
        _: &Executor<'_, Posix>,
        _: &State<Posix>,
        _: &State<Posix>,
        agent: Agent,
    ) -> Option<Pattern> {
        let functions = Arc::new([self.function].into_iter().collect());
        let pattern = Pattern { grain: Grain::Instruction, functions, deepest: None };
        (agent.thread() != ThreadId::MAIN).then_some(pattern)
    }

    fn at(&mut self, _: &Executor<'_, Posix>, _: &State<Posix>, place: Place, _: Position) -> Hit {
        if matches!(place, Place::Within(_)) { Hit::Here } else { Hit::No }
    }
}

/// Looks for a change of `x`, for the place before it.
struct Change(Option<u64>);

impl Look<Posix> for Change {
    fn within_step(
        &mut self,
        _: &Executor<'_, Posix>,
        _: &State<Posix>,
        _: &State<Posix>,
        _: Agent,
    ) -> Option<Pattern> {
        self.0 = None;
        None
    }

    fn at(&mut self, executor: &Executor<'_, Posix>, state: &State<Posix>, _: Place, _: Position) -> Hit {
        let address = executor.machine.program.global_named("x").expect("it is there").address;
        let now = state.memory.near(address).expect("alive").read_word(0, 4);
        let before = self.0.replace(now);
        if before.is_some_and(|before| before != now) { Hit::Previous } else { Hit::No }
    }
}

#[test]
fn goes_to_any_step_and_back() {
    let machine = program();
    let timeline = failing(&machine);
    let end = timeline.end();
    assert!(timeline.replayed().failure().is_some() && end.step > 3);
    let mut cursor = Cursor::new(timeline).expect("it has a beginning");
    cursor.go_to(end).expect("it has an end");
    assert!(cursor.is_at_end() && cursor.state().end.is_some());
    assert_eq!(x(&cursor), 1);
    cursor.go_to(Position::before(0)).expect("it has a beginning");
    assert!(cursor.state().end.is_none());
    assert_eq!((cursor.state().threads.len(), x(&cursor)), (1, 0));
    let beyond = Position::before(end.step + 1);
    assert_eq!(cursor.go_to(beyond), Err(TimelineError::NoPlace));
    assert_eq!(cursor.position(), Position::before(0), "it stays where it is");
}

#[test]
fn finds_the_write_backwards() {
    let machine = program();
    let mut cursor = Cursor::new(failing(&machine)).expect("it has a beginning");
    let end = cursor.timeline().end();
    cursor.go_to(end).expect("it has an end");
    assert!(cursor.backwards(&mut Change(None)).expect("goes back"));
    let write = cursor.position();
    let agent = cursor.timeline().agent(write.step);
    assert_eq!((agent, x(&cursor)), (Some(Agent::Thread(ThreadId(1))), 0));
    cursor.go_to(Position::before(write.step + 1)).expect("behind it");
    assert_eq!(x(&cursor), 1);
    assert!(cursor.backwards(&mut Change(None)).expect("goes back"));
    assert_eq!(cursor.position(), write);
    assert!(!cursor.backwards(&mut Change(None)).expect("there is no other"));
    assert_eq!(cursor.position(), Position::before(0));
}

#[test]
fn instructions_are_the_same_places_both_ways() {
    let machine = program();
    let function = machine.program.function_named("set").expect("it is there");
    let mut cursor = Cursor::new(failing(&machine)).expect("it has a beginning");
    let mut places = Vec::new();
    while cursor.forwards(&mut InSet { function }).expect("goes forward") {
        places.push(cursor.position());
        let thread = &cursor.state().threads[1];
        let Activation::Program(frame) = &thread.stack[thread.stack.len() - 1] else {
            panic!("it is in the program")
        };
        assert_eq!(frame.function, function);
    }
    // Two sums, the store, the return: each once, though the thread is parked before the store.
    assert_eq!(places.len(), 4, "{places:?}");
    assert!(cursor.is_at_end());
    for place in places.iter().rev() {
        assert!(cursor.backwards(&mut InSet { function }).expect("goes back"));
        assert_eq!(cursor.position(), *place);
    }
    assert!(!cursor.backwards(&mut InSet { function }).expect("there is no other"));
}
