//! Programs with their expectations inside, and the tests that run them with the harness of crate `symx`.

use std::path::{Path, PathBuf};
use symx::harness::{Case, Expectations, Severity};

/// The folder of the programs.
pub fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where compiled programs are kept from one test run to the next.
pub fn cache() -> PathBuf {
    folder().parent().unwrap_or(folder()).join("target/corpus-cache")
}

/// Whether a program is one of those that are here for their bug, a race that does harm among them, and the model shows it.
pub fn shows_a_bug(case: &Case) -> bool {
    let is_in = |below: &str| case.source.starts_with(folder().join(below));
    let text = std::fs::read_to_string(&case.source).unwrap_or_default();
    let expectations = Expectations::parse(&text).unwrap_or_default();
    let mut races = expectations.races.iter().filter(|(models, _)| models.contain(case.model));
    match expectations.races.is_empty() {
        true => {
            ["fail", "explained", "races/fail"].into_iter().any(is_in)
                && expectations.labels_under(case.model, Severity::Error).count() > 0
        }
        false => races.any(|(_, race)| race.as_ref().is_some_and(|race| race.class == "spec-violated")),
    }
}

/// Whether such a program creates threads, and the model is one of those whose executions are orders of events.
pub fn fails_in_threads(case: &Case) -> bool {
    let text = std::fs::read_to_string(&case.source).unwrap_or_default();
    let creates = ["pthread_create", "thrd_create", "std::thread", "std::jthread", "std::async"];
    ["sc", "tso", "pso"].contains(&case.model)
        && creates.iter().any(|call| text.contains(call))
        && !case.name.starts_with("races")
        && shows_a_bug(case)
}
