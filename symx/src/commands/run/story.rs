//! Output of `symx run`: the failures and the verdict as soon as they are known, then the story of the first
//! failure.

use super::RunArguments;
use crate::commands::compose::failures;
use crate::render::{self, Commands, Look, Story};
use crate::report::Report;
use crate::schedules::confirm::Findings;
use crate::session::Session;
use crate::text::visible;
use std::io::Write;
use std::path::Path;

/// Whether anything is printed: nothing is where that was not asked for, or standard output has the JSON.
fn is_silent(arguments: &RunArguments) -> bool {
    arguments.report.quiet || arguments.report.json.as_deref() == Some(Path::new("-"))
}

/// Prints the failures and the verdict. The part that the story of the first one has is left to it.
pub fn print_verdict(
    session: &Session,
    arguments: &RunArguments,
    findings: &Findings,
    report: &Report,
    left: Option<&str>,
) {
    if is_silent(arguments) {
        return;
    }
    let look = Look::new(arguments.report.color, &std::io::stdout(), &session.loaded.source);
    let failures = failures(findings, !arguments.no_explain, look);
    let warnings = render::warnings(report, look);
    print!("{failures}{warnings}{}{}", render::summary(report), render::covered(report));
    for branch in report.violations.iter().flat_map(|violation| &violation.flipped) {
        println!("not as recorded: {}", visible(&render::flipped(branch)));
    }
    print!("{}", visible(left.unwrap_or_default()));
    let proofs = report.violations.iter().filter_map(|violation| violation.fewest.as_ref());
    proofs.for_each(|proof| print!("{}", visible(&proof.told())));
    // The explanation takes a while; a reader, and a pipe, have the verdict before.
    let _ = std::io::stdout().flush();
}

/// Prints the story of the first failure, or what to do next where that was not asked for. The verdict
/// `printed` a title of the failing thread.
pub fn print_story(
    session: &Session,
    arguments: &RunArguments,
    findings: &Findings,
    printed: Option<&str>,
    cut: Option<&str>,
) {
    let Some(confirmed) = findings.confirmed.first().filter(|_| !is_silent(arguments)) else { return };
    let look = Look::new(arguments.report.color, &std::io::stdout(), &session.loaded.source);
    let commands = Commands {
        program: &session.loaded.path,
        folder: &arguments.report.out,
        mounts: &arguments.surroundings.mounts,
        schedule: confirmed.violation.schedule.as_deref(),
        page: confirmed.violation.page.as_deref(),
        others: findings.confirmed.len() - 1,
    };
    if arguments.no_explain {
        for line in commands.of_unexplained() {
            println!("{}", visible(&line));
        }
        return;
    }
    let exchanged = confirmed.violation.title().zip(printed).filter(|(title, printed)| title != printed);
    let told = Story { explanation: &confirmed.explanation, exchanged, cut, commands };
    print!("\n{}", render::story(&told, look));
}
