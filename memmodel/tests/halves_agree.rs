//! The operational and the axiomatic half of each model have the same outcomes, and they are the right ones.

mod litmus;

use litmus::program::{Instruction, Observed, Operand, Outcome, Program, Update};
use litmus::{axiomatic, operational};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::BTreeSet;
use symx_memmodel::{ByteRange, MODELS, Ordering, by_name};

/// A program of the table with its outcomes, as additions to those of the stronger models.
struct Classic {
    name: &'static str,
    program: Program,
    added: [BTreeSet<Outcome>; 3],
}

const STRONG_TO_WEAK: [&str; 3] = ["sc", "tso", "pso"];

fn classics() -> Vec<Classic> {
    let mut classics = Vec::new();
    let mut lines =
        include_str!("litmus/classic.txt").lines().filter(|line| !line.starts_with('#')).peekable();
    while let Some(name) = lines.next() {
        if name.is_empty() {
            continue;
        }
        let (mut threads, mut initial, mut observed) = (Vec::new(), Vec::new(), "");
        let mut added = [const { BTreeSet::new() }; 3];
        while let Some(line) = lines.next_if(|line| line.starts_with(' ')) {
            let (key, rest) = line.trim().split_once(' ').expect("a key and a value");
            match key {
                "init" => initial.push(rest),
                "thread" => threads.push(rest),
                "observe" => observed = rest,
                model => {
                    let model = STRONG_TO_WEAK.iter().position(|&name| name == model).expect("a model");
                    let outcome =
                        |text: &str| text.split(',').map(|value| value.parse().expect("a number")).collect();
                    added[model].extend(rest.split(' ').map(outcome));
                }
            }
        }
        let program = initial
            .iter()
            .fold(Program::parse(&threads, observed), |program, store| program.starting_with(store));
        classics.push(Classic { name, program, added });
    }
    classics
}

#[test]
fn classic_shapes_have_their_exact_outcomes() {
    let classics = classics();
    assert_eq!(classics.len(), 74);
    for Classic { name, program, added } in classics {
        let axiomatic = axiomatic::outcomes(&program);
        let mut expected = BTreeSet::new();
        for (model, added) in STRONG_TO_WEAK.iter().zip(added) {
            expected.extend(added);
            let row = MODELS.iter().position(|row| row.name() == *model).expect("a row of the table");
            assert_eq!(
                operational::outcomes(&program, MODELS[row]),
                expected,
                "operational {model} on {name}"
            );
            assert_eq!(axiomatic[row], expected, "axiomatic {model} on {name}");
        }
    }
}

/// One outcome, and which of sc, tso and pso allow it.
type Verdict = (&'static [&'static str], &'static str, &'static [u64], [bool; 3]);

/// Outcomes the literature discusses and that tell models apart.
const VERDICTS: &[Verdict] = &[
    // Owens, Sarkar and Sewell, "A better x86 memory model: x86-TSO", TPHOLs 2009: n4, n6, n7.
    (&["r0=x; x=1", "r1=x; x=2"], "r0 r1", &[2, 1], [false, false, false]),
    (&["x=1; r0=x; r1=y", "y=2; x=2"], "r0 r1 x", &[1, 0, 1], [false, true, true]),
    (&["x=1; r0=x; r1=y", "y=1", "r2=y; r3=x"], "r0 r1 r2 r3", &[1, 0, 1, 0], [false, true, true]),
    // A release fence is no full fence; a failed compare-exchange is.
    (&["x=1; Frel; r0=y", "y=1; Frel; r1=x"], "r0 r1", &[0, 0], [false, true, true]),
    (&["x=1; r2=cas(z,1,2); r0=y", "y=1; r3=cas(z,1,2); r1=x"], "r0 r1", &[0, 0], [false, false, false]),
    // A StoreStore barrier orders stores, and one in front of a store orders the stores after it as well.
    (&["x=1; Frel; y=1", "r0=y; r1=x"], "r0 r1", &[1, 0], [false, false, false]),
    (&["x=1; z:rel=1; y=1", "r0=y; r1=x"], "r0 r1", &[1, 0], [false, false, false]),
    (&["x=1; Facq; y=1", "r0=y; r1=x"], "r0 r1", &[1, 0], [false, false, true]),
    // 2+2W, and with an exchange at the end of each thread.
    (&["x=1; y=2", "y=1; x=2"], "x y", &[1, 1], [false, false, true]),
    (&["x=1; r0=xchg(y,2)", "y=1; r1=xchg(x,2)"], "x y", &[1, 1], [false, false, false]),
    // A sequentially consistent store is a full fence towards later loads, a sequentially consistent load none.
    (&["x:sc=1; r0=y", "y:sc=1; r1=x"], "r0 r1", &[0, 0], [false, false, false]),
    (&["x=1; r0=y:sc", "y=1; r1=x:sc"], "r0 r1", &[0, 0], [false, true, true]),
    // A load merges its thread's pending byte with memory: each thread misses the other's byte.
    (&["x[0]=1; r0=x[0..2]", "x[1]=1; r1=x[0..2]"], "r0 r1", &[1, 256], [false, true, true]),
    // Peterson's entry: a full fence is not enough when the two stores before it may change order.
    (
        &["x=1; z=1; F; r0=y; r1=z", "y=1; z=2; F; r2=x; r3=z"],
        "r0 r1 r2 r3",
        &[1, 2, 0, 2],
        [false, false, true],
    ),
];

