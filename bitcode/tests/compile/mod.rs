//! C and textual IR to modules, for the tests.
#![allow(dead_code, missing_docs)] // each test program uses its part

use std::path::Path;
use std::process::Command;
use symx_bitcode::{LoadError, LoadOptions, load};
use symx_ir::{Function, Module};

/// Compiles C to bitcode.
pub fn bitcode(source: &str, arguments: &[&str]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("test.c"), folder.path().join("test.bc"));
    std::fs::write(&input, source).unwrap();
    let compiled = Command::new("clang-22")
        .args(["-std=gnu17", "-c", "-emit-llvm", "-g", "-Wno-everything"])
        .args(arguments)
        .arg(&input)
        .arg("-o")
        .arg(&output)
        .status()
        .expect("clang-22 runs");
    assert!(compiled.success());
    std::fs::read(output).unwrap()
}

pub fn compile(source: &str, arguments: &[&str]) -> Module {
    load(Path::new("test.bc"), &bitcode(source, arguments), &LoadOptions::default()).unwrap()
}

pub fn parse(text: &str) -> Result<Module, LoadError> {
    load(Path::new("test.ll"), text.as_bytes(), &LoadOptions::default())
}

/// Parses textual IR, which must be valid, and returns its only function.
pub fn only_function(text: &str) -> Function {
    let module = parse(text).unwrap();
    assert_eq!(module.functions.len(), 1);
    Function::clone(&module.functions[0])
}

pub fn function<'m>(module: &'m Module, name: &str) -> &'m Function {
    module.functions.iter().find(|function| function.name == name).unwrap()
}
