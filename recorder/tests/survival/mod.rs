//! Recordings that end badly or are short of room, and the ring: the remaining record is usable and says what
//! is missing.

use crate::oracle::{self, Function, trace};
use std::path::Path;
use std::process::Command;
use symx_ir::path_numbering::Edge;
use symx_recorder::{BuildOptions, RecordError, RecordOptions, build, collect, record};
use symx_trace::profile::unit::Rounds;
use symx_trace::profile::{
    ActivationEnd, ActivationId, ActivationWalk, CallTree, ProcessEnd, Profile, RecordEnd, RecordedEdge,
};

/// A program of `tests/programs`, recorded as the options say; its functions in the order of the record.
pub fn run(program: &str, arguments: &[&str], options: RecordOptions) -> (Profile, Vec<Function>) {
    run_linked(program, arguments, options, Vec::new())
}

fn run_linked(
    program: &str,
    arguments: &[&str],
    options: RecordOptions,
    link_arguments: Vec<String>,
) -> (Profile, Vec<Function>) {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(program);
    let text = oracle::compile(&source, "-O0", &at("program.ll"));
    let built = BuildOptions { link_arguments, ..BuildOptions::default() };
    build(text.as_bytes(), &at("program"), &built).unwrap();
    let arguments = arguments.iter().map(Into::into).collect();
    let profile = record(&RecordOptions { binary: at("program"), arguments, ..options }).unwrap();
    assert!(Profile::read(&profile.write()).unwrap() == profile, "what is written is what is read");
    (profile, trace(&text).functions)
}

fn named<'t>(
    tree: &'t CallTree,
    functions: &'t [Function],
    name: &'t str,
) -> impl Iterator<Item = ActivationId> + 't {
    let ids = (0..tree.len() as u32).map(ActivationId);
    ids.filter(move |&id| functions[tree.activation(id).function as usize].name == name)
}

/// The blocks an activation went through, as far as they are certain.
fn blocks(tree: &CallTree, functions: &[Function], id: ActivationId) -> Vec<u32> {
    let activation = tree.activation(id);
    let function = &functions[activation.function as usize];
    let numbering = function.numbering();
    let mut walk = ActivationWalk::new(numbering, activation);
    let mut blocks = vec![0];
    while let RecordedEdge::Taken(edge) = walk.next_edge().unwrap() {
        assert_eq!(Some(&edge.block), blocks.last());
        blocks.push(function.successors[edge.block as usize][edge.successor as usize]);
    }
    blocks
}

#[test]
fn runs_of_equal_paths_are_counted() {
    let (profile, functions) = run("rounds.c", &[], RecordOptions::default());
    let thread = profile.thread("0").unwrap();
    let tree = thread.decode().unwrap();
    // Each turn comes through the one block that is entered most.
    let turns = |name| -> Vec<usize> {
        let count = |id| {
            let blocks = blocks(&tree, &functions, id);
            (0..64).map(|block| blocks.iter().filter(|&&b| b == block).count()).max().unwrap_or(0)
        };
        named(&tree, &functions, name).map(count).collect()
    };
    assert_eq!(turns("rounds"), [1, 2, 3, 4, 5, 6, 20_001, 127, 128, 129]);
    assert_eq!(turns("nested"), [7 * 6, 4]);
    assert_eq!(turns("two_ends"), [31]);
    assert_eq!(turns("waits"), [1, 2, 3, 4, 20_001]);
    assert_eq!(turns("mixed"), [30]);
    assert_eq!(turns("looks"), [41]);
    let many = named(&tree, &functions, "many").next().unwrap();
    let told: Vec<_> = tree.activation(many).rounds.iter().map(|told| (told.number, told.times)).collect();
    assert_eq!(told, (0..70).map(|number| (number, 3)).collect::<Vec<_>>());
    assert!(thread.units.len() < 500, "{} units", thread.units.len());
}

