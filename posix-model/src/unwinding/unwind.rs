//! The unwinder below C++ exceptions (and others that follow the Itanium ABI's first level).
//!
//! Nothing changes until it is known that something catches the exception. First the stack is searched for a
//! landing pad that does. Then landing pads are entered from the inside out, clean-ups on the way included.
//! Whether a type catches the exception is asked of the language's runtime, function by function, so the
//! rules are its own.

use crate::answer::{PosixCall, Step, function, int, invoke, nothing};
use crate::linked::CATCHES;
use crate::places::release;
use crate::row::{Row, row};
use crate::unwinding::joinable::joinable;
use imbl::OrdMap;
use smallvec::{SmallVec, smallvec};
use symx_interp::environment::Outcome;
use symx_interp::step::{LandingPad, PadClause, type_selector};
use symx_interp::threads::modelled::Role;
use symx_interp::value::Value;
use symx_ir::SpanId;
use symx_ir::known_functions::RESUME;
use symx_ir::known_functions::linker_names;
use symx_trace::{FailureDetail, FailureKind, Place, ThreadId};

/// Result of a search that finds nothing (`_URC_END_OF_STACK`).
const END_OF_STACK: i32 = 5;
/// Size of an exception's header (`_Unwind_Exception`).
const HEADER_BYTES: u64 = 32;
/// Kind of system object that a header without an exception is.
const HEADER: u32 = 7;
/// Flags passed to a stop function at the end of the stack: clean-up phase, forced, no frame left.
const AT_END_OF_STACK: u64 = 2 | 8 | 16;

/// Exceptions in flight, by the address of their header.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Exceptions {
    /// Where each was thrown first.
    thrown: OrdMap<u64, (SpanId, ThreadId)>,
    /// Those that nothing catches: the stop function and its argument. Without a function the thread ends.
    forced: OrdMap<u64, (u64, u64)>,
    /// The exceptions that take threads off their stacks.
    leaving: OrdMap<ThreadId, u64>,
}

impl Exceptions {
    /// Forgets exceptions whose memory is freed.
    pub fn forget(&mut self, start: u64, end: u64) {
        let gone: Vec<u64> = self.thrown.range(start..end).map(|(address, _)| *address).collect();
        for address in gone {
            self.thrown.remove(&address);
        }
    }
}

pub(crate) const ROWS: &[Row] = &[
    row(&["_Unwind_RaiseException", "_Unwind_Resume_or_Rethrow"], raise),
    row(&[RESUME], resume).in_role(Role::Resumes),
    row(&["_Unwind_ForcedUnwind"], force),
    row(&["_Unwind_DeleteException"], delete),
    // Programs cannot inspect frames: a stack has no return addresses.
    row(&["_Unwind_Backtrace"], |_| int(END_OF_STACK)),
    row(&["__symx_uncaught"], uncaught),
];

// The first scratch word says at which stage a call is. It is asking the runtime (then: activations searched,
// clause, type in it, the innermost pad that cleans up). Or it is about to land (then: activations that stay,
// selector).
const ASKING: u64 = 1;
const LANDING: u64 = 2;
/// The first scratch word of a call that is about to leave `pthread_once` routines.
const GIVING_UP: u64 = 3;

/// Where a search stands.
#[derive(Clone, Copy)]
struct Position {
    depth: u32,
    clause: usize,
    type_index: usize,
    /// The innermost pad that cleans up; 0 if none was met.
    cleanup: u32,
}

/// The verdict of a landing pad on an exception.
enum Verdict {
    /// It depends on whether this type catches it.
    Ask(u64),
    /// It lands it, with this selector.
    Lands(i32),
    /// None of its clauses does.
    Passes,
}

/// How a search ended.
enum Found {
    /// To be answered first.
    Answer(Step),
    /// Landing here, with this selector.
    Landing(u32, i32),
    /// Nothing left on the stack.
    Nothing,
}

fn raise(call: &mut PosixCall<'_, '_>) -> Step {
    let exception = call.argument(0)?;
    if call.phase() == 0 {
        let site = (call.caller_span(), call.thread());
        call.data().own.exceptions.thrown.entry(exception).or_insert(site);
    }
    unwind(call, exception, |_| int(END_OF_STACK))
}

