//! Bitcode and textual IR, damaged: the loader answers with a module or a named error, and the tables of what
//! it answers with hold together: numbering, listing and linking follow every index.
//!
//! LLVM's own reader is in the same process and crashes on some input; symx therefore reads files in a child
//! process. `setup/fuzz.sh` tells such crashes (LLVM's) from panics (ours): only the latter are findings.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::hint::black_box;
use std::path::Path;
use symx_bitcode::{LoadOptions, load};
use symx_ir::Modelled;
use symx_ir::path_numbering::PathNumbering;

fuzz_target!(|input: &[u8]| {
    let Ok(module) = load(Path::new("input"), input, &LoadOptions::default()) else { return };
    for function in &module.functions {
        black_box(symx_ir::listing(function));
        let successors = |block: &symx_ir::function::Block| {
            function.edges[block.edges()].iter().map(|edge| edge.block).collect()
        };
        let successors: Vec<Vec<u32>> = function.blocks.iter().map(successors).collect();
        let _ = black_box(PathNumbering::new(&successors, 1 << 16));
    }
    let _ = black_box(symx_ir::link(vec![module], &["main"], &|_| Modelled::No));
});
