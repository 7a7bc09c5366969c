//! Whole programs load completely.

mod compile;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use symx_bitcode::{LoadOptions, load};
use symx_ir::instruction::Extended;
use symx_ir::{CallTarget, Inst, Module};

/// The folder that `./x setup` fills.
fn dependencies() -> PathBuf {
    match std::env::var_os("SYMX_DEPS") {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../.deps"),
    }
}

fn load_program(name: &str) -> Option<Module> {
    let path = dependencies().join(name);
    let Ok(bytes) = std::fs::read(&path) else {
        println!("{} is absent: skipped", path.display());
        return None;
    };
    let module = load(&path, &bytes, &LoadOptions::default()).unwrap();
    check(&module);
    Some(module)
}

/// The inline assembly left, with counts. The test includes that nothing is unsupported.
fn assembly(module: &Module) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for function in &module.functions {
        for extended in &function.extended {
            assert!(!matches!(extended, Extended::Unsupported { .. }), "{}: {extended:?}", function.name);
        }
        for call in &function.calls {
            if let CallTarget::Assembly(assembly) = &call.target {
                *counts.entry(format!("{:?} {}", assembly.text, assembly.constraints)).or_default() += 1;
            }
        }
    }
    counts
}

/// Every index is within its table, and every block ends in its only terminator.
fn check(module: &Module) {
    for (index, function) in module.functions.iter().enumerate() {
        assert_eq!(function.module_index as usize, index);
        assert_eq!(function.code.len(), function.spans.len());
        assert!(function.spans.iter().all(|span| (span.0 as usize) < module.spans.len()));
        for (number, block) in function.blocks.iter().enumerate() {
            let end = function.blocks.get(number + 1).map_or(function.code.len(), |next| next.start as usize);
            let code = &function.code[block.start as usize..end];
            let (last, body) = code.split_last().expect("a block has a terminator");
            assert!(body.iter().all(|inst| !is_terminator(inst)), "{}", function.name);
            let ends_in_invoke =
                matches!(last, Inst::Call { site } if function.calls[*site as usize].invoke.is_some());
            assert!(is_terminator(last) || ends_in_invoke, "{}: {last:?}", function.name);
            assert!(block.edges().end <= function.edges.len());
        }
        for edge in &function.edges {
            assert_eq!(edge.target, function.blocks[edge.block as usize].start);
            let end = (edge.first_move + edge.move_count) as usize;
            for step in &function.moves[edge.first_move as usize..end] {
                assert!(step.dst < function.slots);
                let limit =
                    if step.src.is_constant() { function.constants.len() } else { function.slots as usize };
                assert!(step.src.index() < limit);
            }
        }
    }
}

fn is_terminator(instruction: &Inst) -> bool {
    matches!(
        instruction,
        Inst::Jump { .. }
            | Inst::Branch { .. }
            | Inst::CompareBranch { .. }
            | Inst::Switch { .. }
            | Inst::Return { .. }
            | Inst::Unreachable
    )
}

fn report(name: &str) {
    let Some(module) = load_program(name) else { return };
    let instructions: usize = module.functions.iter().map(|function| function.code.len()).sum();
    println!(
        "{name}: {} functions, {} globals, {instructions} instructions",
        module.functions.len(),
        module.globals.len()
    );
    for (text, count) in assembly(&module) {
        println!("  {count} x assembly {text}");
    }
}

#[test]
fn the_c_library_loads() {
    report("musl/libc.bc");
}

#[test]
fn lbzip2_loads() {
    report("lbzip2/lbzip2.bc");
}
