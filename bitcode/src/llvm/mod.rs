//! LLVM's C interface, wrapped in handles that cannot outlive their module: the only folder with `unsafe`
//! calls.
//!
//! The methods do no more than call LLVM. Like the C functions, those named after a kind of instruction or
//! constant expect that kind: callers look at [`Value::kind`] and [`Value::opcode`] first. A verified module
//! then satisfies every assumption that LLVM's accessors make.

use std::marker::PhantomData;

/// Calls LLVM with handles of the present module.
macro_rules! call {
    ($call:expr) => {
        // SAFETY: handles borrow the module that owns what they point to, so they are alive. The callers have
        // established the kind of value that the function expects, as the module documentation demands.
        unsafe { $call }
    };
}

mod debug_records;
mod metadata;
mod module;
mod object_variables;
mod one_type;
mod parsed;
mod scopes;
pub mod tag;
mod types;
mod unassigned;
mod value;

pub use metadata::{Metadata, MetadataKind};
pub use module::Diagnostic;
pub use parsed::Parsed;
pub use types::{DataLayout, Type, TypeKind};
pub use value::{Block, LLVMLinkage as LinkageKind, Opcode, Value, ValueKind, VariableRecord};

/// The version linked.
pub const VERSION: &str = "22";
/// Its major number.
pub const MAJOR: u32 = 22;

/// The version linked, in full: `22.1.0`.
pub fn full_version() -> String {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: LLVM writes one number to each of three live variables.
    unsafe { llvm_sys::core::LLVMGetVersion(&mut major, &mut minor, &mut patch) };
    format!("{major}.{minor}.{patch}")
}

/// Ties a handle to the module it came from.
type Of<'m> = PhantomData<&'m Parsed>;

/// Text of LLVM's, which need not be UTF-8.
fn text<'m>(start: *const std::ffi::c_char, length: usize) -> &'m [u8] {
    if start.is_null() || length == 0 {
        return &[];
    }
    // SAFETY: LLVM handed out `length` bytes at `start`, owned by the module or context of 'm.
    unsafe { std::slice::from_raw_parts(start.cast(), length) }
}

/// Takes over a message that LLVM allocated.
fn owned_message(message: *mut std::ffi::c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: a message is a NUL-terminated string, and ours to dispose of once.
    unsafe {
        let text = std::ffi::CStr::from_ptr(message).to_string_lossy().into_owned();
        llvm_sys::core::LLVMDisposeMessage(message);
        text
    }
}
