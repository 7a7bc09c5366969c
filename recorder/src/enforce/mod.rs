//! The enforcing twin of a program: at every site where a schedule may have a step, it asks
//! whether it has one.
//!
//! Sites are loads, stores, atomic operations, fences, returns and calls of what the module does not define.
//! A site's name is the function's index among the defined ones and the instruction's number in it before
//! promotion: the loader numbers them alike, and it keeps variables that are promoted here. Nothing else is
//! inserted, and the program is optimised afterwards. At a site the optimiser sees a call it knows nothing
//! of, as at a lock.

pub mod plan;
pub mod watch;

use crate::edge::{first_place, instructions};
use crate::instrument::{InstrumentError, PROMOTION_PASSES, is_defined};
use crate::module::{Module, is_intrinsic, list, name_of};
use crate::settled::settle;
use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMOpcode, LLVMTailCallKind};
use std::collections::HashMap;
use std::ffi::CStr;
use symx_trace::profile::ProgramHash;

/// A module whose sites ask the runtime.
pub(crate) struct Enforcing {
    /// The module, as bitcode; it needs the runtime that `build_enforcing` links in.
    pub(crate) bitcode: Vec<u8>,
    /// The hash of the module it was made of.
    pub(crate) program: ProgramHash,
}

/// Functions of LLVM's own that touch memory.
const TOUCHING: [&str; 4] = ["llvm.mem", "llvm.masked.", "llvm.lifetime.end", "llvm.va_"];

/// Gives a program, bitcode or textual IR, its sites.
pub(crate) fn add_sites(program: &[u8]) -> Result<Enforcing, InstrumentError> {
    let mut module = Module::parse(program).map_err(InstrumentError::Unreadable)?;
    if module.function("symx_recorder_enter").is_some() || module.function("symx_enforce_before").is_some() {
        return Err(InstrumentError::AlreadyInstrumented);
    }
    module.verify().map_err(InstrumentError::Unreadable)?;
    let defined: Vec<_> = module.functions().into_iter().filter(|&function| is_defined(function)).collect();
    let numbers: Numbers =
        defined.iter().flat_map(|&function| instructions_of(function).into_iter().zip(0..)).collect();
    module.run_passes(PROMOTION_PASSES).map_err(InstrumentError::Invalid)?;
    settle(&module);
    let mut pass = Pass::new(&module);
    for (index, &function) in defined.iter().enumerate() {
        pass.function(index as u32, function, &numbers);
    }
    let hash = ProgramHash::of(program);
    pass.add_tables(hash);
    drop(pass);
    module.verify().map_err(InstrumentError::Invalid)?;
    Ok(Enforcing { bitcode: module.bitcode(), program: hash })
}

/// By instruction of the program as it is given, its number in its function.
type Numbers = HashMap<LLVMValueRef, u32>;

fn instructions_of(function: LLVMValueRef) -> Vec<LLVMValueRef> {
    // SAFETY: a function with a body.
    let blocks = unsafe { list(LLVMGetFirstBasicBlock(function), |block| LLVMGetNextBasicBlock(block)) };
    blocks.into_iter().flat_map(instructions).collect()
}

/// The pass over a module.
struct Pass<'a> {
    module: &'a Module,
    builder: LLVMBuilderRef,
    int: LLVMTypeRef,
    /// The type of the runtime's functions, which take a site.
    kind: LLVMTypeRef,
    before: LLVMValueRef,
    after: LLVMValueRef,
    leaving: LLVMValueRef,
    /// Function and instruction of each site.
    sites: Vec<[u32; 2]>,
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        // SAFETY: owned.
        unsafe { LLVMDisposeBuilder(self.builder) }
    }
}

impl<'a> Pass<'a> {
    fn new(module: &'a Module) -> Self {
        // SAFETY: types and functions of one context.
        unsafe {
            let int = LLVMInt32TypeInContext(module.context);
            let mut parameters = [int];
            let none = LLVMVoidTypeInContext(module.context);
            let kind = LLVMFunctionType(none, parameters.as_mut_ptr(), 1, 0);
            let declare = |name: &CStr| {
                let function = LLVMAddFunction(module.module, name.as_ptr(), kind);
                let nounwind = LLVMGetEnumAttributeKindForName(c"nounwind".as_ptr(), 8);
                let attribute = LLVMCreateEnumAttribute(module.context, nounwind, 0);
                LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
                function
            };
            Pass {
                builder: LLVMCreateBuilderInContext(module.context),
                before: declare(c"symx_enforce_before"),
                after: declare(c"symx_enforce_after"),
                leaving: declare(c"symx_enforce_leaving"),
                sites: Vec::new(),
                module,
                int,
                kind,
            }
        }
    }

