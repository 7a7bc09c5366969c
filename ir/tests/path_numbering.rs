//! Walks on random graphs: decoding the number that the increments log returns the walk.

use proptest::prelude::*;
use symx_ir::path_numbering::{Edge, EdgeAction, NumberingError, PATH_LIMIT, PathEnd, PathNumbering};

/// A walk from the entry as an instrumented function would log it.
struct Walk {
    edges: Vec<Edge>,
    logged: Vec<u32>,
    sum: u32,
    returned: bool,
}

fn walk(successors: &[Vec<u32>], numbering: &PathNumbering, choices: &[u32]) -> Walk {
    let mut walk = Walk { edges: Vec::new(), logged: Vec::new(), sum: 0, returned: false };
    let mut block = 0;
    for &choice in choices {
        let list = &successors[block as usize];
        if list.is_empty() {
            walk.logged.push(walk.sum);
            walk.returned = true;
            break;
        }
        let edge = Edge { block, successor: choice % list.len() as u32 };
        match numbering.edge_action(edge) {
            EdgeAction::Continue { add } => walk.sum += add,
            EdgeAction::Cut { add, restart } => {
                walk.logged.push(walk.sum + add);
                walk.sum = restart;
            }
        }
        walk.edges.push(edge);
        block = list[edge.successor as usize];
    }
    walk
}

fn graphs() -> impl Strategy<Value = Vec<Vec<u32>>> {
    (1usize..24).prop_flat_map(|blocks| {
        proptest::collection::vec(proptest::collection::vec(0..blocks as u32, 0..4), blocks)
    })
}

proptest! {
    #[test]
    fn a_logged_walk_decodes_to_itself(
        graph in graphs(),
        limit in prop_oneof![Just(1u32), 2u32..40, Just(PATH_LIMIT)],
        choices in proptest::collection::vec(any::<u32>(), 0..200),
    ) {
        let numbering = PathNumbering::new(&graph, limit).unwrap();
        let walk = walk(&graph, &numbering, &choices);
        let mut decoded = Vec::new();
        let mut block = 0;
        for (position, &id) in walk.logged.iter().enumerate() {
            let path = numbering.decode(id).unwrap();
            prop_assert_eq!(path.start, block);
            decoded.extend(path.edges);
            let is_last = walk.returned && position + 1 == walk.logged.len();
            match path.end {
                PathEnd::Cut { target } => block = target,
                PathEnd::Exit { .. } => prop_assert!(is_last),
            }
        }
        if walk.returned {
            prop_assert_eq!(&decoded, &walk.edges);
        } else {
            let partial = numbering.decode_partial(walk.sum).unwrap();
            prop_assert_eq!(partial.start, block);
            let rest = &walk.edges[decoded.len()..];
            prop_assert_eq!(&decoded[..], &walk.edges[..decoded.len()]);
            prop_assert!(partial.edges.starts_with(rest), "{:?} is no prefix of {:?}", rest, partial.edges);
            prop_assert!(partial.certain <= rest.len());
        }
    }

    #[test]
    fn numbers_are_dense_and_distinct(graph in graphs(), limit in 1u32..300) {
        let numbering = PathNumbering::new(&graph, limit).unwrap();
        let mut seen = std::collections::HashSet::new();
        for id in 0..numbering.paths().min(5_000) {
            let path = numbering.decode(id).unwrap();
            // A path over edges is identified by them; one without edges by the block it starts at.
            prop_assert!(seen.insert((path.start, path.edges)));
        }
        prop_assert!(numbering.decode(numbering.paths()).is_err());
        let edges: usize = graph.iter().map(|list| list.len().max(1)).sum();
        prop_assert!(numbering.paths() as usize <= (limit as usize).max(edges));
    }

    #[test]
    fn a_walk_may_resume_where_control_can_return(
        graph in graphs(),
        resume in any::<u32>(),
        choices in proptest::collection::vec(any::<u32>(), 0..50),
    ) {
        let resume = resume % graph.len() as u32;
        let numbering = PathNumbering::with_resume_blocks(&graph, &[resume], PATH_LIMIT).unwrap();
        if let Some(value) = numbering.resume_value(resume) {
            prop_assert_eq!(numbering.decode(value).unwrap().start, resume);
        } else {
            // Only blocks out of reach have no value: no walk comes by.
            let seen = walk(&graph, &numbering, &choices);
            prop_assert!(seen.edges.iter().all(|edge| edge.block != resume));
        }
    }
}

proptest! {
    #[test]
    fn between_two_edges_that_close_loops_no_edge_comes_twice(
        graph in graphs(),
        limit in prop_oneof![Just(1u32), Just(PATH_LIMIT)],
        choices in proptest::collection::vec(any::<u32>(), 0..200),
    ) {
        let numbering = PathNumbering::new(&graph, limit).unwrap();
        let mut taken = std::collections::HashSet::new();
        for edge in walk(&graph, &numbering, &choices).edges {
            if numbering.closes_loop(edge) {
                let is_cut = matches!(numbering.edge_action(edge), EdgeAction::Cut { .. });
                prop_assert!(is_cut);
                taken.clear();
            } else {
                prop_assert!(taken.insert(edge), "{:?}", edge);
            }
        }
    }
}