/// Continues after a landing pad that only cleaned up.
fn resume(call: &mut PosixCall<'_, '_>) -> Step {
    let exception = call.argument(0)?;
    unwind(call, exception, |call| {
        Err(call.fault(
            FailureKind::Abort,
            FailureDetail::Plain,
            "an exception resumes unwinding, and no handler is left on the stack",
        ))
    })
}

/// `_Unwind_ForcedUnwind(exception, stop, argument)`: runs every clean-up of the stack.
fn force(call: &mut PosixCall<'_, '_>) -> Step {
    let (exception, stop, argument) = (call.argument(0)?, call.argument(1)?, call.argument(2)?);
    call.data().own.exceptions.forced.insert(exception, (stop, argument));
    unwind(call, exception, |_| int(END_OF_STACK))
}

/// Moves on to the next landing pad; `at_end` says what to do if none is left for an exception
/// that is not forced.
fn unwind(
    call: &mut PosixCall<'_, '_>,
    exception: u64,
    at_end: impl FnOnce(&mut PosixCall<'_, '_>) -> Step,
) -> Step {
    let forced = call.state().data.own.exceptions.forced.get(&exception).copied();
    match (search(call, exception, forced.is_some()), forced) {
        (Found::Answer(answer), _) => answer,
        (Found::Landing(depth, selector), _) => land(call, exception, depth, selector),
        (Found::Nothing, Some((stop, argument))) => stop_at_end(call, exception, stop, argument),
        (Found::Nothing, None) => at_end(call),
    }
}

/// Leaves the stack of a thread that ends. If something on it has to run (destructors of C++ objects), that
/// is a forced exception of no language's class.
pub(crate) fn leave_thread(call: &mut PosixCall<'_, '_>) -> Step {
    let me = call.thread();
    let exception = match call.state().data.own.exceptions.leaving.get(&me) {
        Some(exception) => *exception,
        None if call.landing_pad(call.depth()).is_none() => return end_thread(call),
        None => {
            let exception = call.allocate_system(HEADER_BYTES, HEADER, &[])?;
            let exceptions = &mut call.data().own.exceptions;
            exceptions.leaving.insert(me, exception);
            exceptions.forced.insert(exception, (0, 0));
            exception
        }
    };
    unwind(call, exception, end_thread)
}

fn end_thread(call: &mut PosixCall<'_, '_>) -> Step {
    if let Some(announcement) = give_up_routines(call, 1) {
        return announcement;
    }
    let own = call.bookkeeping().threads.get(&call.thread());
    let result = own.and_then(|record| record.result);
    Ok(Outcome::Unwind(result.unwrap_or(Value::Concrete(0))))
}

/// Calls `stop(version, actions, class, exception, context, argument)`, which does not return. Without
/// it, the thread ends.
fn stop_at_end(call: &mut PosixCall<'_, '_>, exception: u64, stop: u64, argument: u64) -> Step {
    let class = call.read(exception, 8)?;
    call.data().own.exceptions.forced.remove(&exception);
    if stop == 0 {
        let me = call.thread();
        call.data().own.exceptions.leaving.remove(&me);
        call.free_system(exception);
        return end_thread(call);
    }
    let [version, actions, exception, context, argument] =
        [1, AT_END_OF_STACK, exception, 0, argument].map(Value::Concrete);
    invoke(stop, [version, actions, class, exception, context, argument])
}

/// Looks for what lands `exception`, from where the call stands. A forced one stops at the first pad that
/// lands it or cleans up; others need one that lands them, and then clean up before.
fn search(call: &mut PosixCall<'_, '_>, exception: u64, forced: bool) -> Found {
    let mut position = Position { depth: call.depth(), clause: 0, type_index: 0, cleanup: 0 };
    let mut answer = None;
    let scratch = call.scratch().clone();
    match *scratch.as_slice() {
        [LANDING, depth, selector] => return Found::Landing(depth as u32, selector as u32 as i32),
        [ASKING, depth, clause, type_index, cleanup] if call.invoked().is_some() => {
            let cleanup = cleanup as u32;
            position = Position {
                depth: depth as u32,
                clause: clause as usize,
                type_index: type_index as usize,
                cleanup,
            };
            // The runtime's own bookkeeping decides, which no input reaches; a `bool` is its low bit.
            answer = call.invoked().and_then(Value::concrete).map(|word| word & 1 == 1);
        }
        _ => {}
    }
    while let Some(pad) = call.landing_pad(position.depth) {
        match judge(&pad, &mut position, answer.take()) {
            Verdict::Ask(of) => {
                position.depth = pad.depth;
                match ask(call, of, exception, position) {
                    None => answer = Some(true),
                    Some(step) => return Found::Answer(step),
                }
            }
            Verdict::Lands(_) if position.cleanup != 0 => return Found::Landing(position.cleanup, 0),
            Verdict::Lands(selector) => return Found::Landing(pad.depth, selector),
            Verdict::Passes => {
                if pad.cleanup && forced {
                    return Found::Landing(pad.depth, 0);
                }
                if pad.cleanup && position.cleanup == 0 {
                    position.cleanup = pad.depth;
                }
                position = Position { depth: pad.depth - 1, clause: 0, type_index: 0, ..position };
            }
        }
    }
    Found::Nothing
}

