//! Debug information.

use super::{Of, Parsed, text};
use llvm_sys::LLVMDbgRecordKind;
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use std::marker::PhantomData;

pub use llvm_sys::debuginfo::LLVMMetadataKind as MetadataKind;

/// A metadata node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Metadata<'m>(LLVMMetadataRef, Of<'m>);

impl<'m> Metadata<'m> {
    /// The node, unless the handle is null.
    pub(super) fn new(raw: LLVMMetadataRef) -> Option<Self> {
        (!raw.is_null()).then_some(Self(raw, PhantomData))
    }

    /// What sort of node.
    pub fn kind(self) -> MetadataKind {
        call!(LLVMGetMetadataKind(self.0))
    }

    /// Line of a location.
    pub fn line(self) -> u32 {
        call!(LLVMDILocationGetLine(self.0))
    }

    /// Column of a location.
    pub fn column(self) -> u32 {
        call!(LLVMDILocationGetColumn(self.0))
    }

    /// Scope of a location.
    pub fn scope(self) -> Option<Self> {
        Self::new(call!(LLVMDILocationGetScope(self.0)))
    }

    /// Where a location was inlined to.
    pub fn inlined_at(self) -> Option<Self> {
        Self::new(call!(LLVMDILocationGetInlinedAt(self.0)))
    }

    /// File of a scope.
    pub fn file(self) -> Option<Self> {
        Self::new(call!(LLVMDIScopeGetFile(self.0)))
    }

    /// Directory and name of a file.
    pub fn file_name(self) -> (String, String) {
        let mut length = 0;
        let directory = call!(LLVMDIFileGetDirectory(self.0, &mut length));
        let directory = String::from_utf8_lossy(text(directory, length as usize)).into_owned();
        let name = call!(LLVMDIFileGetFilename(self.0, &mut length));
        (directory, String::from_utf8_lossy(text(name, length as usize)).into_owned())
    }

    /// Line of a subprogram.
    pub fn subprogram_line(self) -> u32 {
        call!(LLVMDISubprogramGetLine(self.0))
    }

    /// The variable of a global variable expression.
    pub fn global_variable(self) -> Option<Self> {
        Self::new(call!(LLVMDIGlobalVariableExpressionGetVariable(self.0)))
    }

    /// Name of a subprogram, local or global variable.
    pub fn name(self, module: &'m Parsed) -> Option<String> {
        // LLVM's order of operands: DISubprogram and DIGlobalVariable/DILocalVariable keep the name in these.
        let index = match self.kind() {
            MetadataKind::LLVMDISubprogramMetadataKind => 2,
            MetadataKind::LLVMDILocalVariableMetadataKind
            | MetadataKind::LLVMDIGlobalVariableMetadataKind => 1,
            _ => return None,
        };
        super::Value::new(self.operand(module, index)?).metadata_text()
    }

    /// The scope around a lexical block.
    pub fn parent_scope(self, module: &'m Parsed) -> Option<Self> {
        let operand = self.operand(module, 1)?;
        Self::new(call!(LLVMValueAsMetadata(operand)))
    }

    fn operand(self, module: &'m Parsed, index: usize) -> Option<LLVMValueRef> {
        let value = module.as_value(self.0);
        let mut operands = vec![std::ptr::null_mut(); call!(LLVMGetMDNodeNumOperands(value)) as usize];
        call!(LLVMGetMDNodeOperands(value, operands.as_mut_ptr()));
        operands.get(index).copied().filter(|operand| !operand.is_null())
    }
}

/// The variables that `#dbg_declare` and `#dbg_value` records before `instruction` name: the value and the variable.
pub fn declared_variables(instruction: LLVMValueRef) -> Vec<(LLVMValueRef, LLVMMetadataRef)> {
    let mut found = Vec::new();
    let mut record = call!(LLVMGetFirstDbgRecord(instruction));
    while !record.is_null() {
        if call!(LLVMDbgRecordGetKind(record)) == LLVMDbgRecordKind::LLVMDbgRecordDeclare {
            let value = call!(LLVMDbgVariableRecordGetValue(record, 0));
            if !value.is_null() {
                found.push((value, call!(LLVMDbgVariableRecordGetVariable(record))));
            }
        }
        record = call!(LLVMGetNextDbgRecord(record));
    }
    found
}
