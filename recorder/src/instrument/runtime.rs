//! References of an instrumented module to the runtime.

use super::InstrumentError;
use super::time_stamp::note_time_stamps;
use crate::module::Module;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::collections::HashMap;
use std::ffi::CString;
use symx_trace::profile::{FUNCTIONS, ProgramHash, TIME_STAMP};

/// Functions of the C library that the runtime stands in for.
const STAND_INS: [(&str, &str); 13] = [
    ("pthread_create", "symx_recorder_pthread_create"),
    ("thrd_create", "symx_recorder_thrd_create"),
    ("sigaction", "symx_recorder_sigaction"),
    ("signal", "symx_recorder_signal"),
    ("bsd_signal", "symx_recorder_signal"),
    ("ssignal", "symx_recorder_signal"),
    // The name of `signal` where a program asks for System V's.
    ("__sysv_signal", "symx_recorder_sysv_signal"),
    ("sysv_signal", "symx_recorder_sysv_signal"),
    ("sigset", "symx_recorder_sigset"),
    ("sigaltstack", "symx_recorder_sigaltstack"),
    ("dlopen", "symx_recorder_dlopen"),
    ("getenv", "symx_recorder_getenv"),
    // The child of vfork would write over its parent's record; fork is allowed to take its place.
    ("vfork", "fork"),
];

/// The compiler's names for reading the processor's time stamp.
const TIME_STAMPS: [&str; 3] = ["llvm.x86.rdtsc", "llvm.readcyclecounter", "llvm.readsteadycounter"];

/// Whether the runtime, or another function, takes the place of a function.
pub(crate) fn has_stand_in(name: &str) -> bool {
    STAND_INS.iter().any(|(function, _)| *function == name)
}

/// Functions that switch away from the shadow stack of a thread.
const UNSUPPORTED: [&str; 3] = ["makecontext", "swapcontext", "setcontext"];

/// The runtime's functions, declared in the module.
pub(crate) struct Runtime {
    /// The type of function indices, path numbers and sums.
    pub(crate) int: LLVMTypeRef,
    /// Each function and its type, by its name without `symx_recorder_`.
    pub(crate) functions: HashMap<&'static str, (LLVMValueRef, LLVMTypeRef)>,
}

impl Runtime {
    pub(crate) fn declare(module: &Module) -> Self {
        // SAFETY: types and functions of one context.
        unsafe {
            let int = LLVMInt32TypeInContext(module.context);
            let frame = LLVMPointerTypeInContext(module.context, 0);
            let none = LLVMVoidTypeInContext(module.context);
            let mut functions = HashMap::new();
            let mut declare = |name: &'static str, result, parameters: &mut [LLVMTypeRef]| {
                let kind = LLVMFunctionType(result, parameters.as_mut_ptr(), parameters.len() as u32, 0);
                let full = CString::new(format!("symx_recorder_{name}")).expect("a name without NUL");
                functions.insert(name, (LLVMAddFunction(module.module, full.as_ptr(), kind), kind));
            };
            declare("enter", frame, &mut [int, int]);
            declare("leave", none, &mut [frame, int, int]);
            declare("path", none, &mut [frame, int, int, int, int]);
            declare("begin_stretch", frame, &mut [frame, int]);
            declare("end_stretch", none, &mut [frame, int, frame]);
            declare("begin_function", frame, &mut [frame]);
            declare("end_function", none, &mut [frame]);
            declare("so_far", none, &mut [int, frame]);
            declare("complete", none, &mut [int, frame]);
            declare("round", none, &mut [frame, int, int, int, int, frame, frame, frame]);
            let long = LLVMInt64TypeInContext(module.context);
            declare("rounds", none, &mut [int, long, int]);
            declare("into_loop", none, &mut [int, int, frame]);
            declare("out_of_loop", none, &mut [int, long, int, int, frame]);
            declare("in_loop", none, &mut [frame, int]);
            declare("sum", none, &mut [frame, int]);
            declare("saved_sum", int, &mut [frame]);
            declare("returned", none, &mut [frame, int, int]);
            declare("caught", none, &mut [frame]);
            declare("before_call", none, &mut [int]);
            declare("after_call", none, &mut []);
            Runtime { int, functions }
        }
    }
}

/// Puts the runtime's functions where the program names those of the C library.
pub(crate) fn stand_in(module: &Module) -> Result<(), InstrumentError> {
    let declared = |name| {
        // SAFETY: a function of the module.
        module.function(name).filter(|&function| unsafe { LLVMIsDeclaration(function) } != 0)
    };
    for what in UNSUPPORTED {
        if declared(what).is_some() {
            return Err(InstrumentError::Unsupported {
                function: what.to_string(),
                what: "a switch of stacks",
            });
        }
    }
    let noted: Vec<_> =
        FUNCTIONS.iter().map(|input| (input.name, format!("symx_recorder_{}", input.name))).collect();
    let noted = noted.iter().map(|(name, replacement)| (*name, replacement.as_str()));
    for (name, replacement) in STAND_INS.into_iter().chain(noted) {
        module.stand_in(name, replacement);
    }
    for name in TIME_STAMPS {
        module.stand_in(name, &format!("symx_recorder_{TIME_STAMP}"));
    }
    module.stand_in("llvm.x86.rdtscp", "symx_recorder_rdtscp");
    note_time_stamps(module);
    Ok(())
}

/// Defines the constant by which the runtime knows what program it is in.
pub(crate) fn add_hash(module: &Module, hash: ProgramHash) {
    // SAFETY: the initialiser has the type of the global.
    unsafe {
        let bytes = LLVMConstStringInContext2(module.context, hash.0.as_ptr().cast(), hash.0.len(), 1);
        let global = LLVMAddGlobal(module.module, LLVMTypeOf(bytes), c"symx_recorder_program".as_ptr());
        LLVMSetInitializer(global, bytes);
        LLVMSetGlobalConstant(global, 1);
    }
}
