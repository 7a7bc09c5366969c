//! Litmus shapes that distinguish memory models: each is possible under the models it should be, by every
//! engine.

use std::sync::Arc;
use symx_checkers::synthesis::{
    Clocks, Engine, OrderTheory, Problem, Search, SearchLimits, Synthesis, System, synthesize,
};
use symx_expr::Terms;
use symx_expr::solver::Z3Options;
use symx_memmodel::MODELS;
use symx_trace::ThreadName;
use symx_trace::symbolic::{AccessOrdering, Operation, SymbolicTrace, ThreadRef, TraceBuilder};

/// The operations of a thread.
enum Step {
    /// Writes 1 to a variable.
    Write(usize),
    /// Reads this from a variable.
    Read(usize, u64),
    /// A full fence.
    Fence,
}
use Step::{Fence, Read, Write};

/// A name, what the threads do, and whether that is possible under sc, tso and pso.
type Shape<'a> = (&'a str, &'a [&'a [Step]], [bool; 3]);

fn trace(threads: &[&[Step]]) -> SymbolicTrace {
    let terms = Terms::new();
    let mut builder = TraceBuilder::new(&terms);
    let variables = [builder.variable("x", 4), builder.variable("y", 4)];
    for (number, steps) in threads.iter().enumerate() {
        let thread = builder.thread(ThreadName::main().child(number as u32 + 1));
        builder.event(ThreadRef(0), Operation::Create(thread));
        builder.event(thread, Operation::Begin);
        for step in *steps {
            match *step {
                Write(variable) => {
                    let one = terms.constant(32, 1);
                    builder.write(thread, variables[variable], AccessOrdering::Monotonic, one);
                }
                Read(variable, value) => {
                    let read = builder.read(thread, variables[variable], AccessOrdering::Monotonic);
                    builder.condition(thread, terms.equal(read, terms.constant(32, value)));
                }
                Fence => {
                    let ordering = AccessOrdering::SequentiallyConsistent;
                    builder.event(thread, Operation::Fence { ordering });
                }
            }
        }
    }
    builder.finish(terms.constant(1, 1), None)
}

#[test]
fn shapes_are_possible_where_they_should_be() {
    let (x, y) = (0, 1);
    let shapes: &[Shape] = &[
        ("store buffering", &[&[Write(x), Read(y, 0)], &[Write(y), Read(x, 0)]], [false, true, true]),
        (
            "store buffering with fences",
            &[&[Write(x), Fence, Read(y, 0)], &[Write(y), Fence, Read(x, 0)]],
            [false, false, false],
        ),
        (
            "store buffering with own reads",
            &[&[Write(x), Read(x, 1), Read(y, 0)], &[Write(y), Read(y, 1), Read(x, 0)]],
            [false, true, true],
        ),
        ("message passing", &[&[Write(x), Write(y)], &[Read(y, 1), Read(x, 0)]], [false, false, true]),
        ("load buffering", &[&[Read(x, 1), Write(y)], &[Read(y, 1), Write(x)]], [false, false, false]),
        ("reads of one place", &[&[Write(x)], &[Read(x, 1), Read(x, 0)]], [false, false, false]),
        ("an own write is not forgotten", &[&[Write(x), Read(x, 0)], &[Write(y)]], [false, false, false]),
        (
            "two readers disagree",
            &[&[Write(x)], &[Write(y)], &[Read(x, 1), Read(y, 0)], &[Read(y, 1), Read(x, 0)]],
            [false, false, false],
        ),
    ];
    for (name, threads, expected) in shapes {
        for (model, expected) in MODELS.iter().zip(expected) {
            let problem =
                Problem::new(Arc::new(Terms::new()), trace(threads), *model).expect("a right trace");
            let system = System::new(&problem);
            let engines: [&mut dyn Engine; 3] = [
                &mut Search::new(&problem, SearchLimits::default()),
                &mut OrderTheory::new(&problem, &system, None),
                &mut Clocks::new(&problem, &system, Z3Options::default()),
            ];
            for engine in engines {
                let what = format!("{name} under {}, {}", model.name(), engine.name());
                match synthesize(&problem, &system, &mut [engine]) {
                    Synthesis::Found { .. } => assert!(expected, "{what}: found"),
                    Synthesis::Impossible { .. } => assert!(!expected, "{what}: not found"),
                    Synthesis::Unknown(reasons) => panic!("{what}: {reasons:?}"),
                }
            }
        }
    }
}
