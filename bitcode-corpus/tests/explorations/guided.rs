//! An exploration along recorded paths in units is the one of one process, and so is one in pieces.

use crate::sums::{Patient, first_model, machine, solver, sums};
use std::io::Cursor;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use symx_expr::StopToken;
use symx_interp::paths::guide::Guide;
use symx_interp::{Machine, Options, RecordingOptions};
use symx_ir::path_numbering::PATH_LIMIT;
use symx_posix_explore::{
    Campaign, Exploration, ExploreOptions, Observer, Progress, Reduction, UnitLimits, explore_all,
    explore_unit, record_once,
};
use symx_posix_model::Posix;
use symx_trace::IncompleteReason;
use symx_trace::profile::{ProcessRecord, Profile, ProfileStream, ProgramHash};

/// A program to be followed along the paths of a run that symx made of it.
fn guided(text: &str, seed: Option<u64>) -> Machine<Posix> {
    let recording = machine(text, first_model(), Options { records_paths: true, ..Options::default() });
    let mut stream = ProfileStream::new(Cursor::new(Vec::new()));
    let recorded = record_once(
        &recording,
        &|| solver(&recording),
        seed,
        RecordingOptions { inputs: false },
        &ExploreOptions::default(),
        &mut Patient,
        &mut |_| {},
        &mut stream,
    );
    let process = ProcessRecord {
        program: ProgramHash(recording.program.hash),
        path_limit: PATH_LIMIT,
        arguments: Vec::new(),
        environment: Vec::new(),
        working_directory: Vec::new(),
        stdin: None,
        end: recorded.end,
        stderr_tail: Vec::new(),
        unrecorded: Vec::new(),
    };
    let mut bytes = Vec::new();
    stream.finish(&process, &recorded.threads, &mut bytes).expect("it is in memory");
    let profile = Profile::read(&bytes).expect("a profile");
    let guide = Guide::new(&profile, &recording.program, &StopToken::default()).expect("a guide");
    machine(text, first_model(), Options { guide: Some(Arc::new(guide)), ..Options::default() })
}

/// Two threads that count together, many times; then the program aborts.
fn counters(times: u32) -> String {
    format!(
        "@x = global i32 0\n\
         define ptr @count(ptr %unused) {{\nentry:\nbr label %loop\n\
         loop:\n%i = phi i32 [ 0, %entry ], [ %n, %loop ]\n\
         %o = atomicrmw add ptr @x, i32 1 seq_cst\n%n = add i32 %i, 1\n\
         %m = icmp ult i32 %n, {times}\nbr i1 %m, label %loop, label %end\nend:\nret ptr null\n}}\n\
         define i32 @main() {{\n%one = alloca i64\n%two = alloca i64\n\
         %m1 = call i32 @pthread_create(ptr %one, ptr null, ptr @count, ptr null)\n\
         %m2 = call i32 @pthread_create(ptr %two, ptr null, ptr @count, ptr null)\n\
         %h1 = load i64, ptr %one\n%j1 = call i32 @pthread_join(i64 %h1, ptr null)\n\
         %h2 = load i64, ptr %two\n%j2 = call i32 @pthread_join(i64 %h2, ptr null)\n\
         call void @abort()\nunreachable\n}}\n\
         declare void @abort()\n\
         declare i32 @pthread_create(ptr, ptr, ptr, ptr)\ndeclare i32 @pthread_join(i64, ptr)\n"
    )
}

/// Ends an exploration when it has been asked this often about an execution that is not gone through again.
struct Limited(u32);

impl Observer for Limited {
    fn progress(&mut self, progress: &Progress) -> Option<IncompleteReason> {
        let has_advanced = !progress.repeats && progress.executions + progress.blocked > 0;
        self.0 = self.0.saturating_sub(u32::from(has_advanced));
        (self.0 == 0).then_some(IncompleteReason::MaxTime)
    }

    fn steps_between(&self) -> u32 {
        1
    }
}

