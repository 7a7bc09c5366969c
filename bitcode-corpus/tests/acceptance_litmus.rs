//! Third-party litmus programs, against the outcomes another tool enumerated. They are not in the repository:
//! SYMX_LITMUS_ACCEPTANCE names their folder, with the table EXPECT.tsv.

use libtest_mimic::{Arguments, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use symx::Verdict;
use symx::harness::{
    LitmusExpectation, ReportedCommand, Symx, SymxRun, compile_bitcode, difference, litmus_expectations,
};
use symx_bitcode_corpus::cache;
use symx_trace::FailureKind;

/// Bound on each exploration, in seconds.
const MAX_TIME: u32 = 120;

/// The bound where exploration has no end.
const SHORT_TIME: u32 = 10;

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
    for program in programs(&folder) {
        for model in symx_memmodel::MODELS {
            let covers = |row: &LitmusExpectation| row.program == program && row.model == model.name();
            assert!(expectations.iter().any(covers), "the table lists {program} under {}", model.name());
        }
    }
    let trials = expectations.into_iter().map(|expectation| {
        let name = format!("{}::{}", expectation.program, expectation.model);
        let source = folder.join(&expectation.program).with_extension("c");
        Trial::test(name, move || check(&source, &expectation).map_err(Into::into))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// The programs of a folder.
fn programs(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder can be read").flatten();
    let sources = entries.map(|entry| entry.path());
    let programs = sources.filter(|path| path.extension().is_some_and(|extension| extension == "c"));
    programs.filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned())).collect()
}

/// Compiled without its assertion, the program has exactly these outcomes; with it, it fails if and only if
/// it can. A program that spins without bound has infinitely many executions, so nothing can be safe there.
/// One that is about a deadlock has it in either form.
fn check(source: &Path, expectation: &LitmusExpectation) -> Result<(), String> {
    let endless = expectation.program.starts_with("spin_unbounded");
    let max_time = if endless { SHORT_TIME } else { MAX_TIME };
    let deadlocks = expectation.program.starts_with("deadlock");
    let clean = if endless { Verdict::Incomplete } else { Verdict::Safe };

    let outcomes = run(source, &["-DNO_ASSERT"], &expectation.model, max_time)?;
    let expected = if deadlocks { Verdict::Violation } else { clean };
    let better = expected == Verdict::Incomplete && outcomes.report.verdict == Verdict::Safe;
    if outcomes.report.verdict != expected && !better {
        return Err(describe("without the assertion", &outcomes));
    }
    if deadlocks && outcomes.report.violations.iter().any(|violation| violation.kind != FailureKind::Deadlock)
    {
        return Err(describe("without the assertion", &outcomes));
    }
    let listed = outcomes.report.outcomes.ok_or("the report lists no outcomes")?;
    let seen = listed.iter().map(|outcome| outcome.stdout.trim().to_owned()).collect();
    if let Some(difference) = difference(&expectation.outcomes, &seen) {
        return Err(difference);
    }
    let asserting = run(source, &[], &expectation.model, max_time)?;
    let expected = if expectation.violable || deadlocks { Verdict::Violation } else { clean };
    let better = expected == Verdict::Incomplete && asserting.report.verdict == Verdict::Safe;
    if asserting.report.verdict != expected && !better {
        return Err(describe("with the assertion", &asserting));
    }
    Ok(())
}

fn run(source: &Path, flags: &[&str], model: &str, max_time: u32) -> Result<SymxRun, String> {
    let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    let bitcode = compile_bitcode(source, &flags, &cache()).map_err(|error| error.to_string())?;
    let symx = Symx::new(env!("CARGO_BIN_EXE_symx-under-test"), max_time);
    let options = ["--memmodel".to_owned(), model.to_owned(), "--keep-going".to_owned()];
    symx.report(ReportedCommand::Run, &bitcode.display().to_string(), &options, &[])
        .map_err(|error| error.to_string())
}

fn describe(what: &str, run: &SymxRun) -> String {
    let cuts: Vec<String> = run.report.incomplete.iter().map(ToString::to_string).collect();
    let found: Vec<&str> = run.report.violations.iter().map(|violation| violation.message.as_str()).collect();
    format!("{what}, the verdict is {}: {} {}", run.report.verdict.name(), cuts.join("; "), found.join("; "))
}
