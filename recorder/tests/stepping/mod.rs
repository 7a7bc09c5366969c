//! A program is stopped after each of its instructions: the record it would leave there is the way it went.

use crate::oracle;
use std::path::Path;
use std::process::Command;
use symx_recorder::{BuildOptions, build, collect};
use symx_trace::profile::{ActivationEnd, ActivationId};

/// Bytes of a window of the log.
const WINDOW: usize = 1 << 16;

/// At which instructions the program is looked at.
struct Looks {
    /// How often it does what makes its log long.
    times: u32,
    /// From when on it is stopped after each: where in the log there has to be something.
    from: usize,
    /// And from when on it is looked at.
    since: usize,
    /// How many bytes of the log are kept.
    bytes: usize,
    /// At how many instructions at most, of those that changed something.
    most: usize,
}

/// Counts over all looks.
#[derive(Debug, Default)]
struct Seen {
    /// How many there were.
    samples: usize,
    /// At how many of these it was open whether a path was complete.
    open: usize,
    /// How many units the longest log had.
    longest: usize,
}

/// Checks what the program left at each look.
fn check(level: &str, looks: &Looks) -> Seen {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let text = oracle::compile(&here.join("programs/steps.c"), level, &at("program.ll"));
    let traced = oracle::trace_inline(&text);
    build(traced.text.as_bytes(), &at("program"), &BuildOptions::default()).unwrap();
    let mut compile = Command::new("clang-22");
    compile.args(["-O2", "-w"]).arg(here.join("oracle/step.c")).arg("-o").arg(at("step"));
    assert!(compile.status().unwrap().success());
    for name in ["logs", "samples"] {
        std::fs::create_dir(at(name)).unwrap();
    }
    std::fs::write(at("trace"), vec![0; 1 << 23]).unwrap();
    let mut step = Command::new(at("step"));
    step.arg(at("logs/0.thread")).arg(at("trace")).arg(at("samples"));
    step.args([looks.bytes, looks.from, looks.since, looks.most].map(|number| number.to_string()));
    step.arg(at("program")).arg(at("trace")).arg(looks.times.to_string()).env("SYMX_RECORD_DIR", at("logs"));
    assert_eq!(step.status().unwrap().code(), Some(0));
    let trace = std::fs::read(at("trace")).unwrap();
    let words: Vec<u32> =
        trace.chunks_exact(4).map(|word| u32::from_ne_bytes(word.try_into().unwrap())).collect();
    let mut all = Seen::default();
    for sample in std::fs::read_dir(at("samples")).unwrap() {
        let path = sample.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let events: usize = name.split_once('-').unwrap().1.parse().unwrap();
        let profile = collect(&path).unwrap();
        let thread = profile.thread("0").unwrap();
        let tree = thread.decode().unwrap();
        let [root] = tree.roots() else { panic!("{:?}", tree.roots()) };
        let seen = oracle::seen_inline(&words[..events], &traced.functions);
        let [seen] = &seen[..] else { panic!("{name}: {} roots", seen.len()) };
        oracle::agrees(&tree, *root, seen, &traced.functions)
            .unwrap_or_else(|reason| panic!("{name} at {level}: {}", &reason[..reason.len().min(2_000)]));
        let is_open = |id| matches!(tree.activation(id).end, ActivationEnd::Reached { .. });
        all.samples += 1;
        all.open += usize::from((0..tree.len() as u32).map(ActivationId).any(is_open));
        all.longest = all.longest.max(thread.units.len());
    }
    all
}

#[test]
fn the_record_is_right_after_every_instruction() {
    for level in ["-O0", "-O2"] {
        let seen =
            check(level, &Looks { times: 0, from: 0, since: 0, bytes: WINDOW / 4, most: usize::MAX / 2 });
        assert!(seen.samples > 1_000 && seen.open > 500, "{seen:?} at {level}");
        assert!(seen.longest < WINDOW / 8, "{seen:?} at {level}");
    }
}

#[test]
fn the_record_is_right_where_a_window_is_left() {
    // The second window is nearly full, and there is something in it from before; the log goes on where
    // the first one was.
    let near = 2 * WINDOW - 520;
    let looks = Looks { times: 10_000, from: near - 180, since: near, bytes: 4 * WINDOW, most: 400 };
    let seen = check("-O2", &looks);
    assert!(seen.samples == 400 && seen.longest > WINDOW, "{seen:?}");
}
