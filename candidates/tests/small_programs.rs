//! Small programs, instruction by instruction: which pairs may race.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use symx_candidates::candidates;
use symx_expr::{StopReason, StopToken};
use symx_ir::address::Cell;
use symx_ir::function::{Argument, ArgumentClass, Block, CallSite, CallTarget, Param, Passing};
use symx_ir::program::{External, LinkedFunction, LinkedGlobal};
use symx_ir::{ExternalId, Function, FunctionId, Inst, Operand, Program, Span, SpanId};

const EXTERNALS: [&str; 4] = ["pthread_create", "pthread_join", "pthread_mutex_lock", "pthread_mutex_unlock"];
const GLOBALS: [&str; 4] = ["x", "m", "other", "handle"];

fn address_of(global: &str) -> u64 {
    let number = GLOBALS.iter().position(|name| *name == global).unwrap();
    Cell::small(number as u32).base(3)
}

/// A function under construction. Its first register is its parameter.
struct Code {
    function: Function,
    constants: Vec<u64>,
}

impl Code {
    fn new() -> Self {
        let class = ArgumentClass::Integer;
        let params = vec![Param { slot: 0, slots: 1, bits: 64, pointer: true, class }];
        Self { function: Function { slots: 1, params, ..Function::default() }, constants: Vec::new() }
    }

    fn constant(&mut self, value: u64) -> Operand {
        self.constants.push(value);
        Operand::constant(self.constants.len() as u32 - 1)
    }

    fn register(&mut self) -> u32 {
        self.function.slots += 1;
        self.function.slots - 1
    }

    /// `at + by`.
    fn behind(mut self, by: u64) -> (Self, Operand) {
        let (index, dst) = (self.constant(by), self.register());
        let base = Operand::slot(0);
        self.function.code.push(Inst::PointerIndex { index_bits: 64, scale: 1, dst, base, index });
        (self, Operand::slot(dst))
    }

    fn write_at(mut self, address: Operand) -> Self {
        let value = self.constant(1);
        self.function.code.push(Inst::Store { bits: 64, volatile: false, align_log2: 3, address, value });
        self
    }

    fn write(mut self, global: &str) -> Self {
        let address = self.constant(address_of(global));
        self.write_at(address)
    }

    fn call_with(mut self, target: CallTarget, operands: &[Operand]) -> Self {
        let argument = |operand: &Operand| Argument {
            operand: *operand,
            slots: 1,
            bits: 64,
            passing: Passing::Value,
            class: ArgumentClass::Integer,
        };
        self.function.calls.push(CallSite {
            target,
            arguments: operands.iter().map(argument).collect(),
            dst: 0,
            return_slots: 0,
            return_bits: 0,
            used: false,
            invoke: None,
        });
        self.function.code.push(Inst::Call { site: self.function.calls.len() as u32 - 1 });
        self
    }

    fn external(self, name: &str, operands: &[Operand]) -> Self {
        let number = EXTERNALS.iter().position(|known| *known == name).unwrap();
        self.call_with(CallTarget::External(ExternalId(number as u32)), operands)
    }

    fn lock(mut self, mutex: &str) -> Self {
        let mutex = self.constant(address_of(mutex));
        self.external("pthread_mutex_lock", &[mutex])
    }

    fn unlock(mut self, mutex: &str) -> Self {
        let mutex = self.constant(address_of(mutex));
        self.external("pthread_mutex_unlock", &[mutex])
    }

    /// Calls function `number` on a global.
    fn call(mut self, number: u32, global: &str) -> Self {
        let argument = self.constant(address_of(global));
        self.call_with(CallTarget::Function(FunctionId(number)), &[argument])
    }

    fn create(mut self, number: u32) -> Self {
        let operands = [address_of("handle"), 0, symx_ir::address::function_address(number), 0];
        let operands = operands.map(|value| self.constant(value));
        self.external("pthread_create", &operands)
    }

    fn join(mut self) -> Self {
        let (address, dst) = (self.constant(address_of("handle")), self.register());
        self.function.code.push(Inst::Load { bits: 64, volatile: false, align_log2: 3, dst, address });
        let nothing = self.constant(0);
        self.external("pthread_join", &[Operand::slot(dst), nothing])
    }
}

/// The pairs of a program whose first function is where it starts, as lines.
fn pairs(functions: Vec<Code>) -> Vec<[u32; 2]> {
    let found = candidates(&program(functions), FunctionId(0), &StopToken::default());
    assert_eq!(found.ended, None);
    found.list.iter().map(|one| one.accesses.each_ref().map(|access| access.position.line)).collect()
}

/// A program in which each instruction has a line, each function a hundred.
fn program(functions: Vec<Code>) -> Program {
    let mut spans = vec![Span::default()];
    let mut linked = Vec::new();
    for (code, number) in functions.into_iter().zip(0..) {
        let Code { mut function, mut constants } = code;
        constants.push(0);
        function.code.push(Inst::Return { value: Operand::constant(constants.len() as u32 - 1) });
        function.blocks.push(Block { start: 0, first_edge: 0, edge_count: 0 });
        function.in_program = true;
        for line in 0..function.code.len() as u32 {
            spans.push(Span { line: 100 * number + line + 1, ..Span::default() });
            function.spans.push(SpanId(spans.len() as u32 - 1));
        }
        linked.push(LinkedFunction { function, constants });
    }
    let global = |(name, number): (&&str, u32)| LinkedGlobal {
        name: name.to_string(),
        source_name: name.to_string(),
        distinction: String::new(),
        source_type: None,
        cell: Cell::small(number),
        address: Cell::small(number).base(3),
        size: 64,
        align_log2: 3,
        constant: false,
        library: false,
        thread_local: false,
        bytes: Vec::new(),
        of_program: true,
    };
    Program {
        functions: linked,
        externals: EXTERNALS.map(|name| External { name: name.into(), fallback: None }).into(),
        globals: GLOBALS.iter().zip(0..).map(global).collect(),
        files: vec!["a.c".into()],
        scopes: vec!["f".into()],
        spans,
        ..Program::default()
    }
}

