//! Whether a call passes what the function takes, and what a common machine makes of it where it does not.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::stop::{Fault, Stop};
use crate::value::Value;
use crate::words::plain_call::difference;
use std::cmp::Ordering;
use symx_ir::function::{Argument, Param};
use symx_ir::program::LinkedFunction;
use symx_ir::{CallSite, FunctionId};
use symx_trace::{FailureDetail, FailureKind, Forgivable};

fn in_words(index: usize, argument: &Argument, param: &Param) -> String {
    let number = index + 1;
    match (argument.bits, param.bits) {
        (given, taken) if given != taken => {
            format!("argument {number} has {given} bits, its parameter {taken}")
        }
        _ => format!("argument {number} is passed in another register than its parameter"),
    }
}

/// The worst error of a call through a pointer, if there is one. (Its result may be ignored.)
fn worst(function: &LinkedFunction, site: &CallSite) -> Option<(FailureDetail, String)> {
    let (given, taken) = (&site.arguments, &function.params);
    let mut found: Option<(FailureDetail, String)> = None;
    for (index, (argument, param)) in given.iter().zip(taken).enumerate() {
        let Some(detail) = difference(argument, param) else { continue };
        if found.as_ref().is_none_or(|(known, _)| severity(*known) < severity(detail)) {
            found = Some((detail, in_words(index, argument, param)));
        }
    }
    let order = given.len().cmp(&taken.len());
    let of_count = match order {
        Ordering::Equal => return found,
        Ordering::Greater if function.variadic => return found,
        Ordering::Greater => FailureDetail::SurplusArguments,
        Ordering::Less => FailureDetail::MismatchedCall,
    };
    match found {
        Some(found) if severity(found.0) >= severity(of_count) => Some(found),
        _ => Some((of_count, format!("{} arguments are passed, it takes {}", given.len(), taken.len()))),
    }
}

/// Of what machines do not bear.
const SEVEREST: u8 = 2;

/// Errors that are not forgiven come before those that are, so that forgiving one thing forgives what is
/// less.
fn severity(detail: FailureDetail) -> u8 {
    match detail {
        FailureDetail::MismatchedCall => SEVEREST,
        FailureDetail::WidenedArgument => 1,
        _ => 0,
    }
}

impl<E: Environment> Executor<'_, E> {
    /// Checks that a call passes what the function takes, and makes of the numbers in `values` what a common
    /// machine does, where that is forgiven.
    pub(super) fn fit_arguments(
        &mut self,
        id: FunctionId,
        site: &CallSite,
        values: &mut [Value],
    ) -> Result<(), Stop> {
        let machine = self.machine;
        let function = machine.program.function(id);
        let Some((detail, mismatch)) = worst(function, site) else { return Ok(()) };
        // The headers that a program is compiled with and the library's own may declare other widths.
        let is_between_headers = !function.in_program && severity(detail) < SEVEREST;
        if !is_between_headers && !Forgivable::of(detail).is_some_and(|class| self.forgives(class)) {
            let name = &function.source_name;
            let message = format!("`{name}` is called as a function of another type: {mismatch}");
            let mut fault = Fault::new(FailureKind::Memory, detail, message);
            fault.notes.push((format!("`{name}` is defined here"), function.span, None));
            return Err(fault.into());
        }
        for ((argument, slots), param) in site.slots().zip(&function.params) {
            if argument.bits != param.bits {
                values[slots.start] = self.fit(values[slots.start], param.bits);
            }
        }
        Ok(())
    }
}