/// Asks the runtime whether the type at `of` catches `exception`. `None`: it does, since any type would;
/// there is no runtime to ask.
fn ask(call: &mut PosixCall<'_, '_>, of: u64, exception: u64, position: Position) -> Option<Step> {
    match function(call, CATCHES) {
        Some(catches) => {
            let Position { depth, clause, type_index, cleanup } = position;
            *call.scratch() =
                smallvec![ASKING, depth.into(), clause as u64, type_index as u64, cleanup.into()];
            Some(invoke(catches, [of, exception].map(Value::Concrete)))
        }
        None if of == 0 => None,
        None => Some(Err(call.unsupported("catching a type without a C++ runtime"))),
    }
}

/// Moves on through the clauses of `pad`, given the runtime's answer to the last question.
fn judge(pad: &LandingPad, position: &mut Position, answer: Option<bool>) -> Verdict {
    let selector_of_filter = |clause: usize| -(clause as i32 + 1);
    match (answer, pad.clauses.get(position.clause)) {
        (None, _) => {}
        (Some(true), Some(PadClause::Catch(of))) => return Verdict::Lands(type_selector(*of) as i32),
        (Some(false), Some(PadClause::Filter(types))) => {
            position.type_index += 1;
            if position.type_index == types.len() {
                return Verdict::Lands(selector_of_filter(position.clause));
            }
        }
        // Not caught by this type, or let through by this filter.
        _ => {
            position.clause += 1;
            position.type_index = 0;
        }
    }
    match pad.clauses.get(position.clause) {
        None => Verdict::Passes,
        Some(PadClause::Catch(of)) => Verdict::Ask(*of),
        Some(PadClause::Filter(types)) => match types.get(position.type_index) {
            Some(of) => Verdict::Ask(*of),
            None => Verdict::Lands(selector_of_filter(position.clause)),
        },
    }
}

/// The controls of the `pthread_once` routines in progress above the lowest `depth` activations.
fn routines_above(call: &PosixCall<'_, '_>, depth: u32) -> SmallVec<[u64; 2]> {
    let me = call.thread();
    let models = call.models_above(depth).into_iter();
    let controls = models.filter(|(function, _)| function.role == Role::RunsOnce);
    let controls = controls.filter_map(|(_, control)| control.concrete());
    let once = &call.state().data.own.sync.once;
    controls.filter(|control| once.get(control).and_then(|once| once.runner()) == Some(me)).collect()
}

/// Lets the routines above the lowest `depth` activations, which are about to be left, count as not run.
/// `None` once that is done.
pub(crate) fn give_up_routines(call: &mut PosixCall<'_, '_>, depth: u32) -> Option<Step> {
    let routines = routines_above(call, depth);
    if routines.is_empty() {
        return None;
    }
    if call.scratch().first() != Some(&GIVING_UP) {
        *call.scratch() = smallvec![GIVING_UP];
        let footprint = routines.iter().map(|control| release(Place::Object(*control))).collect();
        return Some(Ok(call.synchronise(footprint, None)));
    }
    for control in routines {
        call.release((control, 0));
        call.data().own.sync.once.remove(&control);
    }
    None
}

/// Enters the landing pad of the activation at `depth`. The effects that others can see are announced first.
/// They are the ends of stack objects that others may use and of `pthread_once` routines that they wait for.
fn land(call: &mut PosixCall<'_, '_>, exception: u64, depth: u32, selector: i32) -> Step {
    let routines = routines_above(call, depth);
    let announced = call.scratch().first() == Some(&LANDING);
    if !announced {
        let mut footprint = call.footprint_of_leaving(depth);
        footprint.extend(routines.iter().map(|control| release(Place::Object(*control))));
        if !footprint.is_empty() {
            *call.scratch() = smallvec![LANDING, depth.into(), u64::from(selector as u32)];
            return Ok(if routines.is_empty() {
                call.park(footprint)
            } else {
                call.synchronise(footprint, None)
            });
        }
    }
    for control in routines {
        // The next caller runs the routine again, and comes after what this one did.
        call.release((control, 0));
        call.data().own.sync.once.remove(&control);
    }
    Ok(Outcome::Land { depth, exception, selector })
}

