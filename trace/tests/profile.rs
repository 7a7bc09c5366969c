//! Profiles as files: written, read, cut off, damaged.

use proptest::prelude::*;
use std::sync::Arc;
use symx_expr::{MemoryAccount, StopReason, StopToken};
use symx_ir::path_numbering::{Edge, EdgeAction, PATH_LIMIT, PathNumbering};
use symx_trace::profile::unit::{
    self, AGAIN, ENTER, IN_LOOP, RETURN, ROUNDS, STOPPED, SUM_IN_LOG, SUM_MAY_BE_IN_LOG,
};
use symx_trace::profile::{
    ActivationEnd, ActivationId, ActivationWalk, Answer, DecodeError, OpenFrame, ProcessEnd, ProcessRecord,
    Profile, ProfileError, ProgramHash, RecordEnd, RecordedCall, RecordedEdge, ThreadProfile, WalkError,
};

fn thread(name: &str, units: Vec<u16>, open: Vec<OpenFrame>) -> ThreadProfile {
    ThreadProfile {
        name: name.to_string(),
        started: 1_000,
        ended: None,
        signal: None,
        signal_handlers: 0,
        ends_in_handler: false,
        open,
        lost_units: 0,
        inputs: Vec::new(),
        is_cut: false,
        units,
    }
}

fn profile(threads: Vec<ThreadProfile>) -> Profile {
    Profile {
        process: ProcessRecord {
            program: ProgramHash::of(b"program"),
            path_limit: PATH_LIMIT,
            arguments: vec![b"program".to_vec(), vec![0xFF, 0x00]],
            environment: vec![(b"A".to_vec(), b"1".to_vec())],
            working_directory: b"/".to_vec(),
            stdin: Some(b"input".to_vec()),
            end: ProcessEnd::Signalled { signal: 6, thread: Some("0.1".to_string()) },
            stderr_tail: b"assertion failed".to_vec(),
            unrecorded: vec![b"plugin.so".to_vec()],
        },
        threads,
        is_truncated: false,
    }
}

/// Function 3 calls function 4, which returns, and is still open.
fn small() -> Profile {
    let mut main =
        thread("0", vec![ENTER + 3, ENTER + 4, RETURN, 8], vec![OpenFrame { function: 3, sum: 1 }]);
    let child = thread("0.1", vec![ENTER + 4; 1], vec![OpenFrame { function: 4, sum: 0 }]);
    let answer = Answer { result: -1, error: 4, bytes: vec![1, 2] };
    main.inputs = vec![
        RecordedCall { function: "read".into(), answer: Some(answer), times: 1 },
        RecordedCall { function: "fgetc".into(), answer: None, times: 70 },
    ];
    profile(vec![main, child])
}

#[test]
fn what_unfolds_to_more_than_there_is_memory_for_is_not_read() {
    let long = profile(vec![thread("0", vec![ENTER; 1 << 20], vec![])]);
    let bytes = long.write();
    assert!(bytes.len() < 2_000, "{}", bytes.len());
    let with = |left: u64| StopToken::when(|| None).with_memory(Arc::new(MemoryAccount::new(move || left)));
    let stopped = ProfileError::Stopped(StopReason::MaxMemory);
    assert_eq!(Profile::read_until(&bytes, &with(1 << 17)), Err(stopped));
    assert_eq!(Profile::read_until(&bytes, &with(1 << 40)), Ok(long.clone()));
    let too_little = long.threads[0].decode_until(&with(1 << 21)).unwrap_err();
    assert!(matches!(too_little, DecodeError::Stopped { reason: StopReason::MaxMemory, .. }), "{too_little}");
    let interrupted = StopToken::when(|| Some(StopReason::Interrupted));
    assert!(long.threads[0].decode_until(&interrupted).is_err());
}

#[test]
fn a_profile_of_another_program_is_refused_by_both_names() {
    let other = ProgramHash::of(b"other");
    let refused = small().check_program(other).unwrap_err();
    assert_eq!(refused, ProfileError::WrongProgram { recorded: ProgramHash::of(b"program"), given: other });
    let message = refused.to_string();
    assert!(
        message.contains(&other.to_string()) && message.contains(&ProgramHash::of(b"program").to_string())
    );
    assert_eq!(small().check_program(ProgramHash::of(b"program")), Ok(()));
}

