//! Points-to sets of pointers, functions and threads included: an inclusion-based analysis (Andersen 1994) of
//! the whole linked program. It is field-sensitive (by the distance from the object's beginning), but not
//! sensitive to elements of an array. Objects are distinguished by allocation site. Calls of one function are
//! not distinguished, but for functions that only hand new memory on.
//!
//! Pointers are followed through registers and memory of 64 bits. A pointer that a program splits into
//! smaller pieces and joins again is not.

mod calls;
mod code;
mod solver;
mod wrappers;

pub(crate) use code::{index_shift, number};
pub(crate) use solver::NodeId;
pub(crate) use wrappers::external_effect;

use crate::budget::Budget;
use crate::objects::{Object, ObjectId, Objects, Place, PlaceId};
use crate::offsets::{Offset, Shift};
use calls::Callee;
use rustc_hash::{FxHashMap, FxHashSet};
use solver::{Solver, sorted};
use symx_expr::StopReason;
use symx_ir::{FunctionId, Operand, Program, Slot};

/// A place in the code.
pub(crate) type CodePlace = (FunctionId, u32);

/// Where a value comes from.
#[derive(Clone, Copy)]
pub(super) enum Source {
    Node(NodeId),
    Place(PlaceId),
    /// It is no pointer.
    Nothing,
}

/// The result of the analysis.
pub(crate) struct PointsTo<'p> {
    pub objects: Objects<'p>,
    /// By node, the number of its set.
    set_of: Vec<u32>,
    sets: Vec<Box<[PlaceId]>>,
    registers: Vec<u32>,
    /// The functions that a call may call, libraries' among them.
    pub callees: FxHashMap<CodePlace, Vec<FunctionId>>,
    /// The functions without a body that a call through a pointer may call.
    pub externals: FxHashMap<CodePlace, Vec<symx_ir::ExternalId>>,
    /// The functions that threads created by a call may start with.
    pub starts: FxHashMap<CodePlace, Vec<FunctionId>>,
    /// Functions called at unknown times: handlers of signals, destructors of values of threads.
    pub later: FxHashSet<FunctionId>,
    /// Memory that arguments of system calls which are lists of pieces point to, by call.
    pub pieces: FxHashMap<CodePlace, NodeId>,
    /// Memory that may be a part of a file.
    pub of_files: NodeId,
    shared: Vec<bool>,
    reached: FxHashSet<FunctionId>,
}

/// Sets that belong to no function: those at the end of [`Analysis`].
const SHARED_SETS: usize = 5;

/// The analysis under way.
struct Analysis<'p> {
    program: &'p Program,
    solver: Solver<'p>,
    registers: Vec<u32>,
    results: Vec<u32>,
    wrappers: FxHashSet<FunctionId>,
    /// Functions that are called, and those of them that are to be looked at.
    reached: FxHashSet<FunctionId>,
    entered: Vec<FunctionId>,
    /// Calls that are bound when it is known what they call.
    calls: Vec<(CodePlace, Callee)>,
    bound: FxHashSet<(u32, PlaceId)>,
    callees: FxHashMap<CodePlace, Vec<FunctionId>>,
    externals: FxHashMap<CodePlace, Vec<symx_ir::ExternalId>>,
    starts: FxHashMap<CodePlace, Vec<FunctionId>>,
    later: FxHashSet<FunctionId>,
    pieces: FxHashMap<CodePlace, NodeId>,
    /// Values that threads return, values kept for each thread, exceptions thrown, arguments of threads and
    /// of functions that are called later, and memory that may be a part of a file.
    thread_results: NodeId,
    kept: NodeId,
    thrown: NodeId,
    handed_over: NodeId,
    of_files: NodeId,
}