/// Calls the exception's own clean-up, `void (reason, exception)`, if it has one.
fn delete(call: &mut PosixCall<'_, '_>) -> Step {
    if call.phase() > 0 {
        return nothing();
    }
    let exception = call.argument(0)?;
    if call.state().data.own.exceptions.leaving.get(&call.thread()) == Some(&exception) {
        let message = "a thread that ends is caught and not let go (`catch (...)` without `throw;`)";
        return Err(call.fault(FailureKind::Abort, FailureDetail::Plain, message));
    }
    let clean_up = call.read_number(exception + 8, 8)?;
    if clean_up == 0 {
        return nothing();
    }
    // `_URC_FOREIGN_EXCEPTION_CAUGHT`
    invoke(clean_up, [1, exception].map(Value::Concrete))
}

/// The end of the program by `std::terminate`: `(mangled type name or null, what() or null, exception)`.
fn uncaught(call: &mut PosixCall<'_, '_>) -> Step {
    let (name, what, exception) = (call.argument(0)?, call.argument(1)?, call.argument(2)?);
    if name == 0 {
        return Err(match joinable(call) {
            Some(message) => call.fault(FailureKind::Abort, FailureDetail::Joinable, message),
            None => {
                let message = "std::terminate called without an active exception";
                call.fault(FailureKind::Abort, FailureDetail::Plain, message)
            }
        });
    }
    let name = demangled(&call.read_string(name)?);
    let mut message = format!("uncaught exception of type `{name}`");
    if what != 0 {
        let what = call.read_string(what)?;
        message += &format!(": {}", String::from_utf8_lossy(&what));
    }
    let mut fault = symx_interp::Fault::new(FailureKind::Uncaught, FailureDetail::Plain, message);
    if let Some((span, thread)) = call.state().data.own.exceptions.thrown.get(&exception).copied() {
        fault.notes.push(("it was thrown here".into(), span, Some(thread)));
    }
    Err(fault.into())
}

/// A type's name as it is written, from how the ABI writes it.
fn demangled(name: &[u8]) -> String {
    // A leading star marks names that are compared by address.
    let name = String::from_utf8_lossy(name.strip_prefix(b"*").unwrap_or(name)).into_owned();
    let text = linker_names::demangled(&format!("_ZTI{name}"));
    match text.as_deref().and_then(|text| text.strip_prefix("typeinfo for ")) {
        Some(text) => text.to_owned(),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_names_are_demangled() {
        for (mangled, written) in [
            ("i", "int"),
            ("PKc", "char const*"),
            ("St13runtime_error", "std::runtime_error"),
            ("N5space5inner4ItemE", "space::inner::Item"),
            ("*N12_GLOBAL__N_15LocalE", "(anonymous namespace)::Local"),
            ("not a name", "not a name"),
        ] {
            assert_eq!(demangled(mangled.as_bytes()), written);
        }
    }

    #[test]
    fn clauses_are_asked_in_order() {
        let clauses = smallvec![
            PadClause::Catch(8),
            PadClause::Filter(smallvec![16, 24]),
            PadClause::Filter(smallvec![]),
        ];
        let pad = LandingPad { depth: 1, clauses, cleanup: false };
        let mut position = Position { depth: 1, clause: 0, type_index: 0, cleanup: 0 };
        assert!(matches!(judge(&pad, &mut position, None), Verdict::Ask(8)));
        assert!(matches!(judge(&pad, &mut position, Some(false)), Verdict::Ask(16)));
        assert!(matches!(judge(&pad, &mut position, Some(false)), Verdict::Ask(24)));
        let mut other = position;
        assert!(matches!(judge(&pad, &mut other, Some(false)), Verdict::Lands(-2)));
        // One of the filter's types: it passes. The next filter lets nothing pass.
        assert!(matches!(judge(&pad, &mut position, Some(true)), Verdict::Lands(-3)));
    }
}
