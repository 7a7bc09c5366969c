//! The accesses to memory that an instruction makes by itself.

use super::summary::Kind;
use crate::externals::{Effect, LISTS, Use, Uses, effect, system_call, use_of_file};
use crate::offsets::{Shift, UNBOUNDED};
use crate::points_to::{NodeId, number};
use symx_ir::instruction::Extended;
use symx_ir::program::LinkedFunction;
use symx_ir::{CallSite, ExternalId, Inst, Operand, Program};

/// Where an access is made.
#[derive(Clone, Copy, Debug)]
pub(super) enum At {
    Operand(Operand),
    /// At what a set has.
    Node(NodeId),
    /// At memory that may be a part of a file.
    OfFiles,
}

/// An access to `size` bytes from an address on, after a shift.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    pub at: At,
    pub shift: Shift,
    pub size: u64,
    pub is_aligned: bool,
    pub kind: Kind,
}

fn made(address: Operand, size: u64, is_aligned: bool, kind: Kind) -> Made {
    Made { at: At::Operand(address), shift: Shift::NONE, size, is_aligned, kind }
}

/// To any number of bytes from an address on.
fn from(address: Operand, size: Option<u64>, kind: Kind) -> Made {
    made(address, size.unwrap_or(UNBOUNDED), false, kind)
}

/// To any number of bytes from these places on.
fn all(at: At, shift: Shift, kind: Kind) -> Made {
    Made { at, shift, size: UNBOUNDED, is_aligned: false, kind }
}

/// To all of an object.
fn whole(address: Operand, kind: Kind) -> Made {
    Made { shift: Shift::ANYWHERE, ..from(address, None, kind) }
}

