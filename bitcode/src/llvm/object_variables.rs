//! Debug records on objects: which variable a stack slot is, and which one holds the address that a call
//! returns.

use super::debug_records::debug_records;
use super::metadata::Metadata;
use super::{Parsed, Value, tag};
use llvm_sys::LLVMDbgRecordKind;
use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMDbgRecordRef, LLVMValueRef};

/// DWARF's numbers of types that refer to another one: typedef, `const`, `volatile`, `restrict`, `_Atomic`.
const STANDS_FOR_ANOTHER: [u16; 5] = [0x16, 0x26, 0x35, 0x37, 0x47];

/// Typedefs of typedefs that are looked through.
const MOST_ALIASES: u32 = 32;

/// A variable, and a value that has to do with it.
pub struct ObjectVariable<'m> {
    /// A stack slot, or a call.
    pub value: Value<'m>,
    /// The variable.
    pub variable: Metadata<'m>,
    /// Where the record belongs.
    pub location: Option<Metadata<'m>>,
}

impl<'m> Value<'m> {
    /// The stack slot before this instruction, if a record here says that the slot is assigned to a variable
    /// (assignment tracking, from -O1 on). Records of a slot's creation come right after it.
    pub fn assigned_slot(self) -> Option<ObjectVariable<'m>> {
        let slot = call!(LLVMGetPreviousInstruction(self.raw()));
        if slot.is_null() || call!(LLVMIsAAllocaInst(slot)).is_null() {
            return None;
        }
        self.records(|record, kind| {
            let is_creation = kind == LLVMDbgRecordKind::LLVMDbgRecordAssign && {
                let value = call!(LLVMDbgVariableRecordGetValue(record, 0));
                !value.is_null() && call!(LLVMIsPoison(value)) != 0
            };
            is_creation.then_some(slot)
        })
        .into_iter()
        .next()
    }

    /// Calls whose results records before this instruction say variables to hold.
    pub fn held_results(self) -> Vec<ObjectVariable<'m>> {
        self.records(|record, kind| {
            if kind != LLVMDbgRecordKind::LLVMDbgRecordValue {
                return None;
            }
            let value = call!(LLVMDbgVariableRecordGetValue(record, 0));
            let is_call = !value.is_null()
                && (!call!(LLVMIsACallInst(value)).is_null() || !call!(LLVMIsAInvokeInst(value)).is_null());
            is_call.then_some(value)
        })
    }

    /// Pointers that instructions make and that records before this one say variables to hold.
    pub fn held_pointers(self) -> Vec<ObjectVariable<'m>> {
        self.records(|record, kind| {
            if kind != LLVMDbgRecordKind::LLVMDbgRecordValue {
                return None;
            }
            let value = call!(LLVMDbgVariableRecordGetValue(record, 0));
            let is_instruction = !value.is_null()
                && !call!(LLVMIsAInstruction(value)).is_null()
                && call!(LLVMIsAAllocaInst(value)).is_null();
            let is_pointer =
                is_instruction && Value::new(value).type_of().kind() == super::TypeKind::LLVMPointerTypeKind;
            is_pointer.then_some(value)
        })
    }

    /// Parameters of the function that records before this instruction say variables to hold; of a `_Bool`,
    /// which is passed in one bit, the byte that it is made.
    pub fn held_parameters(self) -> Vec<ObjectVariable<'m>> {
        self.records(|record, kind| {
            if kind != LLVMDbgRecordKind::LLVMDbgRecordValue {
                return None;
            }
            let value = call!(LLVMDbgVariableRecordGetValue(record, 0));
            (!value.is_null()).then(|| Value::new(value).parameter()).flatten().map(Value::raw)
        })
    }

    /// The parameter that this value is, or of which it is the extension.
    pub fn parameter(self) -> Option<Self> {
        let is_extension = !call!(LLVMIsAZExtInst(self.raw())).is_null();
        let value = if is_extension { self.operand(0) } else { self };
        (!call!(LLVMIsAArgument(value.raw())).is_null()).then_some(value)
    }

    fn records(
        self,
        value_of: impl Fn(LLVMDbgRecordRef, LLVMDbgRecordKind) -> Option<LLVMValueRef>,
    ) -> Vec<ObjectVariable<'m>> {
        let of_values = debug_records(self.raw()).filter_map(|(record, kind)| {
            let value = value_of(record, kind)?;
            let variable = Metadata::new(call!(LLVMDbgVariableRecordGetVariable(record)))?;
            let location = Metadata::new(call!(LLVMDbgRecordGetDebugLoc(record)));
            Some(ObjectVariable { value: Value::new(value), variable, location })
        });
        of_values.collect()
    }
}

impl<'m> Metadata<'m> {
    /// The type that a pointer points to, of a variable's type; `None` of other types. Nothing within for
    /// `void *`.
    pub fn pointee(self, module: &'m Parsed) -> Option<Option<Self>> {
        let mut of = self;
        for _ in 0..MOST_ALIASES {
            if !matches!(of.kind(), super::MetadataKind::LLVMDIDerivedTypeMetadataKind) {
                return None;
            }
            match of.tag() {
                tag::POINTER => return Some(of.base_type(module)),
                tag if STANDS_FOR_ANOTHER.contains(&tag) => of = of.base_type(module)?,
                _ => return None,
            }
        }
        None
    }
}
