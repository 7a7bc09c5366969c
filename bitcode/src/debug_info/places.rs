//! Where a debug record says that a variable is.

use symx_ir::debug_info::{Base, PlaceOperation, VariablePlace};

/// The meaning of a `DIExpression`.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Expression {
    operations: Vec<PlaceOperation>,
    /// Whether the result is the variable's value even where it reads memory.
    is_value: bool,
    /// If it is about a part of the variable: the first bit, and how many.
    pub part: Option<(u64, u64)>,
}

impl Expression {
    /// Reads one as LLVM writes it; `None` if it has operations that are not understood.
    pub fn read(written: &str) -> Option<Self> {
        let (_, inside) = written.split_once("!DIExpression(")?;
        let mut words = inside.strip_suffix(')')?.split(", ").filter(|word| !word.is_empty());
        let mut read = Self { operations: Vec::new(), is_value: false, part: None };
        let mut pushed: Option<i64> = None;
        while let Some(word) = words.next() {
            match word {
                "DW_OP_deref" => read.operations.push(PlaceOperation::Dereference),
                "DW_OP_plus_uconst" => read.operations.push(PlaceOperation::Add(words.next()?.parse().ok()?)),
                "DW_OP_constu" | "DW_OP_consts" => {
                    pushed = Some(words.next()?.parse::<i128>().ok()? as i64);
                }
                "DW_OP_plus" => read.operations.push(PlaceOperation::Add(pushed.take()?)),
                "DW_OP_minus" => {
                    read.operations.push(PlaceOperation::Add(pushed.take()?.wrapping_neg()));
                }
                "DW_OP_stack_value" => read.is_value = true,
                "DW_OP_LLVM_fragment" => {
                    read.part = Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?));
                }
                "DW_OP_LLVM_arg" if words.next()? == "0" => {}
                // Registers hold nothing above a value's width, as after a conversion without sign.
                "DW_OP_LLVM_convert" => {
                    words.next()?;
                    if words.next()? != "DW_ATE_unsigned" {
                        return None;
                    }
                }
                _ => return None,
            }
        }
        pushed.is_none().then_some(read)
    }

    /// The place, computed from `base`; if that `declares` it, it is the variable's address.
    pub fn place(mut self, base: Base, declares: bool) -> VariablePlace {
        let is_address = match (declares, self.is_value) {
            (true, _) => true,
            (false, true) => false,
            // The last operation that reads memory means that the variable is there.
            (false, false) if self.operations.last() == Some(&PlaceOperation::Dereference) => {
                self.operations.pop();
                true
            }
            (false, false) => false,
        };
        VariablePlace { base, operations: self.operations, is_address, part: self.part }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_places() {
        let read = |inside: &str| Expression::read(&format!("!DIExpression({inside})"));
        let plain = read("").expect("an empty one").place(Base::Register(3), false);
        assert_eq!((plain.is_address, plain.operations.len(), plain.part), (false, 0, None));
        assert!(read("").expect("an empty one").place(Base::Register(3), true).is_address);
        let there = read("DW_OP_plus_uconst, 8, DW_OP_deref").expect("a place in memory");
        let there = there.place(Base::Register(3), false);
        assert_eq!((there.is_address, &there.operations[..]), (true, &[PlaceOperation::Add(8)][..]));
        let value = read("DW_OP_constu, 1, DW_OP_minus, DW_OP_stack_value, DW_OP_LLVM_fragment, 32, 32");
        let value = value.expect("a value").place(Base::Register(0), false);
        assert_eq!((value.is_address, value.part), (false, Some((32, 32))));
        assert_eq!(value.operations, [PlaceOperation::Add(-1)]);
        assert_eq!(read("DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_mul, DW_OP_stack_value"), None);
    }
}
