//! Random programs as LLVM IR. Positions are kept: a thread is a function, the number of
//! an operation its line.

use crate::program::{
    self, BEGIN_SECTION, END_SECTION, Likeness, Looks, Object, Operation, Part, Patience, Program, Question,
    Update,
};
use std::fmt::Write;
use symx_litmus::llvm::main_of;
use symx_memmodel::Ordering;

/// How a loop that waits is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loops {
    /// As a loop.
    Whole,
    /// As its last round alone: other rounds are assumed not to happen.
    LastRound,
}

/// A module of these programs, of which `main` runs the one that its argument names.
pub fn module(programs: &[Program], loops: Loops) -> String {
    let mut text = String::from(
        "declare i32 @pthread_create(ptr, ptr, ptr, ptr)\ndeclare i32 @pthread_join(i64, ptr)\n\
         declare i32 @pthread_detach(i64)\ndeclare i64 @write(i32, ptr, i64)\ndeclare void @abort()\n\
         declare void @exit(i32)\ndeclare void @symx_assume(i64)\ndeclare i32 @sem_getvalue(ptr, ptr)\n\
         declare i32 @sem_init(ptr, i32, i32)\ndeclare i32 @pthread_barrier_init(ptr, ptr, i32)\n\
         declare i32 @sched_yield()\ndeclare i32 @pthread_cond_wait(ptr, ptr)\n\
         declare i32 @pthread_once(ptr, ptr)\ndeclare void @__VERIFIER_atomic_begin()\n\
         declare void @__VERIFIER_atomic_end()\ndeclare i64 @syscall(i64, ...)\n\
         @limit = constant { i64, i64 } { i64 0, i64 1000 }\n@letters = constant [2 x i8] c\"ab\"\n",
    );
    for name in ONE_OBJECT {
        let _ = writeln!(text, "declare i32 @{name}(ptr)");
    }
    let (name, places, likeness) = (String::new(), String::new(), Likeness::Different);
    let mut writer = Writer { text, name, likeness, fresh: 0, loops, scopes: 0, places };
    for (index, program) in programs.iter().enumerate() {
        writer.name = format!("p{index}");
        writer.likeness = program.likeness;
        writer.program(program);
    }
    let Writer { mut text, places, .. } = writer;
    text.push_str(&main_of(programs.len()));
    text.push_str(
        "!llvm.module.flags = !{!0}\n!llvm.dbg.cu = !{!2}\n!0 = !{i32 2, !\"Debug Info Version\", i32 3}\n\
         !1 = !DIFile(filename: \"random.ll\", directory: \"/\")\n\
         !2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)\n\
         !3 = !DISubroutineType(types: !{null})\n",
    );
    text.push_str(&places);
    text
}

/// Functions of one object.
const ONE_OBJECT: [&str; 15] = [
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_unlock",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "pthread_rwlock_tryrdlock",
    "pthread_rwlock_trywrlock",
    "pthread_rwlock_unlock",
    "pthread_cond_signal",
    "pthread_cond_broadcast",
    "sem_wait",
    "sem_trywait",
    "sem_post",
    "sem_destroy",
    "pthread_barrier_wait",
];

/// Metadata in front of the functions'.
const FIRST_SCOPE: usize = 4;
/// Metadata of one function: its scope and up to this many lines.
const SCOPE: usize = 40;

/// Writes programs. (Writing to a string does not fail.)
struct Writer {
    text: String,
    /// Prefix of the present program's symbols.
    name: String,
    /// Whether its threads are identical.
    likeness: Likeness,
    /// Number of the last local value.
    fresh: u32,
    loops: Loops,
    /// Functions with positions so far.
    scopes: usize,
    /// Their metadata.
    places: String,
}

