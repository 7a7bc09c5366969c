//! Decoded functions compute what the machine computes.

mod compile;
mod evaluate;
mod random;

use evaluate::Machine;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use symx_bitcode::{LoadOptions, load};

const SOURCE: &str = include_str!("native.c");
const INPUTS: [u64; 9] = [
    0,
    1,
    3,
    7,
    0x8000_0000,
    0xffff_ffff_ffff_fffd,
    0x1234_5678_9abc_def0,
    1_000_000_007,
    0x7fff_ffff_ffff_ff80,
];

fn names() -> Vec<&'static str> {
    let starts = SOURCE.lines().filter_map(|line| line.strip_prefix("u64 "));
    starts.filter(|rest| rest.starts_with("test_")).map(|rest| rest.split('(').next().unwrap()).collect()
}

/// The output of the compiled program, function by function and pair by pair.
fn native(source: &str, names: &[&str]) -> Vec<u64> {
    let mut source = format!("{source}\n#include <stdio.h>\nint main(void) {{\n");
    for name in names {
        for a in INPUTS {
            for b in INPUTS {
                writeln!(source, "printf(\"%lx\\n\", {name}({a}ull, {b}ull));").unwrap();
            }
        }
    }
    source.push_str("}\n");
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("native.c"), folder.path().join("native"));
    std::fs::write(&input, source).unwrap();
    let mut compiler = Command::new("clang-22");
    compiler.args(["-O0", "-fwrapv", "-w"]).arg(&input).arg("-o").arg(&output).arg("-lm");
    assert!(compiler.status().unwrap().success());
    let run = Command::new(output).output().unwrap();
    let text = String::from_utf8(run.stdout).unwrap();
    let results: Vec<u64> = text.lines().map(|line| u64::from_str_radix(line, 16).unwrap()).collect();
    assert_eq!(results.len(), names.len() * INPUTS.len() * INPUTS.len());
    results
}

fn check(source: &str, names: &[&str], arguments: &[&str], promote: bool, expected: &[u64]) {
    let bytes = compile::bitcode(source, &[arguments, &["-fwrapv"]].concat());
    let options = LoadOptions { promote, ..LoadOptions::default() };
    let module = load(Path::new("native.bc"), &bytes, &options).unwrap();
    let program = symx_ir::link(vec![module], names, &|_| symx_ir::Modelled::No).unwrap();
    let mut expected = expected.iter();
    let mut machine = Machine::new(&program);
    for name in names {
        for a in INPUTS {
            for b in INPUTS {
                let got = machine.run(name, &[a, b]);
                assert_eq!(Some(&got), expected.next(), "{name}({a:#x}, {b:#x}) at {arguments:?}");
            }
        }
    }
}

fn check_all(source: &str, names: &[&str]) {
    let expected = native(source, names);
    for arguments in [&["-O0"][..], &["-O1"], &["-O2"], &["-O3", "-mavx2"]] {
        check(source, names, arguments, true, &expected);
    }
    check(source, names, &["-O0"], false, &expected);
}

#[test]
fn decoded_code_computes_what_native_code_computes() {
    let names = names();
    assert!(names.len() > 15);
    check_all(SOURCE, &names);
}

#[test]
fn random_programs_compute_what_native_code_computes() {
    let count = 12;
    for seed in 1..=3 {
        let source = random::functions(0x9E37_79B9_7F4A_7C15u64.wrapping_mul(seed), count);
        let names: Vec<String> = (0..count).map(|number| format!("random_{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        check_all(&source, &names);
    }
}