#[test]
fn other_files_and_newer_versions_are_refused() {
    assert_eq!(Profile::read(b""), Err(ProfileError::NotAProfile));
    assert_eq!(Profile::read(b"BC\xC0\xDE and some more bytes"), Err(ProfileError::NotAProfile));
    let mut newer = small().write();
    newer[8] = 9;
    assert_eq!(Profile::read(&newer), Err(ProfileError::NewerVersion { found: 9 }));
    newer[8] = 1;
    assert_eq!(Profile::read(&newer), Err(ProfileError::OlderVersion { found: 1 }));
}

#[test]
fn a_cut_file_loses_only_its_tail() {
    let whole = small();
    let bytes = whole.write();
    assert_eq!(Profile::read(&bytes).unwrap(), whole);
    let mut threads_read = 0;
    for length in 12..bytes.len() {
        match Profile::read(&bytes[..length]) {
            Ok(part) => {
                assert!(part.is_truncated);
                assert_eq!(part.process, whole.process);
                assert!(part.threads.len() >= threads_read, "more bytes tell no less");
                threads_read = part.threads.len();
                let Some((last, before)) = part.threads.split_last() else { continue };
                assert_eq!(before, &whole.threads[..before.len()]);
                assert_eq!(last.decode().unwrap().end, RecordEnd::Stopped);
            }
            Err(error) => assert_eq!(error, ProfileError::TooShort { bytes: length }),
        }
    }
    assert_eq!(threads_read, 2);
}

#[test]
fn a_changed_byte_is_found() {
    let bytes = small().write();
    for at in 12..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x40;
        match Profile::read(&damaged) {
            Err(ProfileError::ChecksumMismatch { offset }) => assert!(offset <= at && at - offset < 1_000),
            other => panic!("byte {at}: {other:?}"),
        }
    }
}

#[test]
fn a_log_becomes_a_call_tree() {
    let tree = small().thread("0").unwrap().decode().unwrap();
    assert_eq!((tree.len(), tree.end), (2, RecordEnd::ProcessEnded));
    let outer = tree.activation(tree.roots()[0]);
    assert_eq!((outer.function, outer.end), (3, ActivationEnd::Open { sum: Some(1) }));
    assert_eq!(outer.paths[0].number, 7);
    let inner = tree.activation(outer.calls[0]);
    assert_eq!(
        (inner.function, inner.end, inner.parent),
        (4, ActivationEnd::Returned, Some(tree.roots()[0]))
    );
}

#[test]
fn where_recording_stopped_nothing_is_claimed() {
    let stopped = thread("0", vec![ENTER, 3, STOPPED], vec![OpenFrame { function: 0, sum: 5 }]);
    let tree = stopped.decode().unwrap();
    assert_eq!(tree.end, RecordEnd::Stopped);
    assert_eq!(tree.activation(tree.roots()[0]).end, ActivationEnd::Open { sum: None });
}

/// The end of an activation of function 0 with these units after its entry and this word in its frame. Also
/// returns the number of complete paths.
fn end_of(units: &[u16], word: u32) -> (ActivationEnd, usize) {
    let units = [&[ENTER], units].concat();
    let tree = thread("0", units, vec![OpenFrame { function: 0, sum: word }]).decode().unwrap();
    let activation = tree.activation(tree.roots()[0]);
    (activation.end, activation.paths.iter().map(|path| path.times as usize).sum())
}

