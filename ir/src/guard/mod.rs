//! Puts a lock around some lines of a program, as if the programmer had written so: acquired before the code,
//! released after it. The changed program is one like any other, for every reduction and every memory model.

mod region;

use crate::address::Cell;
use crate::function::{
    Argument, ArgumentClass, Block, CallSite, CallTarget, Edge, ExternalId, Function, Passing,
};
use crate::instruction::{BinaryOp, Extended, Inst, Operand};
use crate::omission::is_named;
use crate::program::{External, LinkedFunction, LinkedGlobal, Program};
use region::Region;

/// Bytes of a mutex, and their alignment, log2.
const MUTEX: (u64, u8) = (40, 3);

/// Lines that the mutex is held on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// The file, by the end of its path.
    pub file: String,
    /// The first line, from 1.
    pub first: u32,
    /// The last one.
    pub last: u32,
}

/// The lock to hold on some lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guard {
    /// A mutex that the program lacks: all such lines share it.
    NewMutex,
    /// A lock of the program's own.
    Lock {
        /// Where it is.
        place: LockPlace,
        /// The function that acquires it.
        take: &'static str,
        /// The function that releases it.
        free: &'static str,
    },
}

/// Where a lock of the program's own is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LockPlace {
    /// In a global variable, at this address in every execution.
    Global(u64),
    /// In the object that code accesses, wherever that is.
    InAccessedObject {
        /// Line and column of the access. The code that is guarded begins with it.
        access: (u32, u32),
        /// How many bytes the lock is behind what is accessed.
        distance: i64,
    },
}

/// Why the mutex cannot be put there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unguarded {
    /// The program touches no memory there.
    #[error("no code on these lines accesses memory")]
    NoCode,
    /// The code on the lines can be entered elsewhere than at its first access.
    #[error("the code on these lines has more than one entry")]
    SeveralPieces,
    /// The lock is no global variable, so its address depends on the execution.
    #[error("the lock is in no global variable")]
    NoGlobal,
    /// The lock is in the object that is accessed, but some code on the lines begins with another access.
    #[error("the code on these lines does not begin with the access to the object that has the lock")]
    OtherAccess,
}

impl Program {
    /// Puts a lock around each of some sections. In every function that has code of a section of several
    /// lines, that code must have one entry. On a single line the lock is held where memory is accessed.
    /// Sections that overlap are one.
    pub fn guard(&mut self, sections: &[Section], with: &Guard) -> Result<(), Unguarded> {
        let mut guarded: Vec<(usize, Code)> = Vec::new();
        for section in sections {
            let mut is_found = false;
            for index in 0..self.functions.len() {
                let pieces = self.pieces(index, section)?;
                if pieces.is_empty() {
                    continue;
                }
                is_found = true;
                let at = guarded.iter().position(|(function, _)| *function == index).unwrap_or_else(|| {
                    guarded.push((index, Code::default()));
                    guarded.len() - 1
                });
                let code = &mut guarded[at].1;
                match pieces.len() == 1 || section.first == section.last {
                    true => code.pieces.extend(pieces),
                    false => code.regions.push(Region::of(&self.functions[index].function, &pieces)?),
                }
            }
            if !is_found {
                return Err(Unguarded::NoCode);
            }
        }
        let held: Vec<(usize, Held)> =
            guarded.into_iter().map(|(index, code)| Ok((index, code.held()?))).collect::<Result<_, _>>()?;
        let (take, free, place) = match *with {
            Guard::NewMutex => {
                ("pthread_mutex_lock", "pthread_mutex_unlock", LockPlace::Global(self.new_mutex()))
            }
            Guard::Lock { place: LockPlace::Global(address), take, free } => {
                (take, free, LockPlace::Global(self.global_at(address)?))
            }
            Guard::Lock { ref place, take, free } => (take, free, place.clone()),
        };
        let (lock, unlock) = (self.external(take), self.external(free));
        for (index, held) in held {
            let found = match place {
                LockPlace::Global(address) => FoundLock::Global(address),
                LockPlace::InAccessedObject { access, distance } => {
                    let addresses = self.accessed(index, &held, access).ok_or(Unguarded::OtherAccess)?;
                    FoundLock::Behind(addresses, distance)
                }
            };
            let function = &mut self.functions[index];
            let (lock_at, computed) = found.operand(function);
            let sites = [lock, unlock].map(|called| add_call(&mut function.function, called, lock_at));
            insert(&mut function.function, &held, &computed, sites);
        }
        Ok(())
    }

