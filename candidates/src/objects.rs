//! Targets of pointers: objects, one for all that come from the same place in the program, and places in
//! them.

use crate::offsets::{Offset, Shift};
use rustc_hash::FxHashMap;
use symx_ir::address::Cell;
use symx_ir::{Code, ExternalId, FunctionId, GlobalId, Program};

/// Where objects come from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Object {
    /// A global variable.
    Global(GlobalId),
    /// A thread's copy of a thread-local variable.
    ThreadLocal(GlobalId),
    /// A variable on the stack, by function and number.
    Stack(FunctionId, u16),
    /// The memory that a call allocates.
    Heap(FunctionId, u32),
    /// The copy that a call hands over as an argument of this number.
    Copy(FunctionId, u32, u32),
    /// The variable arguments of a function.
    Variadic(FunctionId),
    /// A function with a body.
    Function(FunctionId),
    /// A function without one.
    External(ExternalId),
}

/// Number of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct ObjectId(pub u32);

/// Number of a place in an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct PlaceId(pub u32);

/// A place in an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Place {
    pub object: ObjectId,
    pub offset: Offset,
}

/// The objects and places met so far.
pub(crate) struct Objects<'p> {
    pub program: &'p Program,
    cells: FxHashMap<Cell, GlobalId>,
    objects: Vec<Object>,
    object_ids: FxHashMap<Object, ObjectId>,
    places: Vec<Place>,
    place_ids: FxHashMap<Place, PlaceId>,
}

impl<'p> Objects<'p> {
    pub fn new(program: &'p Program) -> Self {
        let cells = program.globals.iter().zip(0..).map(|(global, id)| (global.cell, GlobalId(id))).collect();
        Self {
            program,
            cells,
            objects: Vec::new(),
            object_ids: FxHashMap::default(),
            places: Vec::new(),
            place_ids: FxHashMap::default(),
        }
    }

    pub fn id(&mut self, object: Object) -> ObjectId {
        *self.object_ids.entry(object).or_insert_with(|| {
            self.objects.push(object);
            ObjectId(self.objects.len() as u32 - 1)
        })
    }

    pub fn object(&self, id: ObjectId) -> Object {
        self.objects[id.0 as usize]
    }

    pub fn count(&self) -> usize {
        self.objects.len()
    }

    pub fn place_id(&mut self, place: Place) -> PlaceId {
        *self.place_ids.entry(place).or_insert_with(|| {
            self.places.push(place);
            PlaceId(self.places.len() as u32 - 1)
        })
    }

    pub fn place(&self, id: PlaceId) -> Place {
        self.places[id.0 as usize]
    }

    /// The beginning of an object.
    pub fn start(&mut self, object: Object) -> PlaceId {
        let object = self.id(object);
        self.place_id(Place { object, offset: Offset::START })
    }

    pub fn shifted(&mut self, id: PlaceId, shift: Shift) -> PlaceId {
        if shift == Shift::NONE {
            return id;
        }
        let Place { object, offset } = self.place(id);
        // Code has no bytes: what is computed from its address leads to it alone, or nowhere.
        if matches!(self.object(object), Object::Function(_) | Object::External(_)) {
            return id;
        }
        self.place_id(Place { object, offset: offset.shifted(shift) })
    }

    /// The place a constant points to, if it is the address of anything.
    pub fn pointee(&mut self, value: u64) -> Option<PlaceId> {
        if let Some(code) = self.program.code_at(value) {
            return Some(self.start(match code {
                Code::Function(id) => Object::Function(id),
                Code::External(id) => Object::External(id),
            }));
        }
        let id = *self.cells.get(&Cell::of(value)?)?;
        let global = self.program.global(id);
        let at = value.wrapping_sub(global.address);
        if at > global.size {
            return None;
        }
        let object = if global.thread_local { Object::ThreadLocal(id) } else { Object::Global(id) };
        let object = self.id(object);
        Some(self.place_id(Place { object, offset: Offset { at: at as i64, stride: 0 } }))
    }
}
