//! Starting at another function than `main`: its parameters are symbolic.

use crate::answer::{PosixCall, Step, invoke};
use symx_interp::value::{Byte, Value};
use symx_ir::{FunctionId, Program};
use symx_trace::input::EntryPoint;
use symx_trace::{InputOrigin, InputType};

/// Calls the function. An integer or a float has any value; a pointer leads to an object of its own, of a
/// fixed size and with any content. Inputs have the names and types that the source declares.
pub(crate) fn start(call: &mut PosixCall<'_, '_>, entry: &EntryPoint) -> Step {
    let program = call.program();
    let Some(id) = program.function_named(&entry.function) else {
        return Err(call.unsupported(format!("a program without a function `{}`", entry.function)));
    };
    let address = program.function_address(id);
    let parameters = program.function(id).params.clone();
    let mut arguments = Vec::with_capacity(parameters.len());
    for (index, parameter) in (0..).zip(parameters) {
        let length = u64::from(parameter.bits.div_ceil(8));
        let (name, declared) = declared(call.program(), id, index, length);
        let origin = InputOrigin::Parameter(index + 1);
        if parameter.pointer {
            let Some(object) = call.allocate_given(entry.bytes, id, index) else {
                return Err(call.unsupported("so large an object for a parameter"));
            };
            call.make_symbolic(object, entry.bytes, &name, origin)?;
            arguments.push(Value::Concrete(object));
        } else {
            let bytes = call.symbolic_number(length, &name, origin, declared)?;
            let value = Byte::join(call.terms(), bytes.iter().map(|term| Byte::Symbolic(*term)));
            let terms = call.terms();
            let value = terms.extract(value.term(terms, parameter.bits), 0, parameter.bits);
            arguments.push(Value::of(terms, value));
        }
    }
    invoke(address, arguments)
}

/// The name of a parameter, from 0, and the type of its number if debug information has that.
fn declared(program: &Program, function: FunctionId, index: u32, length: u64) -> (String, Option<InputType>) {
    match program.declared_parameter(function, index) {
        Some((name, of)) => {
            let numbers = of.and_then(|of| of.numbers(0, length));
            (name.to_owned(), numbers.map(|(encoding, size)| InputType { encoding, size }))
        }
        None => (format!("parameter{}", index + 1), None),
    }
}
