//! Calls that move nothing but registers, and how what a call passes differs from what the function takes.

use std::cmp::Ordering;
use symx_ir::function::{Argument, ArgumentClass, Param, Passing};
use symx_ir::program::LinkedFunction;
use symx_ir::{CallSite, CallTarget, FunctionId, Operand, Program};
use symx_trace::FailureDetail;

/// Bits that a common machine's caller writes at least, the rest of the register being zero then.
const WRITTEN: u32 = 32;

/// How an argument differs from its parameter, if it does.
pub(crate) fn difference(argument: &Argument, param: &Param) -> Option<FailureDetail> {
    let (given, taken) = (argument.bits, param.bits);
    let is_number = argument.class == ArgumentClass::Integer && param.class == ArgumentClass::Integer;
    let is_one = argument.slots == 1 && param.slots == 1;
    match given.cmp(&taken) {
        Ordering::Equal if !is_one || argument.class == param.class => None,
        Ordering::Greater if is_number && is_one => Some(FailureDetail::NarrowedArgument),
        Ordering::Less if is_number && is_one && given == WRITTEN => Some(FailureDetail::WidenedArgument),
        _ => Some(FailureDetail::MismatchedCall),
    }
}

/// A call that only needs its arguments moved.
#[derive(Debug)]
pub(crate) struct PlainCall {
    pub callee: FunctionId,
    /// The operands for the callee's first registers.
    pub arguments: Box<[Operand]>,
}

impl PlainCall {
    /// The plain call that `site` is, if it is one.
    pub fn new(program: &Program, site: &CallSite) -> Option<Self> {
        let CallTarget::Function(callee) = site.target else { return None };
        let function = program.function(callee);
        let expected: usize = function.params.iter().map(|param| param.slots as usize).sum();
        let passed = site.arguments.iter().all(|argument| argument.passing == Passing::Value);
        if function.variadic || !passed || differs_in_registers(function, site) {
            return None;
        }
        let slots = |argument: &symx_ir::function::Argument| {
            let first = argument.operand;
            (0..argument.slots).map(move |slot| first.offset(slot))
        };
        // Arguments that the callee does not expect are dropped; missing ones are reported elsewhere.
        let arguments: Box<[Operand]> = site.arguments.iter().flat_map(slots).take(expected).collect();
        (arguments.len() == expected).then_some(Self { callee, arguments })
    }
}

/// Whether a call of a function by its name passes numbers of another width or in other registers. How
/// aggregates travel is not compared: other languages put them together otherwise. Nor is the count.
pub(crate) fn differs_in_registers(function: &LinkedFunction, site: &CallSite) -> bool {
    let pairs = site.arguments.iter().zip(&function.params);
    let mut pairs = pairs.take_while(|(argument, param)| argument.slots == param.slots);
    pairs.any(|(argument, param)| argument.slots == 1 && difference(argument, param).is_some())
}
