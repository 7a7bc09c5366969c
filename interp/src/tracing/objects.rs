//! Places that events touch, under names that are the same in every execution.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::{Object, SiteKind, number_in_region};
use rustc_hash::FxHashMap;
use symx_ir::address::Cell;
use symx_trace::symbolic::{ByteSpan, ObjectKind, ObjectName, ObjectRef, TraceBuilder};
use symx_trace::{Place, ThreadName};

/// The objects of a trace under construction.
#[derive(Default)]
pub(super) struct Objects {
    memory: FxHashMap<Cell, ObjectRef>,
    synchronisation: FxHashMap<u64, (ObjectRef, ObjectKind)>,
    effects: FxHashMap<Place, ObjectRef>,
    lives: FxHashMap<Cell, ObjectRef>,
}

impl Objects {
    /// The object in `cell`.
    pub fn memory<E: Environment>(
        &mut self,
        executor: &Executor<'_, E>,
        builder: &mut TraceBuilder<'_>,
        names: &[ThreadName],
        cell: Cell,
        object: &Object,
    ) -> ObjectRef {
        *self.memory.entry(cell).or_insert_with(|| {
            let name = match object.site.kind() {
                SiteKind::Global(number) => {
                    ObjectName::Global(executor.machine.program.globals[number as usize].name.clone())
                }
                _ => {
                    let maker = names.get(object.origin.thread.index());
                    let number = number_in_region(cell);
                    ObjectName::Allocated { thread: maker.cloned().unwrap_or_else(ThreadName::main), number }
                }
            };
            let size = object.size.max(1);
            builder.object(name, ObjectKind::Memory { size }, &executor.describe_object(object))
        })
    }

    /// The synchronisation object at `address`, which lies in `outer`; `None` if something of
    /// another kind was there.
    pub fn synchronisation(
        &mut self,
        builder: &mut TraceBuilder<'_>,
        address: u64,
        outer: Option<(ObjectRef, u64, String)>,
        kind: ObjectKind,
    ) -> Option<ObjectRef> {
        let (object, known) = *self.synchronisation.entry(address).or_insert_with(|| {
            let (name, description) = match outer {
                Some((object, 0, description)) => (ObjectName::Within { object, offset: 0 }, description),
                Some((object, offset, description)) => {
                    (ObjectName::Within { object, offset }, format!("{description} + {offset}"))
                }
                None => (ObjectName::Global(format!("at {address:#x}")), format!("at {address:#x}")),
            };
            (builder.object(name, kind, &description), kind)
        });
        let fits = match (known, kind) {
            (ObjectKind::Semaphore { .. }, ObjectKind::Semaphore { .. }) => true,
            (known, kind) => known == kind,
        };
        fits.then_some(object)
    }

    /// The count of effects on a place.
    pub fn effects(&mut self, builder: &mut TraceBuilder<'_>, place: Place) -> ByteSpan {
        let object = *self.effects.entry(place).or_insert_with(|| {
            let what = match place {
                Place::Object(number) => format!("order of effects on object {number:#x}"),
                Place::Readers(lock) => format!("order of effects on readers of {lock:#x}"),
                Place::Stream(number) => format!("order of effects on file {number}"),
                Place::Thread(thread) => format!("order of effects on thread number {}", thread.0),
                _ => "order of effects on the process".to_string(),
            };
            builder.object(ObjectName::Global(what.clone()), ObjectKind::Memory { size: 8 }, &what)
        });
        ByteSpan { object, offset: 0, length: 8 }
    }

    /// Whether the object in `cell`, described so, is gone: one byte.
    pub fn life(&mut self, builder: &mut TraceBuilder<'_>, cell: Cell, description: &str) -> ByteSpan {
        let object = *self.lives.entry(cell).or_insert_with(|| {
            let name = format!("whether {description} is gone ({})", cell.0);
            builder.life(ObjectName::Global(name), description)
        });
        ByteSpan { object, offset: 0, length: 1 }
    }
}
