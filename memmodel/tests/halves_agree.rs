//! The operational and the axiomatic half of each model have the same outcomes, and they are the right ones.

mod litmus;

use litmus::program::{Instruction, Observed, Operand, Outcome, Program, Update};
use litmus::{axiomatic, operational};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::BTreeSet;
use symx_memmodel::{ByteRange, Ordering, by_name};

/// A program of the table with its outcomes, as additions to those of the stronger models.
struct Classic {
    name: &'static str,
    program: Program,
    added: [BTreeSet<Outcome>; 4],
}

/// Each model allows what the models before it allow.
const STRONG_TO_WEAK: [&str; 4] = ["sc", "tso", "pso", "pso-v9"];

fn classics() -> Vec<Classic> {
    let mut classics = Vec::new();
    let mut lines =
        include_str!("litmus/classic.txt").lines().filter(|line| !line.starts_with('#')).peekable();
    while let Some(name) = lines.next() {
        if name.is_empty() {
            continue;
        }
        let (mut threads, mut initial, mut observed) = (Vec::new(), Vec::new(), "");
        let mut added = [const { BTreeSet::new() }; 4];
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

/// The outcomes by model, strong to weak, on which both halves must agree.
fn outcomes(program: &Program) -> [BTreeSet<Outcome>; 4] {
    let axiomatic = axiomatic::outcomes(program);
    assert_eq!(axiomatic.len(), STRONG_TO_WEAK.len(), "every model has its place in the tables of this file");
    STRONG_TO_WEAK.map(|name| {
        let model = by_name(name).expect("a model");
        let operational = operational::outcomes(program, model);
        let (_, axiomatic) = axiomatic.iter().find(|(model, _)| model.name() == name).expect("a model");
        assert_eq!(&operational, axiomatic, "operational and axiomatic outcomes under {name}: {program:?}");
        operational
    })
}

#[test]
fn classic_shapes_have_their_exact_outcomes() {
    let classics = classics();
    assert_eq!(classics.len(), 74);
    for Classic { name, program, added } in classics {
        let mut expected = BTreeSet::new();
        for ((model, added), outcomes) in STRONG_TO_WEAK.iter().zip(added).zip(outcomes(&program)) {
            expected.extend(added);
            assert_eq!(outcomes, expected, "{model} on {name}");
        }
    }
}

/// Threads, what is observed, one outcome, and the strongest model that allows it ("" for none).
type Verdict = (&'static [&'static str], &'static str, &'static [u64], &'static str);

/// Outcomes the literature discusses and that tell models apart.
const VERDICTS: &[Verdict] = &[
    // Owens, Sarkar and Sewell, "A better x86 memory model: x86-TSO", TPHOLs 2009: n4, n6, n7.
    (&["r0=x; x=1", "r1=x; x=2"], "r0 r1", &[2, 1], ""),
    (&["x=1; r0=x; r1=y", "y=2; x=2"], "r0 r1 x", &[1, 0, 1], "tso"),
    (&["x=1; r0=x; r1=y", "y=1", "r2=y; r3=x"], "r0 r1 r2 r3", &[1, 0, 1, 0], "tso"),
    // A release fence is no full fence.
    (&["x=1; Frel; r0=y", "y=1; Frel; r1=x"], "r0 r1", &[0, 0], "tso"),
    // A StoreStore barrier orders stores, and one in front of a store orders the stores after it as well.
    (&["x=1; Frel; y=1", "r0=y; r1=x"], "r0 r1", &[1, 0], ""),
    (&["x=1; z:rel=1; y=1", "r0=y; r1=x"], "r0 r1", &[1, 0], ""),
    (&["x=1; Facq; y=1", "r0=y; r1=x"], "r0 r1", &[1, 0], "pso"),
    // 2+2W.
    (&["x=1; y=2", "y=1; x=2"], "x y", &[1, 1], "pso"),
    // A sequentially consistent store is a full fence towards later loads, a sequentially consistent load none.
    (&["x:sc=1; r0=y", "y:sc=1; r1=x"], "r0 r1", &[0, 0], ""),
    (&["x=1; r0=y:sc", "y=1; r1=x:sc"], "r0 r1", &[0, 0], "tso"),
    // A load merges its thread's pending byte with memory: each thread misses the other's byte.
    (&["x[0]=1; r0=x[0..2]", "x[1]=1; r1=x[0..2]"], "r0 r1", &[1, 256], "tso"),
    // Peterson's entry: a full fence is not enough when the two stores before it may change order.
    (&["x=1; z=1; F; r0=y; r1=z", "y=1; z=2; F; r2=x; r3=z"], "r0 r1 r2 r3", &[1, 2, 0, 2], "pso"),
    // SPARC V9 lets an atomic overtake older stores to other places, but not one to its own or one it releases.
    (&["x=1; r2=faa(z,1); r0=y", "y=1; r3=faa(w,1); r1=x"], "r0 r1", &[0, 0], "pso-v9"),
    (&["x=1; r2=cas(z,1,2); r0=y", "y=1; r3=cas(z,1,2); r1=x"], "r0 r1", &[0, 0], "pso-v9"),
    (&["x=1; r2=cas(y,0,1)", "r0=y; r1=x"], "r0 r1", &[1, 0], "pso-v9"),
    (&["x=1; r2=cas(y:rel,0,1)", "r0=y; r1=x"], "r0 r1", &[1, 0], ""),
    (&["x=1; Frel; r2=cas(y,0,1)", "r0=y; r1=x"], "r0 r1", &[1, 0], ""),
    (&["x=1; r2=cas(x,0,1); r0=y", "y=1; r3=cas(y,0,1); r1=x"], "r0 r1", &[0, 0], ""),
    (&["x=1; r0=xchg(y,2)", "y=1; r1=xchg(x,2)"], "x y", &[1, 1], "pso-v9"),
];

#[test]
fn telling_outcomes_are_allowed_from_the_right_model_on() {
    for (threads, observed, outcome, strongest) in VERDICTS {
        let mut expected = false;
        for (model, outcomes) in STRONG_TO_WEAK.iter().zip(outcomes(&Program::parse(threads, observed))) {
            expected |= model == strongest;
            assert_eq!(outcomes.contains(*outcome), expected, "{model} on {threads:?}");
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
    prop_oneof![1 => Just(Acquire), 2 => Just(Release), 1 => Just(AcquireRelease), 4 => Just(SequentiallyConsistent)]
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
        2 => (any_range(), update, any_access_ordering())
            .prop_map(|(range, update, ordering)| Instruction::Update { register: 0, range, update, ordering }),
        3 => any_fence().prop_map(Instruction::Fence),
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
        cases: 2000,
        rng_seed: RngSeed::Fixed(0x5eed),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn halves_agree_on_random_programs(program in any_program()) {
        let outcomes = outcomes(&program);
        for pair in outcomes.windows(2) {
            prop_assert!(pair[0].is_subset(&pair[1]), "a weaker model allows more");
        }
    }
}
