//! Types and their layout in memory.

use super::{Of, owned_message};
pub use llvm_sys::LLVMTypeKind as TypeKind;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::*;
use std::marker::PhantomData;

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Type<'m>(pub(super) LLVMTypeRef, Of<'m>);

impl<'m> Type<'m> {
    pub(super) fn new(raw: LLVMTypeRef) -> Self {
        Self(raw, PhantomData)
    }

    /// The kind of type.
    pub fn kind(self) -> TypeKind {
        call!(LLVMGetTypeKind(self.0))
    }

    /// Width of an integer type in bits.
    pub fn integer_bits(self) -> u32 {
        call!(LLVMGetIntTypeWidth(self.0))
    }

    /// The type itself or, of a vector, its element's.
    pub fn scalar(self) -> Type<'m> {
        if self.kind() == TypeKind::LLVMVectorTypeKind { self.element() } else { self }
    }

    /// Element type of an array or vector.
    pub fn element(self) -> Type<'m> {
        Type::new(call!(LLVMGetElementType(self.0)))
    }

    /// Count of elements of an array, vector or struct.
    pub fn length(self) -> u64 {
        match self.kind() {
            TypeKind::LLVMArrayTypeKind => call!(LLVMGetArrayLength2(self.0)),
            TypeKind::LLVMVectorTypeKind => u64::from(call!(LLVMGetVectorSize(self.0))),
            _ => u64::from(call!(LLVMCountStructElementTypes(self.0))),
        }
    }

    /// Type of field `index` of a struct.
    pub fn field(self, index: u32) -> Type<'m> {
        Type::new(call!(LLVMStructGetTypeAtIndex(self.0, index)))
    }

    /// Result of a function type.
    pub fn result(self) -> Type<'m> {
        Type::new(call!(LLVMGetReturnType(self.0)))
    }

    /// Whether a function type takes variable arguments.
    pub fn is_variadic(self) -> bool {
        call!(LLVMIsFunctionVarArg(self.0)) != 0
    }

    /// As LLVM writes it.
    pub fn print(self) -> String {
        owned_message(call!(LLVMPrintTypeToString(self.0)))
    }
}

/// Sizes and offsets, as the module's data layout string has them.
#[derive(Clone, Copy)]
pub struct DataLayout<'m>(pub(super) LLVMTargetDataRef, pub(super) Of<'m>);

impl<'m> DataLayout<'m> {
    /// Bytes from one array element to the next.
    pub fn allocated_size(self, of: Type<'m>) -> u64 {
        call!(LLVMABISizeOfType(self.0, of.0))
    }

    /// Bytes a store writes.
    pub fn store_size(self, of: Type<'m>) -> u64 {
        call!(LLVMStoreSizeOfType(self.0, of.0))
    }

    /// Alignment in bytes.
    pub fn alignment(self, of: Type<'m>) -> u32 {
        call!(LLVMABIAlignmentOfType(self.0, of.0))
    }

    /// Byte offset of field `index` of a struct.
    pub fn field_offset(self, of: Type<'m>, index: u32) -> u64 {
        call!(LLVMOffsetOfElement(self.0, of.0, index))
    }

    /// Bytes of a pointer.
    pub fn pointer_size(self) -> u32 {
        call!(LLVMPointerSize(self.0))
    }

    /// Whether the least significant byte comes first.
    pub fn is_little_endian(self) -> bool {
        call!(LLVMByteOrder(self.0)) == LLVMByteOrdering::LLVMLittleEndian
    }
}