    fn function(&mut self, index: u32, function: LLVMValueRef, numbers: &Numbers) {
        let all = instructions_of(function);
        for &instruction in &all {
            let Some(kind) = site_kind(instruction) else { continue };
            let Some(&number) = numbers.get(&instruction) else { continue };
            let site = self.sites.len() as u32;
            self.sites.push([index, number]);
            match kind {
                SiteKind::Return => self.call_before(instruction, self.leaving, site),
                SiteKind::Operation => {
                    self.call_before(instruction, self.before, site);
                    // SAFETY: an instruction that is no terminator has a successor.
                    self.call_before(unsafe { LLVMGetNextInstruction(instruction) }, self.after, site);
                }
                SiteKind::Last => self.call_before(instruction, self.before, site),
                SiteKind::Invoke => {
                    self.call_before(instruction, self.before, site);
                    // SAFETY: an invoke has two successors. One that other edges lead to as well reports a
                    // site where nothing was begun, which changes nothing.
                    for block in unsafe { [LLVMGetNormalDest(instruction), LLVMGetUnwindDest(instruction)] } {
                        self.call_before(first_place(block), self.after, site);
                    }
                }
            }
        }
        // Attributes of functions and calls do not hold for those that wait for others.
        for promise in BROKEN_PROMISES {
            // SAFETY: the name is valid for its length.
            let kind = unsafe { LLVMGetEnumAttributeKindForName(promise.as_ptr().cast(), promise.len()) };
            // SAFETY: a function, and calls in it.
            unsafe {
                LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
                for &instruction in all.iter().filter(|i| is_call(**i)) {
                    LLVMRemoveCallSiteEnumAttribute(instruction, LLVMAttributeFunctionIndex, kind);
                }
            }
        }
    }

    fn call_before(&self, place: LLVMValueRef, function: LLVMValueRef, site: u32) {
        // SAFETY: an instruction of the module. Inserted code has the position of the instruction after it,
        // so that a call that is inlined may have one.
        unsafe {
            LLVMPositionBuilderBefore(self.builder, place);
            let location = LLVMInstructionGetDebugLoc(place);
            LLVMSetCurrentDebugLocation2(self.builder, location);
            let mut arguments = [LLVMConstInt(self.int, u64::from(site), 0)];
            LLVMBuildCall2(self.builder, self.kind, function, arguments.as_mut_ptr(), 1, c"".as_ptr());
        }
    }

    /// Defines what the runtime knows of the program.
    fn add_tables(&self, hash: ProgramHash) {
        let (context, module) = (self.module.context, self.module.module);
        // SAFETY: initialisers have the types of their globals.
        unsafe {
            let constant = |name: &CStr, value: LLVMValueRef| {
                let global = LLVMAddGlobal(module, LLVMTypeOf(value), name.as_ptr());
                LLVMSetInitializer(global, value);
                LLVMSetGlobalConstant(global, 1);
            };
            let bytes = LLVMConstStringInContext2(context, hash.0.as_ptr().cast(), hash.0.len(), 1);
            constant(c"symx_enforce_program", bytes);
            constant(c"symx_enforce_site_count", LLVMConstInt(self.int, self.sites.len() as u64, 0));
            let mut numbers: Vec<LLVMValueRef> = self
                .sites
                .iter()
                .flatten()
                .map(|number| LLVMConstInt(self.int, u64::from(*number), 0))
                .collect();
            let count = numbers.len() as u64;
            constant(c"symx_enforce_sites", LLVMConstArray2(self.int, numbers.as_mut_ptr(), count));
            let table = LLVMArrayType2(LLVMInt8TypeInContext(context), self.sites.len().max(1) as u64);
            let planned = LLVMAddGlobal(module, table, c"symx_enforce_planned".as_ptr());
            LLVMSetInitializer(planned, LLVMConstNull(table));
        }
    }
}

/// As the recorder's pass: what `enter` and `leave` break there, waiting for a turn breaks here.
const BROKEN_PROMISES: [&str; 5] = ["memory", "speculatable", "willreturn", "nosync", "nofree"];

enum SiteKind {
    /// The thread may go on after it.
    Operation,
    /// A call with two continuations.
    Invoke,
    /// A site after which no code can be inserted.
    Last,
    /// A return.
    Return,
}

fn is_call(instruction: LLVMValueRef) -> bool {
    // SAFETY: an instruction.
    let opcode = unsafe { LLVMGetInstructionOpcode(instruction) };
    matches!(opcode, LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr)
}

/// The kind of site that an instruction is, if it is one.
fn site_kind(instruction: LLVMValueRef) -> Option<SiteKind> {
    // SAFETY: an instruction; calls are asked for what calls have.
    unsafe {
        let opcode = LLVMGetInstructionOpcode(instruction);
        match opcode {
            LLVMOpcode::LLVMLoad
            | LLVMOpcode::LLVMStore
            | LLVMOpcode::LLVMAtomicRMW
            | LLVMOpcode::LLVMAtomicCmpXchg
            | LLVMOpcode::LLVMFence => return Some(SiteKind::Operation),
            LLVMOpcode::LLVMRet => {
                let previous = LLVMGetPreviousInstruction(instruction);
                let is_forced = !previous.is_null()
                    && LLVMGetInstructionOpcode(previous) == LLVMOpcode::LLVMCall
                    && LLVMGetTailCallKind(previous) == LLVMTailCallKind::LLVMTailCallKindMustTail;
                return (!is_forced).then_some(SiteKind::Return);
            }
            _ if !is_call(instruction) => return None,
            _ => {}
        }
        let callee = LLVMIsAFunction(LLVMGetCalledValue(instruction));
        if !callee.is_null() {
            let name = name_of(callee);
            let is_own = is_intrinsic(callee);
            if is_own && !TOUCHING.iter().any(|prefix| name.starts_with(prefix)) {
                return None;
            }
            if !is_own && is_defined(callee) {
                return None;
            }
        }
        Some(match opcode {
            LLVMOpcode::LLVMInvoke => SiteKind::Invoke,
            LLVMOpcode::LLVMCall
                if LLVMGetTailCallKind(instruction) != LLVMTailCallKind::LLVMTailCallKindMustTail =>
            {
                SiteKind::Operation
            }
            _ => SiteKind::Last,
        })
    }
}