#[test]
fn the_path_so_far_may_be_in_the_log() {
    let reached = |sum| ActivationEnd::Reached { sum };
    let open = |sum| ActivationEnd::Open { sum };
    assert_eq!(end_of(&[3, 8], SUM_IN_LOG), (reached(7), 1));
    assert_eq!(end_of(&[3, AGAIN + 4], SUM_IN_LOG), (reached(2), 4));
    assert_eq!(end_of(&[ROUNDS + 5, 8], SUM_IN_LOG), (reached(7), 0));
    assert_eq!(end_of(&[], SUM_IN_LOG), (open(Some(0)), 0));
    assert_eq!(end_of(&[3, ROUNDS + 5], SUM_IN_LOG), (open(None), 1));
    // It is there only if the log says the same.
    assert_eq!(end_of(&[3, 8], SUM_MAY_BE_IN_LOG | 7), (reached(7), 1));
    assert_eq!(end_of(&[3, 8], SUM_MAY_BE_IN_LOG | 6), (open(Some(6)), 2));
    assert_eq!(end_of(&[3, 8], 7), (open(Some(7)), 2));
    // In a loop whose rounds it counts.
    let in_loop = open(Some(unit::Rounds { number: 5, sum: 7 }.word()));
    for word in [SUM_IN_LOG, SUM_IN_LOG - 1, unit::Rounds { number: 5, sum: 7 }.word()] {
        assert_eq!(end_of(&[3, 8, IN_LOOP + 5], word), (in_loop, 1));
    }
    // A path that ended in a handler is not reported, but it is not complete either.
    let mut left = thread("0", vec![ENTER, 3, 8], vec![OpenFrame { function: 0, sum: SUM_IN_LOG }]);
    left.ends_in_handler = true;
    let tree = left.decode().unwrap();
    let activation = tree.activation(tree.roots()[0]);
    assert_eq!((activation.end, activation.paths.len()), (open(None), 1));
    // Nothing comes after it.
    let more = thread("0", vec![ENTER, 8, IN_LOOP + 5, 8], vec![OpenFrame { function: 0, sum: SUM_IN_LOG }]);
    let DecodeError::UnknownUnit { source, .. } = more.decode().unwrap_err() else { panic!() };
    assert_eq!((source.position, source.unit), (2, IN_LOOP + 5));
}

#[test]
fn a_thread_that_reached_a_path_may_have_come_a_little_further() {
    // 0 leads to 1 or 2, both to 3, which leads back to 0, in either way, or on to 4.
    let graph = [vec![1, 2], vec![3], vec![3], vec![0, 4], vec![]];
    let numbering = PathNumbering::new(&graph, PATH_LIMIT).unwrap();
    let edge = |block, successor| Edge { block, successor };
    let EdgeAction::Continue { add: first } = numbering.edge_action(edge(0, 0)) else { panic!("cut") };
    let EdgeAction::Continue { add: second } = numbering.edge_action(edge(0, 1)) else { panic!("cut") };
    // The way that adds to the sum is certain; from there it may have taken a round, and then the way that
    // adds nothing.
    let (adds, silent) = if first > second { (0, 1) } else { (1, 0) };
    let sum = first.max(second);
    let open = vec![OpenFrame { function: 0, sum: SUM_IN_LOG }];
    let tree = thread("0", vec![ENTER, sum as u16 + 1], open).decode().unwrap();
    let mut walk = ActivationWalk::new(&numbering, tree.activation(tree.roots()[0]));
    let steps: Vec<_> = std::iter::from_fn(|| walk.next_edge().ok()).take(6).collect();
    let possible = |block, successor| RecordedEdge::Possible(edge(block, successor));
    let ways = [
        RecordedEdge::Taken(edge(0, adds)),
        possible(adds + 1, 0),
        possible(3, 0),
        possible(0, silent),
        possible(silent + 1, 0),
        RecordedEdge::EndOfRecord { recorded_to_the_end: true },
    ];
    assert_eq!(steps, ways);
}

#[test]
fn clock_stamps_are_differences() {
    let units = vec![
        ENTER,
        unit::BEFORE_CALL,
        10,
        0,
        ENTER + 1,
        unit::BEFORE_CALL,
        1,
        1,
        RETURN,
        unit::TICKS,
        0,
        0,
        1,
        0,
        unit::BEFORE_CALL,
        0,
        0,
    ];
    let tree = thread("0", units, vec![OpenFrame { function: 0, sum: 0 }]).decode().unwrap();
    let outer = tree.activation(tree.roots()[0]);
    assert_eq!(outer.timed, [1_010, 1 << 32]);
    assert_eq!(tree.activation(outer.calls[0]).timed, [1_010 + 0x1_0001]);
}

/// The blocks that edges leave, in order. Rounds that follow each other are skipped, and added again.
fn with_rounds_skipped(mut walk: ActivationWalk<'_>) -> (Vec<u32>, usize) {
    let (mut blocks, mut walked) = (Vec::new(), 0);
    while let RecordedEdge::Taken(edge) = walk.next_edge().unwrap() {
        (walked, _) = (walked + 1, blocks.push(edge.block));
        if let Some((edges, times)) = walk.skip_rounds() {
            blocks.extend(blocks[blocks.len() - edges..].repeat(times as usize));
        }
    }
    (blocks, walked)
}

