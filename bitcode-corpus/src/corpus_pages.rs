//! Pages of every bug of the corpus. `corpus-pages SYMX FOLDER` lets SYMX find and explain each, under the
//! first memory model that shows it. Then it prints the pages that are in FOLDER.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use symx::harness::{Case, Symx, cases};
use symx_bitcode_corpus::{cache, explain, folder, shows_a_bug};

/// Time limit of one program, in seconds.
const MAX_TIME: u32 = 60;

/// Time limit of its fixes, in seconds: they are on the page, but tests elsewhere try them.
const TRIAL_TIME: &str = "2";

fn main() -> ExitCode {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [executable, pages] = &arguments[..] else {
        eprintln!("usage: corpus-pages SYMX FOLDER");
        return ExitCode::FAILURE;
    };
    let symx = Symx::new(executable.clone(), MAX_TIME);
    let mut known = HashSet::new();
    let mut is_wrong = false;
    for case in
        cases(folder()).expect("the corpus is beside this file").iter().filter(|case| shows_a_bug(case))
    {
        if known.contains(&case.source) {
            continue;
        }
        match write_pages(&symx, case, &pages.join(case.name.replace('/', "-"))) {
            Ok(written) => {
                known.insert(case.source.clone());
                written.iter().for_each(|page| println!("{}", page.display()));
            }
            Err(why) => {
                eprintln!("{} under {}: {why}", case.name, case.model);
                is_wrong = true;
            }
        }
    }
    if is_wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// The page that a run leaves, and that of the explanation.
fn write_pages(symx: &Symx, case: &Case, folder: &Path) -> Result<[PathBuf; 2], String> {
    let said = |error: std::io::Error| error.to_string();
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(said)?;
    }
    let (program, schedules) = case.failing_schedules(symx, &cache(), folder)?;
    let schedule = schedules.first().ok_or("no schedule that fails")?;
    // `failure-1.schedule.json` stands beside `failure-1.html`.
    let (found, explained) =
        (schedule.with_extension("").with_extension("html"), folder.join("explained.html"));
    let page = explained.display().to_string();
    let options = ["--quiet", "--trial-time", TRIAL_TIME, "--html", &page];
    let told = explain(symx, case, &program, schedule, &options)?;
    if !found.exists() || !explained.exists() {
        return Err(format!("no page: {told}"));
    }
    Ok([found, explained])
}
