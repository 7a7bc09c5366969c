//! The usual reason why `std::terminate` is called without an exception. A `std::thread` that is neither
//! joined nor detached is destroyed, or another is assigned to it.

use crate::answer::PosixCall;
use symx_ir::program::is_library_source;

/// What does so, as the source names it, and what becomes of the thread's object there.
const ENDS: [(&str, &str); 2] =
    [("thread::~thread", "is destroyed"), ("thread::operator=", "is assigned to")];
/// The same as the linker knows it. The object is the first argument.
const SYMBOLS: [&str; 3] = ["_ZNSt6threadD2Ev", "_ZNSt6threadD1Ev", "_ZNSt6threadaSEOS_"];
/// The object's only field. The name of its bytes may end in that.
const FIELD: &str = "._M_id";

/// What to say where the calling thread is about to end such an object.
pub(super) fn joinable(call: &PosixCall<'_, '_>) -> Option<String> {
    let stack = call.source_stack();
    let is_in =
        |name: &str| stack.iter().any(|frame| frame.function == name && is_library_source(&frame.file));
    let (_, becomes) = ENDS.into_iter().find(|(function, _)| is_in(function))?;
    // Without an activation of its own, it is inlined, and the object is not known.
    let object = call.first_argument_of(&SYMBOLS).map(|address| call.name_of(address, 8));
    let object = object.map_or_else(
        || "a std::thread".to_owned(),
        |name| {
            let whole = name.in_source().split_once(FIELD);
            whole.map_or_else(|| name.quoted(), |(whole, _)| format!("`{whole}`"))
        },
    );
    Some(format!("{object} {becomes} while it is joinable: std::terminate is called"))
}
