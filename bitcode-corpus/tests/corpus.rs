//! Every program of the corpus under every memory model, one test each.

use libtest_mimic::{Arguments, Trial};
use std::path::Path;
use std::process::ExitCode;
use symx::harness::{Symx, cases};
use symx_bitcode_corpus::{cache, folder};

/// Bound on each exploration, in seconds: far beyond what any of them takes.
const MAX_TIME: u32 = 120;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let symx = Symx::new(env!("CARGO_BIN_EXE_symx-under-test"), MAX_TIME);
    let mut cases = cases(folder()).expect("the corpus is beside this file");
    // Those that grow without end have a test of their own.
    cases.retain(|case| {
        ["tests", "limits"].iter().all(|other| !case.source.starts_with(folder().join(other)))
    });
    assert!(cases.len() > 300, "only {} cases were found", cases.len());
    // Those that begin together are of different programs: of one, they would wait until it is compiled.
    cases.sort_by_key(|case| case.model);
    let trials = cases.into_iter().map(|case| {
        let symx = symx.clone();
        let folder = Path::new(&case.name).parent().unwrap_or(Path::new("")).display().to_string();
        let name = format!("{}::{}", case.name.replace('/', "::"), case.model);
        Trial::test(name, move || case.run(&symx, &cache()).map_err(Into::into)).with_kind(folder)
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}
