//! Litmus programs that nobody here wrote, against the outcomes another tool enumerated. They are not in the
//! repository: SYMX_LITMUS_ACCEPTANCE names their folder, with the table EXPECT.tsv.

use libtest_mimic::{Arguments, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use symx::Verdict;
use symx::harness::{LitmusExpectation, Symx, SymxRun, compile_bitcode, difference, litmus_expectations};
use symx_bitcode_corpus::cache;

/// Bound on each exploration, in seconds.
const MAX_TIME: u32 = 120;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let Some(folder) = std::env::var_os("SYMX_LITMUS_ACCEPTANCE").map(PathBuf::from) else {
        if !arguments.list {
            eprintln!("SYMX_LITMUS_ACCEPTANCE is not set: the litmus acceptance test is skipped");
        }
        return ExitCode::SUCCESS;
    };
    let table = std::fs::read_to_string(folder.join("EXPECT.tsv")).expect("the folder has EXPECT.tsv");
    let expectations = litmus_expectations(&table).expect("the table is well-formed");
    let trials = expectations.into_iter().map(|expectation| {
        let name = format!("{}::{}", expectation.program, expectation.model);
        let source = folder.join(&expectation.program).with_extension("c");
        Trial::test(name, move || check(&source, &expectation).map_err(Into::into))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// Compiled without its assertion, the program has exactly these outcomes; with it, it fails if and only if it can.
fn check(source: &Path, expectation: &LitmusExpectation) -> Result<(), String> {
    let outcomes = run(source, &["-DNO_ASSERT"], &expectation.model)?;
    if outcomes.report.verdict != Verdict::Safe {
        return Err(describe("without the assertion", &outcomes));
    }
    let listed = outcomes.report.outcomes.ok_or("the report lists no outcomes")?;
    let seen = listed.iter().map(|outcome| outcome.stdout.trim().to_owned()).collect();
    if let Some(difference) = difference(&expectation.outcomes, &seen) {
        return Err(difference);
    }
    let asserting = run(source, &[], &expectation.model)?;
    let expected = if expectation.violable { Verdict::Violation } else { Verdict::Safe };
    if asserting.report.verdict != expected {
        return Err(describe("with the assertion", &asserting));
    }
    Ok(())
}

fn run(source: &Path, flags: &[&str], model: &str) -> Result<SymxRun, String> {
    let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    let bitcode = compile_bitcode(source, &flags, &cache()).map_err(|error| error.to_string())?;
    let symx = Symx { executable: env!("CARGO_BIN_EXE_symx-under-test").into(), max_time: MAX_TIME };
    let options = ["--memmodel".to_owned(), model.to_owned()];
    symx.report("run", &bitcode.display().to_string(), &options, &[]).map_err(|error| error.to_string())
}

fn describe(what: &str, run: &SymxRun) -> String {
    let cuts: Vec<String> = run.report.incomplete.iter().map(ToString::to_string).collect();
    let found: Vec<&str> = run.report.violations.iter().map(|violation| violation.message.as_str()).collect();
    format!("{what}, the verdict is {}: {} {}", run.report.verdict.name(), cuts.join("; "), found.join("; "))
}
