//! Names that the program looks up while it runs: what libc's `dlsym` and `dlopen` ask
//! (`posix-model/musl/glibc/loading.c`).

use crate::answer::{PosixCall, Step, word};
use crate::options::Posix;
use crate::row::{Row, row};
use symx_interp::environment::Environment;
use symx_ir::Modelled;
use symx_ir::link::looked_up::LOOKUP;

pub(crate) const ROWS: &[Row] = &[row(&[LOOKUP], address), row(&["__symx_unsupported"], unsupported)];

/// `void *__symx_symbol(const char *name, int next)`: the address that the program, else a library, gives
/// `name`; with `next`, that of a library. Null if there is none.
fn address(call: &mut PosixCall<'_, '_>) -> Step {
    let (name, next) = (call.argument(0)?, call.argument(1)? as u32 != 0);
    let name = call.read_string(name)?;
    let Ok(name) = String::from_utf8(name) else { return word(0) };
    let names = &call.program().names;
    let own = if next { None } else { names.own.get(&name) };
    let found = own.or_else(|| names.library.get(&name)).copied();
    let is_left_out = names.omitted.contains(&name) || Posix::models(&name) != Modelled::No;
    match found {
        Some(address) => word(address),
        None if is_left_out => Err(call
            .unsupported(format!("looking up `{name}`, a name that stands in no constant of the program"))),
        None => word(0),
    }
}

/// `void __symx_unsupported(const char *what)`: what C code of libc's cannot do, by name.
fn unsupported(call: &mut PosixCall<'_, '_>) -> Step {
    let what = call.argument(0)?;
    let what = call.read_string(what)?;
    Err(call.unsupported(String::from_utf8_lossy(&what)))
}