impl<'p> PointsTo<'p> {
    /// Of the code reached from some functions.
    pub fn of(program: &'p Program, roots: &[FunctionId], budget: &'p Budget) -> Result<Self, StopReason> {
        let mut solver = Solver::new(program, budget);
        let sets = program.functions.iter().map(|function| function.slots + function.return_slots);
        solver.reserve(sets.map(|sets| sets as usize).sum::<usize>() + SHARED_SETS)?;
        let mut registers = Vec::new();
        let mut results = Vec::new();
        for function in &program.functions {
            registers.push(solver.nodes(function.slots).0);
            results.push(solver.nodes(function.return_slots).0);
        }
        let [thread_results, kept, thrown, handed_over, of_files] =
            [(); SHARED_SETS].map(|()| solver.nodes(1));
        let mut analysis = Analysis {
            program,
            solver,
            registers,
            results,
            wrappers: wrappers::wrappers(program, budget)?,
            reached: FxHashSet::default(),
            entered: Vec::new(),
            calls: Vec::new(),
            bound: FxHashSet::default(),
            callees: FxHashMap::default(),
            externals: FxHashMap::default(),
            starts: FxHashMap::default(),
            later: FxHashSet::default(),
            pieces: FxHashMap::default(),
            thread_results,
            kept,
            thrown,
            handed_over,
            of_files,
        };
        analysis.initial_contents();
        roots.iter().for_each(|root| analysis.reach(*root));
        analysis.solve()?;
        analysis.finish()
    }

    /// The places a register may point to.
    pub fn register(&self, function: FunctionId, slot: Slot) -> &[PlaceId] {
        self.node(NodeId(self.registers[function.0 as usize] + slot))
    }

    pub fn node(&self, node: NodeId) -> &[PlaceId] {
        &self.sets[self.set_of[node.0 as usize] as usize]
    }

    /// Whether a function may be called at all.
    pub fn is_reached(&self, id: FunctionId) -> bool {
        self.reached.contains(&id)
    }

    /// Whether another thread than the one it belongs to can get to an object.
    pub fn is_shared(&self, object: ObjectId) -> bool {
        self.shared.get(object.0 as usize).copied().unwrap_or(false)
    }

    /// The places an operand may point to.
    pub fn operand(&mut self, function: FunctionId, operand: Operand) -> Vec<PlaceId> {
        if operand.is_constant() {
            let value = self.objects.program.function(function).constants[operand.index()];
            return self.objects.pointee(value).into_iter().collect();
        }
        self.register(function, operand.index() as Slot).to_vec()
    }
}

impl<'p> Analysis<'p> {
    fn register(&self, function: FunctionId, slot: Slot) -> NodeId {
        NodeId(self.registers[function.0 as usize] + slot)
    }

    fn source(&mut self, function: FunctionId, operand: Operand) -> Source {
        if operand.is_constant() {
            let value = self.program.function(function).constants.get(operand.index()).copied().unwrap_or(0);
            return self.solver.objects.pointee(value).map_or(Source::Nothing, Source::Place);
        }
        Source::Node(self.register(function, operand.index() as Slot))
    }

    /// The set of what an operand may point to.
    fn node(&mut self, function: FunctionId, operand: Operand) -> Option<NodeId> {
        match self.source(function, operand) {
            Source::Node(node) => Some(node),
            Source::Nothing => None,
            Source::Place(place) => {
                let node = self.solver.nodes(1);
                self.solver.add(node, place);
                Some(node)
            }
        }
    }

    fn flow(&mut self, from: Source, to: NodeId, shift: Shift) {
        match from {
            Source::Node(node) => self.solver.copy(node, to, shift),
            Source::Place(place) => {
                let place = self.solver.objects.shifted(place, shift);
                self.solver.add(to, place);
            }
            Source::Nothing => {}
        }
    }

    /// `shift` bytes after what an operand points to.
    fn behind(&mut self, function: FunctionId, operand: Operand, shift: Shift) -> Option<NodeId> {
        let node = self.node(function, operand)?;
        if shift == Shift::NONE {
            return Some(node);
        }
        let behind = self.solver.nodes(1);
        self.solver.copy(node, behind, shift);
        Some(behind)
    }

    fn load(&mut self, function: FunctionId, address: Operand, shift: Shift, into: NodeId) {
        if let Some(address) = self.behind(function, address, shift) {
            self.solver.load(address, into);
        }
    }

    fn store(&mut self, function: FunctionId, address: Operand, shift: Shift, value: Operand) {
        let Some(value) = self.node(function, value) else { return };
        if let Some(address) = self.behind(function, address, shift) {
            self.solver.store(address, value);
        }
    }

