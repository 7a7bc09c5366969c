//! How often a descriptor's object has changed, for edge-triggered waits.

use crate::kernel::Kernel;
use crate::kernel::nodes::changes::{Changes, READABLE};
use crate::kernel::nodes::kinds::NodeKind;
use crate::kernel::nodes::socket::Role;
use crate::kernel::readiness::timer_descriptors::is_due;
use symx_trace::ThreadId;

/// The wake-ups at `node` so far. A connected socket has those of the pipe it reads from and of the one it
/// writes to. A timer has one more for a thread that knows of it by the clock; a descriptor for signals has
/// all that were sent.
pub(crate) fn changes_of(kernel: &Kernel, thread: ThreadId, node: u64) -> Changes {
    let of = |node| kernel.files.node(node).map(|node| node.changes).unwrap_or_default();
    let own = of(node);
    match kernel.files.kind(node) {
        Some(NodeKind::Socket(socket)) => match &socket.role {
            Role::Connected(side) => own + of(side.receive).received() + of(side.send).sent(),
            _ => own,
        },
        Some(NodeKind::Timer(number)) if is_due(kernel, thread, *number) => own + Changes::of(READABLE),
        Some(NodeKind::Signals(_)) => {
            own + Changes { readable: kernel.own.signals.sent(), ..Changes::default() }
        }
        _ => own,
    }
}