#[test]
fn a_fault_in_a_loop_whose_rounds_are_counted() {
    for ring in [None, Some(1)] {
        let (profile, functions) =
            run("rounds.c", &["fault"], RecordOptions { ring, ..RecordOptions::default() });
        let end = ProcessEnd::Signalled { signal: 11, thread: Some("0".to_string()) };
        assert_eq!(profile.process.end, end);
        let tree = profile.thread("0").unwrap().decode().unwrap();
        let last = named(&tree, &functions, "looks").last().unwrap();
        let activation = tree.activation(last);
        let ActivationEnd::Open { sum: Some(sum) } = activation.end else { panic!("{:?}", activation.end) };
        assert!(Rounds::of_word(sum).is_some(), "{sum:#x}");
        // It came to the loop, and then took some number of rounds, which is not in the record.
        let function = &functions[activation.function as usize];
        let numbering = function.numbering();
        let mut walk = ActivationWalk::new(numbering, activation);
        let (mut certain, mut possible) = (0, Vec::new());
        loop {
            match walk.next_edge().unwrap() {
                RecordedEdge::Taken(_) => certain += 1,
                RecordedEdge::Possible(edge) => possible.push(edge),
                RecordedEdge::EndOfRecord { recorded_to_the_end: true } => break,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!((certain, walk.rounds()), (1, &possible[..]));
        let target = |edge: &Edge| function.successors[edge.block as usize][edge.successor as usize];
        assert_eq!(target(possible.last().unwrap()), possible[0].block, "they lead round");
    }
}

#[test]
fn a_program_with_rights_of_its_own_does_not_write_where_its_caller_says() {
    use std::os::unix::fs::{PermissionsExt, chown};
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let allow = |name: &str, mode| {
        std::fs::set_permissions(at(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/secure.c");
    let text = oracle::compile(&source, "-O0", &at("program.ll"));
    build(text.as_bytes(), &at("program"), &BuildOptions::default()).unwrap();
    std::fs::create_dir(at("logs")).unwrap();
    allow("", 0o755);
    allow("logs", 0o777);
    let run = || {
        let status = Command::new(at("program")).env("SYMX_RECORD_DIR", at("logs")).status().unwrap();
        (status.code(), std::fs::read_dir(at("logs")).unwrap().count())
    };
    let other_user = 65_534;
    if chown(at("program"), Some(other_user), None).is_err() {
        println!("only root gives files away: skipped");
        return;
    }
    allow("program", 0o4755);
    match run() {
        (Some(10), files) => assert_eq!(files, 0, "nothing is written"),
        (status, _) => println!("no other user's rights here ({status:?}): skipped"),
    }
    std::fs::copy(at("program"), at("plain")).unwrap();
    std::fs::rename(at("plain"), at("program")).unwrap();
    allow("program", 0o755);
    let (status, files) = run();
    assert!(status == Some(11) && files > 0, "{status:?}, {files} files");
}

#[test]
fn a_torn_log_loses_its_tail() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/long_way.c");
    let text = oracle::compile(&source, "-O0", &at("program.ll"));
    build(text.as_bytes(), &at("program"), &BuildOptions::default()).unwrap();
    let logs = at("logs");
    std::fs::create_dir(&logs).unwrap();
    let mut program = Command::new(at("program"));
    program.args(["return", "100000"]).env("SYMX_RECORD_DIR", &logs);
    assert!(program.status().unwrap().success());
    let whole = collect(&logs).unwrap().thread("0").unwrap().clone();
    assert!(!whole.stopped_early() && whole.units.len() > 200_000, "{} units", whole.units.len());
    let file = std::fs::OpenOptions::new().write(true).open(logs.join("0.thread")).unwrap();
    let mut length = file.metadata().unwrap().len();
    let mut units = whole.units.len();
    // The log is after the header and the shadow stack: two windows, and then what became full.
    for torn in [1, 1 << 10, 1 << 16, 100_001, 1 << 17] {
        length -= torn;
        file.set_len(length).unwrap();
        let part = collect(&logs).unwrap().thread("0").unwrap().clone();
        assert!(part.units.len() < units && part.units[..] == whole.units[..part.units.len()]);
        assert!(part.units.len() > 32_768, "{} units", part.units.len());
        units = part.units.len();
        assert_eq!(part.decode().unwrap().end, RecordEnd::Stopped);
    }
    // A header of which nothing is left is no thread's.
    file.set_len(64).unwrap();
    assert!(matches!(collect(&logs), Err(RecordError::NothingRecorded { .. })));
}

#[test]
fn a_ring_keeps_the_end() {
    let ring = RecordOptions { ring: Some(1), ..RecordOptions::default() };
    let (profile, functions) = run("long_way.c", &["abort", "2000000"], ring);
    let signal = ProcessEnd::Signalled { signal: 6, thread: Some("0".to_string()) };
    assert_eq!(profile.process.end, signal);
    let thread = profile.thread("0").unwrap();
    assert!(thread.lost_units > 1 << 20, "{} units lost", thread.lost_units);
    // A MiB of full windows, and the one that was written.
    let kept = thread.units.len();
    assert!((1 << 19..=(1 << 19) + (1 << 15)).contains(&kept), "{kept} units kept");
    let tree = thread.decode().unwrap();
    // Where the ring begins main and all levels of the way are active; all but main returned.
    let ways: Vec<_> = named(&tree, &functions, "way").map(|id| tree.activation(id)).collect();
    assert_eq!(ways.len(), 41);
    assert!(ways.iter().all(|way| !way.is_whole && way.end == ActivationEnd::Returned));
    let main = tree.activation(named(&tree, &functions, "main").next().unwrap());
    assert!(!main.is_whole && matches!(main.end, ActivationEnd::Open { sum: Some(_) }));
    // The steps that are whole took the way that the arithmetic of the program says, up to the last.
    let steps: Vec<Vec<u32>> = named(&tree, &functions, "step")
        .filter(|&id| tree.activation(id).is_whole)
        .map(|id| blocks(&tree, &functions, id))
        .collect();
    assert!(steps.len() > 50_000, "{}", steps.len());
    let (mut state, mut expected) = (1u32, Vec::new());
    for _ in 0..2_000_000 {
        state = state.wrapping_mul(1103515245).wrapping_add(12345);
        expected.push(if state & 0x10000 != 0 { 3 } else { 4 + usize::from(state & 0x20000 != 0) });
    }
    let lengths: Vec<usize> = steps.iter().map(Vec::len).collect();
    assert_eq!(lengths, expected[expected.len() - lengths.len()..]);
}

#[test]
fn a_ring_that_is_not_full_keeps_all() {
    let ring = RecordOptions { ring: Some(1), ..RecordOptions::default() };
    let (profile, functions) = run("long_way.c", &["return", "1000"], ring);
    let thread = profile.thread("0").unwrap();
    let tree = thread.decode().unwrap();
    assert_eq!((thread.lost_units, profile.process.end.clone()), (0, ProcessEnd::Exited(0)));
    assert_eq!(named(&tree, &functions, "step").count(), 1_000);
    assert!((0..tree.len() as u32).all(|id| tree.activation(ActivationId(id)).is_whole));
}

#[test]
fn a_ring_survives_being_killed_and_a_fork() {
    for (ending, end) in
        [("kill", ProcessEnd::Signalled { signal: 9, thread: None }), ("fork", ProcessEnd::Exited(4))]
    {
        let ring = RecordOptions { ring: Some(1), ..RecordOptions::default() };
        let (profile, functions) = run("long_way.c", &[ending, "400000"], ring);
        assert_eq!(profile.process.end, end);
        let thread = profile.thread("0").unwrap();
        assert!(thread.lost_units > 0);
        let tree = thread.decode().unwrap();
        assert!(named(&tree, &functions, "step").count() > 50_000, "{ending}");
    }
}

#[test]
fn four_thousand_threads() {
    // Thousands of files are slow on a disk.
    let memory = Path::new("/dev/shm");
    let log_directory = memory.is_dir().then(|| memory.to_path_buf());
    for ring in [None, Some(1)] {
        let options =
            RecordOptions { ring, log_directory: log_directory.clone(), ..RecordOptions::default() };
        let (profile, _) = run("many_threads.c", &["4000"], options);
        assert_eq!(profile.process.end, ProcessEnd::Exited(0));
        assert_eq!(profile.threads.len(), 4001);
        let ended = |name: &str| profile.thread(name).unwrap().decode().unwrap().end;
        assert!((1..=4000).all(|child| ended(&format!("0.{child}")) == RecordEnd::ThreadEnded));
    }
}

#[test]
fn a_child_forked_in_a_handler_goes_on() {
    let (profile, functions) = run("fork_in_handler.c", &[], RecordOptions::default());
    assert_eq!(profile.process.end, ProcessEnd::Exited(5));
    let tree = profile.thread("0").unwrap().decode().unwrap();
    assert_eq!(named(&tree, &functions, "half").count(), 1001);
}

#[test]
fn threads_that_a_library_creates() {
    for link in [vec![], vec!["-static".to_string()]] {
        let (profile, functions) = run_linked("library_threads.cc", &[], RecordOptions::default(), link);
        assert_eq!(profile.process.end, ProcessEnd::Exited(0));
        let names: Vec<&str> = profile.threads.iter().map(|thread| thread.name.as_str()).collect();
        assert_eq!(names, ["0", "0.1", "0.2", "0.2.1"]);
        for (thread, created) in [("0", &[1, 2][..]), ("0.1", &[]), ("0.2", &[1]), ("0.2.1", &[])] {
            let tree = profile.thread(thread).unwrap().decode().unwrap();
            assert_eq!(tree.created, created, "{thread}");
            let works = named(&tree, &functions, "_ZL4halfi").count();
            assert_eq!(works, usize::from(created.is_empty()), "{thread}");
        }
    }
}

#[test]
fn a_fault_after_a_file_an_exception_and_an_exit() {
    let in_main = |signal| ProcessEnd::Signalled { signal, thread: Some("0".to_string()) };
    for (ending, end, open) in [
        ("bus", in_main(7), vec!["main", "reads_past_the_end"]),
        ("throw", in_main(6), vec!["main", "throws", "throws", "throws", "throws"]),
        ("leave", ProcessEnd::Exited(9), vec!["main"]),
    ] {
        let (profile, functions) = run("ends.cc", &[ending], RecordOptions::default());
        assert_eq!(profile.process.end, end, "{ending}");
        let thread = profile.thread("0").unwrap();
        thread.decode().unwrap();
        let names = thread.open.iter().map(|frame| &functions[frame.function as usize].name);
        let names: Vec<&String> = names.collect();
        assert!(
            names.len() == open.len() && names.iter().zip(&open).all(|(name, part)| name.contains(part)),
            "{names:?}"
        );
    }
}

#[test]
fn what_is_loaded_later_is_noted() {
    let (profile, _) = run("ends.cc", &["load"], RecordOptions::default());
    assert_eq!(profile.process.end, ProcessEnd::Exited(0));
    assert_eq!(profile.process.unrecorded, [b"libm.so.6"]);
}

#[test]
fn an_order_of_synchronisation() {
    let sync = RecordOptions { sync: true, ..RecordOptions::default() };
    let (profile, _) = run("many_threads.c", &["5"], sync);
    let mut places: Vec<u64> = Vec::new();
    for thread in &profile.threads {
        let tree = thread.decode().unwrap();
        let timed = (0..tree.len() as u32).flat_map(|id| tree.activation(ActivationId(id)).timed.to_vec());
        let of_thread: Vec<u64> = timed.collect();
        assert!(of_thread.is_sorted());
        places.extend(of_thread);
    }
    let count = places.len();
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), count, "no two have one place");
    assert!(places.last().is_some_and(|&last| last <= 100), "places, not clock ticks: {places:?}");
}

/// A file system of one megabyte; `None` where the test may not mount one.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn new() -> Option<Self> {
        let disk = SmallDisk(tempfile::tempdir().unwrap());
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(disk.0.path());
        mount.output().is_ok_and(|done| done.status.success()).then_some(disk)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).output();
    }
}

#[test]
fn a_full_disk_stops_the_recording_not_the_program() {
    let Some(disk) = SmallDisk::new() else { return };
    let log_directory = Some(disk.0.path().to_path_buf());
    for ring in [None, Some(4)] {
        let options =
            RecordOptions { ring, log_directory: log_directory.clone(), ..RecordOptions::default() };
        let (profile, functions) = run("long_way.c", &["return", "2000000"], options);
        assert_eq!(profile.process.end, ProcessEnd::Exited(0));
        let thread = profile.thread("0").unwrap();
        assert!(thread.stopped_early());
        let tree = thread.decode().unwrap();
        assert_eq!(tree.end, RecordEnd::Stopped);
        assert!(named(&tree, &functions, "step").count() > 10_000);
    }
}