#[test]
fn a_thread_and_its_creator() {
    let thread = || Code::new().write("x");
    assert_eq!(pairs(vec![Code::new().create(1).write("x"), thread()]), [[2, 101]]);
    assert_eq!(pairs(vec![Code::new().write("x").create(1), thread()]), [[0; 2]; 0], "written before");
    assert_eq!(pairs(vec![Code::new().create(1).join().write("x"), thread()]), [[0; 2]; 0], "written behind");
    assert_eq!(pairs(vec![Code::new().create(1).write("other"), thread()]), [[0; 2]; 0], "another variable");
}

#[test]
fn a_handle_that_is_overwritten_is_not_waited_for() {
    let main = Code::new().create(1).create(1).join().write("x");
    assert_eq!(pairs(vec![main, Code::new().write("x")]), [[5, 101], [101, 101]]);
    let main = Code::new().create(1).join().create(1).join().write("x");
    // Two calls write the handle: which of them a thread comes from is unknown.
    assert_eq!(pairs(vec![main, Code::new().write("x")]), [[7, 101], [101, 101]]);
}

#[test]
fn one_lock_and_two() {
    let main = || Code::new().create(1).lock("m").write("x").unlock("m");
    let thread = |lock: &str| Code::new().lock(lock).write("x").unlock(lock);
    assert_eq!(pairs(vec![main(), thread("m")]), [[0; 2]; 0]);
    assert_eq!(pairs(vec![main(), thread("other")]), [[3, 102]]);
    assert_eq!(pairs(vec![main(), Code::new().lock("m").unlock("m").write("x")]), [[3, 103]]);
}

#[test]
fn locks_of_callees_count_for_callers() {
    let lock = || Code::new().external("pthread_mutex_lock", &[Operand::slot(0)]);
    let unlock = || Code::new().external("pthread_mutex_unlock", &[Operand::slot(0)]);
    let locked = |mutex: &str| Code::new().call(2, mutex).write("x").call(3, mutex);
    let main = |mutex: &str| Code::new().create(1).call(2, mutex).write("x").call(3, mutex);
    assert_eq!(pairs(vec![main("m"), locked("m"), lock(), unlock()]), [[0; 2]; 0]);
    assert_eq!(pairs(vec![main("m"), locked("other"), lock(), unlock()]), [[3, 102]]);
    // A callee that releases it on the way.
    let released = Code::new().call(2, "m").call(3, "m").write("x");
    assert_eq!(pairs(vec![main("m"), released, lock(), unlock()]), [[3, 103]]);
}

#[test]
fn a_lock_inside_the_object_guards_its_fields() {
    // function 2: lock(p + 8); *p = 1; unlock(p + 8)
    let guarded = || {
        let (code, mutex) = Code::new().behind(8);
        code.external("pthread_mutex_lock", &[mutex])
            .write_at(Operand::slot(0))
            .external("pthread_mutex_unlock", &[mutex])
    };
    let main = || Code::new().create(1).call(2, "x").call(2, "other");
    assert_eq!(pairs(vec![main(), Code::new().call(2, "x").call(2, "other"), guarded()]), [[0; 2]; 0]);
    // The other side does without.
    assert_eq!(pairs(vec![main(), Code::new().write("x"), guarded()]), [[101, 203]]);
}

#[test]
fn an_end_from_outside_keeps_the_pairs_compared_so_far() {
    let writes = |code: Code| (0..70).fold(code, |code, _| code.write("x"));
    let program = program(vec![writes(Code::new().create(1)), writes(Code::new())]);
    let whole = candidates(&program, FunctionId(0), &StopToken::default());
    assert_eq!((whole.list.len(), whole.ended), (70 * 70, None));
    let all: BTreeSet<_> = whole.list.iter().collect();
    let mut lengths = Vec::new();
    // The token says so when it is asked for the first time, the second time, and so on.
    for asked in 0.. {
        let left = AtomicU64::new(asked);
        let token = StopToken::when(move || {
            let asked = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
            asked.is_err().then_some(StopReason::MaxTime)
        });
        let part = candidates(&program, FunctionId(0), &token);
        if part.ended.is_none() {
            assert_eq!(part, whole);
            break;
        }
        assert_eq!(part.ended, Some(StopReason::MaxTime));
        assert!(part.list.iter().all(|one| all.contains(one)));
        lengths.push(part.list.len());
    }
    assert_eq!(lengths.first(), Some(&0));
    assert!(lengths.is_sorted() && lengths.last() > Some(&0), "{lengths:?}");
}

#[test]
fn memory_that_is_refused_ends_the_analysis() {
    let account = symx_expr::MemoryAccount::new(|| 64);
    let token = StopToken::when(|| None).with_memory(std::sync::Arc::new(account));
    let found = candidates(&program(vec![Code::new().create(1), Code::new()]), FunctionId(0), &token);
    assert_eq!((found.list.len(), found.ended), (0, Some(StopReason::MaxMemory)));
}
