//! How much of an exploration is executed and how much is memoised. The number is the same in every run, so
//! that a change that makes steps unknown shows at once, on any machine.

use symx_benches::{explore_by, machine_under};
use symx_explore::Reduction;

/// A program, its size, a memory model, a reduction, and how many instructions are executed for a complete
/// execution at most, in hundredths. Each is a tenth more than today. The order in which states are met
/// depends on where the C library's objects lie. The number of the locked stack by reads-from was 142, 169
/// and 187 with three builds of the library.
const PROGRAMS: [(&str, &str, &str, Reduction, u64); 7] = [
    ("fib_bench", "-DN=4", "sc", Reduction::SourceSets, 8_400),
    ("fib_bench", "-DN=4", "sc", Reduction::ReadsFrom, 110),
    ("locked_stack", "-DSIZE=6", "sc", Reduction::SourceSets, 8_500),
    ("locked_stack", "-DSIZE=6", "sc", Reduction::ReadsFrom, 206),
    ("fib_bench", "-DN=4", "tso", Reduction::ReadsFrom, 76),
    ("locked_stack", "-DSIZE=6", "tso", Reduction::ReadsFrom, 206),
    ("next_turns", "-DN=8", "sc", Reduction::ReadsFrom, 32),
];

#[test]
fn steps_met_again_are_not_executed_again() {
    for (program, size, model, reduction, most) in PROGRAMS {
        let progress = explore_by(&machine_under(model, program, &[size]), reduction);
        let executed = progress.instructions - progress.known;
        let each = executed * 100 / progress.executions;
        println!(
            "{program} {size} {model} {reduction:?}: {executed} of {} instructions, {each} hundredths each",
            progress.instructions
        );
        assert!(
            each <= most,
            "{program} {size} {model}, {reduction:?}: {each} hundredths an execution, not {most}"
        );
    }
}
