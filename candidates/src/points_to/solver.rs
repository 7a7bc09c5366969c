//! Inclusion constraints between sets of places (Andersen), solved by propagating what is new.

use crate::objects::{ObjectId, Objects, Place, PlaceId};
use crate::offsets::{Offset, Shift, UNBOUNDED};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use symx_ir::Program;

/// A set of places: what a register or a piece of memory may point to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct NodeId(pub u32);

/// Places of one object in one set before they are taken for equal steps: pointers that walk through an array
/// would go on for ever.
const MOST_PLACES: usize = 8;
/// Pieces of one object that are told apart; what is written to others may be read anywhere in it.
const MOST_CELLS: usize = 256;
/// Bytes of a pointer.
const POINTER: u64 = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Dependent {
    /// What is there is read into this set.
    Load(NodeId),
    /// What is in this set is written there.
    Store(NodeId),
    /// The source, or the destination, of a copy of memory.
    CopyFrom(u32),
    CopyTo(u32),
    /// A call, or what a call hands over to be called.
    Call(u32),
}

#[derive(Default)]
struct Node {
    places: FxHashSet<PlaceId>,
    new: Vec<PlaceId>,
    copies: Vec<(NodeId, Shift)>,
    dependents: Vec<Dependent>,
    is_queued: bool,
}

/// What is known of the contents of an object.
#[derive(Default)]
struct Contents {
    cells: Vec<(Offset, NodeId)>,
    loads: Vec<(Offset, NodeId)>,
    copies: Vec<(Offset, u64, PlaceId)>,
}

struct Copy {
    size: u64,
    from: Vec<PlaceId>,
    to: Vec<PlaceId>,
}

/// Constraints, and the sets so far.
pub(super) struct Solver<'p> {
    pub objects: Objects<'p>,
    nodes: Vec<Node>,
    contents: Vec<Contents>,
    copies: Vec<Copy>,
    queue: VecDeque<NodeId>,
    /// Calls to which something was added that they may call, with what.
    pub called: Vec<(u32, PlaceId)>,
    edges: FxHashSet<(NodeId, NodeId, Shift)>,
}

impl<'p> Solver<'p> {
    pub fn new(program: &'p Program) -> Self {
        Self {
            objects: Objects::new(program),
            nodes: Vec::new(),
            contents: Vec::new(),
            copies: Vec::new(),
            queue: VecDeque::new(),
            called: Vec::new(),
            edges: FxHashSet::default(),
        }
    }

    /// So many sets of their own, the first of them.
    pub fn nodes(&mut self, count: u32) -> NodeId {
        let first = self.nodes.len();
        self.nodes.resize_with(first + count as usize, Node::default);
        NodeId(first as u32)
    }

    pub fn places(&self, node: NodeId) -> &FxHashSet<PlaceId> {
        &self.nodes[node.0 as usize].places
    }

    /// Adds a place to a set.
    pub fn add(&mut self, node: NodeId, place: PlaceId) {
        let known = &self.nodes[node.0 as usize].places;
        if known.contains(&place) {
            return;
        }
        let place = if known.len() < MOST_PLACES { place } else { self.widened(node, place) };
        let into = &mut self.nodes[node.0 as usize];
        if !into.places.insert(place) {
            return;
        }
        into.new.push(place);
        if !std::mem::replace(&mut into.is_queued, true) {
            self.queue.push_back(node);
        }
    }

    /// The place, or steps that have it and all others of its object, where those are many.
    fn widened(&mut self, node: NodeId, id: PlaceId) -> PlaceId {
        let Place { object, offset } = self.objects.place(id);
        let (mut joined, mut count) = (offset, 0);
        for known in &self.nodes[node.0 as usize].places {
            let known = self.objects.place(*known);
            if known.object == object {
                if known.offset.joined(offset) == known.offset {
                    return self.objects.place_id(known);
                }
                joined = joined.joined(known.offset);
                count += 1;
            }
        }
        if count < MOST_PLACES { id } else { self.objects.place_id(Place { object, offset: joined }) }
    }

    /// What is in one set is in another, too, after a shift.
    pub fn copy(&mut self, from: NodeId, to: NodeId, shift: Shift) {
        if from == to && shift == Shift::NONE || !self.edges.insert((from, to, shift)) {
            return;
        }
        self.nodes[from.0 as usize].copies.push((to, shift));
        let known: Vec<PlaceId> = self.nodes[from.0 as usize].places.iter().copied().collect();
        for place in known {
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

    /// A call through what is in a set: [`called`](Self::called) tells of what comes in.
    pub fn call(&mut self, target: NodeId, number: u32) {
        self.depend(target, Dependent::Call(number));
    }

    /// Copies memory.
    pub fn copy_memory(&mut self, to: NodeId, from: NodeId, size: Option<u64>) {
        let number = self.copies.len() as u32;
        self.copies.push(Copy { size: size.unwrap_or(UNBOUNDED), from: Vec::new(), to: Vec::new() });
        self.depend(from, Dependent::CopyFrom(number));
        self.depend(to, Dependent::CopyTo(number));
    }

    fn depend(&mut self, node: NodeId, dependent: Dependent) {
        self.nodes[node.0 as usize].dependents.push(dependent);
        let known: Vec<PlaceId> = self.nodes[node.0 as usize].places.iter().copied().collect();
        known.into_iter().for_each(|place| self.arrive(dependent, place));
    }

    /// Propagates until a call is to be bound or nothing is left; whether something is left.
    pub fn propagate(&mut self) -> bool {
        while self.called.is_empty() {
            let Some(node) = self.queue.pop_front() else { return false };
            let at = &mut self.nodes[node.0 as usize];
            at.is_queued = false;
            let new = std::mem::take(&mut at.new);
            let (copies, dependents) = (at.copies.clone(), at.dependents.clone());
            for place in new {
                for (to, shift) in &copies {
                    let place = self.objects.shifted(place, *shift);
                    self.add(*to, place);
                }
                dependents.iter().for_each(|dependent| self.arrive(*dependent, place));
            }
        }
        true
    }

    fn arrive(&mut self, dependent: Dependent, id: PlaceId) {
        let place = self.objects.place(id);
        match dependent {
            Dependent::Load(into) => {
                let contents = self.contents(place.object);
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
                others.into_iter().for_each(|to| self.copy_place(place, size, to));
            }
            Dependent::CopyTo(number) => {
                let copy = &mut self.copies[number as usize];
                copy.to.push(id);
                let (size, others) = (copy.size, copy.from.clone());
                for from in others {
                    let from = self.objects.place(from);
                    self.copy_place(from, size, id);
                }
            }
            Dependent::Call(number) => self.called.push((number, id)),
        }
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

/// The sets that are wanted when all is solved.
pub(super) fn sorted(places: &FxHashSet<PlaceId>) -> Vec<PlaceId> {
    let mut places: Vec<PlaceId> = places.iter().copied().collect();
    places.sort_unstable();
    places
}