    /// The address that the code of each part that is held begins to access, if all begin with the access at
    /// this line and column.
    fn accessed(&self, index: usize, held: &Held, (line, column): (u32, u32)) -> Option<Vec<Operand>> {
        let function = &self.functions[index].function;
        let of = |at: &usize| {
            let span = self.outside_library_sources(function.spans[*at])?;
            let (_, at_line, at_column) = self.position(span)?;
            let address = address_of(function, &function.code[*at])?;
            ((at_line, at_column) == (line, column)).then_some(address)
        };
        held.before.iter().map(of).collect()
    }

    /// The code of a function that is on the lines of a section and does anything to memory, by blocks.
    fn pieces(&self, index: usize, section: &Section) -> Result<Vec<Piece>, Unguarded> {
        let function = &self.functions[index].function;
        let is_there = |at: usize| {
            let span = self.outside_library_sources(function.spans[at]);
            let place = span.and_then(|span| self.position(span));
            place.is_some_and(|(file, line, _)| {
                (section.first..=section.last).contains(&line) && is_named(file, &section.file)
            })
        };
        // One line is held for its accesses: what it calls need not be between them.
        let is_line = section.first == section.last;
        let touches = |at: usize| match function.code[at] {
            Inst::Load { .. } | Inst::Store { .. } | Inst::Extended { .. } => true,
            Inst::Call { .. } => !is_line,
            _ => false,
        };
        let block = |at: usize| function.blocks.partition_point(|block| block.start as usize <= at);
        let mut pieces: Vec<Piece> = Vec::new();
        for at in (0..function.code.len()).filter(|at| touches(*at) && is_there(*at)) {
            match pieces.last_mut().filter(|known| block(known.last) == block(at)) {
                Some(known) => known.last = at,
                None => pieces.push(Piece { first: at, last: at }),
            }
        }
        let ends_block = |piece: &Piece| match function.code[piece.last] {
            Inst::Call { site } => function.calls[site as usize].invoke.is_some(),
            _ => false,
        };
        if pieces.iter().any(ends_block) {
            return Err(Unguarded::SeveralPieces);
        }
        Ok(pieces)
    }

    /// The function that calls of this name go to.
    fn external(&mut self, name: &str) -> ExternalId {
        self.external_named(name).unwrap_or_else(|| {
            self.externals.push(External { name: name.into(), fallback: None });
            ExternalId(self.externals.len() as u32 - 1)
        })
    }

    /// This address, if it is in a variable that all threads share and every execution has there.
    fn global_at(&self, address: u64) -> Result<u64, Unguarded> {
        let cell = Cell::of(address);
        let is_there = |global: &LinkedGlobal| Some(global.cell) == cell && !global.thread_local;
        self.globals.iter().any(is_there).then_some(address).ok_or(Unguarded::NoGlobal)
    }

    /// The address of a new global mutex.
    fn new_mutex(&mut self) -> u64 {
        let (size, align_log2) = MUTEX;
        let small = self.globals.iter().filter(|global| !global.cell.is_large());
        let cell = Cell::small(small.map(|global| global.cell.index() + 1).max().unwrap_or(0));
        let address = cell.base(align_log2);
        self.globals.push(LinkedGlobal {
            name: "symx_mutex".into(),
            source_name: "the mutex of the fix".into(),
            distinction: String::new(),
            source_type: None,
            cell,
            address,
            size,
            align_log2,
            constant: false,
            library: false,
            thread_local: false,
            bytes: Vec::new(),
            of_program: true,
        });
        address
    }
}

/// Code of one block, by its first and last instruction.
#[derive(Clone, Copy)]
struct Piece {
    first: usize,
    last: usize,
}

/// Code of one function that is to be guarded.
#[derive(Default)]
struct Code {
    pieces: Vec<Piece>,
    regions: Vec<Region>,
}

/// Where a lock is acquired and released in a function.
#[derive(Default)]
struct Held {
    /// Before these instructions it is acquired.
    before: Vec<usize>,
    /// After these it is released.
    after: Vec<usize>,
    /// On these edges it is released.
    on: Vec<usize>,
}

