//! Removes a synchronisation from a program: its calls do nothing, its fences are for the compiler alone, its
//! atomic operations order nothing.

use crate::function::{CallSite, CallTarget, ExternalId, Function};
use crate::instruction::{AtomicOrdering, Extended, Inst};
use crate::known_functions::locks;
use crate::program::{External, Program};

/// The name of the function that calls of omitted ones go to; it does nothing and returns zero.
pub const NOTHING: &str = "symx_nothing";

/// Calls of pthreads and the like that are left out by themselves. A call that acquires a lock goes with
/// those that release it.
const ALONE: &[&str] = &[
    "pthread_cond_wait",
    "pthread_cond_signal",
    "pthread_cond_broadcast",
    "cnd_wait",
    "cnd_signal",
    "cnd_broadcast",
    "pthread_barrier_wait",
    "pthread_join",
    "thrd_join",
    "sem_wait",
    "sem_trywait",
    "sem_post",
];

/// How often a lock may be acquired again before it is released.
const DEEPEST: u32 = 16;

impl Program {
    /// Makes the synchronisation on a line of a file (named by its end) do nothing: calls, fences, and
    /// orderings of atomic operations (which stay atomic). With a call that acquires a lock go those of that
    /// function that release what it acquires. Returns how many were found on the line.
    pub fn omit(&mut self, file: &str, line: u32) -> usize {
        let nothing = ExternalId(self.externals.len() as u32);
        let (mut omitted, mut calls) = (0, 0);
        for index in 0..self.functions.len() {
            let function = &self.functions[index].function;
            let (mut sites, mut atomic) = (Vec::new(), Vec::new());
            for (pc, (at, span)) in function.code.iter().zip(&function.spans).enumerate() {
                let place = self.position(*span);
                if !place.is_some_and(|(name, at, _)| at == line && is_named(name, file)) {
                    continue;
                }
                if let Inst::Extended { index } = at {
                    atomic.push(*index as usize);
                } else if let Inst::Call { site } = at
                    && let Some(partner) = self.partner(&function.calls[*site as usize])
                {
                    sites.push(*site);
                    omitted += 1;
                    sites.extend(partner.into_iter().flat_map(|unlock| self.releases(function, pc, unlock)));
                }
            }
            calls += sites.len();
            let function = &mut self.functions[index].function;
            for site in sites {
                function.calls[site as usize].target = CallTarget::External(nothing);
            }
            omitted += atomic.into_iter().filter(|at| orders_nothing(&mut function.extended[*at])).count();
        }
        if calls > 0 {
            self.externals.push(External { name: NOTHING.into(), fallback: None });
        }
        omitted
    }

    /// The name of the calls that go with a call that synchronises, if any do; `None` if it does not
    /// synchronise.
    fn partner(&self, call: &CallSite) -> Option<Option<&'static str>> {
        let name = self.external_name(call)?;
        let acquiring = locks::acquiring(name).map(|lock| Some(lock.unlock));
        acquiring.or_else(|| (locks::releases(name) || ALONE.contains(&name)).then_some(None))
    }

    /// The calls of `unlock` that release what the call at `pc` acquires, along the control flow. On the way
    /// the same lock may be acquired and released again.
    fn releases(&self, function: &Function, pc: usize, unlock: &str) -> Vec<u32> {
        let Some(Inst::Call { site }) = function.code.get(pc) else { return Vec::new() };
        let lock = function.calls[*site as usize].arguments.first();
        let (mut open, mut seen, mut found) = (vec![(pc + 1, 0)], Vec::new(), Vec::new());
        while let Some((start, mut depth)) = open.pop() {
            if depth > DEEPEST || seen.contains(&(start, depth)) {
                continue;
            }
            seen.push((start, depth));
            let block = function.block_at(start as u32);
            let mut is_released = false;
            for at in start..function.range_of(block).end {
                let Inst::Call { site } = &function.code[at] else { continue };
                let call = &function.calls[*site as usize];
                let Some(name) = self.external_name(call).filter(|_| call.arguments.first() == lock) else {
                    continue;
                };
                if name == unlock && depth == 0 {
                    found.push(*site);
                    is_released = true;
                    break;
                }
                if name == unlock {
                    depth -= 1;
                } else if locks::acquiring(name).is_some() {
                    depth += 1;
                }
            }
            if !is_released {
                let edges = &function.edges[function.blocks[block].edges()];
                let starts = edges.iter().map(|edge| function.blocks[edge.block as usize].start as usize);
                open.extend(starts.map(|start| (start, depth)));
            }
        }
        found
    }

    fn external_name(&self, call: &CallSite) -> Option<&str> {
        match call.target {
            CallTarget::External(id) => self.externals.get(id.0 as usize).map(|known| known.name.as_str()),
            _ => None,
        }
    }
}

/// Takes from a fence or an atomic operation what it orders, if that is anything.
fn orders_nothing(operation: &mut Extended) -> bool {
    let weaken = |ordering: &mut AtomicOrdering| {
        use AtomicOrdering::{Monotonic, NotAtomic, Unordered};
        let ordered = !matches!(ordering, NotAtomic | Unordered | Monotonic);
        if ordered {
            *ordering = Monotonic;
        }
        ordered
    };
    match operation {
        Extended::Fence { single_thread, .. } => !std::mem::replace(single_thread, true),
        Extended::AtomicLoad { ordering, .. }
        | Extended::AtomicStore { ordering, .. }
        | Extended::AtomicRmw { ordering, .. } => weaken(ordering),
        Extended::CompareExchange { success, failure, .. } => weaken(success) | weaken(failure),
        _ => false,
    }
}

/// Whether a file is meant: its path ends with these parts.
pub fn is_named(path: &str, end: &str) -> bool {
    path.strip_suffix(end)
        .is_some_and(|before| before.is_empty() || before.ends_with('/') || end.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::is_named;

    #[test]
    fn a_file_is_named_by_its_end() {
        assert!(is_named("/src/queue.c", "queue.c") && is_named("queue.c", "queue.c"));
        assert!(is_named("/src/queue.c", "src/queue.c") && !is_named("/src/myqueue.c", "queue.c"));
    }
}
