//! An LLVM module owned together with its context.

use llvm_sys::LLVMDiagnosticSeverity;
use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer;
use llvm_sys::core::*;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::ir_reader::LLVMParseIRInContext2;
use llvm_sys::linker::LLVMLinkModules2;
use llvm_sys::prelude::*;
use llvm_sys::transforms::pass_builder::{
    LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions, LLVMRunPasses,
};
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::null_mut;
use symx_ir::known_functions::is_of_cxx;

/// A module and the context it lives in.
pub(crate) struct Module {
    pub(crate) context: LLVMContextRef,
    pub(crate) module: LLVMModuleRef,
}

impl Module {
    /// Parses bitcode or textual IR; the error is LLVM's message.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        // SAFETY: the context is disposed of by `Drop` or below; no pointer into it outlives it.
        unsafe {
            let context = LLVMContextCreate();
            LLVMContextSetDiagnosticHandler(context, Some(ignore_diagnostic), null_mut());
            match parse_into(context, bytes) {
                Ok(module) => Ok(Module { context, module }),
                Err(message) => {
                    LLVMContextDispose(context);
                    Err(message)
                }
            }
        }
    }

    /// Links another module, given as bitcode, into this one; the error is what LLVM's linker says.
    pub(crate) fn link(&mut self, other: &[u8]) -> Result<(), String> {
        let mut said: Vec<String> = Vec::new();
        // SAFETY: both modules are of one context; the linker consumes the other. The handler's argument
        // outlives the handler.
        let refused = unsafe {
            let other = parse_into(self.context, other)?;
            LLVMContextSetDiagnosticHandler(self.context, Some(note_error), (&raw mut said).cast());
            let refused = LLVMLinkModules2(self.module, other) != 0;
            LLVMContextSetDiagnosticHandler(self.context, Some(ignore_diagnostic), null_mut());
            refused
        };
        match refused {
            false => Ok(()),
            true if said.is_empty() => Err("LLVM's linker refuses without a reason".to_string()),
            true => Err(said.join("; ")),
        }
    }

    /// Whether it calls for a C++ runtime: declares a function whose name is of that ABI.
    pub(crate) fn needs_cxx(&self) -> bool {
        // SAFETY: functions of the module, which outlives the walk, and their names as long as LLVM says.
        unsafe {
            let mut function = LLVMGetFirstFunction(self.module);
            while !function.is_null() {
                let mut length = 0;
                let start = LLVMGetValueName2(function, &mut length);
                let name = std::slice::from_raw_parts(start.cast::<u8>(), length);
                if LLVMIsDeclaration(function) != 0 && str::from_utf8(name).is_ok_and(is_of_cxx) {
                    return true;
                }
                function = LLVMGetNextFunction(function);
            }
        }
        false
    }

    /// Runs a pipeline of passes.
    pub(crate) fn run_passes(&mut self, passes: &str) -> Result<(), String> {
        let passes = CString::new(passes).map_err(|error| error.to_string())?;
        // SAFETY: a null target machine is allowed; the error message is copied before it is disposed of.
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let error = LLVMRunPasses(self.module, passes.as_ptr(), null_mut(), options);
            LLVMDisposePassBuilderOptions(options);
            if error.is_null() {
                return Ok(());
            }
            let message = LLVMGetErrorMessage(error);
            let text = CStr::from_ptr(message).to_string_lossy().into_owned();
            LLVMDisposeErrorMessage(message);
            Err(text)
        }
    }

    /// Checks the module's invariants.
    pub(crate) fn verify(&self) -> Result<(), String> {
        let mut message = null_mut();
        // SAFETY: LLVM sets the message whether or not the module is broken; `take_message` frees it.
        unsafe {
            let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
            let is_broken = LLVMVerifyModule(self.module, action, &mut message) != 0;
            let text = take_message(message);
            if is_broken { Err(text) } else { Ok(()) }
        }
    }

    /// The module as bitcode.
    pub(crate) fn bitcode(&self) -> Vec<u8> {
        // SAFETY: the buffer is copied before it is disposed of.
        unsafe {
            let buffer = LLVMWriteBitcodeToMemoryBuffer(self.module);
            let start = LLVMGetBufferStart(buffer).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, LLVMGetBufferSize(buffer)).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            bytes
        }
    }

    /// All functions, in module order.
    pub(crate) fn functions(&self) -> Vec<LLVMValueRef> {
        // SAFETY: the list is not changed while it is walked.
        unsafe { list(LLVMGetFirstFunction(self.module), |function| LLVMGetNextFunction(function)) }
    }

    /// The function of this name, if the module has one.
    pub(crate) fn function(&self, name: &str) -> Option<LLVMValueRef> {
        let name = CString::new(name).ok()?;
        // SAFETY: plain lookup.
        let function = unsafe { LLVMGetNamedFunction(self.module, name.as_ptr()) };
        (!function.is_null()).then_some(function)
    }

    /// Puts another function in place of one that is declared and not defined, if the module names that.
    pub(crate) fn stand_in(&self, name: &str, replacement: &str) {
        // SAFETY: a function of the module.
        let is_declared = |function: &LLVMValueRef| unsafe { LLVMIsDeclaration(*function) } != 0;
        let Some(function) = self.function(name).filter(is_declared) else { return };
        let replacement = CString::new(replacement).expect("a name without NUL");
        // SAFETY: the replacement has the same type; a function of that name is reused.
        unsafe {
            let mut other = LLVMGetNamedFunction(self.module, replacement.as_ptr());
            if other.is_null() {
                let kind = LLVMGlobalGetValueType(function);
                other = LLVMAddFunction(self.module, replacement.as_ptr(), kind);
            }
            LLVMReplaceAllUsesWith(function, other);
        }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: both are owned; the module goes before its context.
        unsafe {
            LLVMDisposeModule(self.module);
            LLVMContextDispose(self.context);
        }
    }
}

