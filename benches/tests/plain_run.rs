//! A single execution looks for livelocks on its way. What that costs beside the execution itself.

use std::time::Duration;
use symx_benches::{explore, machine, processor_time, run};

/// The least time of three.
fn least(mut work: impl FnMut()) -> Duration {
    let mut time = |()| {
        let start = processor_time();
        work();
        processor_time() - start
    };
    [(); 3].map(&mut time).into_iter().min().expect("there are three")
}

#[test]
fn looking_for_livelocks_hardly_slows_a_thread_that_computes() {
    let machine = machine("register_loop", &["-DTURNS=4000000"]);
    let (run, explored) = (least(|| _ = run(&machine)), least(|| _ = explore(&machine)));
    println!("an execution by itself {run:?}, as the only one of an exploration {explored:?}");
    assert!(run < explored * 2, "{run:?} is not below twice {explored:?}");
}
