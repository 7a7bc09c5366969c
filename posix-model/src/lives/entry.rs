//! Starting at another function than `main`: its parameters are symbolic.

use crate::answer::{PosixCall, Step, invoke};
use symx_interp::value::{Byte, Value};
use symx_trace::InputOrigin;
use symx_trace::input::EntryPoint;

/// Calls the function. An integer or a float has any value; a pointer leads to an object of its own, of a
/// fixed size and with any content.
pub(crate) fn start(call: &mut PosixCall<'_, '_>, entry: &EntryPoint) -> Step {
    let program = call.program();
    let Some(id) = program.function_named(&entry.function) else {
        return Err(call.unsupported(format!("a program without a function `{}`", entry.function)));
    };
    let address = program.function_address(id);
    let parameters = program.function(id).params.clone();
    let mut arguments = Vec::with_capacity(parameters.len());
    for (number, parameter) in (1..).zip(parameters) {
        let (name, origin) = (format!("parameter{number}"), InputOrigin::Parameter(number));
        if parameter.pointer {
            let Some(object) = call.allocate_given(entry.bytes, id) else {
                return Err(call.unsupported("so large an object for a parameter"));
            };
            call.make_symbolic(object, entry.bytes, &name, origin)?;
            arguments.push(Value::Concrete(object));
        } else {
            let bytes = call.symbolic_bytes(parameter.bits.div_ceil(8).into(), &name, origin)?;
            let value = Byte::join(call.terms(), bytes.iter().map(|term| Byte::Symbolic(*term)));
            let terms = call.terms();
            let value = terms.extract(value.term(terms, parameter.bits), 0, parameter.bits);
            arguments.push(Value::of(terms, value));
        }
    }
    invoke(address, arguments)
}
