//! An independent record of the same run: a call before every terminator, added to the program's text.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use symx_ir::path_numbering::{PATH_LIMIT, PathNumbering};
use symx_trace::profile::{ActivationEnd, ActivationId, ActivationWalk, CallTree, RecordedEdge};

/// Block number of the event at a function's entry.
const ENTRY: i64 = -1;

/// A function as its text shows it.
#[derive(Default)]
pub struct Function {
    pub name: String,
    pub successors: Vec<Vec<u32>>,
    resume: Vec<u32>,
    numbering: OnceCell<PathNumbering>,
}

impl Function {
    pub fn numbering(&self) -> &PathNumbering {
        let number =
            || PathNumbering::with_resume_blocks(&self.successors, &self.resume, PATH_LIMIT).unwrap();
        self.numbering.get_or_init(number)
    }
}

/// A program's text with the oracle's calls in it.
pub struct Traced {
    pub text: String,
    pub functions: Vec<Function>,
}

/// Compiles a C file to textual IR at a level of optimisation.
pub fn compile(source: &Path, level: &str, out: &Path) -> String {
    let done = Command::new("clang-22")
        .args([level, "-Xclang", "-disable-O0-optnone", "-fno-discard-value-names", "-S", "-emit-llvm"])
        .arg("-fno-inline")
        .arg(source)
        .arg("-o")
        .arg(out)
        .status()
        .unwrap();
    assert!(done.success());
    std::fs::read_to_string(out).unwrap()
}

/// Adds the oracle's calls.
pub fn trace(text: &str) -> Traced {
    let mut out = String::new();
    let mut functions: Vec<Function> = Vec::new();
    let mut labels: HashMap<String, u32> = HashMap::new();
    let mut targets: Vec<Vec<String>> = Vec::new();
    let (mut inside, mut in_switch) = (false, false);
    for line in text.lines() {
        let call = |block: i64| {
            let function = functions.len() as i64 - 1;
            format!("  call void @oracle_event(i32 {function}, i32 {block})\n")
        };
        let label = line.split_once(':').filter(|_| inside && !line.starts_with(' ')).map(|(name, _)| name);
        let word = line.trim_start().split(' ').next().unwrap_or_default();
        let is_invoke = line.starts_with("  invoke ") || line.contains(" = invoke ");
        if line.starts_with("define ") {
            inside = true;
            let (_, rest) = line.split_once('@').unwrap();
            let name = rest.split('(').next().unwrap().to_string();
            functions.push(Function { name, ..Function::default() });
        } else if let Some(label) = label {
            labels.insert(label.to_string(), labels.len() as u32);
        } else if inside && line == "}" {
            inside = false;
            let function = functions.last_mut().unwrap();
            function.successors =
                targets.drain(..).map(|list| list.iter().map(|label| labels[label]).collect()).collect();
            labels.clear();
        } else if inside && (["br", "switch", "ret", "unreachable", "resume"].contains(&word) || is_invoke) {
            out += &call(targets.len() as i64);
            targets.push(Vec::new());
            in_switch = word == "switch";
        }
        if inside && line.contains("@_setjmp(") {
            functions.last_mut().unwrap().resume.push(targets.len() as u32);
        }
        if inside && (["br", "switch", "to"].contains(&word) || in_switch) {
            let names = line.split("label %").skip(1);
            targets
                .last_mut()
                .unwrap()
                .extend(names.map(|rest| rest.split([',', ' ']).next().unwrap().to_string()));
            in_switch &= word != "]";
        }
        out += line;
        out.push('\n');
        if label == Some("entry") {
            out += &format!("  call void @oracle_event(i32 {}, i32 {ENTRY})\n", functions.len() as i64 - 1);
        }
    }
    out += "declare void @oracle_event(i32, i32)\n";
    Traced { text: out, functions }
}

/// As `trace`, for a program that keeps in `oracle_next` where the oracle writes next: its calls are replaced
/// by code that does so. Each event is a word, the function's number + 1 above the block's + 1 of 16 bits.
pub fn trace_inline(text: &str) -> Traced {
    let Traced { text, functions } = trace(text);
    let mut out = String::new();
    for (number, line) in text.lines().enumerate() {
        let Some(event) = line.strip_prefix("  call void @oracle_event(i32 ") else {
            if !line.starts_with("declare void @oracle_event") {
                out += line;
                out.push('\n');
            }
            continue;
        };
        let (function, block) = event.trim_end_matches(')').split_once(", i32 ").unwrap();
        let word = (function.parse::<i64>().unwrap() + 1) << 16 | (block.parse::<i64>().unwrap() + 1);
        let (at, next) = (format!("%oracle.at.{number}"), format!("%oracle.next.{number}"));
        out +=
            &format!("  {at} = load volatile ptr, ptr @oracle_next\n  store volatile i32 {word}, ptr {at}\n");
        out += &format!("  {next} = getelementptr i32, ptr {at}, i64 1\n");
        out += &format!("  store volatile ptr {next}, ptr @oracle_next\n");
    }
    Traced { text: out, functions }
}

