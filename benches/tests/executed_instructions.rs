//! How much of an exploration is executed and how much is memoised. The number is the same in every run, so
//! that a change that makes steps unknown shows at once, on any machine.

use symx_benches::{explore_by, machine};
use symx_explore::Reduction;

/// A program, its size, a reduction, and how many instructions are executed for a complete execution at
/// most, in hundredths. Each is a tenth more than today. The order in which states are met depends on where
/// the C library's objects lie. The last number was 142, 169 and 187 with three builds of the library.
const PROGRAMS: [(&str, &str, Reduction, u64); 4] = [
    ("fib_bench", "-DN=4", Reduction::SourceSets, 8_400),
    ("fib_bench", "-DN=4", Reduction::ReadsFrom, 110),
    ("locked_stack", "-DSIZE=6", Reduction::SourceSets, 8_500),
    ("locked_stack", "-DSIZE=6", Reduction::ReadsFrom, 206),
];

#[test]
fn steps_met_again_are_not_executed_again() {
    for (program, size, reduction, most) in PROGRAMS {
        let progress = explore_by(&machine(program, &[size]), reduction);
        let executed = progress.instructions - progress.known;
        let each = executed * 100 / progress.executions;
        println!(
            "{program} {size} {reduction:?}: {executed} of {} instructions, {each} hundredths an execution",
            progress.instructions
        );
        assert!(each <= most, "{program} {size}, {reduction:?}: {each} hundredths an execution, not {most}");
    }
}