#[test]
fn a_path_that_follows_itself_is_counted() {
    // 0 → 1 ⇄ 2, 1 also leaves to 3.
    let numbering = PathNumbering::new(&[vec![1], vec![2, 3], vec![1], vec![]], PATH_LIMIT).unwrap();
    let back = Edge { block: 2, successor: 0 };
    let EdgeAction::Cut { add, restart } = numbering.edge_action(back) else { panic!("not cut") };
    let EdgeAction::Continue { add: leave } = numbering.edge_action(Edge { block: 1, successor: 1 }) else {
        panic!("cut")
    };
    let (first, round) = ((add + 1) as u16, (restart + add + 1) as u16);
    let units = vec![ENTER, first, round, AGAIN + 1_000, AGAIN + 2, RETURN + (restart + leave) as u16];
    let tree = thread("0", units, vec![]).decode().unwrap();
    let activation = tree.activation(tree.roots()[0]);
    assert_eq!(activation.paths.iter().map(|path| path.times).collect::<Vec<_>>(), [1, 1_003, 1]);
    let rounds = |mut walk: ActivationWalk<'_>| {
        let edges = std::iter::from_fn(|| match walk.next_edge().unwrap() {
            RecordedEdge::Taken(edge) => Some(edge),
            other => (other != RecordedEdge::Left { block: 3 }).then(|| panic!("{other:?}")),
        });
        edges.filter(|edge| *edge == back).count()
    };
    assert_eq!(rounds(ActivationWalk::new(&numbering, activation)), 1_004);
    assert_eq!(rounds(ActivationWalk::once_each(&numbering, activation)), 2);
    let (blocks, walked) = with_rounds_skipped(ActivationWalk::new(&numbering, activation));
    assert_eq!((blocks.iter().filter(|block| **block == 2).count(), blocks.len()), (1_004, 2 * 1_004 + 2));
    assert!(walked < 10, "{walked}");
    // Nothing was taken before, and a path that ends elsewhere cannot follow itself.
    assert!(thread("0", vec![ENTER, AGAIN + 1], vec![]).decode().is_err());
    let open = OpenFrame { function: 0, sum: restart };
    let tree = thread("0", vec![ENTER, first, AGAIN + 1], vec![open]).decode().unwrap();
    let mut walk = ActivationWalk::new(&numbering, tree.activation(tree.roots()[0]));
    assert!(walk.next_edge().is_err());
}

#[test]
fn a_ring_records_what_was_active_where_it_begins() {
    let units = vec![
        unit::OUTER,
        1,
        0,
        unit::ACTIVE,
        3,
        0,
        unit::ACTIVE,
        4,
        0,
        AGAIN + 7,
        RETURN + 2,
        9,
        RETURN,
        6,
        ENTER + 8,
    ];
    let open = [7, 8].map(|function| OpenFrame { function, sum: 0 });
    let late = ThreadProfile { lost_units: 100, ..thread("0", units, open.to_vec()) };
    let tree = late.decode().unwrap();
    let [outer, inner, root] = [0, 1, 2].map(|id| tree.activation(ActivationId(id)));
    assert_eq!(tree.roots(), [ActivationId(0), ActivationId(2)]);
    assert_eq!((outer.function, outer.is_whole, outer.end), (3, false, ActivationEnd::Returned));
    assert_eq!((outer.calls, outer.paths.len()), (&[ActivationId(1)][..], 2));
    assert_eq!((inner.function, inner.paths[0].number), (4, 2));
    // Where the innermost recorded function has returned, the one around it goes on unknown.
    assert_eq!((root.function, root.is_whole, root.end), (8, true, ActivationEnd::Open { sum: Some(0) }));
    let numbering = PathNumbering::new(&[vec![1], vec![2, 3], vec![1], vec![]], PATH_LIMIT).unwrap();
    let units = vec![unit::OUTER, 0, 0, unit::ACTIVE, 0, 0, RETURN + 3];
    let tree = thread("0", units, vec![]).decode().unwrap();
    let mut walk = ActivationWalk::new(&numbering, tree.activation(tree.roots()[0]));
    assert!(walk.next_edge().is_ok(), "it may begin anywhere");
}

