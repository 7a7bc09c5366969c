//! Where a program calls unknown external functions.

use symx_interp::machine::Machine;
use symx_interp::stop::position::location;
use symx_interp::stop::unknown_external;
use symx_ir::function::CallTarget;
use symx_ir::{ExternalId, Inst, Program};
use symx_posix_model::Posix;
use symx_trace::Location;

/// All places of the program's own code that call the unknown external function in `what`, the words of a
/// reason for being incomplete. None if that is about something else.
pub fn call_sites(machine: &Machine<Posix>, what: &str) -> Vec<Location> {
    let program = &*machine.program;
    let unknown = |(external, model): &(&symx_ir::External, &Option<_>)| {
        model.is_none() && unknown_external(&external.name) == what
    };
    let number = program.externals.iter().zip(&machine.externals).position(|entry| unknown(&entry));
    number.map_or_else(Vec::new, |number| callers(program, ExternalId(number as u32)))
}

fn callers(program: &Program, external: ExternalId) -> Vec<Location> {
    let mut places = Vec::new();
    for function in program.functions.iter().filter(|function| function.in_program) {
        for (inst, span) in function.code.iter().zip(&function.spans) {
            if let Inst::Call { site } = inst
                && matches!(function.calls[*site as usize].target, CallTarget::External(id) if id == external)
            {
                let place = location(program, *span);
                if place.line != 0 && !places.contains(&place) {
                    places.push(place);
                }
            }
        }
    }
    places
}