/// The events that the words of `trace_inline` record, of a thread that is in functions already, given by
/// their numbers.
pub fn seen_inline(words: &[u32], functions: &[Function]) -> Vec<Seen> {
    let events = words.iter().map(|&word| (0, i64::from(word >> 16) - 1, i64::from(word & 0xFFFF) - 1));
    seen(events, functions).pop().unwrap_or_default()
}

/// One activation as the oracle saw it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seen {
    pub function: u32,
    pub blocks: Vec<u32>,
    pub calls: Vec<Seen>,
    pub left: bool,
}

/// The oracle's call trees, one a thread.
pub fn read_trace(path: &Path, functions: &[Function]) -> Vec<Vec<Seen>> {
    let bytes = std::fs::read(path).unwrap();
    let events = bytes.chunks_exact(24).map(|event| {
        let number = |at: usize| i64::from_ne_bytes(event[at..at + 8].try_into().unwrap());
        (number(0), number(8), number(16) as i32 as i64)
    });
    seen(events, functions)
}

/// The call trees of events, each of a thread, a function and a block.
fn seen(events: impl Iterator<Item = (i64, i64, i64)>, functions: &[Function]) -> Vec<Vec<Seen>> {
    let mut threads: HashMap<i64, (Vec<Seen>, Vec<Seen>)> = HashMap::new();
    let mut order = Vec::new();
    for (thread, function, block) in events {
        let (open, roots) = threads.entry(thread).or_insert_with(|| {
            order.push(thread);
            Default::default()
        });
        if block == ENTRY {
            open.push(Seen { function: function as u32, blocks: vec![], calls: vec![], left: false });
            continue;
        }
        let top = open.last_mut().unwrap();
        assert_eq!(i64::from(top.function), function);
        top.blocks.push(block as u32);
        if functions[function as usize].successors[block as usize].is_empty() {
            let mut done = open.pop().unwrap();
            done.left = true;
            open.last_mut().map_or(&mut *roots, |parent| &mut parent.calls).push(done);
        }
    }
    let close = |(mut open, mut roots): (Vec<Seen>, Vec<Seen>)| {
        while let Some(top) = open.pop() {
            open.last_mut().map_or(&mut roots, |parent| &mut parent.calls).push(top);
        }
        roots
    };
    order.iter().map(|thread| close(threads.remove(thread).unwrap())).collect()
}

/// Whether there are as many calls as the oracle saw, or one more that a killed thread had only just entered.
/// The record of an entry comes before the oracle's.
pub fn same_count(tree: &CallTree, calls: &[ActivationId], seen: &[Seen]) -> bool {
    let just_entered = |&id: &ActivationId| {
        let activation = tree.activation(id);
        let is_open = matches!(activation.end, ActivationEnd::Open { sum: Some(0) });
        is_open && activation.paths.is_empty() && activation.calls.is_empty()
    };
    calls.len() == seen.len() || (calls.len() == seen.len() + 1 && calls.last().is_some_and(just_entered))
}

/// Whether the decoded activation is the one the oracle saw.
pub fn agrees(tree: &CallTree, id: ActivationId, seen: &Seen, functions: &[Function]) -> Result<(), String> {
    let activation = tree.activation(id);
    let function = &functions[activation.function as usize];
    let fail = |what: &str| Err(format!("{}: {what}\n{activation:?}\n{:?}", function.name, seen.blocks));
    if activation.function != seen.function || !same_count(tree, activation.calls, &seen.calls) {
        return fail("other function or calls");
    }
    let numbering = function.numbering();
    let mut walk = ActivationWalk::new(numbering, activation);
    let mut beyond = 0;
    for (position, &block) in seen.blocks.iter().enumerate() {
        let next = seen.blocks.get(position + 1).copied();
        let mut step = walk.next_edge().map_err(|error| error.to_string())?;
        if let (RecordedEdge::EndOfRecord { .. }, [_, ..]) = (step, walk.rounds()) {
            step = RecordedEdge::Possible(walk.rounds()[beyond % walk.rounds().len()]);
            beyond += 1;
        }
        match step {
            RecordedEdge::Taken(edge) | RecordedEdge::Possible(edge) => {
                let leads_to = function.successors[edge.block as usize][edge.successor as usize];
                if edge.block != block || next.is_some_and(|next| next != leads_to) {
                    return fail(&format!("{step:?} at position {position}"));
                }
            }
            RecordedEdge::Left { block: last } if next.is_none() && last == block && seen.left => {}
            // The last block's terminator was recorded but not executed, or ends in a call that does not
            // return.
            RecordedEdge::EndOfRecord { recorded_to_the_end: true } if next.is_none() => {}
            _ => return fail(&format!("{step:?} at position {position}")),
        }
    }
    match walk.next_edge().map_err(|error| error.to_string())? {
        RecordedEdge::Taken(edge) if !seen.left => return fail(&format!("{edge:?} was never reached")),
        RecordedEdge::Taken(edge) => return fail(&format!("{edge:?} after the end")),
        _ => {}
    }
    let mut pairs = activation.calls.iter().zip(&seen.calls);
    pairs.try_for_each(|(&call, seen)| agrees(tree, call, seen, functions))
}