#[test]
fn recorded_rounds_belong_to_the_path_that_ends_next() {
    // 0 leads to the loop 1 ⇄ 2, that to the loop 3 ⇄ 4, that to 5, whence all comes again or ends.
    let graph = [vec![1], vec![2, 3], vec![1], vec![4, 5], vec![3], vec![0, 6], vec![]];
    let numbering = PathNumbering::new(&graph, PATH_LIMIT).unwrap();
    let of = |numbers: &[(u32, u32)]| {
        let add = |&(block, successor): &(u32, u32)| match numbering.edge_action(Edge { block, successor }) {
            EdgeAction::Continue { add } | EdgeAction::Cut { add, .. } => add,
        };
        numbers.iter().map(add).sum::<u32>() as u16
    };
    let (again, over) = ([(0, 0), (1, 1), (3, 1), (5, 0)], [(0, 0), (1, 1), (3, 1), (5, 1), (6, 0)]);
    let (again, over) = (of(&again), of(&over[..4]));
    let second = ROUNDS + unit::ROUNDS_IN_UNIT;
    let (of_second, often) = ([unit::ROUNDS_OF, 1, 0], [unit::ROUNDS_OFTEN, 3, 1]);
    let units =
        [&[ENTER, ROUNDS + 2, second + 127, again + 1], &of_second[..], &often, &[ROUNDS, RETURN + over]];
    let tree = thread("0", units.concat(), vec![]).decode().unwrap();
    let activation = tree.activation(tree.roots()[0]);
    let told: Vec<_> = activation.rounds.iter().map(|told| (told.path, told.number, told.times)).collect();
    assert_eq!(told, [(0, 0, 2), (0, 1, 127), (1, 1, 0x1_0003)]);
    let blocks = |mut walk: ActivationWalk<'_>| {
        let edges = std::iter::from_fn(|| match walk.next_edge().unwrap() {
            RecordedEdge::Taken(edge) => Some(edge.block),
            other => (other != RecordedEdge::Left { block: 6 }).then(|| panic!("{other:?}")),
        });
        edges.collect::<Vec<_>>()
    };
    let expected = |times: [usize; 3]| {
        let rounds = |blocks: [u32; 2], times: usize| blocks.repeat(times);
        let first =
            [vec![0], rounds([1, 2], times[0]), vec![1], rounds([3, 4], times[1]), vec![3, 5]].concat();
        [first, vec![0, 1], rounds([3, 4], times[2]), vec![3, 5]].concat()
    };
    assert_eq!(blocks(ActivationWalk::new(&numbering, activation)), expected([2, 127, 0x1_0003]));
    assert_eq!(blocks(ActivationWalk::once_each(&numbering, activation)), expected([1, 1, 1]));
    let (blocks, walked) = with_rounds_skipped(ActivationWalk::new(&numbering, activation));
    assert_eq!(blocks, expected([2, 127, 0x1_0003]));
    assert!(walked < 20, "{walked}");
    // A path that does not come to the loop.
    let graph = [vec![1, 2], vec![3], vec![2, 3], vec![]];
    let numbering = PathNumbering::new(&graph, PATH_LIMIT).unwrap();
    let EdgeAction::Continue { add } = numbering.edge_action(Edge { block: 0, successor: 0 }) else {
        panic!("cut")
    };
    let tree = thread("0", vec![ENTER, ROUNDS + 1, RETURN + add as u16], vec![]).decode().unwrap();
    let mut walk = ActivationWalk::new(&numbering, tree.activation(tree.roots()[0]));
    assert_eq!(walk.next_edge(), Err(WalkError::NoSuchLoop { function: 0, path: add, number: 0 }));
    // Outside of all functions.
    assert!(thread("0", vec![ROUNDS + 1], vec![]).decode().is_err());
}