impl Writer {
    fn line(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.text, "  {}", line.as_ref());
    }

    /// A new local value, set to `expression`.
    fn set(&mut self, expression: impl AsRef<str>) -> String {
        self.fresh += 1;
        let name = format!("%v{}", self.fresh);
        self.line(format!("{name} = {}", expression.as_ref()));
        name
    }

    fn label(&mut self, label: &str) {
        let _ = writeln!(self.text, "{label}:");
    }

    fn object(&self, object: &Object) -> String {
        format!("@{}.{}{}", self.name, object.0, object.1)
    }

    fn program(&mut self, program: &Program) {
        let name = self.name.clone();
        for object in program.objects() {
            let object = self.object(&object);
            let _ = writeln!(self.text, "{object} = global [64 x i8] zeroinitializer, align 16");
        }
        let _ = writeln!(
            self.text,
            "define void @{name}.once() {{\n  %v = load i32, ptr @{name}.x0\n  %w = add i32 %v, 1\n  \
             store i32 %w, ptr @{name}.x0\n  ret void\n}}"
        );
        let _ = writeln!(self.text, "@{name}.sum = global i64 0");
        let own = if program.likeness == Likeness::Different { program.threads.len() } else { 2 };
        for (number, code) in program.threads.iter().enumerate().take(own) {
            self.thread(program, number, code);
        }
    }

    /// Thread 0 is `main`'s part: it prepares the objects and writes what each thread saw.
    fn thread(&mut self, program: &Program, number: usize, code: &[Operation]) {
        let name = self.name.clone();
        let scope = FIRST_SCOPE + self.scopes * SCOPE;
        self.scopes += 1;
        let function = if number == 0 { name.clone() } else { format!("{name}.t{number}") };
        let _ = writeln!(
            self.places,
            "!{scope} = distinct !DISubprogram(name: \"{function}\", file: !1, line: 1, type: !3, unit: !2, \
             spFlags: DISPFlagDefinition)"
        );
        for line in 1..SCOPE {
            let _ = writeln!(self.places, "!{} = !DILocation(line: {line}, scope: !{scope})", scope + line);
        }
        match number {
            0 => self.text.push_str(&format!("define void @{function}() !dbg !{scope} {{\n")),
            _ => self.text.push_str(&format!("define ptr @{function}(ptr %unused) !dbg !{scope} {{\n")),
        }
        self.line("%result = alloca i32");
        self.line("%seen = alloca i64");
        self.line("%count = alloca i32");
        self.line("%tries = alloca i32");
        self.line("store i32 0, ptr %result");
        self.line("store i64 0, ptr %seen");
        for other in 1..program.threads.len() {
            self.line(format!("%handle{other} = alloca i64"));
            self.line(format!("store i64 0, ptr %handle{other}"));
        }
        if number == 0 {
            for object in program.objects() {
                let place = self.object(&object);
                match object.0 {
                    program::SEMAPHORE => {
                        self.set(format!("call i32 @sem_init(ptr {place}, i32 0, i32 {})", object.1));
                    }
                    program::BARRIER => {
                        let count = object.1;
                        self.set(format!(
                            "call i32 @pthread_barrier_init(ptr {place}, ptr null, i32 {count})"
                        ));
                    }
                    _ => {}
                }
            }
        }
        let mut skips = None;
        for (at, operation) in code.iter().enumerate() {
            let dbg = format!(", !dbg !{}", scope + (at + 1).min(SCOPE - 1));
            let skipped: Option<String> = skips.take();
            if let Operation::SkipUnless(value) = operation {
                let result = self.set("load i32, ptr %result");
                let equal = self.set(format!("icmp eq i32 {result}, {value}"));
                self.line(format!("br i1 {equal}, label %do{at}, label %skip{at}"));
                self.label(&format!("do{at}"));
                skips = Some(format!("skip{at}"));
            } else {
                self.operation(at, operation, &dbg);
            }
            if let Some(label) = skipped {
                self.line(format!("br label %{label}"));
                self.label(&label);
            }
        }
        if let Some(label) = skips {
            self.line(format!("br label %{label}"));
            self.label(&label);
        }
        if number == 0 {
            self.report();
            self.line("ret void");
        } else {
            let seen = self.set("load i64, ptr %seen");
            if self.likeness == Likeness::Alike {
                let square = self.set(format!("mul i64 {seen}, {seen}"));
                self.set(format!("atomicrmw add ptr @{name}.sum, i64 {square} monotonic"));
                self.line("ret ptr null");
            } else {
                let pointer = self.set(format!("inttoptr i64 {seen} to ptr"));
                self.line(format!("ret ptr {pointer}"));
            }
        }
        self.text.push_str("}\n");
    }

    /// `main` writes what it has seen and what the variables hold at last.
    fn report(&mut self) {
        self.line("%report = alloca [16 x i8], align 8");
        let seen = self.set("load i64, ptr %seen");
        let others = self.set(format!("load i64, ptr @{}.sum", self.name));
        let scaled = self.set(format!("mul i64 {others}, 998244353"));
        let all = self.set(format!("add i64 {seen}, {scaled}"));
        self.line(format!("store i64 {all}, ptr %report"));
        for variable in 0..2 {
            let place = self.object(&Object(program::VARIABLE, variable));
            let value = self.set(format!("load i32, ptr {place}"));
            let at = self.set(format!("getelementptr i8, ptr %report, i64 {}", 8 + 4 * variable));
            self.line(format!("store i32 {value}, ptr {at}"));
        }
        self.set("call i64 @write(i32 1, ptr %report, i64 16)");
    }

    /// Makes a number of 32 bits the thread's result.
    fn result(&mut self, value: &str) {
        self.line(format!("store i32 {value}, ptr %result"));
        let wide = self.set(format!("zext i32 {value} to i64"));
        self.see(&wide);
    }

    /// Adds a number of 64 bits to what the thread has seen.
    fn see(&mut self, value: &str) {
        let seen = self.set("load i64, ptr %seen");
        let scaled = self.set(format!("mul i64 {seen}, 1000003"));
        let sum = self.set(format!("add i64 {scaled}, {value}"));
        let more = self.set(format!("add i64 {sum}, 1"));
        self.line(format!("store i64 {more}, ptr %seen"));
    }

    /// A system call; its answer is the result.
    fn futex(&mut self, object: &Object, operation: u8, number: u8, limit: &str, dbg: &str) {
        let place = self.object(object);
        let arguments = format!("i64 202, ptr {place}, i64 {operation}, i64 {number}, ptr {limit}");
        let answer = self.set(format!("call i64 (i64, ...) @syscall({arguments}){dbg}"));
        let value = self.set(format!("trunc i64 {answer} to i32"));
        self.result(&value);
    }

    fn operation(&mut self, at: usize, operation: &Operation, dbg: &str) {
        match operation {
            Operation::Load(object, ordering) => {
                let value = self.load(object, *ordering, dbg);
                self.result(&value);
            }
            Operation::Store(object, ordering, value) => {
                let place = self.object(object);
                let value = match value {
                    Some(value) => value.to_string(),
                    None => {
                        let result = self.set("load i32, ptr %result");
                        self.set(format!("add i32 {result}, 1"))
                    }
                };
                match ordering {
                    Ordering::NotAtomic => self.line(format!("store i32 {value}, ptr {place}{dbg}")),
                    _ => self.line(format!("store atomic i32 {value}, ptr {place} {ordering}, align 4{dbg}")),
                }
            }
            Operation::Update(object, ordering, update) => self.update(object, *ordering, *update, dbg),
            Operation::LoadPart(object, Part(offset, bytes), ordering) => {
                let (bits, place) = (8 * bytes, self.byte(object, *offset));
                let value = match ordering {
                    Ordering::NotAtomic => self.set(format!("load i{bits}, ptr {place}, align 1{dbg}")),
                    _ => self.set(format!("load atomic i{bits}, ptr {place} {ordering}, align {bytes}{dbg}")),
                };
                let wide = match bits {
                    64 => value,
                    _ => self.set(format!("zext i{bits} {value} to i64")),
                };
                let upper = self.set(format!("lshr i64 {wide}, 31"));
                let both = self.set(format!("add i64 {wide}, {upper}"));
                let narrow = self.set(format!("trunc i64 {both} to i32"));
                self.result(&narrow);
            }
            Operation::StorePart(object, Part(offset, bytes), ordering, byte) => {
                let (bits, place) = (8 * bytes, self.byte(object, *offset));
                let value = u64::from_le_bytes([*byte; 8]) >> (64 - u32::from(bits));
                match ordering {
                    Ordering::NotAtomic => {
                        self.line(format!("store i{bits} {value}, ptr {place}, align 1{dbg}"));
                    }
                    _ => {
                        let store = format!("store atomic i{bits} {value}, ptr {place} {ordering}");
                        self.line(format!("{store}, align {bytes}{dbg}"));
                    }
                }
            }
            Operation::Fence(ordering) => self.line(format!("fence {ordering}{dbg}")),
            Operation::Call(function @ (BEGIN_SECTION | END_SECTION), _) => {
                self.line(format!("call void @{function}(){dbg}"));
            }
            Operation::Call(function, objects) => {
                let mut arguments: Vec<String> =
                    objects.iter().map(|object| format!("ptr {}", self.object(object))).collect();
                if *function == "pthread_once" {
                    arguments.push(format!("ptr @{}.once", self.name));
                }
                let value = self.set(format!("call i32 @{function}({}){dbg}", arguments.join(", ")));
                self.result(&value);
            }
            Operation::Value(object) => {
                let place = self.object(object);
                self.set(format!("call i32 @sem_getvalue(ptr {place}, ptr %count){dbg}"));
                let value = self.set("load i32, ptr %count");
                self.result(&value);
            }
            Operation::Sleep(object, expected, patience) => {
                let limit = match patience {
                    Patience::ForEver => "null",
                    Patience::UntilTimeIsUp => "@limit",
                };
                self.futex(object, 0, *expected, limit, dbg);
            }
            Operation::Wake(object, most) => self.futex(object, 1, *most, "null", dbg),
            Operation::SkipUnless(_) => unreachable!("the caller writes branches"),
            Operation::FailIf(value) => {
                let result = self.set("load i32, ptr %result");
                let bad = self.set(format!("icmp eq i32 {result}, {value}"));
                self.line(format!("br i1 {bad}, label %fail{at}, label %fine{at}"));
                self.label(&format!("fail{at}"));
                self.line(format!("call void @abort(){dbg}"));
                self.line("unreachable");
                self.label(&format!("fine{at}"));
            }
            Operation::Await(object, ordering, unwanted) => {
                self.begin_round(at);
                let value = self.load(object, *ordering, dbg);
                let goes_on = self.set(format!("icmp ne i32 {value}, {unwanted}"));
                self.end_round(at, &goes_on);
                self.result(&value);
            }
            Operation::Look(object, ordering, looks) => self.look(object, *ordering, *looks, at, dbg),
            Operation::Seize(object, ordering) => {
                self.begin_round(at);
                let place = self.object(object);
                let pair = self.set(format!(
                    "cmpxchg ptr {place}, i32 0, i32 1 {ordering} {}{dbg}",
                    on_failure(*ordering)
                ));
                let goes_on = self.set(format!("extractvalue {{ i32, i1 }} {pair}, 1"));
                self.end_round(at, &goes_on);
            }
            Operation::Retry(object, ordering, more) => {
                self.begin_round(at);
                let place = self.object(object);
                let old = self.set(format!("load atomic i32, ptr {place} monotonic, align 4{dbg}"));
                let new = self.set(format!("add i32 {old}, {more}"));
                let pair = self.set(format!(
                    "cmpxchg ptr {place}, i32 {old}, i32 {new} {ordering} {}{dbg}",
                    on_failure(*ordering)
                ));
                let goes_on = self.set(format!("extractvalue {{ i32, i1 }} {pair}, 1"));
                self.end_round(at, &goes_on);
                self.result(&old);
            }
            Operation::Confirm(object, other, ordering) => {
                self.begin_round(at);
                let first = self.load(object, *ordering, dbg);
                let value = self.load(other, *ordering, dbg);
                let second = self.load(object, *ordering, dbg);
                let goes_on = self.set(format!("icmp eq i32 {first}, {second}"));
                self.end_round(at, &goes_on);
                self.result(&value);
            }
            Operation::Claim(object, ordering) => self.claim(object, *ordering, at, dbg),
            Operation::Create(thread) => {
                let code = if self.likeness == Likeness::Different { *thread } else { 1 };
                let function = format!("@{}.t{code}", self.name);
                self.set(format!(
                    "call i32 @pthread_create(ptr %handle{thread}, ptr null, ptr {function}, ptr null){dbg}"
                ));
            }
            Operation::Join(thread) => {
                let handle = self.set(format!("load i64, ptr %handle{thread}"));
                let left = self.set("alloca i64");
                self.line(format!("store i64 0, ptr {left}"));
                let result = if self.likeness == Likeness::Alike { "null" } else { &left };
                let value = self.set(format!("call i32 @pthread_join(i64 {handle}, ptr {result}){dbg}"));
                self.result(&value);
                let seen = self.set(format!("load i64, ptr {left}"));
                self.see(&seen);
            }
            Operation::Detach(thread) => {
                let handle = self.set(format!("load i64, ptr %handle{thread}"));
                let value = self.set(format!("call i32 @pthread_detach(i64 {handle}){dbg}"));
                self.result(&value);
            }
            Operation::Print(letter) => {
                let offset = u32::from(*letter) - u32::from('a');
                let place = format!("getelementptr (i8, ptr @letters, i64 {offset})");
                self.set(format!("call i64 @write(i32 1, ptr {place}, i64 1){dbg}"));
            }
            Operation::Exit(status) => self.line(format!("call void @exit(i32 {status}){dbg}")),
        }
    }

    /// The address of one of an object's bytes.
    fn byte(&self, object: &Object, offset: u8) -> String {
        format!("getelementptr (i8, ptr {}, i64 {offset})", self.object(object))
    }

    fn load(&mut self, object: &Object, ordering: Ordering, dbg: &str) -> String {
        let place = self.object(object);
        match ordering {
            Ordering::NotAtomic => self.set(format!("load i32, ptr {place}{dbg}")),
            _ => self.set(format!("load atomic i32, ptr {place} {ordering}, align 4{dbg}")),
        }
    }

    /// A loop with a bound, whatever loops that wait are written as.
    fn look(&mut self, object: &Object, ordering: Ordering, looks: Looks, at: usize, dbg: &str) {
        self.line("store i32 0, ptr %tries");
        self.line(format!("br label %look{at}"));
        self.label(&format!("look{at}"));
        let value = self.load(object, ordering, dbg);
        if looks.add_up {
            let wide = self.set(format!("zext i32 {value} to i64"));
            self.see(&wide);
        }
        let mut found = self.set(format!("icmp eq i32 {value}, {}", looks.until));
        if looks.at_both {
            let other = self.load(&Object(object.0, 1 - object.1), ordering, dbg);
            let there = self.set(format!("icmp eq i32 {other}, {}", looks.until));
            found = self.set(format!("or i1 {found}, {there}"));
        }
        let before = self.set("load i32, ptr %tries");
        if looks.skips_first {
            let later = self.set(format!("icmp ne i32 {before}, 0"));
            found = self.set(format!("and i1 {found}, {later}"));
        }
        self.line(format!("br i1 {found}, label %looked{at}, label %again{at}"));
        self.label(&format!("again{at}"));
        let tries = self.set(format!("add i32 {before}, 1"));
        self.line(format!("store i32 {tries}, ptr %tries"));
        let is_last = self.set(format!("icmp eq i32 {tries}, {}", looks.rounds));
        self.line(format!("br i1 {is_last}, label %looked{at}, label %look{at}"));
        self.label(&format!("looked{at}"));
        self.result(&value);
        if looks.are_counted {
            let tries = self.set("load i32, ptr %tries");
            let wide = self.set(format!("zext i32 {tries} to i64"));
            self.see(&wide);
        }
    }

    fn update(&mut self, object: &Object, ordering: Ordering, update: Update, dbg: &str) {
        let place = self.object(object);
        let value = match update {
            Update::Add(by) => self.set(format!("atomicrmw add ptr {place}, i32 {by} {ordering}{dbg}")),
            Update::AddUnseen(by) => {
                self.set(format!("atomicrmw add ptr {place}, i32 {by} {ordering}{dbg}"));
                return;
            }
            Update::AddAsked(by, Question(predicate, number)) => {
                let found = self.set(format!("atomicrmw add ptr {place}, i32 {by} {ordering}{dbg}"));
                let holds = self.set(format!("icmp {predicate} i32 {found}, {number}"));
                self.set(format!("zext i1 {holds} to i32"))
            }
            Update::Exchange(new) => {
                self.set(format!("atomicrmw xchg ptr {place}, i32 {new} {ordering}{dbg}"))
            }
            Update::CompareExchange(expected, new) => {
                let pair = self.set(format!(
                    "cmpxchg ptr {place}, i32 {expected}, i32 {new} {ordering} {}{dbg}",
                    on_failure(ordering)
                ));
                self.set(format!("extractvalue {{ i32, i1 }} {pair}, 0"))
            }
        };
        self.result(&value);
    }

    /// Other threads may see failed rounds: of loops that are left out, two are there.
    fn claim(&mut self, object: &Object, ordering: Ordering, at: usize, dbg: &str) {
        let place = self.object(object);
        for round in 0..3 {
            self.begin_round(at);
            let found = self.set(format!("atomicrmw add ptr {place}, i32 1 {ordering}{dbg}"));
            let goes_on = self.set(format!("icmp eq i32 {found}, 0"));
            if round == 2 && self.loops == Loops::LastRound {
                self.end_round(at, &goes_on);
                self.line(format!("br label %claimed{at}"));
                break;
            }
            self.line(format!("br i1 {goes_on}, label %claimed{at}, label %back{at}.{round}"));
            self.label(&format!("back{at}.{round}"));
            self.set(format!("atomicrmw sub ptr {place}, i32 1 {ordering}{dbg}"));
            if self.loops == Loops::Whole {
                self.line(format!("br label %round{at}"));
                break;
            }
        }
        self.label(&format!("claimed{at}"));
    }

    fn begin_round(&mut self, at: usize) {
        if self.loops == Loops::Whole {
            self.line(format!("br label %round{at}"));
            self.label(&format!("round{at}"));
        }
    }

    fn end_round(&mut self, at: usize, goes_on: &str) {
        match self.loops {
            Loops::Whole => {
                self.line(format!("br i1 {goes_on}, label %on{at}, label %round{at}"));
                self.label(&format!("on{at}"));
            }
            Loops::LastRound => {
                let condition = self.set(format!("zext i1 {goes_on} to i64"));
                self.line(format!("call void @symx_assume(i64 {condition})"));
            }
        }
    }
}

/// The ordering of a compare-exchange that fails.
pub fn on_failure(ordering: Ordering) -> Ordering {
    match ordering {
        Ordering::SequentiallyConsistent => ordering,
        _ if ordering.acquires() => Ordering::Acquire,
        _ => Ordering::Monotonic,
    }
}
