//! The synchronisation objects of a process: the list of their kinds.

use crate::sync::barrier::Barrier;
use crate::sync::condition::Condition;
use crate::sync::mutex::Mutex;
use crate::sync::object::{SyncObject, carry, copied, forget};
use crate::sync::once::Once;
use crate::sync::rwlock::ReadWriteLock;
use crate::sync::semaphore::Semaphore;
use crate::sync::spin::SpinLock;
use imbl::OrdMap;
use symx_trace::ThreadId;

/// Makes the tables, of a row for each kind, and what is done to all of them.
macro_rules! tables {
    ($($table:ident: $kind:ty,)*) => {
        /// Synchronisation objects, by address.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub(crate) struct SyncObjects {
            $(pub $table: OrdMap<u64, $kind>,)*
        }

        impl SyncObjects {
            /// Forgets the objects below `end`, from `start` on.
            pub fn forget(&mut self, start: u64, end: u64) {
                $(forget(&mut self.$table, start, end);)*
            }

            /// Hands on the objects in these ranges, which have a start and a length.
            pub fn carry_to(&mut self, other: &mut Self, ranges: &[(u64, u64)]) {
                $(carry(ranges, &mut self.$table, &mut other.$table);)*
            }

            /// Those of a process that `parent` forks, where its thread is `child`.
            pub fn copied(&self, parent: ThreadId, child: ThreadId) -> Self {
                Self { $($table: copied(&self.$table, parent, child),)* }
            }

            /// The first kind of which there are others, but for what only reports use.
            pub fn difference(&self, other: &Self) -> Option<&'static str> {
                let is_same = [$((<$kind>::PLURAL, <$kind>::are_same(&self.$table, &other.$table)),)*];
                is_same.into_iter().find(|(_, is_same)| !is_same).map(|(kind, _)| kind)
            }
        }
    };
}

tables! {
    mutexes: Mutex,
    conditions: Condition,
    semaphores: Semaphore,
    barriers: Barrier,
    rwlocks: ReadWriteLock,
    once: Once,
    spins: SpinLock,
}