impl Code {
    /// Pieces inside a region need no lock of their own. Regions that meet others are refused.
    fn held(self) -> Result<Held, Unguarded> {
        let Self { pieces, regions } = self;
        let is_inside = |piece: &Piece| regions.iter().any(|region| region.covers(piece));
        let pieces = merged(pieces.into_iter().filter(|piece| !is_inside(piece)).collect());
        let mut held = Held::of(&pieces);
        for (at, region) in regions.iter().enumerate() {
            let others = regions[..at].iter().flat_map(|other| &other.held).chain(&pieces);
            if others.into_iter().any(|piece| region.meets(piece)) {
                return Err(Unguarded::SeveralPieces);
            }
            held.before.extend(region.held.first().map(|entry| entry.first));
            held.after.extend(region.ends.iter().map(|end| end.last));
            held.on.extend(&region.exits);
        }
        Ok(held)
    }
}

impl Held {
    fn of(pieces: &[Piece]) -> Self {
        let before = pieces.iter().map(|piece| piece.first).collect();
        Self { before, after: pieces.iter().map(|piece| piece.last).collect(), on: Vec::new() }
    }
}

/// Pieces in order, those that meet as one.
fn merged(mut pieces: Vec<Piece>) -> Vec<Piece> {
    pieces.sort_by_key(|piece| piece.first);
    let mut merged: Vec<Piece> = Vec::new();
    for piece in pieces {
        match merged.last_mut().filter(|known| piece.first <= known.last) {
            Some(known) => known.last = known.last.max(piece.last),
            None => merged.push(piece),
        }
    }
    merged
}

/// The address that an instruction accesses.
fn address_of(function: &Function, inst: &Inst) -> Option<Operand> {
    match inst {
        Inst::Load { address, .. } | Inst::Store { address, .. } => Some(*address),
        Inst::Extended { index } => match function.extended[*index as usize] {
            Extended::AtomicLoad { address, .. }
            | Extended::AtomicStore { address, .. }
            | Extended::AtomicRmw { address, .. }
            | Extended::CompareExchange { address, .. } => Some(address),
            _ => None,
        },
        _ => None,
    }
}

/// The lock for a function.
enum FoundLock {
    /// At one address.
    Global(u64),
    /// This many bytes behind the address that each part begins to access.
    Behind(Vec<Operand>, i64),
}

impl FoundLock {
    /// The operand that has the lock's address, and what computes it before each part.
    fn operand(self, function: &mut LinkedFunction) -> (Operand, Vec<Inst>) {
        let constant = Operand::constant(function.constants.len() as u32);
        match self {
            Self::Global(address) => {
                function.constants.push(address);
                (constant, Vec::new())
            }
            Self::Behind(addresses, distance) => {
                function.constants.push(distance as u64);
                let dst = function.function.slots;
                function.function.slots += 1;
                let add = |a| Inst::Binary { op: BinaryOp::Add, bits: 64, flags: 0, dst, a, b: constant };
                (Operand::slot(dst), addresses.into_iter().map(add).collect())
            }
        }
    }
}

/// A new call site that hands over an address; its number.
fn add_call(function: &mut Function, called: ExternalId, operand: Operand) -> u32 {
    let dst = function.slots;
    function.slots += 1;
    function.calls.push(CallSite {
        target: CallTarget::External(called),
        arguments: vec![Argument {
            operand,
            slots: 1,
            bits: 64,
            passing: Passing::Value,
            class: ArgumentClass::Integer,
        }],
        dst,
        return_slots: 1,
        return_bits: 32,
        used: false,
        invoke: None,
    });
    function.calls.len() as u32 - 1
}

