//! Random programs: every ordering, sizes that overlap, values and branches that depend on what was read.
//!
//! A program is a function of its seed, so a seed is all it takes to see a failure again.

use crate::program::{Instruction, Observed, Operand, Program, REGISTERS, Update, address_of};
use fastrand::Rng;
use symx_memmodel::{ByteRange, Ordering};

/// Up to how many instructions each thread has, by the number of threads: executions are listed one by one.
const LONGEST: [usize; 5] = [0, 0, 5, 4, 3];

/// Up to how many instructions that access memory a program has.
const MOST_ACCESSES: usize = 10;

/// The same for small programs.
const FEW_ACCESSES: usize = 7;

/// The bytes programs access: parts of two words. Naturally aligned, and most overlap.
const RANGES: [(u8, u64, u64); 9] = [
    (b'x', 0, 8),
    (b'x', 0, 4),
    (b'x', 0, 2),
    (b'x', 0, 1),
    (b'x', 1, 1),
    (b'x', 4, 4),
    (b'y', 0, 4),
    (b'y', 0, 2),
    (b'z', 0, 1),
];

/// The program of a seed: two to four threads.
pub fn program(seed: u64) -> Program {
    program_up_to(seed, MOST_ACCESSES)
}

/// The same with few accesses, for models under which larger programs have too many executions: minutes to
/// list.
pub fn small_program(seed: u64) -> Program {
    program_up_to(seed, FEW_ACCESSES)
}

fn program_up_to(seed: u64, most: usize) -> Program {
    let mut random = Rng::with_seed(seed);
    let count = *pick(&mut random, &[2, 2, 3, 3, 4]);
    // Few places a program, or accesses seldom meet.
    let ranges: Vec<ByteRange> = (0..random.usize(2..=4)).map(|_| range(&mut random)).collect();
    let (mut registers, mut accesses) = (0, 0);
    let mut threads = Vec::new();
    for _ in 0..count {
        let length = random.usize(1..=LONGEST[count]).min(most.saturating_sub(accesses)).max(1);
        accesses += length;
        threads.push(thread(&mut random, length, &ranges, &mut registers));
    }
    let mut program = Program { initial: Vec::new(), threads, observed: Vec::new() };
    program.observe_everything();
    program
}

fn pick<'a, T>(random: &mut Rng, items: &'a [T]) -> &'a T {
    &items[random.usize(..items.len())]
}

fn range(random: &mut Rng) -> ByteRange {
    let (letter, start, length) = *pick(random, &RANGES);
    ByteRange::new(address_of(letter) + start, length)
}

/// A value that differs from every other in each byte, so that an outcome shows where each byte came from.
fn constant(random: &mut Rng) -> u64 {
    random.u64(1..=6) * 0x0807_0605_0403_0201
}

fn thread(random: &mut Rng, length: usize, ranges: &[ByteRange], registers: &mut usize) -> Vec<Instruction> {
    let first = *registers;
    let mut code = Vec::new();
    for _ in 0..length {
        let last_read = (*registers > first).then(|| *registers - 1);
        if let Some(register) = last_read
            && random.u8(..6) == 0
        {
            code.push(Instruction::SkipUnless { register, equals: 0, count: 1 });
        }
        let may_read = *registers < REGISTERS;
        let range = *pick(random, ranges);
        let instruction = match random.u8(..16) {
            0..6 if may_read => {
                *registers += 1;
                Instruction::Load { register: *registers - 1, range, ordering: of_load(random) }
            }
            6..8 if may_read => {
                *registers += 1;
                let ordering = of_update(random);
                Instruction::Update { register: *registers - 1, range, update: update(random), ordering }
            }
            8..10 => Instruction::Fence(of_fence(random)),
            _ => {
                let depends = random.u8(..4) == 0;
                let value = match last_read.filter(|_| depends) {
                    Some(register) => Operand { register: Some(register), constant: 1 },
                    None => Operand { register: None, constant: constant(random) },
                };
                Instruction::Store { range, value, ordering: of_store(random) }
            }
        };
        code.push(instruction);
    }
    code
}

fn update(random: &mut Rng) -> Update {
    let value = Operand { register: None, constant: constant(random) };
    match random.u8(..3) {
        0 => Update::Exchange(value),
        1 => Update::Add(value),
        _ => Update::CompareExchange { expected: random.u64(..2), new: value },
    }
}

fn of_load(random: &mut Rng) -> Ordering {
    use Ordering::*;
    *pick(random, &[NotAtomic, NotAtomic, Unordered, Monotonic, Monotonic, Acquire, SequentiallyConsistent])
}

fn of_store(random: &mut Rng) -> Ordering {
    use Ordering::*;
    *pick(random, &[NotAtomic, NotAtomic, Unordered, Monotonic, Monotonic, Release, SequentiallyConsistent])
}

fn of_update(random: &mut Rng) -> Ordering {
    use Ordering::*;
    *pick(random, &[Monotonic, Acquire, Release, AcquireRelease, SequentiallyConsistent])
}

fn of_fence(random: &mut Rng) -> Ordering {
    use Ordering::*;
    *pick(random, &[Acquire, Release, AcquireRelease, SequentiallyConsistent, SequentiallyConsistent])
}

impl Program {
    /// Observes every register that is read into, and every word that is accessed.
    pub fn observe_everything(&mut self) {
        let mut words = Vec::new();
        self.observed.clear();
        for instruction in self.threads.iter().flatten() {
            match instruction {
                Instruction::Load { register, range, .. } | Instruction::Update { register, range, .. } => {
                    self.observed.push(Observed::Register(*register));
                    words.push(*range);
                }
                Instruction::Store { range, .. } => words.push(*range),
                Instruction::Fence(_) | Instruction::SkipUnless { .. } => {}
            }
        }
        words.iter_mut().for_each(|range| *range = ByteRange::new(range.address & !7, 8));
        words.sort_unstable();
        words.dedup();
        self.observed.extend(words.into_iter().map(Observed::Memory));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_program() {
        assert_eq!(program(17), program(17));
        assert_ne!(program(17), program(18));
    }

    #[test]
    fn programs_are_of_every_kind() {
        let programs: Vec<Program> = (0..500).map(program).collect();
        for threads in 2..=4 {
            assert!(programs.iter().any(|program| program.threads.len() == threads));
        }
        let instructions = || programs.iter().flat_map(|program| program.threads.iter().flatten());
        for ordering in [Ordering::NotAtomic, Ordering::Unordered, Ordering::Release] {
            let of = |instruction: &&Instruction| matches!(instruction, Instruction::Store { ordering: is, .. } if *is == ordering);
            assert!(instructions().any(|instruction| of(&instruction)), "{ordering}");
        }
        assert!(instructions().any(|one| matches!(one, Instruction::SkipUnless { .. })));
        assert!(instructions().any(|one| {
            matches!(one, Instruction::Update { update: Update::CompareExchange { .. }, .. })
        }));
    }
}