/// The elements of one of LLVM's linked lists.
pub(crate) fn list<T>(first: *mut T, next: impl Fn(*mut T) -> *mut T) -> Vec<*mut T> {
    let some = |element: *mut T| (!element.is_null()).then_some(element);
    std::iter::successors(some(first), |&element| some(next(element))).collect()
}

/// A value's name; empty if it has none.
pub(crate) fn name_of(value: LLVMValueRef) -> String {
    let mut length = 0;
    // SAFETY: the name is valid for `length` bytes and copied at once.
    unsafe {
        let start = LLVMGetValueName2(value, &mut length).cast::<u8>();
        String::from_utf8_lossy(std::slice::from_raw_parts(start, length)).into_owned()
    }
}

/// Whether a function is one of LLVM's own.
pub(crate) fn is_intrinsic(function: LLVMValueRef) -> bool {
    // SAFETY: a function.
    unsafe { LLVMGetIntrinsicID(function) != 0 }
}

unsafe fn parse_into(context: LLVMContextRef, bytes: &[u8]) -> Result<LLVMModuleRef, String> {
    // SAFETY: the copy is NUL-terminated by LLVM, which textual IR needs.
    unsafe {
        let start = bytes.as_ptr().cast::<c_char>();
        let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(start, bytes.len(), c"program".as_ptr());
        let (mut module, mut message) = (null_mut(), null_mut());
        let failed = LLVMParseIRInContext2(context, buffer, &mut module, &mut message);
        LLVMDisposeMemoryBuffer(buffer);
        match failed {
            0 => Ok(module),
            _ => Err(take_message(message)),
        }
    }
}

unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: LLVM hands out a NUL-terminated string that the caller frees.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().trim().to_string();
        LLVMDisposeMessage(message);
        text
    }
}

/// LLVM's own handler ends the process on an error; errors come back as return values too.
extern "C" fn ignore_diagnostic(_: LLVMDiagnosticInfoRef, _: *mut c_void) {}

/// Notes what is wrong in the vector of texts that `said` points to.
extern "C" fn note_error(diagnostic: LLVMDiagnosticInfoRef, said: *mut c_void) {
    // SAFETY: `link` gave the vector, which nothing borrows while LLVM links.
    unsafe {
        if LLVMGetDiagInfoSeverity(diagnostic) == LLVMDiagnosticSeverity::LLVMDSError {
            (*said.cast::<Vec<String>>()).push(take_message(LLVMGetDiagInfoDescription(diagnostic)));
        }
    }
}
