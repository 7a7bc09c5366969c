//! Inclusion constraints between sets of places (Andersen), solved by propagating what is new: along copies
//! in topological order, then to loads, stores and calls (Pereira and Berlin, CGO 2009). Sets that contain
//! each other are one.
//!
//! Once the analysis is to end, nothing is added any more, so that all loops terminate. The sets then lack
//! members and are of no use.

mod contents;
mod cycles;

use crate::budget::Budget;
use crate::objects::{ObjectId, Objects, Place, PlaceId};
use crate::offsets::{Shift, UNBOUNDED};
use contents::{Contents, Copy};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use symx_expr::StopReason;
use symx_ir::Program;

/// A set of places: what a register or a piece of memory may point to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct NodeId(pub u32);

/// Places of one object in one set before they are taken for equal steps: pointers that walk through an array
/// would go on forever.
const MOST_PLACES: usize = 8;
/// Pieces of one object that are distinguished; values written to others may be read anywhere in it.
const MOST_CELLS: usize = 256;
/// Pairs of places between which one copy of memory keeps distances.
const MOST_PAIRS: usize = 32;
/// Entries of a list that are compared in the time of one small step.
const COMPARED: usize = 64;
/// Bytes of a pointer.
const POINTER: u64 = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Dependent {
    /// The contents of the place are read into this set.
    Load(NodeId),
    /// This set is written to the place.
    Store(NodeId),
    /// The source, or the destination, of a copy of memory.
    CopyFrom(u32),
    CopyTo(u32),
    /// A call, or what a call hands over to be called.
    Call(u32),
}

#[derive(Default)]
struct Node {
    places: FxHashMap<ObjectId, Vec<PlaceId>>,
    /// Members that were not propagated yet.
    new: Vec<PlaceId>,
    copies: Vec<(NodeId, Shift)>,
    dependents: Vec<Dependent>,
}

/// Constraints, and the sets so far.
pub(super) struct Solver<'p> {
    pub objects: Objects<'p>,
    pub budget: &'p Budget,
    nodes: Vec<Node>,
    contents: Vec<Contents>,
    copies: Vec<Copy>,
    /// By set: the one that stands for it and for all that contain each other with it.
    one_of: Vec<NodeId>,
    /// By set that stands for others: a number below those of the sets that it is copied into.
    rank: Vec<u32>,
    /// Sets with new members, by rank.
    open: BinaryHeap<Reverse<(u32, NodeId)>>,
    /// How many copies there were when ranks were given.
    ranked: usize,
    /// Calls to which something was added that they may call, with what.
    pub called: Vec<(u32, PlaceId)>,
    edges: FxHashSet<(NodeId, NodeId, Shift)>,
}

impl<'p> Solver<'p> {
    pub fn new(program: &'p Program, budget: &'p Budget) -> Self {
        Self {
            objects: Objects::new(program),
            budget,
            nodes: Vec::new(),
            contents: Vec::new(),
            copies: Vec::new(),
            one_of: Vec::new(),
            rank: Vec::new(),
            open: BinaryHeap::new(),
            ranked: 0,
            called: Vec::new(),
            edges: FxHashSet::default(),
        }
    }

    /// Asks for the memory of this many sets.
    pub fn reserve(&mut self, count: usize) -> Result<(), StopReason> {
        self.budget.ask(count.saturating_mul(size_of::<Node>()))?;
        self.nodes.reserve_exact(count);
        Ok(())
    }

    /// This many new sets, the first of them. Where memory for them is refused, it is the first of all.
    /// Nothing is added to that any more.
    pub fn nodes(&mut self, count: u32) -> NodeId {
        let (first, room) = (self.nodes.len(), self.nodes.capacity());
        let end = first + count as usize;
        // A list that grows doubles.
        if end > room && self.budget.ask(room.max(end - room).saturating_mul(size_of::<Node>())).is_err() {
            return NodeId(0);
        }
        self.nodes.resize_with(end, Node::default);
        self.one_of.extend((first as u32..end as u32).map(NodeId));
        self.rank.resize(end, 0);
        NodeId(first as u32)
    }