fn in_units(
    machine: &Machine<Posix>,
    options: &ExploreOptions,
    (units, patience): (usize, u32),
) -> (Exploration, u32) {
    let mut random = fastrand::Rng::with_seed(u64::from(patience));
    let mut campaign = Campaign::new(machine, options);
    let mut count = 0;
    while !campaign.has_ended() {
        let open: Vec<_> = campaign.open().map(|(name, unit)| (name.clone(), unit.clone())).collect();
        let (name, unit) = &open[random.usize(..open.len())];
        let asked = AtomicU32::new(0);
        let is_over = || asked.fetch_add(1, Ordering::Relaxed) >= patience;
        let limits = UnitLimits { is_over: &is_over, units };
        let mut observer = Limited(u32::MAX);
        campaign.add(name, explore_unit(machine, solver(machine), unit, limits, options, &mut observer));
        let saved = postcard::to_stdvec(&campaign.save()).expect("bytes");
        campaign = Campaign::restored(machine, options, postcard::from_bytes(&saved).expect("the same"));
        count += 1;
        assert!(count < 10_000, "it comes to no end");
    }
    (campaign.finish(None), count)
}

/// Counts that have to be the same, and failures.
fn essence(explored: &Exploration) -> (Vec<u64>, Vec<IncompleteReason>, usize) {
    let progress = explored.progress;
    let reasons = explored.incomplete.iter().map(|cut| cut.reason).collect();
    let outcomes = explored.outcomes.values().copied();
    (outcomes.chain([progress.executions, progress.blocked]).collect(), reasons, explored.failures.len())
}

#[test]
fn units_along_recorded_paths_add_up() {
    let options =
        ExploreOptions { reduction: Reduction::ReadsFrom, keep_going: true, ..ExploreOptions::default() };
    for (seed, times) in [(None, 2), (Some(3), 2), (None, 3)] {
        let machine = guided(&sums(times), seed);
        let alone = explore_all(&machine, solver(&machine), &options, &mut Patient);
        assert!(alone.progress.executions + alone.progress.blocked > 8, "{seed:?}: {:?}", alone.progress);
        for course in [(1, 0), (8, 0), (3, 40), (64, 3)] {
            let (together, count) = in_units(&machine, &options, course);
            println!("{seed:?} {course:?}: {count} units, {:?}", together.progress);
            assert_eq!(essence(&together), essence(&alone), "{seed:?} {course:?}");
            assert_eq!(together.visible, alone.visible, "{seed:?} {course:?}");
        }
    }
}

#[test]
fn long_executions_have_coarse_steps_first() {
    let machine = guided(&counters(16_000), None);
    let options = ExploreOptions { max_executions: Some(3), keep_going: true, ..ExploreOptions::default() };
    let alone = explore_all(&machine, solver(&machine), &options, &mut Patient);
    assert_eq!(alone.failures.len(), 1, "{:?}", alone.progress);
    let (together, count) = in_units(&machine, &options, (4, 0));
    println!("{count} units, {:?}", together.progress);
    assert!(count > 1, "{:?}", together.progress);
    assert_eq!(essence(&together), essence(&alone));
}

#[test]
fn pieces_along_recorded_paths_add_up() {
    let machine = guided(&sums(3), None);
    let options = ExploreOptions { keep_going: true, ..ExploreOptions::default() };
    let alone = explore_all(&machine, solver(&machine), &options, &mut Patient);
    let (mut executions, mut blocked, mut pieces, mut resume) = (0, 0, 0, None);
    loop {
        let options = ExploreOptions { resume: resume.take(), ..options.clone() };
        let piece = explore_all(&machine, solver(&machine), &options, &mut Limited(40));
        pieces += 1;
        if piece.begun_anew {
            (executions, blocked) = (0, 0);
        }
        executions += piece.progress.executions;
        blocked += piece.progress.blocked;
        let Some(saved) = piece.saved else { break };
        resume = Some(saved);
        assert!(pieces < 1_000, "it comes to no end");
    }
    assert!(pieces > 1, "there was nothing to go on with");
    assert_eq!((executions, blocked), (alone.progress.executions, alone.progress.blocked));
}
