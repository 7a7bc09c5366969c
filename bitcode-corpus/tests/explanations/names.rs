//! Which share of the names in explanations is the author's: threads, functions on stacks, objects and locks
//! that steps touch. Programs that fail are explained as the corpus compiles them,
//! with optimisation, and those in `explained/` without as well. A name counts once a program. Run with
//! `--nocapture`, the test lists what has no name of the source.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use symx::harness::{Case, Symx, cases};
use symx_bitcode_corpus::{cache, folder, shows_a_bug};
use symx_ir::SourceName;
use symx_ir::program::is_library_source;
use symx_trace::Explanation;

/// Time limit of finding a failure, in seconds: names are in what was found by then.
const MAX_TIME: u32 = 10;

/// Programs that are left out: threads of Rust's standard library take longer than all others together, and
/// the runtime of OpenMP touches objects of its own.
const LEFT_OUT: [&str; 2] = ["fail/rust/", "fail/openmp/"];

/// Folders all programs of which are explained: they have many names.
const TAKEN: [&str; 2] = ["explained/", "fail/cxx/"];

/// Of the others, one in three is: small programs of C, whose names are of few kinds. Which ones follows from
/// their names, so that a new program changes nothing about the others.
const ONE_OF: u32 = 3;

/// The kinds of names, and which percentage has to be the author's at least.
const FLOORS: [(&str, usize); 4] = [("thread", 99), ("function", 99), ("object", 99), ("lock", 99)];

/// Names by kind and program, and whether they are the author's.
type Names = BTreeSet<(&'static str, String, String, bool)>;

#[test]
fn most_names_are_the_authors() {
    let all = cases(folder()).expect("the corpus is beside this file");
    let mut sources: BTreeMap<PathBuf, Case> = BTreeMap::new();
    let fails = |case: &Case| {
        let is_left_out = LEFT_OUT.iter().any(|folder| case.name.starts_with(folder));
        shows_a_bug(case) && !case.name.starts_with("races") && !is_left_out
    };
    for case in all.into_iter().filter(fails) {
        sources.entry(case.source.clone()).or_insert(case);
    }
    assert!(sources.len() > 200, "only {} programs were found", sources.len());
    let number =
        |name: &str| name.bytes().fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let is_taken = |case: &Case| {
        number(&case.name) % ONE_OF == 0 || TAKEN.iter().any(|folder| case.name.starts_with(folder))
    };
    let left = Mutex::new(sources.into_values().filter(is_taken).collect::<Vec<_>>());
    let names = Mutex::new(Names::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(case) = { left.lock().unwrap().pop() } {
                    let found = names_of(&case);
                    names.lock().unwrap().extend(found);
                }
            });
        }
    });
    let names = names.into_inner().unwrap();
    for (kind, floor) in FLOORS {
        let of_kind: Vec<_> = names.iter().filter(|(of, ..)| *of == kind).collect();
        let nameless: Vec<_> = of_kind.iter().filter(|(.., is_of_author)| !is_of_author).collect();
        let share = 100 * (of_kind.len() - nameless.len()) / of_kind.len().max(1);
        println!("{kind}: {share} % of {} names; others:", of_kind.len());
        nameless.iter().for_each(|(_, program, name, _)| println!("    {program}: {name:?}"));
        assert!(of_kind.len() > 20, "only {} names of kind {kind}", of_kind.len());
        assert!(share >= floor, "{kind}: {share} % of the names are the author's, not {floor} %");
    }
}

/// The names in the explanations of the first failure of a program.
fn names_of(case: &Case) -> Names {
    let symx = Symx::new(env!("CARGO_BIN_EXE_symx-under-test"), MAX_TIME);
    let mut names = Names::new();
    let out = tempfile::tempdir().unwrap();
    case.explained_failures(&symx, &cache(), out.path()).unwrap_or_else(|why| panic!("{}: {why}", case.name));
    add_names(&mut names, &case.name, out.path());
    if case.name.starts_with("explained") {
        let unoptimised = tempfile::tempdir().unwrap();
        let paths = [unoptimised.path(), &case.source].map(|path| path.display().to_string());
        let words = ["run", "--quiet", "--memmodel", case.model, "--out", &paths[0], &paths[1]];
        // Some show their bug with options only.
        symx.output(&words.map(str::to_owned)).unwrap();
        add_names(&mut names, &format!("{} at -O0", case.name), unoptimised.path());
    }
    names
}

fn add_names(names: &mut Names, program: &str, out: &Path) {
    let Ok(text) = std::fs::read_to_string(out.join("failure-1.explanation.json")) else { return };
    let explanation = Explanation::from_json(&text).unwrap_or_else(|error| panic!("{program}: {error}"));
    let mut add = |kind, name: &str, is_of_author| {
        names.insert((kind, program.to_owned(), name.to_owned(), is_of_author));
    };
    let is_in_source = |name: &SourceName| !name.in_source().is_empty();
    let is_function = |name: &str| !name.is_empty() && !name.starts_with("_Z");
    for execution in std::iter::once(&explanation.failing).chain(&explanation.passing) {
        for lane in &execution.threads {
            add("thread", lane.own(), is_function(lane.own()));
        }
        for step in &execution.steps {
            // Threads and streams are in no memory. What a library does where the program does not call
            // it is folded.
            let is_shown = !is_library_source(&step.location.file);
            if is_shown && step.place.is_some() && !step.object.is_empty() {
                add("object", &step.object, is_in_source(&step.object));
            }
            step.locks.iter().for_each(|lock| add("lock", &lock.name, is_in_source(&lock.name)));
        }
        let failure = execution.failure.iter();
        let stacks = failure
            .flat_map(|failure| failure.others.iter().map(|other| &other.stack).chain([&failure.stack]));
        stacks.flatten().for_each(|frame| add("function", &frame.function, is_function(&frame.function)));
    }
}
