//! Several modules made one, as a linker makes one program of several objects.

use crate::module::{Module, list, name_of};
use llvm_sys::LLVMLinkage::{self, LLVMAvailableExternallyLinkage, LLVMInternalLinkage, LLVMPrivateLinkage};
use llvm_sys::LLVMVisibility::LLVMDefaultVisibility;
use llvm_sys::comdat::LLVMSetComdat;
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMValueRef;
use std::ptr::null_mut;

/// Links modules, each bitcode or textual IR, into one; that as bitcode. The error is LLVM's message.
pub fn link(modules: &[Vec<u8>]) -> Result<Vec<u8>, String> {
    let (first, others) = modules.split_first().ok_or("there is no module")?;
    if others.is_empty() {
        return Ok(first.clone());
    }
    let program = together(first, others)?;
    program.verify()?;
    Ok(program.bitcode())
}

/// What becomes of a name that a shared object defines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Definition {
    /// Others find it.
    Found,
    /// It is the object's own.
    Own,
    /// What comes before the object defines it, too: that is meant, also within the object.
    Replaced,
}

/// Links the modules of a shared object into one that can be linked with what is loaded beside it.
pub fn link_shared_object(modules: &[Vec<u8>], role: &dyn Fn(&str) -> Definition) -> Result<Vec<u8>, String> {
    let (first, others) = modules.split_first().ok_or("there is no module")?;
    let object = together(first, others)?;
    for value in definitions(&object) {
        let role = role(&name_of(value));
        if role != Definition::Found {
            // SAFETY: a definition of the module; one that is chosen for itself is in no comdat.
            unsafe {
                if !LLVMIsAGlobalObject(value).is_null() {
                    LLVMSetComdat(value, null_mut());
                }
                LLVMSetVisibility(value, LLVMDefaultVisibility);
                LLVMSetLinkage(value, linkage(value, role));
            }
        }
    }
    object.verify()?;
    Ok(object.bitcode())
}

fn together(first: &[u8], others: &[Vec<u8>]) -> Result<Module, String> {
    let mut all = Module::parse(first)?;
    for other in others {
        all.link(other)?;
    }
    Ok(all)
}

/// The linkage of what others do not find. Another name of something remains the object's own.
fn linkage(value: LLVMValueRef, role: Definition) -> LLVMLinkage {
    // SAFETY: a value of a module.
    let has_body = unsafe { !LLVMIsAFunction(value).is_null() || !LLVMIsAGlobalVariable(value).is_null() };
    match role {
        Definition::Replaced if has_body => LLVMAvailableExternallyLinkage,
        _ => LLVMInternalLinkage,
    }
}

/// What a module defines under names that others may see, but for what LLVM itself has names for.
fn definitions(module: &Module) -> Vec<LLVMValueRef> {
    // SAFETY: the lists are not changed while they are walked.
    unsafe {
        let mut all = module.functions();
        all.extend(list(LLVMGetFirstGlobal(module.module), |it| LLVMGetNextGlobal(it)));
        all.extend(list(LLVMGetFirstGlobalAlias(module.module), |it| LLVMGetNextGlobalAlias(it)));
        all.extend(list(LLVMGetFirstGlobalIFunc(module.module), |it| LLVMGetNextGlobalIFunc(it)));
        let local = [LLVMInternalLinkage, LLVMPrivateLinkage, LLVMAvailableExternallyLinkage];
        all.retain(|value| {
            let is_seen = LLVMIsDeclaration(*value) == 0 && !local.contains(&LLVMGetLinkage(*value));
            is_seen && !name_of(*value).starts_with("llvm.")
        });
        all
    }
}
