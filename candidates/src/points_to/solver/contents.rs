//! The contents of objects: loads, stores and copies of memory, as places come in that they are of.

use super::{COMPARED, Dependent, MOST_CELLS, MOST_PAIRS, NodeId, POINTER, Solver};
use crate::objects::{ObjectId, Place, PlaceId};
use crate::offsets::{Offset, Shift};

/// The contents of an object.
#[derive(Default)]
pub(super) struct Contents {
    cells: Vec<(Offset, NodeId)>,
    loads: Vec<(Offset, NodeId)>,
    copies: Vec<(Offset, u64, PlaceId)>,
    /// The contents of all cells, for reads of an unknown one.
    all: Option<NodeId>,
}

/// A copy of memory, with the places that it reads and writes so far.
pub(super) struct Copy {
    size: u64,
    from: Vec<PlaceId>,
    to: Vec<PlaceId>,
    /// All that is copied, whatever its distance from the beginning, where there are many places.
    hub: Option<NodeId>,
}

impl Copy {
    /// Of a size in bytes.
    pub fn of(size: u64) -> Self {
        Self { size, from: Vec::new(), to: Vec::new(), hub: None }
    }
}

impl Solver<'_> {
    /// A place has come into a set that something depends on. It may come again.
    pub(super) fn arrive(&mut self, dependent: Dependent, id: PlaceId) {
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
                if copy.hub.is_none() && copy.from.contains(&id) {
                    return;
                }
                copy.from.push(id);
                let (size, others) = (copy.size, copy.to.clone());
                match self.hub(number) {
                    Some(hub) => self.arrive_anywhere(Dependent::Load(hub), place),
                    None => others.into_iter().for_each(|to| self.copy_place(place, size, to)),
                }
            }
            Dependent::CopyTo(number) => {
                let copy = &mut self.copies[number as usize];
                if copy.hub.is_none() && copy.to.contains(&id) {
                    return;
                }
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
