//! How much of an exploration is executed and how much is memoised. The number is nearly the same in every
//! run, so that a change that makes steps unknown shows at once, on any machine.

use symx_benches::{explore_by, machine_under};
use symx_posix_explore::Reduction;

/// A program, its size, a memory model, a reduction, and how many instructions are executed for a complete
/// execution at most, in hundredths. Each is a tenth more than today. Known states are found by their
/// addresses, and two may fall on one entry. In 12 runs the number of the locked stack by reads-from was 132
/// to 210, mostly below 140. Its bound is far from both. The others have the least of some explorations.
const PROGRAMS: [(&str, &str, &str, Reduction, u64); 7] = [
    ("fib_bench", "-DN=4", "sc", Reduction::SourceSets, 8_400),
    ("fib_bench", "-DN=4", "sc", Reduction::ReadsFrom, 110),
    ("locked_stack", "-DSIZE=6", "sc", Reduction::SourceSets, 8_500),
    ("locked_stack", "-DSIZE=6", "sc", Reduction::ReadsFrom, 400),
    ("fib_bench", "-DN=4", "tso", Reduction::ReadsFrom, 76),
    ("locked_stack", "-DSIZE=6", "tso", Reduction::ReadsFrom, 400),
    ("next_turns", "-DN=8", "sc", Reduction::ReadsFrom, 32),
];

/// Explorations of a program at most: in about one of four, states that fall on one entry are many.
const TRIES: usize = 4;

#[test]
fn steps_met_again_are_not_executed_again() {
    for (program, size, model, reduction, most) in PROGRAMS {
        let executed_each = || {
            let progress = explore_by(&machine_under(model, program, &[size]), reduction);
            let executed = progress.instructions - progress.known;
            let each = executed * 100 / progress.executions;
            println!(
                "{program} {size} {model} {reduction:?}: {executed} of {} instructions, {each} hundredths each",
                progress.instructions
            );
            each
        };
        let mut tries = Vec::new();
        let is_few = |tries: &[u64]| tries.last().is_some_and(|each| *each <= most);
        while tries.len() < TRIES && !is_few(&tries) {
            tries.push(executed_each());
        }
        assert!(
            is_few(&tries),
            "{program} {size} {model}, {reduction:?}: {tries:?} hundredths an execution, not {most}"
        );
    }
}
