//! The axiomatic half: which candidate executions a model allows.
//!
//! There are three axioms: coherence of each location, atomicity of updates, and one order of all events.
//! They are the same for every model with one order of stores, up to preserved program order (Alglave,
//! Maranget and Tautschnig, "Herding cats", TOPLAS 2014). Loads from the thread's own stores are no part of
//! that order, because a pending store is read before it takes effect. Updates read memory itself.

use crate::{Execution, Forbidden, Location, MemoryModel, Operation};

impl Execution {
    /// Whether `model` allows the execution, else the first axiom it breaks.
    pub fn check(&self, model: &dyn MemoryModel) -> Result<(), Forbidden> {
        model.allows(self)
    }

    /// The three axioms of models with one order of stores.
    pub fn check_store_order(&self, model: &dyn MemoryModel) -> Result<(), Forbidden> {
        self.locations.iter().try_for_each(|location| self.check_location(location))?;
        self.check_order(model)
    }

    /// Atomicity and coherence at one location; no model relaxes them. (An update is one event, so that it is
    /// atomic follows from coherence; looking first gives the better reason.)
    pub fn check_location(&self, location: &Location) -> Result<(), Forbidden> {
        let address = location.range.address;
        let overwriters = location.overwriters();
        let torn = location.reads_from.iter().find(|(read, source)| {
            self.events[*read].writes() && overwriters.get(source).copied() != Some(*read)
        });
        if let Some(&(update, _)) = torn {
            return Err(Forbidden::Atomicity { address, update });
        }
        let mut accesses: Vec<usize> = location.coherence.clone();
        accesses.extend(location.reads_from.iter().map(|&(read, _)| read));
        accesses.sort_by_key(|&access| (self.events[access].thread, access));
        accesses.dedup();
        let same_thread = |pair: &&[usize]| self.events[pair[0]].thread == self.events[pair[1]].thread;
        let program_order = accesses.windows(2).filter(same_thread).map(|pair| (pair[0], pair[1]));
        let reads_from = location.reads_from.iter().filter_map(|&(read, source)| Some((source?, read)));
        let order = program_order.chain(reads_from).chain(location.from_reads()).chain(location.overwrites());
        cycle(order.collect()).map_or(Ok(()), |cycle| Err(Forbidden::Coherence { address, cycle }))
    }

    /// The order of all events, where `model` comes in.
    pub fn check_order(&self, model: &dyn MemoryModel) -> Result<(), Forbidden> {
        let mut order = self.preserved_program_order(model);
        order.extend(&self.synchronises);
        for location in &self.locations {
            let sources = location.reads_from.iter().filter_map(|&(read, source)| Some((source?, read)));
            order.extend(sources.filter(|&(write, read)| {
                let (write, read) = (&self.events[write], &self.events[read]);
                write.thread != read.thread || read.operation != Operation::Load
            }));
            order.extend(location.from_reads());
            order.extend(location.overwrites());
        }
        cycle(order).map_or(Ok(()), |cycle| Err(Forbidden::Order { cycle }))
    }
}

/// A cycle of the relation, if it has one: depth-first search with its own stack, as traces are long.
pub(crate) fn cycle(mut relation: Vec<(usize, usize)>) -> Option<Vec<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        OnPath,
        Done,
    }
    relation.sort_unstable();
    // Nodes are positions in `nodes`, so that a small relation between late events stays small.
    let mut nodes: Vec<usize> = relation.iter().flat_map(|&(before, after)| [before, after]).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let node = |event| nodes.binary_search(&event).expect("every event of the relation is a node");
    let first_edge: Vec<usize> =
        nodes.iter().map(|&event| relation.partition_point(|&(before, _)| before < event)).collect();
    let mut marks = vec![Mark::New; nodes.len()];
    for root in 0..nodes.len() {
        if marks[root] != Mark::New {
            continue;
        }
        marks[root] = Mark::OnPath;
        let mut path = vec![(root, first_edge[root])];
        while let Some((current, edge)) = path.last_mut() {
            let successor = relation.get(*edge).filter(|&&(before, _)| before == nodes[*current]);
            let Some(&(_, after)) = successor else {
                marks[*current] = Mark::Done;
                path.pop();
                continue;
            };
            *edge += 1;
            let successor = node(after);
            match marks[successor] {
                Mark::New => {
                    marks[successor] = Mark::OnPath;
                    path.push((successor, first_edge[successor]));
                }
                Mark::OnPath => {
                    let on_cycle = path.iter().skip_while(|&&(node, _)| node != successor);
                    return Some(on_cycle.map(|&(node, _)| nodes[node]).collect());
                }
                Mark::Done => {}
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ByteRange, Event, Ordering, SequentialConsistency, TotalStoreOrder};

    fn event(thread: u32, operation: Operation, address: u64) -> Event {
        Event { thread, operation, ordering: Ordering::Monotonic, range: ByteRange::new(address, 4) }
    }

    #[test]
    fn a_cycle_is_found_wherever_it_starts() {
        assert_eq!(cycle(vec![(9, 4), (4, 7), (7, 4), (7, 8)]), Some(vec![4, 7]));
        assert_eq!(cycle(vec![(3, 3)]), Some(vec![3]));
        assert_eq!(cycle(vec![(1, 2), (1, 3), (2, 4), (3, 4)]), None);
        assert_eq!(cycle(Vec::new()), None);
    }

    #[test]
    fn each_axiom_names_what_breaks_it() {
        // Store buffering: both loads read the initial value.
        let (store, load) = (Operation::Store, Operation::Load);
        let buffering = Execution::new(vec![
            event(0, store, 0),
            event(0, load, 8),
            event(1, store, 8),
            event(1, load, 0),
        ]);
        assert_eq!(buffering.check(&TotalStoreOrder), Ok(()));
        assert_eq!(
            buffering.check(&SequentialConsistency),
            Err(Forbidden::Order { cycle: vec![0, 1, 2, 3] })
        );

        let stale = Execution::new(vec![event(0, store, 0), event(0, load, 0)]);
        assert_eq!(
            stale.check(&TotalStoreOrder),
            Err(Forbidden::Coherence { address: 0, cycle: vec![0, 1] })
        );

        let updates = vec![event(0, Operation::ReadModifyWrite, 0), event(1, Operation::ReadModifyWrite, 0)];
        let mut lost = Execution::new(updates);
        assert_eq!(
            lost.check(&TotalStoreOrder),
            Err(Forbidden::Atomicity { address: 0, update: 1 }),
            "both read the initial value"
        );
        lost.locations[0].reads_from[1].1 = Some(0);
        assert_eq!(lost.check(&TotalStoreOrder), Ok(()));
    }

    #[test]
    fn synchronisation_orders_threads() {
        // A store, then creating a thread that reads the old value.
        let none = ByteRange::new(0, 0);
        let create = Event { range: none, ..event(0, Operation::Synchronisation, 0) };
        let mut execution =
            Execution::new(vec![event(0, Operation::Store, 0), create, event(1, Operation::Load, 0)]);
        assert_eq!(execution.check(&TotalStoreOrder), Ok(()));
        execution.synchronises.push((1, 2));
        assert!(matches!(execution.check(&TotalStoreOrder), Err(Forbidden::Order { .. })));
    }
}