#[test]
fn telling_outcomes_are_allowed_and_forbidden_as_published() {
    for (threads, observed, outcome, allowed) in VERDICTS {
        let program = Program::parse(threads, observed);
        let axiomatic = axiomatic::outcomes(&program);
        for (model, allowed) in STRONG_TO_WEAK.iter().zip(allowed) {
            let model = by_name(model).expect("a row of the table");
            let row = MODELS.iter().position(|row| row.name() == model.name()).expect("a row of the table");
            let operational = operational::outcomes(&program, model);
            assert_eq!(operational, axiomatic[row], "{} on {threads:?}", model.name());
            assert_eq!(operational.contains(*outcome), *allowed, "{} on {threads:?}", model.name());
        }
    }
}

fn any_range() -> impl Strategy<Value = ByteRange> {
    // Two bytes in three ways, a word around them, and somewhere else.
    prop_oneof![
        3 => Just(ByteRange::new(0x100, 2)),
        2 => Just(ByteRange::new(0x100, 1)),
        2 => Just(ByteRange::new(0x101, 1)),
        1 => Just(ByteRange::new(0x100, 4)),
        3 => Just(ByteRange::new(0x200, 1)),
        1 => Just(ByteRange::new(0x1fe, 4)),
    ]
}

fn any_access_ordering() -> impl Strategy<Value = Ordering> {
    use Ordering::*;
    prop_oneof![4 => Just(NotAtomic), 4 => Just(Monotonic), 1 => Just(Acquire), 1 => Just(Release), 1 => Just(SequentiallyConsistent)]
}

fn any_fence() -> impl Strategy<Value = Ordering> {
    use Ordering::*;
    prop::sample::select(vec![Acquire, Release, AcquireRelease, SequentiallyConsistent])
}

fn any_value() -> impl Strategy<Value = Operand> {
    // Different in every byte, so that an outcome tells where each byte came from.
    (1u64..=3).prop_map(|value| Operand { register: None, constant: value * 0x0403_0201 })
}

/// An instruction; its registers are set once it has its place.
fn any_instruction() -> impl Strategy<Value = Instruction> {
    let update = prop_oneof![
        any_value().prop_map(Update::Exchange),
        any_value().prop_map(Update::Add),
        (0u64..=1, any_value()).prop_map(|(expected, new)| Update::CompareExchange { expected, new }),
    ];
    prop_oneof![
        6 => (any_range(), any_access_ordering())
            .prop_map(|(range, ordering)| Instruction::Load { register: 0, range, ordering }),
        6 => (any_range(), any_value(), any_access_ordering())
            .prop_map(|(range, value, ordering)| Instruction::Store { range, value, ordering }),
        2 => (any_range(), update).prop_map(|(range, update)| Instruction::Update { register: 0, range, update }),
        2 => any_fence().prop_map(Instruction::Fence),
    ]
}

/// How an instruction uses the value its thread read last.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Use {
    Not,
    /// It stores the value plus one, if it is a store.
    Stores,
    /// It runs if the value is zero.
    Conditional,
}

/// Two threads of at most five instructions or three of at most three.
fn any_program() -> impl Strategy<Value = Program> {
    let any_use = || prop_oneof![6 => Just(Use::Not), 2 => Just(Use::Stores), 1 => Just(Use::Conditional)];
    let thread = move |longest| prop::collection::vec((any_instruction(), any_use()), 1..=longest);
    let threads = prop_oneof![
        3 => prop::collection::vec(thread(5), 2),
        1 => prop::collection::vec(thread(3), 3),
    ];
    threads.prop_map(|threads| {
        let mut registers = 0;
        let threads = threads.into_iter().map(|thread| connect(thread, &mut registers)).collect();
        let everything =
            [Observed::Memory(ByteRange::new(0x100, 4)), Observed::Memory(ByteRange::new(0x1fe, 4))];
        let observed = (0..registers).map(Observed::Register).chain(everything).collect();
        Program { initial: Vec::new(), threads, observed }
    })
}

/// Gives each read its register, from `registers` on, and lets later instructions use them.
fn connect(thread: Vec<(Instruction, Use)>, registers: &mut usize) -> Vec<Instruction> {
    let first = *registers;
    let mut connected = Vec::new();
    for (mut instruction, usage) in thread {
        let last_read = (*registers > first).then(|| *registers - 1);
        match &mut instruction {
            Instruction::Load { register, .. } | Instruction::Update { register, .. } => {
                *register = *registers;
                *registers += 1;
            }
            Instruction::Store { value, .. } if usage == Use::Stores && last_read.is_some() => {
                *value = Operand { register: last_read, constant: 1 };
            }
            _ => {}
        }
        if let (Use::Conditional, Some(register)) = (usage, last_read) {
            connected.push(Instruction::SkipUnless { register, equals: 0, count: 1 });
        }
        connected.push(instruction);
    }
    connected
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000,
        rng_seed: RngSeed::Fixed(0x5eed),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn halves_agree_on_random_programs(program in any_program()) {
        let axiomatic = axiomatic::outcomes(&program);
        for (model, axiomatic) in MODELS.iter().zip(axiomatic) {
            prop_assert_eq!(operational::outcomes(&program, *model), axiomatic, "{}", model.name());
        }
    }
}
