//! The watching twin of a program: a call before each access at one of two source locations, and none
//! elsewhere.
//!
//! Nothing else is inserted but stand-ins for functions that create and join threads, lock mutexes and end
//! the process. What the calls do is in `runtime/watching.h`; the method is RaceMob's (Kasikci, Zamfir,
//! Candea, SOSP 2013).

mod access;
mod places;
mod promises;
mod stand_ins;

use crate::edge::instructions;
use crate::instrument::{PROMOTION_PASSES, is_defined};
use crate::module::{Module, list};
use access::{Access, Extent, accesses};
use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use llvm_sys::prelude::*;
use places::Places;
use std::ffi::CStr;
use std::fmt;
use symx_trace::profile::ProgramHash;

/// What is watched for at a source location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WatchedKind {
    /// A read.
    Read,
    /// A write.
    Write,
    /// The end of the memory's life.
    End,
}

/// One of the two accesses of a candidate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WatchedAccess {
    /// The file, as debug information names it.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1; 0 for any.
    pub column: u32,
    /// Its kind.
    pub kind: WatchedKind,
    /// Whether it is atomic. Several accesses may be at one source location, as those of a macro are.
    pub atomic: bool,
}

impl fmt::Display for WatchedAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        if self.column == 0 { Ok(()) } else { write!(f, ":{}", self.column) }
    }
}

/// The candidate that a program watches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WatchedPair {
    /// Its number in its list.
    pub candidate: u32,
    /// The same for equal pairs, different for others.
    pub fingerprint: u64,
    /// Both accesses.
    pub accesses: [WatchedAccess; 2],
}

/// Why a pair cannot be watched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WatchError {
    /// LLVM does not read the program.
    #[error("not a program LLVM can read: {0}")]
    Unreadable(String),
    /// It was instrumented before.
    #[error("the program is instrumented already")]
    AlreadyInstrumented,
    /// No code of the program has that source location.
    #[error("no code at {0}")]
    NoSuchPlace(WatchedAccess),
    /// The code there makes no access of that kind whose address the binary can know.
    #[error("no {kind} at {0} whose address is known to native code", kind = match .0.kind {
        WatchedKind::Read => "read",
        WatchedKind::Write => "write",
        WatchedKind::End => "end of life",
    })]
    NoSuchAccess(WatchedAccess),
    /// A fault of the pass itself: what it made is no valid module.
    #[error("instrumentation made an invalid module: {0}")]
    Invalid(String),
}

/// A module that watches.
pub(crate) struct Watching {
    /// The module, as bitcode; it needs the runtime that `build_watching` links in.
    pub(crate) bitcode: Vec<u8>,
    /// The hash of the module it was made of.
    pub(crate) program: ProgramHash,
}

/// Bits of an access in the runtime, by number of the source location, and of one that writes.
const LOCATIONS: [u32; 2] = [1, 2];
const WRITES: u32 = 4;

/// An access that is watched.
struct Site {
    instruction: LLVMValueRef,
    access: Access,
    what: u32,
}

/// Gives a program, bitcode or textual IR, the calls that watch a pair.
pub(crate) fn watch(program: &[u8], pair: &WatchedPair) -> Result<Watching, WatchError> {
    let mut module = Module::parse(program).map_err(WatchError::Unreadable)?;
    let marks = ["symx_recorder_enter", "symx_enforce_before", "symx_watch_access"];
    if marks.into_iter().any(|mark| module.function(mark).is_some()) {
        return Err(WatchError::AlreadyInstrumented);
    }
    module.verify().map_err(WatchError::Unreadable)?;
    // Variables that no other thread can see become registers: their accesses are none.
    module.run_passes(PROMOTION_PASSES).map_err(WatchError::Invalid)?;
    let defined: Vec<_> = module.functions().into_iter().filter(|&function| is_defined(function)).collect();
    let sites = sites(&module, &defined, pair)?;
    let mut watched: Vec<_> = sites.iter().map(|(function, _)| *function).collect();
    watched.dedup();
    promises::withdraw(&defined, &watched);
    Inserter::new(&module).insert(&sites);
    stand_ins::stand_in(&module);
    let program = ProgramHash::of(program);
    add_constants(&module, program, pair);
    module.verify().map_err(WatchError::Invalid)?;
    Ok(Watching { bitcode: module.bitcode(), program })
}

