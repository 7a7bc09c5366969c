//! Two threads that add each other's numbers, and what it takes to explore such a program.

use std::path::Path;
use std::sync::Arc;
use symx_bitcode::{LoadOptions, load};
use symx_expr::Terms;
use symx_expr::solver::{Solver, Z3Options, standard};
use symx_interp::{Environment, Machine, Options};
use symx_memmodel::MemoryModel;
use symx_posix_explore::{Observer, Progress};
use symx_posix_model::{Posix, PosixOptions, ROOTS};
use symx_trace::IncompleteReason;

/// Lets an exploration go on to its end.
pub struct Patient;

impl Observer for Patient {
    fn progress(&mut self, _: &Progress) -> Option<IncompleteReason> {
        None
    }
}

/// Two threads that add each other's number to their own, `times` times; the status is the result. Only in
/// some executions does either see that the other has begun, and touch one more variable.
pub fn sums(times: usize) -> String {
    let thread = |name: &str, mine: &str, other: &str| {
        let step = |at: usize| {
            format!(
                "%a{at} = load atomic i32, ptr {mine} acquire, align 4\n\
                 %b{at} = load atomic i32, ptr {other} acquire, align 4\n\
                 %s{at} = add i32 %a{at}, %b{at}\n\
                 store atomic i32 %s{at}, ptr {mine} release, align 4\n"
            )
        };
        let steps: String = (0..times).map(step).collect();
        let last = times - 1;
        format!(
            "define ptr @{name}(ptr %unused) {{\n{steps}\
             %big = icmp sgt i32 %s{last}, 6\nbr i1 %big, label %more, label %end\n\
             more:\n%l = load i32, ptr @late\n%m = add i32 %l, 1\nstore i32 %m, ptr @late\nbr label %end\n\
             end:\nret ptr null\n}}\n"
        )
    };
    format!(
        "@i = global i32 1\n@j = global i32 1\n@late = global i32 0\n{}{}\
         define i32 @main() {{\n\
         %one = alloca i64\n%two = alloca i64\n\
         %m1 = call i32 @pthread_create(ptr %one, ptr null, ptr @first, ptr null)\n\
         %m2 = call i32 @pthread_create(ptr %two, ptr null, ptr @second, ptr null)\n\
         %h1 = load i64, ptr %one\n%j1 = call i32 @pthread_join(i64 %h1, ptr null)\n\
         %h2 = load i64, ptr %two\n%j2 = call i32 @pthread_join(i64 %h2, ptr null)\n\
         %i = load i32, ptr @i\n%j = load i32, ptr @j\n%l = load i32, ptr @late\n\
         %s = mul i32 %i, 16\n%r = add i32 %s, %j\n%t = add i32 %r, %l\nret i32 %t\n}}\n\
         declare i32 @pthread_create(ptr, ptr, ptr, ptr)\n\
         declare i32 @pthread_join(i64, ptr)\n",
        thread("first", "@i", "@j"),
        thread("second", "@j", "@i"),
    )
}

/// The program of a module in LLVM's textual form, bound to a memory model.
pub fn machine(text: &str, model: &'static dyn MemoryModel, options: Options) -> Machine<Posix> {
    let module = load(Path::new("sums.ll"), text.as_bytes(), &LoadOptions::default()).expect("a module");
    let program = symx_ir::link(vec![module], ROOTS, &<Posix as Environment>::models).expect("a program");
    Machine::new(
        Arc::new(program),
        Posix::new(PosixOptions::default()),
        model,
        Arc::new(Terms::new()),
        options,
    )
}

/// The first memory model: sequential consistency.
pub fn first_model() -> &'static dyn MemoryModel {
    symx_memmodel::all().next().expect("there are models")
}

/// A solver for the machine's terms.
pub fn solver(machine: &Machine<Posix>) -> Box<dyn Solver + '_> {
    Box::new(standard(&machine.terms, Z3Options::default()))
}
