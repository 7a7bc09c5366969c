//! Extended attributes: the file system has none, and takes none, as one in memory.

use crate::answer::{PosixCall, Step, Turn, failed, word};
use crate::errno::ENOTSUP;
use crate::kernel::files::stat::stand_before_path;
use crate::kernel::system_calls::{SystemCall, call as row};
use crate::kernel::transfers::stand_before;
use symx_trace::Mode;

pub(crate) const CALLS: &[SystemCall] = &[
    row(188, "setxattr", |call| at_path(call, true, failed(ENOTSUP))),
    row(189, "lsetxattr", |call| at_path(call, false, failed(ENOTSUP))),
    row(190, "fsetxattr", |call| of_open(call, failed(ENOTSUP))),
    row(191, "getxattr", |call| at_path(call, true, failed(ENOTSUP))),
    row(192, "lgetxattr", |call| at_path(call, false, failed(ENOTSUP))),
    row(193, "fgetxattr", |call| of_open(call, failed(ENOTSUP))),
    row(194, "listxattr", |call| at_path(call, true, word(0))),
    row(195, "llistxattr", |call| at_path(call, false, word(0))),
    row(196, "flistxattr", |call| of_open(call, word(0))),
    row(197, "removexattr", |call| at_path(call, true, failed(ENOTSUP))),
    row(198, "lremovexattr", |call| at_path(call, false, failed(ENOTSUP))),
    row(199, "fremovexattr", |call| of_open(call, failed(ENOTSUP))),
];

/// The answer, if there is a file at the path.
fn at_path(call: &mut PosixCall<'_, '_>, follow: bool, answer: Step) -> Step {
    match stand_before_path(call, None, 0, follow, Mode::Read)? {
        Turn::Go(_) => answer,
        Turn::Answer(other) => other,
    }
}

/// The answer, if the descriptor is open.
fn of_open(call: &mut PosixCall<'_, '_>, answer: Step) -> Step {
    match stand_before(call, Mode::Read, &[])? {
        Turn::Go(_) => answer,
        Turn::Answer(other) => other,
    }
}
