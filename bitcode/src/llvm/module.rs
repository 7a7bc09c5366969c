//! What can be asked of a parsed module, and done to it.

use super::one_type::unify_accesses;
use super::parsed::Parsed;
use super::scopes::keep_debug_information_as_it_is;
use super::unassigned::{early_loads, set_volatile};
use super::{DataLayout, Metadata, MetadataKind, Value, owned_message};
use llvm_sys::LLVMDiagnosticSeverity;
use llvm_sys::core::*;
use llvm_sys::debuginfo::{
    LLVMDebugMetadataVersion, LLVMGetModuleDebugMetadataVersion, LLVMStripModuleDebugInfo,
};
use llvm_sys::prelude::*;
use std::ffi::{CStr, c_void};
use std::marker::PhantomData;
use symx_ir::known_functions::SETJMP_INTRINSIC;

/// The data layout that clang writes for x86-64.
const X86_64_LAYOUT: &CStr =
    c"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

/// Why LLVM refused something, in its words.
#[derive(Debug, Clone)]
pub struct Diagnostic(pub String);

/// Keeps what LLVM would print; it exits only if no handler is installed.
extern "C" fn keep(diagnostic: LLVMDiagnosticInfoRef, reported: *mut c_void) {
    // SAFETY: `reported` is the vector of the `Parsed` whose context calls this, and nothing borrows
    // it while LLVM runs.
    unsafe {
        if LLVMGetDiagInfoSeverity(diagnostic) == LLVMDiagnosticSeverity::LLVMDSError {
            let message = owned_message(LLVMGetDiagInfoDescription(diagnostic));
            (*reported.cast::<Vec<String>>()).push(message);
        }
    }
}