    /// How many sets there are.
    pub fn count(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// The set that stands for a set.
    pub fn one_of(&self, node: NodeId) -> NodeId {
        self.one_of[node.0 as usize]
    }

    /// The members of a set.
    pub fn places(&self, node: NodeId) -> impl Iterator<Item = PlaceId> {
        self.nodes[self.one_of(node).0 as usize].places.values().flatten().copied()
    }

    fn known(&self, node: NodeId) -> Vec<PlaceId> {
        self.places(node).collect()
    }

    /// Adds a place to a set.
    pub fn add(&mut self, node: NodeId, place: PlaceId) {
        if self.budget.is_over() {
            return;
        }
        let node = self.one_of(node);
        let Place { object, offset } = self.objects.place(place);
        let into = &mut self.nodes[node.0 as usize];
        let known = into.places.entry(object).or_default();
        if known.contains(&place) {
            return;
        }
        let objects = &self.objects;
        let offset_of = |place: PlaceId| objects.place(place).offset;
        if known.iter().any(|known| offset_of(*known).joined(offset) == offset_of(*known)) {
            return;
        }
        // Places that it covers were propagated, or will be as a part of it.
        known.retain(|known| offset.joined(offset_of(*known)) != offset);
        let mut place = place;
        if known.len() >= MOST_PLACES {
            let mut joined = offset;
            for known in known.iter() {
                joined = joined.joined(self.objects.place(*known).offset);
            }
            place = self.objects.place_id(Place { object, offset: joined });
            // The steps have all that there was.
            known.clear();
        }
        known.push(place);
        into.new.push(place);
        if into.new.len() == 1 {
            self.open.push(Reverse((self.rank[node.0 as usize], node)));
        }
    }

    /// One set contains another, after a shift.
    pub fn copy(&mut self, from: NodeId, to: NodeId, shift: Shift) {
        let (from, to) = (self.one_of(from), self.one_of(to));
        if self.budget.is_over()
            || from == to && shift == Shift::NONE
            || !self.edges.insert((from, to, shift))
        {
            return;
        }
        self.nodes[from.0 as usize].copies.push((to, shift));
        for place in self.known(from) {
            let place = self.objects.shifted(place, shift);
            self.add(to, place);
        }
    }

    pub fn load(&mut self, address: NodeId, into: NodeId) {
        self.depend(address, Dependent::Load(into));
    }

    pub fn store(&mut self, address: NodeId, from: NodeId) {
        self.depend(address, Dependent::Store(from));
    }

    /// A call through what is in a set: [`called`](Self::called) reports what comes in.
    pub fn call(&mut self, target: NodeId, number: u32) {
        self.depend(target, Dependent::Call(number));
    }

    /// Copies memory.
    pub fn copy_memory(&mut self, to: NodeId, from: NodeId, size: Option<u64>) {
        let number = self.copies.len() as u32;
        self.copies.push(Copy::of(size.unwrap_or(UNBOUNDED)));
        self.depend(from, Dependent::CopyFrom(number));
        self.depend(to, Dependent::CopyTo(number));
    }

    fn depend(&mut self, node: NodeId, dependent: Dependent) {
        let node = self.one_of(node);
        self.nodes[node.0 as usize].dependents.push(dependent);
        self.known(node).into_iter().for_each(|place| self.arrive(dependent, place));
    }

    /// Propagates until a call is to be bound or nothing is left; whether something is left.
    pub fn propagate(&mut self) -> Result<bool, StopReason> {
        while self.called.is_empty() {
            self.budget.proceed()?;
            if self.open.is_empty() {
                return Ok(false);
            }
            if self.ranked != self.edges.len() {
                self.rank_sets()?;
            }
            for (node, new) in self.propagate_along_copies()? {
                let dependents = self.nodes[node.0 as usize].dependents.clone();
                for place in new {
                    self.budget.proceed()?;
                    dependents.iter().for_each(|dependent| self.arrive(*dependent, place));
                }
            }
        }
        Ok(true)
    }

    /// What has come into sets that something depends on.
    fn propagate_along_copies(&mut self) -> Result<Vec<(NodeId, Vec<PlaceId>)>, StopReason> {
        let mut arrived = Vec::new();
        while let Some(Reverse((_, node))) = self.open.pop() {
            let at = &mut self.nodes[node.0 as usize];
            let (new, copies) = (std::mem::take(&mut at.new), std::mem::take(&mut at.copies));
            for (to, shift) in &copies {
                for place in &new {
                    self.budget.proceed()?;
                    let place = self.objects.shifted(*place, *shift);
                    self.add(*to, place);
                }
            }
            let at = &mut self.nodes[node.0 as usize];
            at.copies = copies;
            if !at.dependents.is_empty() && !new.is_empty() {
                arrived.push((node, new));
            }
        }
        Ok(arrived)
    }
}

/// A set when all is solved, ascending.
pub(super) fn sorted(places: impl Iterator<Item = PlaceId>) -> Vec<PlaceId> {
    let mut places: Vec<PlaceId> = places.collect();
    places.sort_unstable();
    places
}