#[test]
fn rounds_that_were_not_counted_may_be_any_number() {
    // 0 leads to 1 or 2, both to 3, where a loop over 4 begins; 3 leads on to 5.
    let graph = [vec![1, 2], vec![3], vec![3], vec![4, 5], vec![3], vec![]];
    let numbering = PathNumbering::new(&graph, PATH_LIMIT).unwrap();
    let latch = Edge { block: 4, successor: 0 };
    let way = numbering.way_round(latch).unwrap();
    for first in 0..2 {
        let EdgeAction::Continue { add } = numbering.edge_action(Edge { block: 0, successor: first }) else {
            panic!("the first edge is not cut")
        };
        let walked = |units: Vec<u16>, number: u32, sum: u32| {
            let sum = unit::Rounds { number, sum }.word();
            let open = vec![OpenFrame { function: 3, sum }];
            let tree = thread("0", units, open).decode().unwrap();
            let mut walk = ActivationWalk::new(&numbering, tree.activation(ActivationId(0)));
            let mut steps = Vec::new();
            loop {
                match walk.next_edge()? {
                    RecordedEdge::EndOfRecord { recorded_to_the_end } => {
                        assert!(recorded_to_the_end);
                        return Ok((steps, walk.rounds().to_vec()));
                    }
                    step => steps.push(step),
                }
            }
        };
        let edge = |block, successor| Edge { block, successor };
        let (before, round) = ([edge(0, first), edge(first + 1, 0)], [edge(3, 0), latch]);
        let possible = round.map(RecordedEdge::Possible);
        let expected = [before.map(RecordedEdge::Taken), possible].concat();
        assert_eq!(walked(vec![ENTER + 3], 0, add), Ok((expected, round.to_vec())));
        // Two rounds are logged, and the process ended before the activation said that it had left.
        let taken = [before, round, round].concat().into_iter().map(RecordedEdge::Taken);
        let expected = taken.chain([possible[0]]).collect();
        assert_eq!(walked(vec![ENTER + 3, ROUNDS + 2], 0, add), Ok((expected, vec![])));
        // A loop that does not exist, logged and on the stack, and a path that does not.
        assert!(matches!(walked(vec![ENTER + 3], 1, add), Err(WalkError::NoSuchLoop { .. })));
        let other = ROUNDS + unit::ROUNDS_IN_UNIT + 1;
        assert!(matches!(walked(vec![ENTER + 3, other], 0, add), Err(WalkError::NoSuchLoop { .. })));
        assert!(matches!(walked(vec![ENTER + 3], 0, 9_999), Err(WalkError::NoSuchPath { .. })));
    }
    assert_eq!(unit::Rounds::of_word(way.path), None);
    // A path that broke off there, which no recorder writes, and then a record that stopped.
    let word = unit::Rounds { number: 0, sum: 0 }.word();
    let units = vec![ENTER + 3, unit::JUMPED_BACK, word as u16, (word >> 16) as u16, STOPPED];
    let tree = thread("0", units, vec![OpenFrame { function: 3, sum: 0 }]).decode().unwrap();
    let mut walk = ActivationWalk::new(&numbering, tree.activation(ActivationId(0)));
    while !matches!(walk.next_edge(), Ok(RecordedEdge::EndOfRecord { .. }) | Err(_)) {}
    assert_eq!(walk.rounds(), []);
}

#[test]
fn contradictions_are_errors() {
    let unknown = thread("0", vec![ENTER, 0xCFFF], vec![]).decode();
    assert!(matches!(unknown, Err(DecodeError::UnknownUnit { .. })), "{unknown:?}");
    let outside = thread("0", vec![RETURN], vec![]).decode();
    assert!(matches!(outside, Err(DecodeError::NoActivation { position: 1, .. })), "{outside:?}");
    let mismatch = thread("0", vec![ENTER], vec![OpenFrame { function: 9, sum: 0 }]).decode();
    assert!(matches!(mismatch, Err(DecodeError::StackMismatch { depth: 0, .. })), "{mismatch:?}");
}

#[test]
fn a_walk_stops_at_a_path_that_does_not_fit() {
    let numbering = PathNumbering::new(&[vec![1, 2], vec![], vec![]], PATH_LIMIT).unwrap();
    let tree = thread("0", vec![ENTER, RETURN + 1], vec![]).decode().unwrap();
    let mut walk = ActivationWalk::new(&numbering, tree.activation(tree.roots()[0]));
    assert!(matches!(walk.next_edge(), Ok(RecordedEdge::Taken(edge)) if edge.successor == 1));
    assert_eq!(walk.next_edge(), Ok(RecordedEdge::Left { block: 2 }));
    let tree = thread("0", vec![ENTER, RETURN + 2], vec![]).decode().unwrap();
    assert!(ActivationWalk::new(&numbering, tree.activation(tree.roots()[0])).next_edge().is_err());
}

