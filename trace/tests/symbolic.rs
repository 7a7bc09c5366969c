//! Symbolic traces as files: written, read, cut off, damaged, contradicting themselves.

use proptest::prelude::*;
use symx_expr::{BinaryOperator, BitVector, FloatFormat, FloatOperator, Term, Terms, UnaryOperator};
use symx_trace::ThreadName;
use symx_trace::symbolic::{
    AccessOrdering, ByteSpan, Condition, FORMAT_VERSION, ObjectKind, ObjectName, ObjectRef, Operation,
    SymbolicTrace, TermNode, TermRef, ThreadRef, TraceBuilder, TraceError, file,
};

/// A term that the choices pick, over the values at hand.
fn term(terms: &Terms, values: &[Term], choices: &[u8]) -> Term {
    let pick = |choice: u8| values[usize::from(choice) % values.len()];
    choices.chunks(3).fold(pick(0), |left, choice| {
        let right = pick(*choice.get(1).unwrap_or(&1));
        match choice[0] % 24 {
            operator @ 0..18 => {
                let value = terms.binary(BinaryOperator::ALL[usize::from(operator)], left, right);
                if terms.width(value) == 1 { terms.zero_extend(value, 32) } else { value }
            }
            18 => terms.unary(UnaryOperator::Negate, left),
            19 => terms.if_then_else(terms.unsigned_less(left, right), right, left),
            20 => terms.concat(terms.extract(left, 3, 16), terms.extract(right, 0, 16)),
            21 => terms.sign_extend(terms.extract(left, 5, 9), 32),
            22 => terms.float(FloatOperator::Add(FloatFormat::Single), &[left, right]),
            _ => {
                let wide = terms.multiply(terms.zero_extend(left, 100), terms.sign_extend(right, 100));
                terms.extract(terms.add(wide, terms.bitvector(&BitVector::all_ones(100))), 60, 32)
            }
        }
    })
}

/// Two threads with one event a choice.
fn trace(choices: &[(u8, Vec<u8>)]) -> SymbolicTrace {
    let terms = Terms::new();
    let mut builder = TraceBuilder::new(&terms);
    builder.of_program("a.c", "00ff");
    let (main, x, files) = (ThreadRef(0), builder.variable("x", 8), builder.variable("files", 4));
    let kinds = [
        ObjectKind::Mutex,
        ObjectKind::ReadWriteLock,
        ObjectKind::ConditionVariable,
        ObjectKind::Barrier { width: 2 },
        ObjectKind::Semaphore { initial: 1 },
    ];
    let name = |number| ObjectName::Allocated { thread: ThreadName::main(), number };
    let [mutex, rwlock, condition, barrier, semaphore] =
        [0, 1, 2, 3, 4].map(|kind| builder.object(name(kind), kinds[kind as usize], "made by main"));
    builder.object(ObjectName::Within { object: x.object, offset: 4 }, ObjectKind::Mutex, "x.lock");
    let child = builder.thread(ThreadName::main().child(1));
    builder.event(main, Operation::Create(child));
    builder.event(child, Operation::Begin);
    let input = terms.symbol("input", 32);
    builder.input(input, Some(&BitVector::from_u64(32, 7)));
    builder.initial(x, terms.constant(64, 1 << 40));
    let mut values = vec![input, terms.constant(32, 5)];
    let wait = Condition { condition, mutex };
    for (kind, choices) in choices {
        let thread = if kind & 0x80 == 0 { main } else { child };
        let span = ByteSpan { offset: u64::from(choices[0] % 5), length: 4, ..x };
        let value = term(&terms, &values, choices);
        let ordering = AccessOrdering::SequentiallyConsistent;
        match kind & 0x1f {
            _ if *kind % 13 == 12 => {
                values.push(builder.effect(thread, files, |before| terms.add(before, value)))
            }
            0..4 => values.push(builder.read(thread, span, AccessOrdering::NotAtomic)),
            4..8 => builder.write(thread, span, AccessOrdering::Release, value),
            8 => values.push(builder.update(thread, span, ordering, |old| Some(terms.add(old, value)))),
            9 => values.push(builder.update(thread, span, ordering, |_| None)),
            10 => builder.condition(thread, terms.is_nonzero(value)),
            kind => {
                let operations = [
                    Operation::Fence { ordering },
                    Operation::Lock(mutex),
                    Operation::LockBusy(mutex),
                    Operation::Unlock(mutex),
                    Operation::ReadLock(rwlock),
                    Operation::ReadLockBusy(rwlock),
                    Operation::ReadUnlock(rwlock),
                    Operation::WriteLock(rwlock),
                    Operation::WriteLockBusy(rwlock),
                    Operation::WriteUnlock(rwlock),
                    Operation::WaitSignalled(wait),
                    Operation::WaitElapsed(wait),
                    Operation::Signal(condition),
                    Operation::Broadcast(condition),
                    Operation::BarrierPass(barrier),
                    Operation::SemaphoreWait(semaphore),
                    Operation::SemaphoreZero(semaphore),
                    Operation::SemaphorePost(semaphore),
                ];
                let operation = operations[usize::from(kind - 11) % operations.len()].clone();
                match operation {
                    Operation::WaitSignalled(_) | Operation::WaitElapsed(_) => {
                        builder.event(thread, Operation::WaitBegin(wait));
                    }
                    Operation::BarrierPass(_) => builder.event(thread, Operation::BarrierArrive(barrier)),
                    _ => {}
                }
                builder.event(thread, operation);
            }
        }
    }
    builder.blocked(child, Operation::Lock(mutex));
    let bug = terms.equal(*values.last().expect("there are two"), terms.constant(32, 5));
    builder.finish(bug, None)
}

