//! An exploration in units is the exploration by one process. It does not matter how it is cut up, which
//! process explores which unit or adds them up, and what is delivered twice.

use crate::sums::{Patient, first_model, machine, solver, sums};
use symx_interp::{Machine, Options};
use symx_memmodel::MemoryModel;
use symx_posix_explore::{
    Campaign, Exploration, ExploreOptions, Observer, Progress, Reduction, ScheduleBound, Unit, UnitLimits,
    UnitName, UnitResult, explore_all, explore_unit,
};
use symx_posix_model::Posix;
use symx_trace::IncompleteReason;

fn there_and_back<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    let bytes = postcard::to_stdvec(value).expect("bytes");
    postcard::from_bytes(&bytes).expect("the same again")
}

/// How a campaign goes.
struct Course {
    /// How many units are made of one.
    units: usize,
    /// Executions, about, before a unit's time is over.
    patience: u32,
    seed: u64,
}

/// Explores in units, which are taken in any order; some are explored twice, and some results come late. At
/// times another process continues the campaign.
fn explore_in_units(
    machine: &Machine<Posix>,
    options: &ExploreOptions,
    course: &Course,
) -> (Exploration, usize) {
    let (together, count, _) = explore_at_the_same_time(machine, options, course);
    (together, count)
}

/// The same, with the largest number of units that were open.
fn explore_at_the_same_time(
    machine: &Machine<Posix>,
    options: &ExploreOptions,
    course: &Course,
) -> (Exploration, usize, usize) {
    let mut widest = 0;
    let mut random = fastrand::Rng::with_seed(course.seed);
    let mut campaign = Campaign::new(machine, options);
    let mut late: Vec<(UnitName, UnitResult)> = Vec::new();
    let mut count = 0;
    while !campaign.has_ended() {
        let open: Vec<(UnitName, Unit)> =
            campaign.open().map(|(name, unit)| (name.clone(), there_and_back(unit))).collect();
        widest = widest.max(open.len());
        let (name, unit) = &open[random.usize(..open.len())];
        let asked = std::sync::atomic::AtomicU32::new(0);
        let is_over = || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= course.patience;
        let limits = UnitLimits { is_over: &is_over, units: course.units };
        let result = explore_unit(machine, solver(machine), unit, limits, options, &mut Impatient);
        count += 1;
        let result = there_and_back(&result);
        if random.u32(..4) == 0 {
            late.push((name.clone(), result.clone()));
        }
        if random.u32(..8) == 0 {
            continue;
        }
        campaign.add(name, result);
        if !late.is_empty() && random.u32(..3) == 0 {
            let (name, result) = late.swap_remove(random.usize(..late.len()));
            campaign.add(&name, result);
        }
        if random.u32(..8) == 0 {
            campaign = Campaign::restored(machine, options, there_and_back(&campaign.save()));
        }
        assert!(count < 100_000, "it comes to no end");
    }
    (campaign.finish(None), count, widest)
}

/// Looks at the clock often.
struct Impatient;

impl Observer for Impatient {
    fn progress(&mut self, _: &Progress) -> Option<IncompleteReason> {
        None
    }

    fn steps_between(&self) -> u32 {
        1
    }
}

