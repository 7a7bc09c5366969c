//! A status other than zero.

use super::Ended;
use symx_interp::environment::Environment;
use symx_trace::{Failure, FailureKind};

pub(super) fn look<E: Environment>(ended: &Ended<'_, '_, E>) -> Option<Failure> {
    let status = ended.exit.status;
    let message = || format!("the program exits with status {status}");
    (status != 0).then(|| ended.failure(FailureKind::Exit, message(), ended.place()))
}