fn some_trace() -> SymbolicTrace {
    trace(&(0..90).map(|kind| (kind * 2 + kind % 2, vec![kind, kind + 1, 3, 22, 1])).collect::<Vec<_>>())
}

fn config() -> ProptestConfig {
    ProptestConfig {
        rng_seed: proptest::test_runner::RngSeed::Fixed(0x5717),
        failure_persistence: None,
        cases: 128,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_trace_is_read_as_it_was_written(
        choices in prop::collection::vec((any::<u8>(), prop::collection::vec(any::<u8>(), 1..9)), 0..40)
    ) {
        let trace = trace(&choices);
        prop_assert_eq!(trace.check(), Ok(()));
        let read = file::read(&file::write(&trace));
        prop_assert_eq!(read.as_ref(), Ok(&trace));
        let read = SymbolicTrace::from_json(&trace.to_json());
        prop_assert_eq!(read.as_ref(), Ok(&trace));
    }

    #[test]
    fn terms_keep_their_identity(choices in prop::collection::vec(any::<u8>(), 1..60)) {
        let terms = Terms::new();
        let values = [terms.symbol("a", 32), terms.symbol("b", 32), terms.constant(32, 77)];
        let term = term(&terms, &values, &choices);
        let mut recorder = symx_trace::symbolic::TermRecorder::new();
        let place = recorder.record(&terms, term);
        prop_assert_eq!(recorder.finish().load(&terms)[place.index()], term);
    }

    #[test]
    fn damage_is_named(offset in any::<prop::sample::Index>(), flip in 1u8..) {
        let whole = file::write(&some_trace());
        let mut bytes = whole.clone();
        let offset = offset.index(bytes.len());
        bytes[offset] ^= flip;
        let error = file::read(&bytes).unwrap_err();
        match error {
            TraceError::NotATrace => prop_assert!(offset < 8),
            TraceError::NewerVersion { .. } | TraceError::OlderVersion { .. } => prop_assert!((8..12).contains(&offset)),
            TraceError::MalformedBlock { what, .. } => {
                prop_assert!((8..12).contains(&offset));
                prop_assert_eq!(what, "another version than the file");
            }
            TraceError::ChecksumMismatch { offset: block, .. } => prop_assert!(block <= offset),
            other => prop_assert!(false, "{other}"),
        }
    }

    #[test]
    fn a_cut_is_named(length in any::<prop::sample::Index>()) {
        let whole = file::write(&some_trace());
        let length = length.index(whole.len());
        match file::read(&whole[..length]).unwrap_err() {
            TraceError::NotATrace => prop_assert!(length < 12),
            TraceError::CutOff { offset } => prop_assert!(offset <= length),
            other => prop_assert!(false, "{other}"),
        }
    }
}

#[test]
fn what_contradicts_itself_is_refused_by_place() {
    let refused = |change: &dyn Fn(&mut SymbolicTrace)| {
        let mut trace = some_trace();
        change(&mut trace);
        let error = trace.check().unwrap_err();
        assert_eq!(SymbolicTrace::from_json(&trace.to_json()), Err(error.clone()));
        assert_eq!(file::read(&file::write(&trace)), Err(error.clone()));
        error.to_string()
    };
    let far = TermRef(1 << 30);
    let text = refused(&|trace| trace.bug.condition = far);
    assert_eq!(text, "symbolic trace malformed: the bug has a term that is not there");
    let text = refused(&|trace| trace.terms.nodes[3] = TermNode::Constant { width: 3, limbs: vec![8] });
    assert_eq!(text, "symbolic trace malformed: term 3 has a constant that does not fit its width");
    let text = refused(&|trace| trace.threads[1].events[0].operation = Operation::End);
    assert!(text.contains("event 0 of thread 0.1"), "{text}");
    let text = refused(&|trace| trace.objects.truncate(3));
    assert!(text.contains("an object that is not there"), "{text}");
    let text = refused(&|trace| trace.inputs.push(trace.inputs[0].clone()));
    assert!(text.contains("a symbol that stands for something else"), "{text}");
    let text = refused(&|trace| trace.threads[0].events[0].operation = Operation::Create(ThreadRef(9)));
    assert!(text.contains("a thread that is not there"), "{text}");
    let ordering = AccessOrdering::SequentiallyConsistent;
    let text = refused(&|trace| trace.threads[0].events[0].operation = Operation::Fence { ordering });
    assert_eq!(text, "symbolic trace malformed: thread 0.1 has no creator");
    let text = refused(&|trace| {
        let files =
            trace.objects.iter().position(|object| object.description == "files").expect("it is there");
        let mut events = trace.threads.iter_mut().flat_map(|thread| &mut thread.events);
        let written = events.find_map(|event| match &mut event.operation {
            Operation::Write { span, .. } => Some(span),
            _ => None,
        });
        *written.expect("something is written") =
            ByteSpan { object: ObjectRef(files as u32), offset: 0, length: 4 };
    });
    assert_eq!(text, "symbolic trace malformed: an effect has bytes that are stored to");
}

#[test]
fn an_older_version_is_refused_by_number() {
    let older = SymbolicTrace { version: FORMAT_VERSION - 1, ..some_trace() };
    let refused = TraceError::OlderVersion { found: FORMAT_VERSION - 1 };
    assert_eq!(
        refused.to_string(),
        "symbolic trace of format version 2; this symx reads version 3: make it anew with `symx trace make`"
    );
    assert_eq!(SymbolicTrace::from_json(&older.to_json()), Err(refused.clone()));
    assert_eq!(file::read(&file::write(&older)), Err(refused));
}

#[test]
fn a_newer_version_is_refused_by_number() {
    let newer = SymbolicTrace { version: FORMAT_VERSION + 1, ..some_trace() };
    let refused = Err(TraceError::NewerVersion { found: FORMAT_VERSION + 1 });
    assert_eq!(SymbolicTrace::from_json(&newer.to_json()), refused);
    assert_eq!(file::read(&file::write(&newer)), refused);
    assert!(matches!(
        SymbolicTrace::from_json(&format!("{{\"version\": {FORMAT_VERSION}, \"terms\": []}}")),
        Err(TraceError::Json { .. })
    ));
    assert_eq!(SymbolicTrace::from_json("{\"version\": 1}"), Err(TraceError::NotATrace));
}