fn assert_same(together: &Exploration, alone: &Exploration, what: &str) {
    assert_eq!(together.outcomes, alone.outcomes, "{what}");
    assert_eq!(together.incomplete, alone.incomplete, "{what}");
    assert_eq!(together.beyond, alone.beyond, "{what}");
    assert_eq!(together.visible, alone.visible, "{what}");
    let counts = |explored: &Exploration| {
        let progress = explored.progress;
        (progress.executions, progress.blocked, progress.paths, progress.threads, explored.exchanged)
    };
    assert_eq!(counts(together), counts(alone), "{what}");
    let failures = |explored: &Exploration| {
        let of = |found: &symx_posix_explore::Found| {
            format!("{:?} {:?}", found.failure.kind, found.failure.location)
        };
        explored.failures.iter().map(of).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(failures(together), failures(alone), "{what}");
}

#[test]
fn units_add_up_to_the_whole() {
    let models: Vec<&'static dyn MemoryModel> = symx_memmodel::all().collect();
    let plain = models.iter().map(|model| (*model, false, false));
    for (model, races, symmetry) in plain.chain([(models[0], true, false), (models[0], false, true)]) {
        let times = if model.keeps_history() || races { 2 } else { 3 };
        let machine = machine(&sums(times), model, Options { races, ..Options::default() });
        let model = model.name();
        let options = ExploreOptions {
            reduction: Reduction::ReadsFrom,
            keep_going: true,
            symmetry,
            ..ExploreOptions::default()
        };
        let alone = explore_all(&machine, solver(&machine), &options, &mut Patient);
        assert!(alone.progress.executions > 15, "{model}: {}", alone.progress.executions);
        for (units, patience, seed) in [(1, 0, 1), (8, 0, 2), (3, 40, 3), (8, 300, 4)] {
            let course = Course { units, patience, seed };
            let (together, count) = explore_in_units(&machine, &options, &course);
            let what =
                format!("{model}, races {races}, symmetry {symmetry}: {units} units, {count} explored");
            println!("{what}; {} executions", together.progress.executions);
            assert!(patience > 100 || count > 3, "{what}");
            assert_same(&together, &alone, &what);
        }
    }
}

/// Forks on this many inputs, one after the other; then, perhaps, a second thread whose flag is read.
fn forks(inputs: usize, with_thread: bool) -> String {
    let fork = |at: usize| {
        let next = at + 1;
        format!(
            "f{at}:\n%c{at} = phi i32 [ {before}, %{from} ]\n\
             %v{at} = call i8 @__VERIFIER_nondet_uchar()\n%w{at} = icmp ult i8 %v{at}, 100\n\
             br i1 %w{at}, label %y{at}, label %n{at}\n\
             y{at}:\n%a{at} = add i32 %c{at}, 1\nbr label %j{at}\n\
             n{at}:\nbr label %j{at}\n\
             j{at}:\n%r{at} = phi i32 [ %a{at}, %y{at} ], [ %c{at}, %n{at} ]\nbr label %f{next}\n",
            before = if at == 0 { "0".to_owned() } else { format!("%r{}", at - 1) },
            from = if at == 0 { "entry".to_owned() } else { format!("j{}", at - 1) },
        )
    };
    let all: String = (0..inputs).map(fork).collect();
    let last = inputs - 1;
    let thread = "%t = alloca i64\n%m = call i32 @pthread_create(ptr %t, ptr null, ptr @set, ptr null)\n\
                  %x = load atomic i32, ptr @x seq_cst, align 4\n%h = load i64, ptr %t\n\
                  %e = call i32 @pthread_join(i64 %h, ptr null)\n\
                  %s = mul i32 %x, 16\n%q = add i32 %s, %r{last}\nret i32 %q\n";
    let end =
        if with_thread { thread.replace("{last}", &last.to_string()) } else { format!("ret i32 %r{last}\n") };
    format!(
        "@x = global i32 0\n\
         define ptr @set(ptr %unused) {{\nstore atomic i32 1, ptr @x seq_cst, align 4\nret ptr null\n}}\n\
         define i32 @main() {{\nentry:\nbr label %f0\n{all}f{inputs}:\n{end}}}\n\
         declare i8 @__VERIFIER_nondet_uchar()\n\
         declare i32 @pthread_create(ptr, ptr, ptr, ptr)\ndeclare i32 @pthread_join(i64, ptr)\n"
    )
}

#[test]
fn ways_of_forks_are_divided_as_long_as_there_is_one_thread() {
    for with_thread in [false, true] {
        let machine = machine(&forks(5, with_thread), first_model(), Options::default());
        let options =
            ExploreOptions { reduction: Reduction::ReadsFrom, keep_going: true, ..ExploreOptions::default() };
        let alone = explore_all(&machine, solver(&machine), &options, &mut Patient);
        assert_eq!(alone.progress.executions, if with_thread { 64 } else { 32 });
        for (units, patience, seed) in [(1, 0, 1), (8, 0, 2), (3, 7, 3), (64, 3, 4)] {
            let course = Course { units, patience, seed };
            let (together, count) = explore_in_units(&machine, &options, &course);
            let what = format!("with a thread: {with_thread}; {units} units, {count} explored");
            println!("{what}; {} executions", together.progress.executions);
            assert_same(&together, &alone, &what);
        }
    }
}

/// Three threads: each writes to one variable, reads another one and writes there what it has found, under a
/// lock where it says so.
fn three(with_lock: bool) -> String {
    let thread = |number: usize| {
        let (own, next) = (number % 3, (number + 1) % 3);
        let call = |what: &str| format!("%{what}{number} = call i32 @pthread_mutex_{what}(ptr @m)\n");
        let (lock, unlock) =
            if with_lock { (call("lock"), call("unlock")) } else { (String::new(), String::new()) };
        format!(
            "define ptr @t{number}(ptr %unused) {{\nstore atomic i32 {number}, ptr @v{own} seq_cst, align 4\n\
             {lock}%a = load atomic i32, ptr @v{next} seq_cst, align 4\n%b = mul i32 %a, 3\n\
             %c = add i32 %b, {number}\nstore atomic i32 %c, ptr @v{next} seq_cst, align 4\n{unlock}ret ptr null\n}}\n"
        )
    };
    let threads: String = (1..=3).map(thread).collect();
    let start = |number: usize| {
        format!(
            "%h{number} = alloca i64\n\
             %s{number} = call i32 @pthread_create(ptr %h{number}, ptr null, ptr @t{number}, ptr null)\n"
        )
    };
    let join = |number: usize| {
        format!(
            "%i{number} = load i64, ptr %h{number}\n%j{number} = call i32 @pthread_join(i64 %i{number}, ptr null)\n"
        )
    };
    let (starts, joins): (String, String) = ((1..=3).map(start).collect(), (1..=3).map(join).collect());
    format!(
        "@v0 = global i32 0\n@v1 = global i32 0\n@v2 = global i32 0\n@m = global [5 x i64] zeroinitializer\n\
         {threads}define i32 @main() {{\n{starts}{joins}\
         %x = load i32, ptr @v0\n%y = load i32, ptr @v1\n%z = load i32, ptr @v2\n\
         %p = mul i32 %x, 5\n%q = add i32 %p, %y\n%r = mul i32 %q, 5\n%e = add i32 %r, %z\nret i32 %e\n}}\n\
         declare i32 @pthread_create(ptr, ptr, ptr, ptr)\ndeclare i32 @pthread_join(i64, ptr)\n\
         declare i32 @pthread_mutex_lock(ptr)\ndeclare i32 @pthread_mutex_unlock(ptr)\n"
    )
}

#[test]
fn stretches_of_source_sets_are_explored_at_the_same_time() {
    let first = first_model();
    let buffers = |model: &&'static dyn MemoryModel| model.buffers_stores();
    let buffering = symx_memmodel::all().find(buffers).expect("there is one");
    let programs = [
        ("sums", sums(2), first, false),
        ("sums, races", sums(2), first, true),
        ("sums in buffers", sums(2), buffering, false),
        ("three", three(false), first, false),
        ("three in buffers", three(false), buffering, false),
        ("three with a lock", three(true), first, false),
        ("three with a lock, races", three(true), first, true),
        ("forks", forks(3, true), first, false),
    ];
    for (name, text, model, races) in programs {
        let machine = machine(&text, model, Options { races, ..Options::default() });
        let options = ExploreOptions {
            reduction: Reduction::SourceSets,
            keep_going: true,
            ..ExploreOptions::default()
        };
        let alone = explore_all(&machine, solver(&machine), &options, &mut Patient);
        assert!(alone.progress.executions > 8, "{name}: {}", alone.progress.executions);
        for (units, patience, seed) in [(1, 0, 1), (8, 0, 2), (3, 40, 3), (64, 3, 4), (64, 0, 5), (4, 5, 6)] {
            let course = Course { units, patience, seed };
            let (together, count, widest) = explore_at_the_same_time(&machine, &options, &course);
            let what = format!("{name}: {units} units, {count} explored, {widest} open");
            println!("{what}; {} executions", together.progress.executions);
            assert_same(&together, &alone, &what);
            assert!(units < 8 || widest > 1, "{what}");
        }
    }
}

#[test]
fn schedules_with_a_bound_are_divided() {
    let machine = machine(&sums(2), first_model(), Options::default());
    for bound in [ScheduleBound::Preemptions(2), ScheduleBound::Switches(4), ScheduleBound::Delays(3)] {
        let options = ExploreOptions { bound: Some(bound), keep_going: true, ..ExploreOptions::default() };
        let alone = explore_all(&machine, solver(&machine), &options, &mut Patient);
        assert!(alone.progress.executions > 5, "{bound:?}: {}", alone.progress.executions);
        for (units, patience, seed) in [(1, 0, 1), (8, 0, 2), (3, 40, 3), (64, 20, 4)] {
            let course = Course { units, patience, seed };
            let (together, count) = explore_in_units(&machine, &options, &course);
            let what = format!("{bound:?}: {units} units, {count} explored");
            println!("{what}; {} executions", together.progress.executions);
            assert!(patience > 20 || count > 1, "{what}");
            assert_same(&together, &alone, &what);
        }
    }
}

#[test]
fn a_bound_on_executions_holds_for_all_units() {
    let machine = machine(&sums(3), first_model(), Options::default());
    let options = ExploreOptions {
        reduction: Reduction::ReadsFrom,
        keep_going: true,
        max_executions: Some(50),
        ..ExploreOptions::default()
    };
    let (together, _) = explore_in_units(&machine, &options, &Course { units: 4, patience: 10, seed: 5 });
    assert_eq!(together.progress.executions, 50);
    assert!(together.incomplete.iter().any(|cut| cut.reason == IncompleteReason::MaxExecutions));
}
