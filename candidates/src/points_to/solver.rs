//! Inclusion constraints between sets of places (Andersen), solved by propagating what is new.
//!
//! Once the analysis is to end, nothing is added any more, so that all loops terminate. The sets then lack
//! members and are of no use.

use crate::budget::Budget;
use crate::objects::{ObjectId, Objects, Place, PlaceId};
use crate::offsets::{Offset, Shift, UNBOUNDED};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
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
    new: Vec<PlaceId>,
    copies: Vec<(NodeId, Shift)>,
    dependents: Vec<Dependent>,
    is_queued: bool,
}

/// The contents of an object.
#[derive(Default)]
struct Contents {
    cells: Vec<(Offset, NodeId)>,
    loads: Vec<(Offset, NodeId)>,
    copies: Vec<(Offset, u64, PlaceId)>,
    /// The contents of all cells, for reads of an unknown one.
    all: Option<NodeId>,
}

struct Copy {
    size: u64,
    from: Vec<PlaceId>,
    to: Vec<PlaceId>,
    /// All that is copied, whatever its distance from the beginning, where there are many places.
    hub: Option<NodeId>,
}

/// Constraints, and the sets so far.
pub(super) struct Solver<'p> {
    pub objects: Objects<'p>,
    pub budget: &'p Budget,
    nodes: Vec<Node>,
    contents: Vec<Contents>,
    copies: Vec<Copy>,
    queue: VecDeque<NodeId>,
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
            queue: VecDeque::new(),
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
        NodeId(first as u32)
    }

    /// How many sets there are.
    pub fn count(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// The members of a set.
    pub fn places(&self, node: NodeId) -> impl Iterator<Item = PlaceId> {
        self.nodes[node.0 as usize].places.values().flatten().copied()
    }

    fn known(&self, node: NodeId) -> Vec<PlaceId> {
        self.places(node).collect()
    }

    /// Adds a place to a set.
    pub fn add(&mut self, node: NodeId, place: PlaceId) {
        if self.budget.is_over() {
            return;
        }
        let Place { object, offset } = self.objects.place(place);
        let into = &mut self.nodes[node.0 as usize];
        let known = into.places.entry(object).or_default();
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
        if !std::mem::replace(&mut into.is_queued, true) {
            self.queue.push_back(node);
        }
    }

    /// One set contains another, after a shift.
    pub fn copy(&mut self, from: NodeId, to: NodeId, shift: Shift) {
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
        self.copies.push(Copy {
            size: size.unwrap_or(UNBOUNDED),
            from: Vec::new(),
            to: Vec::new(),
            hub: None,
        });
        self.depend(from, Dependent::CopyFrom(number));
        self.depend(to, Dependent::CopyTo(number));
    }

    fn depend(&mut self, node: NodeId, dependent: Dependent) {
        self.nodes[node.0 as usize].dependents.push(dependent);
        self.known(node).into_iter().for_each(|place| self.arrive(dependent, place));
    }

    /// Propagates until a call is to be bound or nothing is left; whether something is left.
    pub fn propagate(&mut self) -> Result<bool, StopReason> {
        while self.called.is_empty() {
            self.budget.proceed()?;
            let Some(node) = self.queue.pop_front() else { return Ok(false) };
            let at = &mut self.nodes[node.0 as usize];
            at.is_queued = false;
            let new = std::mem::take(&mut at.new);
            let (copies, dependents) = (at.copies.clone(), at.dependents.clone());
            for place in new {
                self.budget.proceed()?;
                for (to, shift) in &copies {
                    let place = self.objects.shifted(place, *shift);
                    self.add(*to, place);
                }
                dependents.iter().for_each(|dependent| self.arrive(*dependent, place));
            }
        }
        Ok(true)
    }

    fn arrive(&mut self, dependent: Dependent, id: PlaceId) {
        if self.budget.is_over() {
            return;
        }
        let place = self.objects.place(id);
        match dependent {
            Dependent::Load(into) => {
                if (1..=POINTER).contains(&u64::from(place.offset.stride)) {
                    let all = self.all(place.object);
                    self.copy(all, into, Shift::NONE);
                    return;
                }
                let budget = self.budget;
                let contents = self.contents(place.object);
                budget.weigh(contents.loads.len() / COMPARED);
                if contents.loads.contains(&(place.offset, into)) {
                    return;
                }
                contents.loads.push((place.offset, into));
                let cells = contents.cells.clone();
                for (offset, cell) in cells {
                    if offset.overlaps(POINTER, place.offset, POINTER) {
                        self.copy(cell, into, Shift::NONE);
                    }
                }
            }
            Dependent::Store(from) => {
                let cell = self.cell(place);
                self.copy(from, cell, Shift::NONE);
            }
            Dependent::CopyFrom(number) => {
                let copy = &mut self.copies[number as usize];
                copy.from.push(id);
                let (size, others) = (copy.size, copy.to.clone());
                match self.hub(number) {
                    Some(hub) => self.arrive_anywhere(Dependent::Load(hub), place),
                    None => others.into_iter().for_each(|to| self.copy_place(place, size, to)),
                }
            }
            Dependent::CopyTo(number) => {
                let copy = &mut self.copies[number as usize];
                copy.to.push(id);
                let (size, others) = (copy.size, copy.from.clone());
                match self.hub(number) {
                    Some(hub) => self.arrive_anywhere(Dependent::Store(hub), place),
                    None => {
                        for from in others {
                            let from = self.objects.place(from);
                            self.copy_place(from, size, id);
                        }
                    }
                }
            }
            Dependent::Call(number) => self.called.push((number, id)),
        }
    }

    fn arrive_anywhere(&mut self, dependent: Dependent, place: Place) {
        let place = self.objects.place_id(Place { offset: Offset::ANYWHERE, ..place });
        self.arrive(dependent, place);
    }

    /// The set of all that is copied, once there are too many places to keep distances.
    fn hub(&mut self, number: u32) -> Option<NodeId> {
        let copy = &self.copies[number as usize];
        if copy.hub.is_some() || copy.from.len() * copy.to.len() <= MOST_PAIRS {
            return copy.hub;
        }
        let (from, to) = (copy.from.clone(), copy.to.clone());
        let hub = self.nodes(1);
        self.copies[number as usize].hub = Some(hub);
        for (places, dependent) in [(from, Dependent::Load(hub)), (to, Dependent::Store(hub))] {
            for place in places {
                let place = self.objects.place(place);
                self.arrive_anywhere(dependent, place);
            }
        }
        Some(hub)
    }

    fn copy_place(&mut self, from: Place, size: u64, to: PlaceId) {
        let contents = self.contents(from.object);
        contents.copies.push((from.offset, size, to));
        let cells = contents.cells.clone();
        for (offset, cell) in cells {
            self.copy_cell((from.offset, size, to), offset, cell);
        }
    }

    fn copy_cell(&mut self, (from, size, to): (Offset, u64, PlaceId), offset: Offset, cell: NodeId) {
        if !from.overlaps(size, offset, POINTER) {
            return;
        }
        let place = self.objects.place(to);
        let is_exact = from.stride == 0 && offset.stride == 0;
        let shift = Shift {
            add: offset.at.wrapping_sub(from.at),
            stride: if is_exact {
                0
            } else {
                Shift { add: 0, stride: from.stride }.then(Shift { add: 0, stride: offset.stride }).stride
            },
        };
        let into = self.cell(Place { offset: place.offset.shifted(shift), ..place });
        self.copy(cell, into, Shift::NONE);
    }

    /// The set of all that is written to an object.
    fn all(&mut self, object: ObjectId) -> NodeId {
        if let Some(all) = self.contents(object).all {
            return all;
        }
        let all = self.nodes(1);
        let contents = self.contents(object);
        contents.all = Some(all);
        for (_, cell) in contents.cells.clone() {
            self.copy(cell, all, Shift::NONE);
        }
        all
    }

    fn contents(&mut self, object: ObjectId) -> &mut Contents {
        let count = self.objects.count().max(object.0 as usize + 1);
        if self.contents.len() < count {
            self.contents.resize_with(count, Contents::default);
        }
        &mut self.contents[object.0 as usize]
    }

    /// The set of what is written to a place.
    pub fn cell(&mut self, place: Place) -> NodeId {
        let contents = self.contents(place.object);
        let mut offset = place.offset;
        if contents.cells.len() >= MOST_CELLS && contents.cells.iter().all(|(known, _)| *known != offset) {
            offset = Offset::ANYWHERE;
        }
        if let Some((_, cell)) = contents.cells.iter().find(|(known, _)| *known == offset) {
            return *cell;
        }
        let cell = self.nodes(1);
        let contents = self.contents(place.object);
        contents.cells.push((offset, cell));
        let (loads, copies) = (contents.loads.clone(), contents.copies.clone());
        if let Some(all) = contents.all {
            self.copy(cell, all, Shift::NONE);
        }
        for (at, into) in loads {
            if offset.overlaps(POINTER, at, POINTER) {
                self.copy(cell, into, Shift::NONE);
            }
        }
        copies.into_iter().for_each(|copy| self.copy_cell(copy, offset, cell));
        cell
    }

    /// The sets of what is written to any place of an object.
    pub fn cells(&self, object: ObjectId) -> impl Iterator<Item = (Offset, NodeId)> {
        self.contents.get(object.0 as usize).into_iter().flat_map(|contents| contents.cells.iter().copied())
    }
}

/// A set when all is solved, ascending.
pub(super) fn sorted(places: impl Iterator<Item = PlaceId>) -> Vec<PlaceId> {
    let mut places: Vec<PlaceId> = places.collect();
    places.sort_unstable();
    places
}
