//! A program is stopped after each of its instructions: the record it would leave there is the way it went.

use crate::oracle;
use std::path::Path;
use std::process::Command;
use symx_recorder::{BuildOptions, build, collect};
use symx_trace::profile::{ActivationEnd, ActivationId};

/// How many bytes of the log are kept each time; the program logs less.
const WINDOW: usize = 1 << 14;

#[test]
fn the_record_is_right_after_every_instruction() {
    for level in ["-O0", "-O2"] {
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
        std::fs::write(at("trace"), vec![0; 1 << 20]).unwrap();
        let mut step = Command::new(at("step"));
        step.arg(at("logs/0.thread")).arg(at("trace")).arg(at("samples")).arg(WINDOW.to_string());
        step.arg(at("program")).arg(at("trace")).env("SYMX_RECORD_DIR", at("logs"));
        assert_eq!(step.status().unwrap().code(), Some(0));
        let trace = std::fs::read(at("trace")).unwrap();
        let words: Vec<u32> =
            trace.chunks_exact(4).map(|word| u32::from_ne_bytes(word.try_into().unwrap())).collect();
        let (mut samples, mut reached) = (0, 0);
        for sample in std::fs::read_dir(at("samples")).unwrap() {
            let path = sample.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let events: usize = name.split_once('-').unwrap().1.parse().unwrap();
            let profile = collect(&path).unwrap();
            let thread = profile.thread("0").unwrap();
            assert!(thread.units.len() * 2 < WINDOW, "{} units", thread.units.len());
            let tree = thread.decode().unwrap();
            let [root] = tree.roots() else { panic!("{:?}", tree.roots()) };
            let seen = oracle::seen_inline(&words[..events], &traced.functions);
            let [seen] = &seen[..] else { panic!("{name}: {} roots", seen.len()) };
            oracle::agrees(&tree, *root, seen, &traced.functions)
                .unwrap_or_else(|reason| panic!("{name} at {level}: {reason}"));
            let is_reached = |id| matches!(tree.activation(id).end, ActivationEnd::Reached { .. });
            samples += 1;
            reached += usize::from((0..tree.len() as u32).map(ActivationId).any(is_reached));
        }
        assert!(samples > 1_000 && reached > 500, "{reached} of {samples} at {level}");
    }
}