#[test]
fn a_sum_left_over_from_the_path_before_claims_nothing() {
    // 0 → 1; a loop around 1 with a branch in it to 2 or 3, which both go back; 1 also leaves to 4.
    let graph = [vec![1], vec![2, 3, 4], vec![1], vec![1], vec![]];
    let numbering = PathNumbering::new(&graph, PATH_LIMIT).unwrap();
    let walked = |first: Edge, back: Edge, sum: Option<u32>| {
        let EdgeAction::Continue { add } = numbering.edge_action(first) else { panic!("{first:?} is cut") };
        let EdgeAction::Cut { add: last, restart } = numbering.edge_action(back) else { panic!("not cut") };
        let open = OpenFrame { function: 0, sum: sum.unwrap_or(add) };
        let tree = thread("0", vec![ENTER, (add + last + 1) as u16], vec![open]).decode().unwrap();
        let mut walk = ActivationWalk::new(&numbering, tree.activation(tree.roots()[0]));
        let taken = std::iter::from_fn(|| match walk.next_edge().unwrap() {
            RecordedEdge::Taken(edge) => Some(edge),
            _ => None,
        });
        (taken.count(), restart)
    };
    for branch in [0, 1] {
        let first = Edge { block: 1, successor: branch };
        let back = Edge { block: 2 + branch, successor: 0 };
        // The thread was killed after it logged its first path and before it set the sum anew.
        let (taken, restart) = walked(first, back, None);
        assert_eq!(taken, 3);
        // And after it set it.
        assert_eq!(walked(first, back, Some(restart)).0, 3);
        // And after it took a branch of some value on the next turn.
        let EdgeAction::Continue { add } = numbering.edge_action(Edge { block: 1, successor: 1 }) else {
            panic!()
        };
        if add > 0 {
            assert_eq!(walked(first, back, Some(restart + add)).0, 4);
        }
    }
}

proptest! {
    #[test]
    fn any_units_survive_the_file(units in proptest::collection::vec(prop_oneof![Just(7u16), Just(0xFFFF), any::<u16>()], 0..3000)) {
        let whole = profile(vec![thread("0", units, vec![])]);
        prop_assert_eq!(Profile::read(&whole.write()).unwrap(), whole);
    }

    #[test]
    fn walking_any_record_ends(
        units in proptest::collection::vec(
            prop_oneof![
                4 => 0u16..12,
                2 => (0u16..8).prop_map(|path| RETURN + path),
                2 => (0u16..2).prop_map(|function| ENTER + function),
                1 => (0u16..3).prop_map(|times| AGAIN + times),
                1 => (0u16..260).prop_map(|rounds| ROUNDS + rounds),
                1 => (0u16..3).prop_map(|number| IN_LOOP + number),
                1 => any::<u16>(),
            ],
            0..40,
        ),
        words in proptest::collection::vec(
            prop_oneof![
                Just(SUM_IN_LOG),
                (0u32..12).prop_map(|sum| SUM_MAY_BE_IN_LOG | sum),
                (0u32..3, 0u32..12).prop_map(|(number, sum)| unit::Rounds { number, sum }.word()),
                0u32..12,
                any::<u32>(),
            ],
            0..4,
        ),
        functions in proptest::collection::vec(0u32..2, 4),
        ends_in_handler in any::<bool>(),
    ) {
        // A branch before a loop with one way round, and a loop with two ways after it.
        let graph = [vec![1, 2], vec![3], vec![3], vec![4, 5], vec![3], vec![6, 7], vec![8], vec![8], vec![5, 9], vec![]];
        let numbering = PathNumbering::new(&graph, PATH_LIMIT).unwrap();
        let open = words.iter().zip(functions).map(|(&sum, function)| OpenFrame { function, sum }).collect();
        let mut thread = thread("0", units, open);
        thread.ends_in_handler = ends_in_handler;
        let Ok(tree) = thread.decode() else { return Ok(()) };
        for id in (0..tree.len() as u32).map(ActivationId) {
            let mut walk = ActivationWalk::once_each(&numbering, tree.activation(id));
            let mut steps = 0;
            while let Ok(step) = walk.next_edge() {
                steps += 1;
                prop_assert!(steps < 10_000, "{step:?}");
                if matches!(step, RecordedEdge::Left { .. } | RecordedEdge::EndOfRecord { .. }) {
                    prop_assert!(walk.rounds().len() <= steps);
                    break;
                }
            }
        }
    }

    #[test]
    fn decoding_any_units_ends(units in proptest::collection::vec(any::<u16>(), 0..300)) {
        let _ = thread("0", units, vec![]).decode();
    }
}
