//! Random programs of several threads in C, beside those of `random_threads`: whatever way they are explored,
//! nothing is lost, invented or dropped.
//!
//! `SYMX_GENERATED_PROGRAMS` and `SYMX_GENERATED_SEED` say how many programs and from which seed on (`./x
//! generated` sets them).

mod around_calls;
mod c_text;
mod calls;
mod compiled;
mod counts;
mod kills;
#[path = "../linked/mod.rs"]
mod linked;
mod modes;
mod native;
mod of_everything;
mod program;
mod reference;
mod rows;

use compiled::Batch;
use counts::Counts;
use modes::{Modes, Seen};
use program::{Operation, Program, ToThread};
use reference::Expected;
use rows::Rows;
use std::collections::BTreeMap;
use std::path::Path;
use symx_bitcode_corpus::number;
use symx_ir::Module;

/// How many programs share a file, so that libc is linked once for all of them.
const BATCH: usize = 50;

/// How many programs a test explores by default.
const PROGRAMS: u64 = 8;

#[test]
fn programs_around_calls() {
    explore("around calls", around_calls::around_calls);
}

#[test]
fn programs_of_everything() {
    explore("of everything", of_everything::of_everything);
}

fn explore(name: &str, program: fn(u64) -> Program) {
    let library = linked::library();
    let first = number("SYMX_GENERATED_SEED").unwrap_or(0);
    let count = number("SYMX_GENERATED_PROGRAMS").unwrap_or(PROGRAMS);
    let seeds: Vec<u64> = (first..first + count).collect();
    let mut total = Counts::default();
    let mut wrong: Vec<(u64, String)> = Vec::new();
    let rows = Rows::read();
    for batch in batches(&seeds, program) {
        let programs: Vec<Program> = batch.iter().map(|(_, program)| program.clone()).collect();
        let compiled = Batch::new(&library, &programs);
        let native = compiled.native();
        for (index, (seed, program)) in batch.iter().enumerate() {
            let mut counts = Counts::default();
            let modes = Modes { batch: &compiled, index, program, seed: *seed };
            let result = judge(&modes, &rows, &native, &mut counts);
            total.add(&counts);
            let Err(why) = result else { continue };
            println!("seed {seed}: {why}");
            // Of those that are wrong in the same way, one is enough.
            if wrong.iter().all(|(_, other)| head(other) != head(&why)) {
                report(&library, &rows, program, *seed, &why);
            }
            *total.wrong.entry(head(&why)).or_default() += 1;
            wrong.push((*seed, why));
        }
    }
    println!("{name}, seeds {first} to {}: {total}", first + count);
    let seeds: Vec<u64> = wrong.iter().map(|(seed, _)| *seed).collect();
    assert!(wrong.is_empty(), "wrong: {seeds:?}");
}

/// Programs that share a file. Whether a thread can be cancelled or interrupted is known of a file as a
/// whole, so such programs have files of their own.
fn batches(seeds: &[u64], program: fn(u64) -> Program) -> Vec<Vec<(u64, Program)>> {
    let mut kinds: BTreeMap<[bool; 2], Vec<(u64, Program)>> = BTreeMap::new();
    for seed in seeds {
        let program = program(*seed);
        let does =
            |what| program.has(|operation| matches!(operation, Operation::Thread(to, _) if *to == what));
        kinds.entry([does(ToThread::Cancel), does(ToThread::Kill)]).or_default().push((*seed, program));
    }
    kinds.into_values().flat_map(|alike| alike.chunks(BATCH).map(<[_]>::to_vec).collect::<Vec<_>>()).collect()
}

/// Compares all modes with each other, with the rows, and with native runs.
fn judge(modes: &Modes<'_>, rows: &Rows, native: &Path, counts: &mut Counts) -> Result<(), String> {
    let Some([sc, tso]) = modes.compare(counts)? else { return Ok(()) };
    agrees_with_rows(modes.program, rows, &sc, counts)?;
    // A processor of this kind keeps stores in a buffer.
    if native::runs(native, modes.index, modes.program, modes.seed, &tso)? {
        counts.pair("native runs");
    }
    Ok(())
}

fn agrees_with_rows(program: &Program, rows: &Rows, seen: &Seen, counts: &mut Counts) -> Result<(), String> {
    let Some(expected) = reference::expected(rows, program) else { return Ok(()) };
    counts.pair("rows of the standard");
    let why = expected.difference(&Expected::of(seen));
    if why.is_empty() { Ok(()) } else { Err(format!("rows: {why}")) }
}

/// The part that is the same where programs are wrong in the same way.
fn head(why: &str) -> String {
    why.lines().next().unwrap_or_default().chars().take(30).collect()
}

/// Prints the smallest program that is wrong like this one.
fn report(library: &Module, rows: &Rows, program: &Program, seed: u64, why: &str) {
    let still = |program: &Program| {
        let batch = Batch::new(library, std::slice::from_ref(program));
        let modes = Modes { batch: &batch, index: 0, program, seed };
        judge(&modes, rows, &batch.native(), &mut Counts::default()).err()
    };
    let smallest = program.shrunk(|program| still(program).is_some_and(|now| head(&now) == head(why)));
    let now = still(&smallest).unwrap_or_default();
    println!("seed {seed}, shrunk: {now}\n{smallest}");
    let text = c_text::c_text(std::slice::from_ref(&smallest));
    let text: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("static int p0_x0")).collect();
    println!("{}", text.split(|line| line.contains("(*const programs[]")).next().unwrap_or(&text).join("\n"));
}