#[test]
fn a_straight_line_is_trivial_and_a_loop_is_not() {
    let straight = PathNumbering::new(&[vec![1], vec![]], PATH_LIMIT).unwrap();
    assert!(straight.is_trivial());
    assert!(!straight.is_recorded(false));
    assert!(straight.is_recorded(true));
    let endless = PathNumbering::new(&[vec![1], vec![1]], PATH_LIMIT).unwrap();
    assert!(!endless.is_trivial());
    let own_loop = PathNumbering::new(&[vec![0]], PATH_LIMIT).unwrap();
    assert!(!own_loop.is_trivial());
}

#[test]
fn parallel_edges_are_different_edges() {
    let numbering = PathNumbering::new(&[vec![1, 1, 1], vec![]], PATH_LIMIT).unwrap();
    assert_eq!(numbering.paths(), 3);
    let mut taken: Vec<u32> = (0..3).map(|id| numbering.decode(id).unwrap().edges[0].successor).collect();
    taken.sort();
    assert_eq!(taken, [0, 1, 2]);
}

#[test]
fn sixty_diamonds_stay_under_the_limit() {
    // 2^60 paths uncut.
    let mut graph = Vec::new();
    for diamond in 0..60u32 {
        let first = diamond * 3;
        graph.push(vec![first + 1, first + 2]);
        graph.push(vec![first + 3]);
        graph.push(vec![first + 3]);
    }
    graph.push(vec![]);
    let numbering = PathNumbering::new(&graph, PATH_LIMIT).unwrap();
    assert!(numbering.paths() <= PATH_LIMIT);
    let cuts = |edges: &Vec<Edge>| {
        edges.iter().filter(|e| matches!(numbering.edge_action(**e), EdgeAction::Cut { .. })).count()
    };
    let all: Vec<Edge> = (0..graph.len() as u32)
        .flat_map(|block| {
            (0..graph[block as usize].len() as u32).map(move |successor| Edge { block, successor })
        })
        .collect();
    assert!(cuts(&all) < 30, "{} edges cut", cuts(&all));
}

fn is_cut(numbering: &PathNumbering, block: u32, successor: u32) -> bool {
    matches!(numbering.edge_action(Edge { block, successor }), EdgeAction::Cut { .. })
}

#[test]
fn a_loop_with_two_ways_round_is_entered_with_a_new_path() {
    // A branch before each of two loops: the first has two ways round, the second has one.
    let graph = [
        vec![1, 2],
        vec![3],
        vec![3],
        vec![4, 5],
        vec![6],
        vec![6],
        vec![3, 7],
        vec![8, 9],
        vec![10],
        vec![10],
        vec![10, 11],
        vec![],
    ];
    let numbering = PathNumbering::new(&graph, PATH_LIMIT).unwrap();
    assert!(is_cut(&numbering, 1, 0) && is_cut(&numbering, 2, 0) && is_cut(&numbering, 6, 0));
    assert!(!is_cut(&numbering, 8, 0) && !is_cut(&numbering, 9, 0) && is_cut(&numbering, 10, 0));
    // To stay in the first adds nothing at its end, to leave it does.
    let EdgeAction::Cut { add, .. } = numbering.edge_action(Edge { block: 6, successor: 0 }) else {
        panic!()
    };
    assert_eq!(add, 0);
}

#[test]
fn paths_are_cut_outside_of_loops_rather_than_in_them() {
    // Loops of some branches and a loop with one way round, with far too many paths between them.
    let mut graph = Vec::new();
    let diamonds = |graph: &mut Vec<Vec<u32>>, count: u32| {
        for _ in 0..count {
            let first = graph.len() as u32;
            graph.extend([vec![first + 1, first + 2], vec![first + 3], vec![first + 3]]);
        }
    };
    let mut loops = Vec::new();
    for _ in 0..24 {
        diamonds(&mut graph, 30);
        let head = graph.len() as u32;
        graph.extend([vec![head + 1], vec![head + 2, head + 3], vec![head + 1]]);
        diamonds(&mut graph, 6);
        let last = graph.len() as u32;
        graph.push(vec![head, last + 1]);
        loops.push(head..=last);
    }
    graph.push(vec![]);
    let numbering = PathNumbering::new(&graph, PATH_LIMIT).unwrap();
    assert!(numbering.paths() <= PATH_LIMIT);
    for inside in loops {
        for block in inside.clone() {
            for (successor, target) in (0..).zip(&graph[block as usize]) {
                let edge = Edge { block, successor };
                let is_cut_inside = inside.contains(target) && is_cut(&numbering, block, successor);
                assert_eq!(is_cut_inside, numbering.closes_loop(edge), "{edge:?}");
            }
        }
    }
}

#[test]
fn a_successor_that_is_no_block_is_refused() {
    let refused = PathNumbering::new(&[vec![7]], PATH_LIMIT).unwrap_err();
    assert_eq!(refused, NumberingError::NoSuchBlock { block: 0, successor: 7, blocks: 1 });
}
