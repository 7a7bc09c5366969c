//! Rare calls of the recorder's inlined code are known to the optimiser as rare. Else it keeps registers and
//! lays out code for these calls, where the program's own loops need them.

use std::collections::HashMap;
use symx_recorder::{BuildOptions, build};

/// A loop with one way round that is left after an unknown number of rounds, and a loop with two ways.
const PROGRAM: &str = r"
define i64 @length(ptr %text) noinline {
start:
  br label %head
head:
  %i = phi i64 [ 0, %start ], [ %next, %round ]
  %at = getelementptr i8, ptr %text, i64 %i
  %byte = load i8, ptr %at
  %is_end = icmp eq i8 %byte, 0
  br i1 %is_end, label %out, label %round
round:
  %next = add i64 %i, 1
  br label %head
out:
  ret i64 %i
}

define i64 @spaces(ptr %text, i64 %length) noinline {
start:
  br label %head
head:
  %i = phi i64 [ 0, %start ], [ %next, %latch ]
  %count = phi i64 [ 0, %start ], [ %sum, %latch ]
  %at = getelementptr i8, ptr %text, i64 %i
  %byte = load volatile i8, ptr %at
  %is_space = icmp eq i8 %byte, 32
  br i1 %is_space, label %space, label %latch
space:
  store volatile i8 95, ptr %at
  %more = add i64 %count, 1
  br label %latch
latch:
  %sum = phi i64 [ %count, %head ], [ %more, %space ]
  %next = add i64 %i, 1
  %is_last = icmp uge i64 %next, %length
  br i1 %is_last, label %out, label %head
out:
  ret i64 %sum
}

define i32 @main(i32 %count, ptr %words) {
  %text = load ptr, ptr %words
  %length = call i64 @length(ptr %text)
  %spaces = call i64 @spaces(ptr %text, i64 %length)
  %status = trunc i64 %spaces to i32
  ret i32 %status
}
";

const SELDOM: [&str; 3] = ["make_room", "make_frame", "out_of_loop_wide"];

#[test]
fn seldom_calls_have_small_weights() {
    let directory = tempfile::tempdir().unwrap();
    let text = directory.path().join("optimised.ll");
    let link_arguments = vec!["-S".into(), "-emit-llvm".into()];
    build(PROGRAM.as_bytes(), &text, &BuildOptions { link_arguments, ..BuildOptions::default() }).unwrap();
    let text = std::fs::read_to_string(&text).unwrap();
    let weights: HashMap<&str, Vec<u32>> =
        text.lines().filter(|line| line.contains("\"branch_weights\"")).filter_map(weights_of).collect();
    let mut met = Vec::new();
    for name in ["length", "spaces"] {
        let start = text.find(&format!("@{name}(ptr")).unwrap();
        let start = text[..start].rfind("define").unwrap();
        let body = &text[start..start + text[start..].find("\n}").unwrap()];
        for (branch, seldom, callee) in seldom_branches(body) {
            let weights = branch.split("!prof ").nth(1).and_then(|name| weights.get(word(name)));
            let weights = weights.unwrap_or_else(|| panic!("{name}: no weights at {branch}"));
            let [first, second] = weights[..] else { panic!("{branch}: {weights:?}") };
            let (rare, usual) = if seldom == 0 { (first, second) } else { (second, first) };
            assert!(u64::from(rare) * 100 < u64::from(usual), "{name}, {callee}: {weights:?} at {branch}");
            met.push(callee);
        }
    }
    for callee in SELDOM {
        assert!(met.contains(&callee), "no branch to a call of {callee}");
    }
}

/// The name of a list of branch weights, and the list.
fn weights_of(line: &str) -> Option<(&str, Vec<u32>)> {
    let (name, list) = line.split_once(" = ")?;
    let numbers = list.split("i32 ").skip(1);
    // They are printed as if they had signs.
    let numbers = numbers.map(|n| n.trim_end_matches(['}', ' ', ',']).parse::<i64>().map(|n| n as u32));
    Some((name, numbers.collect::<Result<_, _>>().ok()?))
}

/// The branches of a function of which one way (0 or 1) leads to a block that calls one
/// of `SELDOM`, and which.
fn seldom_branches(body: &str) -> Vec<(&str, usize, &'static str)> {
    let mut blocks: HashMap<&str, &'static str> = HashMap::new();
    let mut block = "";
    for line in body.lines() {
        if !line.starts_with(' ')
            && let Some((label, _)) = line.split_once(':')
        {
            block = label;
        }
        let callee = SELDOM.into_iter().find(|name| line.contains(&format!("@symx_recorder_{name}(")));
        if let Some(callee) = callee {
            blocks.insert(block, callee);
        }
    }
    let branches = body.lines().filter(|line| line.trim_start().starts_with("br i1"));
    branches
        .flat_map(|line| line.split("label %").skip(1).enumerate().map(move |(way, to)| (line, way, to)))
        .filter_map(|(line, way, to)| Some((line, way, *blocks.get(word(to))?)))
        .collect()
}

/// The text before a comma or a space.
fn word(text: &str) -> &str {
    text.split([',', ' ']).next().unwrap_or(text)
}
