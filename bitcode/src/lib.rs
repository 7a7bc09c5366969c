//! LLVM bitcode and textual IR decoded into symx-ir; the only reader of LLVM.
//!
//! Three things come first: [`load`] decodes a module, [`LoadOptions`] say how, [`LoadError`] says why not.
//! LLVM parses (and upgrades bitcode of older versions), stack variables are promoted to registers on
//! request, and the result is translated into a [`Module`].
//!
//! ```
//! use std::path::Path;
//! use symx_bitcode::{LoadOptions, load};
//!
//! let text = b"define i32 @twice(i32 %x) {
//!                %sum = add i32 %x, %x
//!                ret i32 %sum
//!              }";
//! let module = load(Path::new("twice.ll"), text, &LoadOptions::default()).unwrap();
//! assert_eq!(module.functions.len(), 1);
//! let function = module.functions[0].get().unwrap();
//! assert_eq!((function.name.as_str(), function.params.len()), ("twice", 1));
//!
//! let error = load(Path::new("a.c"), b"\0\x01", &LoadOptions::default()).unwrap_err();
//! assert_eq!(error.to_string(), "not LLVM bitcode or textual IR");
//! ```
//!
//! An instruction without a counterpart in the instruction set becomes
//! [`Unsupported`](symx_ir::instruction::Extended::Unsupported) instructions that name it, never something
//! that computes a wrong value. LLVM's reader is not made for hostile input: the command loads in a child
//! process.
//!
//! Choices where LLVM leaves room: `undef` and `poison` are zero bits. As a phi's input they are whatever the
//! phi's slots hold; as an argument or a result, a value never given. Weak compare-exchanges never fail
//! spuriously; `fmuladd` rounds twice. Functions of linkage `available_externally` count as declarations.
//!
//! Read on in `function`, with a file for each kind of instruction, and in `spans` for debug information.

mod by_alignment;
mod constants;
mod container;
mod debug_info;
mod encoding;
mod enumerators;
mod function;
mod globals;
mod llvm;
mod members;
mod rust_locks;
mod rust_types;
mod shape;
mod source;
mod spans;
mod unsupported;

pub use llvm::full_version as llvm_version;

use by_alignment::ByAlignment;
use container::Container;
use debug_info::Collector;
use function::KnownObjects;
use llvm::{Block, Diagnostic, Parsed, Value};
use rustc_hash::FxHashMap;
use source::Source;
use std::path::Path;
use symx_ir::Module;
use symx_ir::debug_info::DebugInfo;

/// How to load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadOptions {
    /// Whether stack variables whose address is never taken become registers (LLVM's `mem2reg`, which keeps
    /// the control-flow graph as it is).
    pub promote: bool,
    /// Whether these functions belong to the program: the value of
    /// [`Function::in_program`](symx_ir::Function::in_program).
    pub in_program: bool,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self { promote: true, in_program: true }
    }
}

/// Why a file cannot be loaded. Messages are one line each.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// Neither bitcode nor text.
    #[error("not LLVM bitcode or textual IR")]
    NotBitcode,
    /// No content at all.
    #[error("the file is empty")]
    Empty,
    /// Textual IR that LLVM cannot parse.
    #[error("not valid textual IR: line {line}, column {column}: {message}")]
    Syntax {
        /// Line, from 1.
        line: u32,
        /// Column, from 1.
        column: u32,
        /// LLVM's words.
        message: String,
    },
    /// Bitcode that ends before its last block does.
    #[error("truncated bitcode: {length} bytes of at least {needed}")]
    Truncated {
        /// Bytes there are.
        length: u64,
        /// Bytes the last block's header calls for.
        needed: u64,
    },
    /// Bitcode that LLVM cannot read.
    #[error("malformed bitcode: {0}")]
    Malformed(String),
    /// Bitcode of an LLVM newer than the one linked.
    #[error("bitcode of a newer LLVM ({producer}; this is LLVM {}): {message}", llvm::VERSION)]
    NewerLlvm {
        /// The version that wrote the file, as it calls itself.
        producer: String,
        /// LLVM's words.
        message: String,
    },
    /// A module that breaks LLVM's rules.
    #[error("invalid module: {0}")]
    Invalid(String),
    /// A module for another machine.
    #[error("the module is for `{0}`, not for x86-64")]
    Target(String),
    /// A global variable whose initial value cannot be expressed.
    #[error("the initial value of `{name}` is not supported: {what}")]
    Initializer {
        /// The variable.
        name: String,
        /// The offending constant.
        what: String,
    },
    /// An alias of something that has no symbol.
    #[error("the alias `{name}` is not supported: {what}")]
    Alias {
        /// The alias.
        name: String,
        /// Its target.
        what: String,
    },
}