/// Puts calls where a lock is held: before and after instructions, and into blocks of their own on edges.
/// Where the lock's address is `computed`, that comes first.
fn insert(function: &mut Function, held: &Held, computed: &[Inst], [lock, unlock]: [u32; 2]) {
    let count = function.code.len();
    let (mut code, mut spans) = (Vec::with_capacity(count), Vec::with_capacity(count));
    // By instruction, where it is now, and where those come in that now lead to it.
    let (mut own, mut entered) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for (at, (inst, span)) in function.code.iter().zip(&function.spans).enumerate() {
        entered.push(code.len() as u32);
        if let Some(part) = held.before.iter().position(|before| *before == at) {
            code.extend(computed.get(part));
            code.push(Inst::Call { site: lock });
            spans.resize(code.len(), *span);
        }
        own.push(code.len() as u32);
        code.push(*inst);
        spans.push(*span);
        if held.after.contains(&at) {
            code.push(Inst::Call { site: unlock });
            spans.push(*span);
        }
    }
    (function.code, function.spans) = (code, spans);
    for block in &mut function.blocks {
        block.start = entered[block.start as usize];
    }
    for edge in &mut function.edges {
        edge.target = entered[edge.target as usize];
    }
    for load in &mut function.hoisted {
        load.pc = own[load.pc as usize];
    }
    held.on.iter().for_each(|edge| split(function, *edge, unlock));
    function.contains_calls = true;
}

/// Puts a call onto an edge. The phi nodes of its target move before the call.
fn split(function: &mut Function, edge: usize, site: u32) {
    let from = function.block_of_edge(edge as u32) as usize;
    let last = function.blocks.get(from + 1).map_or(function.code.len(), |next| next.start as usize) - 1;
    let span = function.spans[last];
    let (start, fresh) = (function.code.len() as u32, function.edges.len() as u32);
    let Edge { block, target, .. } = function.edges[edge];
    function.edges[edge].block = function.blocks.len() as u32;
    function.edges[edge].target = start;
    function.blocks.push(Block { start, first_edge: fresh, edge_count: 1 });
    function.edges.push(Edge { block, target, first_move: 0, move_count: 0 });
    function.code.extend([Inst::Call { site }, Inst::Jump { edge: fresh }]);
    function.spans.extend([span, span]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::SpanId;

    /// Two blocks: a load and a jump, a store and a return.
    fn function() -> Function {
        let slot = Operand::slot(0);
        let load = Inst::Load { bits: 32, volatile: false, align_log2: 2, dst: 0, address: slot };
        let store = Inst::Store { bits: 32, volatile: false, align_log2: 2, address: slot, value: slot };
        Function {
            slots: 1,
            code: vec![load, Inst::Jump { edge: 0 }, store, Inst::Return { value: slot }],
            spans: vec![SpanId::UNKNOWN; 4],
            blocks: vec![
                Block { start: 0, first_edge: 0, edge_count: 1 },
                Block { start: 2, first_edge: 1, edge_count: 0 },
            ],
            edges: vec![Edge { block: 1, target: 2, first_move: 0, move_count: 0 }],
            ..Function::default()
        }
    }

    #[test]
    fn blocks_and_edges_lead_to_the_lock_in_front() {
        let mut function = function();
        let pieces = [Piece { first: 0, last: 0 }, Piece { first: 2, last: 2 }];
        insert(&mut function, &Held::of(&pieces), &[], [7, 8]);
        let calls: Vec<Option<u32>> = function
            .code
            .iter()
            .map(|inst| match inst {
                Inst::Call { site } => Some(*site),
                _ => None,
            })
            .collect();
        assert_eq!(calls, [Some(7), None, Some(8), None, Some(7), None, Some(8), None]);
        assert_eq!((function.blocks[0].start, function.blocks[1].start), (0, 4));
        assert_eq!((function.edges[0].target, function.spans.len()), (4, 8));
    }

    #[test]
    fn an_edge_leads_through_the_release() {
        let mut function = function();
        let held = Held { before: vec![0], after: Vec::new(), on: vec![0] };
        insert(&mut function, &held, &[], [7, 8]);
        let through = function.edges[0];
        assert_eq!((through.block, through.target), (2, 5));
        assert!(matches!(function.code[5..], [Inst::Call { site: 8 }, Inst::Jump { edge: 1 }]));
        assert_eq!((function.edges[1].block, function.edges[1].target), (1, 3));
        assert_eq!((function.block_of_edge(1), function.spans.len()), (2, 7));
    }

    #[test]
    fn pieces_that_meet_are_one() {
        let piece = |first, last| Piece { first, last };
        let merged = merged(vec![piece(5, 9), piece(1, 3), piece(2, 4), piece(9, 12)]);
        let ends: Vec<(usize, usize)> = merged.iter().map(|piece| (piece.first, piece.last)).collect();
        assert_eq!(ends, [(1, 4), (5, 12)]);
    }
}