impl Parsed {
    /// Parses bitcode or textual IR.
    pub fn parse(bytes: &[u8]) -> Result<Self, Diagnostic> {
        keep_debug_information_as_it_is();
        // LLVM wants a NUL after textual IR, which only the copying constructor provides.
        // SAFETY: the range is valid for the call; the buffer is disposed of below.
        let buffer = unsafe {
            LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes.as_ptr().cast(), bytes.len(), c"input".as_ptr())
        };
        let reported = Box::into_raw(Box::<Vec<String>>::default());
        let mut module = std::ptr::null_mut();
        let mut message = std::ptr::null_mut();
        // SAFETY: a fresh context; the handler's argument lives as long as the context.
        let context = unsafe {
            let context = LLVMContextCreate();
            LLVMContextSetDiagnosticHandler(context, Some(keep), reported.cast());
            context
        };
        // SAFETY: all out-pointers are valid; the parser reads the buffer, copies what it keeps and
        // leaves it to us.
        let failed = unsafe {
            let failed =
                llvm_sys::ir_reader::LLVMParseIRInContext2(context, buffer, &mut module, &mut message);
            LLVMDisposeMemoryBuffer(buffer);
            failed
        };
        let message = owned_message(message);
        let parsed = Self { context, module, reported };
        if failed != 0 {
            return Err(Diagnostic(if message.is_empty() { parsed.errors().join("; ") } else { message }));
        }
        if let Some(error) = parsed.errors().first() {
            return Err(Diagnostic(error.clone()));
        }
        parsed.upgrade_debug_information()?;
        Ok(parsed)
    }

    /// As LLVM does itself when it parses: drops debug information that is out of date or breaks its rules.
    fn upgrade_debug_information(&self) -> Result<(), Diagnostic> {
        if self.has_circular_scopes() {
            return Err(Diagnostic("debug scopes that contain themselves".into()));
        }
        let version = call!(LLVMGetModuleDebugMetadataVersion(self.module));
        if version != call!(LLVMDebugMetadataVersion()) || self.verify().is_err() {
            call!(LLVMStripModuleDebugInfo(self.module));
        }
        Ok(())
    }

    /// The compile units that the debug information names.
    pub fn compile_units(&self) -> Vec<Metadata<'_>> {
        let name = c"llvm.dbg.cu";
        let count = call!(LLVMGetNamedMetadataNumOperands(self.module, name.as_ptr()));
        let mut units = vec![std::ptr::null_mut(); count as usize];
        // SAFETY: the module is alive, and there is room for as many operands as it has.
        unsafe { LLVMGetNamedMetadataOperands(self.module, name.as_ptr(), units.as_mut_ptr()) };
        let node = |unit: LLVMValueRef| Metadata::new(call!(LLVMValueAsMetadata(unit)));
        let is_unit =
            |node: &Metadata<'_>| matches!(node.kind(), MetadataKind::LLVMDICompileUnitMetadataKind);
        units.into_iter().filter_map(node).filter(is_unit).collect()
    }

    /// Whether part of the module is of Rust.
    pub fn is_of_rust(&self) -> bool {
        let is_rustc = |producer: String| producer.contains("rustc");
        self.compile_units().into_iter().any(|unit| unit.producer(self).is_some_and(is_rustc))
    }

    fn errors(&self) -> Vec<String> {
        // SAFETY: the box is alive as long as `self`, and LLVM, which writes to it, is not running now.
        unsafe { (*self.reported).clone() }
    }

    /// Checks the rules of the language that parsing leaves unchecked.
    pub fn verify(&self) -> Result<(), Diagnostic> {
        let mut message = std::ptr::null_mut();
        let action = llvm_sys::analysis::LLVMVerifierFailureAction::LLVMReturnStatusAction;
        let broken = call!(llvm_sys::analysis::LLVMVerifyModule(self.module, action, &mut message));
        let message = owned_message(message);
        if broken != 0 { Err(Diagnostic(message)) } else { Ok(()) }
    }

    /// Promotes stack variables whose address is never taken to registers, but for those that may be read
    /// before they are written. Keeps the control-flow graph.
    ///
    /// Functions that call `setjmp` keep their variables in memory. A jump back finds the last value written
    /// there, as it does natively in code that is not optimised.
    pub fn promote(&self) -> Result<(), Diagnostic> {
        let kind = call!(LLVMGetEnumAttributeKindForName(c"optnone".as_ptr(), 7));
        let keeps = call!(LLVMCreateEnumAttribute(LLVMGetModuleContext(self.module), kind, 0));
        for function in self.functions() {
            let place = llvm_sys::LLVMAttributeFunctionIndex;
            // `optnone`, which clang sets at -O0, makes the pass skip the function.
            if calls_returning_twice(function) {
                call!(LLVMAddAttributeAtIndex(function.raw(), place, keeps));
            } else {
                call!(LLVMRemoveEnumAttributeAtIndex(function.raw(), place, kind));
            }
        }
        // The pass leaves variables alone that a volatile access is of.
        let defined = || self.functions().into_iter().filter(|function| !function.is_declaration());
        defined().for_each(|function| unify_accesses(function, self.data_layout()));
        let held: Vec<Value<'_>> = defined().flat_map(early_loads).collect();
        held.iter().for_each(|load| set_volatile(*load, true));
        let result = self.run_promotion();
        held.iter().for_each(|load| set_volatile(*load, false));
        result
    }

    fn run_promotion(&self) -> Result<(), Diagnostic> {
        use llvm_sys::transforms::pass_builder::*;
        // SAFETY: options are disposed of once; the module is ours; no target machine is needed for mem2reg.
        let error = unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let error =
                LLVMRunPasses(self.module, c"function(mem2reg)".as_ptr(), std::ptr::null_mut(), options);
            LLVMDisposePassBuilderOptions(options);
            error
        };
        if error.is_null() {
            return Ok(());
        }
        // SAFETY: an error is consumed by asking for its message, which is disposed of in turn.
        unsafe {
            let message = llvm_sys::error::LLVMGetErrorMessage(error);
            let said = CStr::from_ptr(message).to_string_lossy().into_owned();
            llvm_sys::error::LLVMDisposeErrorMessage(message);
            Err(Diagnostic(said))
        }
    }

    /// Gives a module that has no data layout, as handwritten ones do, that of x86-64.
    pub fn complete_layout(&mut self) {
        let given = call!(CStr::from_ptr(LLVMGetDataLayoutStr(self.module)));
        if given.is_empty() {
            call!(LLVMSetDataLayout(self.module, X86_64_LAYOUT.as_ptr()));
        }
    }

    /// The target triple; empty if the module names none.
    pub fn triple(&self) -> String {
        let start = call!(LLVMGetTarget(self.module));
        let triple = call!(CStr::from_ptr(start));
        triple.to_string_lossy().into_owned()
    }

    /// Sizes and offsets of types.
    pub fn data_layout(&self) -> DataLayout<'_> {
        DataLayout(call!(llvm_sys::target::LLVMGetModuleDataLayout(self.module)), PhantomData)
    }

    fn walk(
        &self,
        first: unsafe extern "C" fn(LLVMModuleRef) -> LLVMValueRef,
        next: unsafe extern "C" fn(LLVMValueRef) -> LLVMValueRef,
    ) -> Vec<Value<'_>> {
        let mut found = Vec::new();
        let mut at = call!(first(self.module));
        while !at.is_null() {
            found.push(Value::new(at));
            at = call!(next(at));
        }
        found
    }

    /// All functions, declared or defined, in module order.
    pub fn functions(&self) -> Vec<Value<'_>> {
        self.walk(LLVMGetFirstFunction, LLVMGetNextFunction)
    }

    /// All global variables.
    pub fn globals(&self) -> Vec<Value<'_>> {
        self.walk(LLVMGetFirstGlobal, LLVMGetNextGlobal)
    }

    /// All aliases.
    pub fn aliases(&self) -> Vec<Value<'_>> {
        self.walk(LLVMGetFirstGlobalAlias, LLVMGetNextGlobalAlias)
    }

    /// All indirect functions.
    pub fn indirect_functions(&self) -> Vec<Value<'_>> {
        self.walk(LLVMGetFirstGlobalIFunc, LLVMGetNextGlobalIFunc)
    }

    /// An integer type of `bits`, for reinterpreting constants.
    pub fn integer_type(&self, bits: u32) -> super::Type<'_> {
        super::Type::new(call!(LLVMIntTypeInContext(self.context, bits)))
    }
}

fn calls_returning_twice(function: Value<'_>) -> bool {
    function.blocks().into_iter().flat_map(super::Block::instructions).any(|instruction| {
        instruction.is_call() && {
            let name = instruction.callee().name();
            symx_ir::path_numbering::returns_twice(&name) || name == SETJMP_INTRINSIC
        }
    })
}
