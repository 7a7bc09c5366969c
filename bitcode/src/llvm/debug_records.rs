//! The debug records before an instruction, which LLVM keeps as a linked list.

use llvm_sys::LLVMDbgRecordKind;
use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMDbgRecordRef, LLVMValueRef};

/// The debug records before `instruction`, in their order, each with its kind.
pub(super) fn debug_records(
    instruction: LLVMValueRef,
) -> impl Iterator<Item = (LLVMDbgRecordRef, LLVMDbgRecordKind)> {
    let some = |record: LLVMDbgRecordRef| (!record.is_null()).then_some(record);
    let first = some(call!(LLVMGetFirstDbgRecord(instruction)));
    let records = std::iter::successors(first, move |record| some(call!(LLVMGetNextDbgRecord(*record))));
    records.map(|record| (record, call!(LLVMDbgRecordGetKind(record))))
}