/// The accesses of an instruction other than a call.
pub(super) fn of_instruction(function: &LinkedFunction, inst: &Inst) -> Vec<Made> {
    let bytes = |bits: u8| u64::from(bits).div_ceil(8);
    let plain = |bits: u8, align: u8, address: Operand, kind: Kind| {
        vec![made(address, bytes(bits), 1u64 << align.min(63) >= bytes(bits), kind)]
    };
    match *inst {
        Inst::Load { bits, align_log2, address, .. } => plain(bits, align_log2, address, Kind::READ),
        Inst::Store { bits, align_log2, address, .. } => plain(bits, align_log2, address, Kind::WRITE),
        Inst::Extended { index } => match function.extended[index as usize] {
            Extended::LoadPieces { size, address, .. } => vec![from(address, Some(size.into()), Kind::READ)],
            Extended::StorePieces { size, address, .. } => {
                vec![from(address, Some(size.into()), Kind::WRITE)]
            }
            Extended::MaskedLoad { bits, lanes, address, .. } => {
                vec![from(address, Some(bytes(bits) * u64::from(lanes)), Kind::READ)]
            }
            Extended::MaskedStore { bits, lanes, address, .. } => {
                vec![from(address, Some(bytes(bits) * u64::from(lanes)), Kind::WRITE)]
            }
            Extended::AtomicLoad { bits, align_log2, address, .. } => {
                plain(bits, align_log2, address, Kind::atomic(false))
            }
            Extended::AtomicStore { bits, align_log2, address, .. } => {
                plain(bits, align_log2, address, Kind::atomic(true))
            }
            Extended::AtomicRmw { bits, address, .. } | Extended::CompareExchange { bits, address, .. } => {
                vec![made(address, bytes(bits), true, Kind::atomic(true))]
            }
            Extended::MemoryCopy { to, from: source, size, .. } => {
                let size = number(function, size);
                vec![from(source, size, Kind::READ), from(to, size, Kind::WRITE)]
            }
            Extended::MemorySet { to, size, .. } => vec![from(to, number(function, size), Kind::WRITE)],
            Extended::Lifetime { start: false, address } => vec![whole(address, Kind::END)],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The accesses of a call of a function without a body; `pieces` are the places that its list of pieces leads
/// to.
pub(super) fn of_external(
    program: &Program,
    function: &LinkedFunction,
    call: &CallSite,
    callee: ExternalId,
    pieces: Option<NodeId>,
) -> Vec<Made> {
    let external = &program.externals[callee.0 as usize];
    let Some(effect) = effect(&external.name, external.fallback.is_some()) else { return Vec::new() };
    let operand = |number: usize| call.arguments.get(number).map(|argument| argument.operand);
    let size = |at: usize| operand(at).and_then(|operand| number(function, operand));
    match effect {
        Effect::Uses(uses) => of_uses(call, uses),
        Effect::Free | Effect::Reallocate => {
            operand(0).map(|operand| whole(operand, Kind::END)).into_iter().collect()
        }
        Effect::AllocateAt(at) => operand(at).map(|at| from(at, Some(8), Kind::WRITE)).into_iter().collect(),
        Effect::Copy { .. } => {
            let (to, source) = (operand(0), operand(1));
            let read = source.map(|source| from(source, size(2), Kind::READ));
            read.into_iter().chain(to.map(|to| from(to, size(2), Kind::WRITE))).collect()
        }
        Effect::Fill => operand(0).map(|to| from(to, size(2), Kind::WRITE)).into_iter().collect(),
        Effect::Create { .. } => operand(0).map(|to| from(to, Some(8), Kind::WRITE)).into_iter().collect(),
        Effect::Join { .. } => operand(1).map(|to| from(to, Some(8), Kind::WRITE)).into_iter().collect(),
        Effect::Atomic { object, written, result, expected } => {
            let access = |at: Option<usize>, kind| Some(from(operand(at?)?, size(0), kind));
            let object = access(Some(object), Kind::atomic(written.is_some()));
            let written = access(written, Kind::READ);
            let result = access(result, Kind::WRITE);
            let compared = [Kind::READ, Kind::WRITE].map(|kind| access(expected, kind));
            object.into_iter().chain(written).chain(result).chain(compared.into_iter().flatten()).collect()
        }
        Effect::SystemCall { may_wait } => {
            let any_use = || (1..call.arguments.len()).filter_map(operand).flat_map(unknown).collect();
            let Some(called) = size(0) else { return any_use() };
            let mut made = match system_call(called) {
                Some(rows) => {
                    // Its number comes first.
                    let used = rows.iter().filter_map(|(at, how)| Some((operand(at + 1)?, kind(*how))));
                    used.map(|(operand, kind)| from(operand, None, kind)).collect()
                }
                None if may_wait => any_use(),
                None => Vec::new(),
            };
            let list = LISTS.iter().find(|(number, _)| *number == called);
            if let (Some((_, how)), Some(node)) = (list, pieces) {
                made.push(all(At::Node(node), Shift::NONE, kind(*how)));
            }
            let in_file = use_of_file(called).iter();
            made.extend(in_file.map(|how| all(At::OfFiles, Shift::ANYWHERE, kind(*how))));
            made
        }
        Effect::Unknown => (0..call.arguments.len()).filter_map(operand).flat_map(unknown).collect(),
        _ => Vec::new(),
    }
}

/// The accesses of a call of a function that uses its arguments so.
pub(super) fn of_uses(call: &CallSite, uses: Uses) -> Vec<Made> {
    let rest =
        uses.rest.into_iter().flat_map(|(first, how)| (first..call.arguments.len()).map(move |at| (at, how)));
    let all = uses.list.iter().copied().chain(rest);
    all.filter_map(|(at, how)| Some(from(call.arguments.get(at)?.operand, None, kind(how)))).collect()
}

fn unknown(operand: Operand) -> [Made; 2] {
    [Kind::READ, Kind::WRITE].map(|kind| whole(operand, kind))
}

fn kind(how: Use) -> Kind {
    match how {
        Use::Reads => Kind::READ,
        Use::Writes => Kind::WRITE,
    }
}