/// Decodes a module read from `path`, whose content is `bytes`.
pub fn load(path: &Path, bytes: &[u8], options: &LoadOptions) -> Result<Module, LoadError> {
    let container = Container::of(bytes)?;
    let parsed = parse(&container, bytes, options)?;
    let (mut module, _) = translate(&parsed, options, None)?;
    module.path = path.display().to_string();
    module.hash = *blake3::hash(bytes).as_bytes();
    Ok(module)
}

fn parse(container: &Container, bytes: &[u8], options: &LoadOptions) -> Result<Parsed, LoadError> {
    let parsed = read(container, bytes)?;
    prepare(&parsed, options)?;
    Ok(parsed)
}

fn read(container: &Container, bytes: &[u8]) -> Result<Parsed, LoadError> {
    let mut parsed = Parsed::parse(bytes).map_err(|diagnostic| container.explain(diagnostic))?;
    parsed.verify().map_err(|Diagnostic(message)| LoadError::Invalid(container::one_line(&message)))?;
    parsed.complete_layout();
    check_target(&parsed)?;
    Ok(parsed)
}

fn instructions(function: Value<'_>) -> Vec<Value<'_>> {
    function.blocks().into_iter().flat_map(Block::instructions).collect()
}

fn prepare(parsed: &Parsed, options: &LoadOptions) -> Result<(), LoadError> {
    if options.promote {
        parsed.promote().map_err(|Diagnostic(message)| LoadError::Invalid(container::one_line(&message)))?;
    }
    Ok(())
}

/// The number of the LLVM instruction that each instruction comes from, for each defined function of a
/// module, in the order of [`Module::functions`]. Numbers are counted within the function as the bitcode has
/// it: which variables become registers is no matter. Instructions made of one LLVM instruction are adjacent.
pub fn instruction_numbers(bytes: &[u8], options: &LoadOptions) -> Result<Vec<Vec<u32>>, LoadError> {
    let container = Container::of(bytes)?;
    let parsed = read(&container, bytes)?;
    let defined = || parsed.functions().into_iter().filter(|&function| globals::is_defined(function));
    let given: FxHashMap<Value<'_>, u32> =
        defined().flat_map(|function| instructions(function).into_iter().zip(0..)).collect();
    prepare(&parsed, options)?;
    let (_, mut numbers) = translate(&parsed, options, None)?;
    for (numbers, function) in numbers.iter_mut().zip(defined()) {
        // Promotion leaves instructions in place or removes them. It adds phis, which nothing is made of.
        let kept: Vec<Option<u32>> = instructions(function).iter().map(|i| given.get(i).copied()).collect();
        for number in numbers {
            *number = kept.get(*number as usize).copied().flatten().unwrap_or(u32::MAX);
        }
    }
    Ok(numbers)
}

/// The debug information of a module on its variables. Functions, instructions and registers are those of the
/// module that [`load`] makes of it with the same options.
pub fn debug_info(bytes: &[u8], options: &LoadOptions) -> Result<DebugInfo, LoadError> {
    let container = Container::of(bytes)?;
    let parsed = parse(&container, bytes, options)?;
    let mut collector = Collector::new(&parsed);
    translate(&parsed, options, Some(&mut collector))?;
    Ok(collector.finish())
}

fn check_target(parsed: &Parsed) -> Result<(), LoadError> {
    let triple = parsed.triple();
    let layout = parsed.data_layout();
    // Hand-written modules may name no target; their layout must do.
    let known = triple.is_empty() || triple.starts_with("x86_64") || triple.starts_with("amd64");
    if !known || layout.pointer_size() != 8 || !layout.is_little_endian() {
        return Err(LoadError::Target(triple));
    }
    Ok(())
}

/// The module, and for each function the numbers of the instructions that its own come from.
/// Debug information on variables goes to a collector, if there is one.
fn translate<'m>(
    parsed: &'m Parsed,
    options: &LoadOptions,
    mut collector: Option<&mut Collector<'m>>,
) -> Result<(Module, Vec<Vec<u32>>), LoadError> {
    let mut numbers = Vec::new();
    let source = Source::new(parsed);
    let mut spans = spans::Spans::new(parsed);
    let mut objects = KnownObjects::default();
    let mut module = Module::default();
    let mut by_alignment = ByAlignment::default();
    let variables = globals::declare(&source);
    globals::translate(&source, &variables, &mut module)?;
    if let Some(collector) = collector.as_deref_mut() {
        variables.iter().for_each(|(variable, _)| collector.global(*variable));
    }
    for function in parsed.functions().into_iter().filter(|&function| globals::is_defined(function)) {
        let index = module.functions.len() as u32;
        let (mut translated, from) =
            function::translate(&source, &mut spans, &mut objects, function, index, collector.as_deref_mut());
        numbers.push(from);
        translated.module_index = module.functions.len() as u32;
        translated.in_program = options.in_program;
        translated.goes_by_alignment = by_alignment.is_one(function, parsed);
        module.functions.push(translated.into());
    }
    spans.finish(&mut module);
    module.object_types = objects.finish().into();
    module.symbols = source.into_symbols();
    Ok((module, numbers))
}