    /// The initial contents of variables.
    fn initial_contents(&mut self) {
        for (global, id) in self.program.globals.iter().zip(0..) {
            let id = symx_ir::GlobalId(id);
            let object = if global.thread_local { Object::ThreadLocal(id) } else { Object::Global(id) };
            let object = self.solver.objects.id(object);
            for (at, bytes) in (0..).step_by(8).zip(global.bytes.chunks_exact(8)) {
                if self.solver.budget.is_over() {
                    return;
                }
                let value = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
                if let Some(pointee) = self.solver.objects.pointee(value) {
                    let cell = self.solver.cell(Place { object, offset: Offset { at, stride: 0 } });
                    self.solver.add(cell, pointee);
                }
            }
        }
    }

    /// A function is called.
    fn reach(&mut self, id: FunctionId) {
        if self.reached.insert(id) {
            self.entered.push(id);
        }
    }

    fn solve(&mut self) -> Result<(), StopReason> {
        loop {
            while let Some(id) = self.entered.pop() {
                self.function(id)?;
            }
            if !self.solver.propagate()? {
                return self.solver.budget.check();
            }
            for (number, place) in std::mem::take(&mut self.solver.called) {
                self.solver.budget.proceed()?;
                if self.bound.insert((number, place)) {
                    let (at, callee) = self.calls[number as usize];
                    self.bind(at, callee, place);
                }
            }
        }
    }

    fn finish(mut self) -> Result<PointsTo<'p>, StopReason> {
        let shared = self.shared()?;
        let count = self.solver.count();
        self.solver.budget.ask((count as usize).saturating_mul(size_of::<Box<[PlaceId]>>()))?;
        let mut sets = Vec::new();
        let mut numbers = vec![0; count as usize];
        for node in (0..count).map(NodeId).filter(|node| self.solver.one_of(*node) == *node) {
            let set: Box<[PlaceId]> = sorted(self.solver.places(node)).into();
            self.solver.budget.weigh(set.len());
            self.solver.budget.proceed()?;
            numbers[node.0 as usize] = sets.len() as u32;
            sets.push(set);
        }
        let set_of = (0..count).map(|node| numbers[self.solver.one_of(NodeId(node)).0 as usize]).collect();
        Ok(PointsTo {
            objects: self.solver.objects,
            set_of,
            sets,
            registers: self.registers,
            callees: self.callees,
            externals: self.externals,
            starts: self.starts,
            later: self.later,
            pieces: self.pieces,
            of_files: self.of_files,
            shared,
            reached: self.reached,
        })
    }

    /// The objects that threads can get to from variables and from what they are given when they start.
    fn shared(&mut self) -> Result<Vec<bool>, StopReason> {
        let mut shared = vec![false; self.solver.objects.count()];
        let mut open: Vec<ObjectId> = Vec::new();
        for id in 0..self.solver.objects.count() as u32 {
            if matches!(self.solver.objects.object(ObjectId(id)), Object::Global(_)) {
                open.push(ObjectId(id));
            }
        }
        for node in [self.handed_over, self.thread_results] {
            open.extend(self.solver.places(node).map(|place| self.solver.objects.place(place).object));
        }
        while let Some(object) = open.pop() {
            if std::mem::replace(&mut shared[object.0 as usize], true) {
                continue;
            }
            for (_, cell) in self.solver.cells(object) {
                for place in self.solver.places(cell) {
                    self.solver.budget.proceed()?;
                    let inside = self.solver.objects.place(place).object;
                    if !shared[inside.0 as usize] {
                        open.push(inside);
                    }
                }
            }
        }
        Ok(shared)
    }
}

impl PointsTo<'_> {
    /// Whether two sets have a byte in common.
    pub fn may_meet(&self, one: &[PlaceId], other: &[PlaceId]) -> bool {
        one.iter().any(|one| {
            let one = self.objects.place(*one);
            other.iter().any(|other| {
                let other = self.objects.place(*other);
                one.object == other.object && one.offset.overlaps(1, other.offset, 1)
            })
        })
    }
}
