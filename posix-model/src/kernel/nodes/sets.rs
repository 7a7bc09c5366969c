//! Sets of descriptors (`epoll`): what they watch, and in which order that comes to be reported.
//!
//! Linux keeps a list for each set: what changes is put at its end, unless it is there already, and a wait
//! takes from its beginning. So two threads that change what one set watches do not commute, and the order
//! is a place of its own. Nothing is done, and no step touches more, while no set is open.

use crate::kernel::Kernel;
use crate::kernel::nodes::changes::{Changes, READABLE};
use crate::kernel::nodes::connection_of;
use crate::kernel::nodes::kinds::{EpollKey, EpollSet, EpollWatch, NodeKind};
use crate::kernel::notice::Information;
use crate::places::{SIGNALS, node_place, order_of_reports, write};
use smallvec::{SmallVec, smallvec};
use symx_trace::{Footprint, ThreadId};

impl EpollSet {
    /// The watches whose files are open.
    pub fn open<'a>(&'a self, kernel: &'a Kernel) -> impl Iterator<Item = (EpollKey, &'a EpollWatch)> + 'a {
        self.watches
            .iter()
            .map(|(key, watch)| (*key, watch))
            .filter(|((_, file), _)| kernel.open.is_open(*file))
    }

    /// The nodes of what is watched.
    pub fn nodes<'a>(&'a self, kernel: &'a Kernel) -> impl Iterator<Item = u64> + 'a {
        self.open(kernel).map(|((_, file), _)| kernel.open.get(file).node)
    }
}

/// The set at `node`.
pub(crate) fn set_at(kernel: &Kernel, node: u64) -> Option<&EpollSet> {
    match kernel.files.kind(node) {
        Some(NodeKind::Epoll(set)) => Some(set),
        _ => None,
    }
}

/// The watches of a set that hear of a change, by the set's node.
type Heard = SmallVec<[(u64, SmallVec<[EpollKey; 1]>); 1]>;

/// What a change at `node` is at `watched`: a connected socket has what comes through the pipe that it reads
/// from, and room in the one that it writes to.
fn seen_at(kernel: &Kernel, watched: u64, node: u64, change: Changes) -> Changes {
    match connection_of(kernel, watched) {
        _ if watched == node => change,
        Some(side) if side.receive == node => change.received(),
        Some(side) if side.send == node => change.sent(),
        _ => Changes::default(),
    }
}

/// The sets that `is_heard` is true for some watches of, given the node that one watches and its events.
fn heard(kernel: &Kernel, is_heard: impl Fn(u64, u32) -> bool) -> Heard {
    let of_set = |set: &u64| {
        let watches = set_at(kernel, *set)?.open(kernel);
        let heard = watches.filter(|((_, file), watch)| {
            !watch.disarmed && is_heard(kernel.open.get(*file).node, watch.events)
        });
        let keys: SmallVec<[EpollKey; 1]> = heard.map(|(key, _)| key).collect();
        (!keys.is_empty()).then_some((*set, keys))
    };
    kernel.sets.iter().filter_map(of_set).collect()
}

/// The watches that hear of a change for `events` at `node`; without one, of anything.
fn heard_at(kernel: &Kernel, node: u64, events: u32) -> Heard {
    let change = Changes::of(events);
    heard(kernel, |watched, asked| seen_at(kernel, watched, node, change).concern(Changes::default(), asked))
}

/// The watches of descriptors for signals.
fn heard_of_signal(kernel: &Kernel) -> Heard {
    heard(kernel, |watched, _| matches!(kernel.files.kind(watched), Some(NodeKind::Signals(_))))
}

/// The orders that a step touches which may change what is at `node` for `events`; without one, anything.
pub(crate) fn orders_of_change(kernel: &Kernel, node: u64, events: u32) -> Footprint {
    let mut footprint = Footprint::new();
    if !kernel.sets.is_empty() {
        add_orders(kernel, heard_at(kernel, node, events), &mut footprint);
    }
    footprint
}

/// The places that a step touches which changes `node` in this way.
pub(crate) fn touched_by_change(kernel: &Kernel, node: u64, events: u32) -> Footprint {
    let mut footprint: Footprint = smallvec![write(node_place(node))];
    footprint.extend(orders_of_change(kernel, node, events));
    footprint
}

/// The orders that a step touches of which it is not known in advance what it changes.
pub(crate) fn all_orders(kernel: &Kernel) -> Footprint {
    kernel.sets.iter().map(|set| write(order_of_reports(*set))).collect()
}

fn add_orders(kernel: &Kernel, heard: Heard, footprint: &mut Footprint) {
    for (set, _) in heard {
        let order = write(order_of_reports(set));
        if footprint.contains(&order) {
            continue;
        }
        footprint.push(order);
        if heard_of_signal(kernel).iter().any(|(other, _)| *other == set) {
            // A signal is ordered among what it watches, too.
            footprint.push(write(SIGNALS));
        }
        add_orders(kernel, heard_at(kernel, set, READABLE), footprint);
    }
}

impl Kernel {
    /// Something has changed at `node` for these events; without one, anything. Threads that wait there look
    /// again.
    pub fn changed(&mut self, node: u64, events: u32) {
        self.files.changed(node, events);
        if !self.sets.is_empty() {
            let heard = heard_at(self, node, events);
            self.queue(heard);
        }
    }

    /// Sends a signal, of which descriptors for signals may tell. Says whether it is pending now.
    pub fn send_signal(&mut self, receiver: Option<ThreadId>, signal: u32, information: Information) -> bool {
        let is_pending = self.own.signals.send(receiver, signal, information);
        if is_pending && !self.sets.is_empty() {
            let heard = heard_of_signal(self);
            self.queue(heard);
        }
        is_pending
    }

    /// What the watch of a set was set for is there already.
    pub fn is_there_already(&mut self, set: u64, key: EpollKey) {
        self.queue(SmallVec::from_iter([(set, SmallVec::from_iter([key]))]));
    }

    /// Puts watches at the end of what is to be reported.
    fn queue(&mut self, heard: Heard) {
        for (set, keys) in heard {
            let queued = |set: &EpollSet| keys.iter().all(|key| set.ready.contains(key));
            if !set_at(self, set).is_none_or(queued) {
                self.files.change(set, |node| {
                    if let NodeKind::Epoll(set) = &mut node.kind {
                        for key in keys {
                            if !set.ready.contains(&key) {
                                set.ready.push_back(key);
                            }
                        }
                    }
                });
            }
            let watching = heard_at(self, set, READABLE);
            self.queue(watching);
        }
    }
}
