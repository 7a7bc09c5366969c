//! Constraints of synchronisation on the order of events: those of each object, and threads that block for
//! ever.

use super::{barriers, condition_variables, semaphores};
use crate::synthesis::problem::Problem;
use crate::synthesis::system::Builder;
use crate::synthesis::system::locks::Lock;
use symx_trace::symbolic::{ObjectKind, ObjectRef, Operation};

pub(in crate::synthesis) fn constrain(problem: &Problem, builder: &mut Builder) {
    for (number, object) in problem.trace.objects.iter().enumerate() {
        let object_ref = ObjectRef(number as u32);
        match object.kind {
            ObjectKind::Memory { .. } => {}
            ObjectKind::Mutex | ObjectKind::ReadWriteLock => Lock::of(problem, object_ref).constrain(builder),
            ObjectKind::ConditionVariable => condition_variables::constrain(problem, object_ref, builder),
            ObjectKind::Barrier { width } => barriers::constrain(problem, object_ref, width, builder),
            ObjectKind::Semaphore { initial } => semaphores::constrain(problem, object_ref, initial, builder),
        }
    }
    for thread in &problem.trace.threads {
        if let Some(Operation::Join(other)) = thread.blocked.as_ref().map(|event| &event.operation) {
            let last = problem.trace.threads[other.0 as usize].events.last();
            if matches!(last.map(|event| &event.operation), Some(Operation::End)) {
                builder.contradiction();
            }
        }
    }
}