/// All accesses of the pair, with the functions that they are in.
fn sites(
    module: &Module,
    defined: &[LLVMValueRef],
    pair: &WatchedPair,
) -> Result<Vec<(LLVMValueRef, Site)>, WatchError> {
    let mut places = Places::default();
    let mut sites = Vec::new();
    let (mut has_code, mut has_access) = ([false; 2], [false; 2]);
    for &function in defined {
        // SAFETY: a function with a body.
        let blocks = unsafe { list(LLVMGetFirstBasicBlock(function), |block| LLVMGetNextBasicBlock(block)) };
        for instruction in blocks.into_iter().flat_map(instructions) {
            // SAFETY: an instruction.
            let location = unsafe { LLVMInstructionGetDebugLoc(instruction) };
            let is_at = pair.accesses.each_ref().map(|access| places.is_at(location, access));
            if is_at == [false; 2] {
                continue;
            }
            for access in accesses(module, instruction) {
                let mut what = if access.kind == WatchedKind::Read { 0 } else { WRITES };
                for (side, wanted) in pair.accesses.iter().enumerate() {
                    if is_at[side] && access.kind == wanted.kind && access.atomic == wanted.atomic {
                        has_access[side] = true;
                        what |= LOCATIONS[side];
                    }
                }
                if what & !WRITES != 0 {
                    sites.push((function, Site { instruction, access, what }));
                }
            }
            has_code = [has_code[0] | is_at[0], has_code[1] | is_at[1]];
        }
    }
    for (side, wanted) in pair.accesses.iter().enumerate() {
        match (has_code[side], has_access[side]) {
            (_, true) => {}
            (true, false) => return Err(WatchError::NoSuchAccess(wanted.clone())),
            (false, false) => return Err(WatchError::NoSuchPlace(wanted.clone())),
        }
    }
    Ok(sites)
}

/// Inserts the calls.
struct Inserter {
    builder: LLVMBuilderRef,
    long: LLVMTypeRef,
    int: LLVMTypeRef,
    function: LLVMValueRef,
    kind: LLVMTypeRef,
}

impl Drop for Inserter {
    fn drop(&mut self) {
        // SAFETY: owned.
        unsafe { LLVMDisposeBuilder(self.builder) }
    }
}

impl Inserter {
    fn new(module: &Module) -> Self {
        // SAFETY: types and functions of one context.
        unsafe {
            let (long, int) =
                (LLVMInt64TypeInContext(module.context), LLVMInt32TypeInContext(module.context));
            let mut parameters = [long, long, int];
            let kind = LLVMFunctionType(LLVMVoidTypeInContext(module.context), parameters.as_mut_ptr(), 3, 0);
            let function = LLVMAddFunction(module.module, c"symx_watch_access".as_ptr(), kind);
            let builder = LLVMCreateBuilderInContext(module.context);
            Inserter { builder, long, int, function, kind }
        }
    }

    fn insert(&self, sites: &[(LLVMValueRef, Site)]) {
        for (_, Site { instruction, access, what }) in sites {
            // SAFETY: an instruction of the module, and values that dominate it, for they are its operands.
            // Inserted code has the position of the instruction, so that a call that is inlined may have one.
            unsafe {
                LLVMPositionBuilderBefore(self.builder, *instruction);
                LLVMSetCurrentDebugLocation2(self.builder, LLVMInstructionGetDebugLoc(*instruction));
                let address = LLVMBuildPtrToInt(self.builder, access.address, self.long, c"".as_ptr());
                let size = match access.extent {
                    Extent::Bytes(bytes) => LLVMConstInt(self.long, bytes, 0),
                    Extent::Value(value) => {
                        LLVMBuildIntCast2(self.builder, value, self.long, 0, c"".as_ptr())
                    }
                    Extent::Whole => LLVMConstInt(self.long, u64::MAX, 0),
                };
                let mut arguments = [address, size, LLVMConstInt(self.int, u64::from(*what), 0)];
                let start = arguments.as_mut_ptr();
                LLVMBuildCall2(self.builder, self.kind, self.function, start, 3, c"".as_ptr());
            }
        }
    }
}

/// Defines what the runtime knows of the program and the pair.
fn add_constants(module: &Module, program: ProgramHash, pair: &WatchedPair) {
    // SAFETY: initialisers have the types of their globals.
    unsafe {
        let constant = |name: &CStr, value: LLVMValueRef| {
            let global = LLVMAddGlobal(module.module, LLVMTypeOf(value), name.as_ptr());
            LLVMSetInitializer(global, value);
            LLVMSetGlobalConstant(global, 1);
        };
        let (long, int) = (LLVMInt64TypeInContext(module.context), LLVMInt32TypeInContext(module.context));
        let bytes = LLVMConstStringInContext2(module.context, program.0.as_ptr().cast(), program.0.len(), 1);
        constant(c"symx_watch_program", bytes);
        constant(c"symx_watch_candidate", LLVMConstInt(int, u64::from(pair.candidate), 0));
        constant(c"symx_watch_pair", LLVMConstInt(long, pair.fingerprint, 0));
        let is_one = pair.accesses[0] == pair.accesses[1];
        constant(c"symx_watch_is_one_location", LLVMConstInt(int, u64::from(is_one), 0));
    }
}
