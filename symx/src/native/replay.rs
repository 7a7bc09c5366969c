//! `symx replay --native`: the instrumented binary keeps to a schedule, by itself or under gdb.

use crate::exit_code::VIOLATION;
use crate::native::enforcement::Enforcement;
use crate::options::seconds;
use crate::refusal::Refusal;
use crate::schedules::scheduled::{Scheduled, ScheduledOptions};
use crate::text::one_line;
use clap::Args;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use symx_interp::End;
use symx_recorder::{
    BinaryKind, BuildOptions, Divergence, EnforceOptions, EnforcedRun, Layout, Note, Plan, RunEnd,
    ThreadState, Traps, build_enforcing, enforce,
};
use symx_trace::failure::checks::Natively;
use symx_trace::input::InputOrigin;
use symx_trace::{FailureDetail, FailureKind, Schedule, ThreadName};

/// What is drawn of a replay by symx itself: a native one is not observed.
const DRAWINGS: [&str; 5] = ["html", "dot", "sarif", "chrome_trace", "witness"];

/// The options of a native replay.
#[derive(Args, Debug)]
pub struct NativeOptions {
    /// Have this instrumented binary of the program keep to the schedule
    #[arg(long, value_name = "BIN", conflicts_with_all = DRAWINGS)]
    native: Option<PathBuf>,
    /// Start the binary under gdb
    #[arg(long, requires = "native")]
    gdb: bool,
    /// Give a native run up when no thread has taken a step for this long
    #[arg(long, value_name = "SECS", default_value = "10", requires = "native", value_parser = seconds)]
    patience: Duration,
    /// Replay natively this many times
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        requires = "native",
        conflicts_with = "gdb",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    times: u32,
    /// Write the plan that the binary keeps to
    #[arg(long, value_name = "FILE", conflicts_with_all = DRAWINGS)]
    write_plan: Option<PathBuf>,
    /// Further arguments for gdb, such as -batch -ex run -ex backtrace
    #[arg(last = true, value_name = "GDB ARGS", requires = "gdb", allow_hyphen_values = true)]
    gdb_arguments: Vec<OsString>,
}

impl NativeOptions {
    /// Whether anything native is to happen.
    pub fn are_wanted(&self) -> bool {
        self.native.is_some() || self.write_plan.is_some()
    }
}

/// The suffix of a recording binary's name for its twin that keeps to schedules.
const ENFORCING: &str = ".symx-enforcing";

/// Runs the command.
pub fn native_replay(options: &ScheduledOptions, native: &NativeOptions) -> Result<u8, Refusal> {
    let scheduled =
        Scheduled::open(&options.program, &options.schedule, &options.surroundings(), &options.source)?;
    let enforcement = Enforcement::of(&scheduled)?;
    if let Some(path) = &native.write_plan {
        let plan = enforcement.plan.write(Traps::None);
        std::fs::write(path, plan).map_err(|error| Refusal::unwritable(path, error))?;
    }
    let Some(binary) = &native.native else { return Ok(0) };
    let binary = enforcing(binary, &enforcement, options.quiet)?;
    let run = options_of(&scheduled, &enforcement, &binary, native, !options.quiet)?;
    if native.gdb {
        return under_gdb(&enforcement, &run, &native.gdb_arguments);
    }
    let mut reproduced = 0;
    for _ in 0..native.times {
        let ran = enforce(&enforcement.plan, &run).map_err(|error| Refusal::Recording(error.to_string()))?;
        let verdict = verdict(&enforcement, &ran, &run);
        reproduced += u32::from(verdict.is_reproduced);
        if !options.quiet {
            println!("{}", one_line(&verdict.line()));
        }
    }
    if native.times > 1 && !options.quiet {
        println!("reproduced natively {reproduced} of {} times", native.times);
    }
    Ok(if reproduced == native.times { 0 } else { VIOLATION })
}

/// The binary that keeps to the schedule: the one given or, if that one records, its twin, which is
/// built if need be.
fn enforcing(binary: &Path, enforcement: &Enforcement, quiet: bool) -> Result<PathBuf, Refusal> {
    let program = enforcement.plan.program;
    let note_of = |path: &Path| Note::of(path).map_err(|error| Refusal::unreadable(path, error));
    let refused =
        |why: &str| Err(Refusal::Recording(format!("no native replay: `{}` {why}", binary.display())));
    let Some(note) = note_of(binary)? else {
        return refused("is not instrumented (make it with `symx instrument` or `symx cc --symx-record`)");
    };
    if note.program != program {
        return refused("is of another program than the schedule");
    }
    if note.kind == BinaryKind::Enforcing {
        return std::path::absolute(binary).map_err(|error| Refusal::unreadable(binary, error));
    }
    let mut twin = binary.as_os_str().to_owned();
    twin.push(ENFORCING);
    let twin = std::path::absolute(&twin).map_err(|error| Refusal::unreadable(Path::new(&twin), error))?;
    if twin.exists()
        && note_of(&twin)?.is_some_and(|known| known == Note { kind: BinaryKind::Enforcing, ..note.clone() })
    {
        return Ok(twin);
    }
    let build = BuildOptions { link_arguments: note.link_arguments, ..BuildOptions::default() };
    build_enforcing(&enforcement.bitcode, &twin, &build).map_err(|error| {
        Refusal::Recording(format!(
            "cannot build the twin of `{}` that keeps to schedules: {error}",
            binary.display()
        ))
    })?;
    if !quiet {
        eprintln!(
            "symx: `{}` records; built `{}`, which keeps to schedules",
            binary.display(),
            twin.display()
        );
    }
    Ok(twin)
}

/// The options of the native run: all that the schedule holds.
fn options_of(
    scheduled: &Scheduled,
    enforcement: &Enforcement,
    binary: &Path,
    native: &NativeOptions,
    show_output: bool,
) -> Result<EnforceOptions, Refusal> {
    let surroundings = &scheduled.session.surroundings;
    let mut arguments: Vec<OsString> = surroundings.arguments.iter().map(OsString::from).collect();
    let mut stdin = surroundings.standard_input.clone();
    add_inputs(&scheduled.schedule, &mut arguments, &mut stdin)?;
    let name = if arguments.is_empty() { binary.into() } else { arguments.remove(0) };
    let environment = surroundings.environment.iter().filter_map(|variable| {
        let (name, value) = variable.split_once('=')?;
        Some((name.into(), value.into()))
    });
    Ok(EnforceOptions {
        binary: binary.into(),
        arguments,
        name,
        environment: environment.collect(),
        stdin,
        show_output,
        patience: native.patience,
        patience_at_end: if ends_by_itself(&enforcement.end) { native.patience } else { SETTLED },
        folder: None,
    })
}

/// How long a program is watched after the last step of a schedule that does not end it.
const SETTLED: Duration = Duration::from_secs(1);

/// Whether a native run ends with the schedule: it exits, or its failure kills it.
fn ends_by_itself(end: &End) -> bool {
    use FailureKind::{Abort, Arithmetic, Assert, Exit, Leak, Output, Uncaught};
    match end {
        End::Exit(_) => true,
        End::Failed(failure) => {
            matches!(failure.kind, Assert | Abort | Uncaught | Arithmetic | Exit | Output | Leak)
                || failure.detail == FailureDetail::NullDeref
        }
    }
}

/// Puts symbolic inputs where they enter a native run, too.
fn add_inputs(
    schedule: &Schedule,
    arguments: &mut Vec<OsString>,
    stdin: &mut Vec<u8>,
) -> Result<(), Refusal> {
    for input in &schedule.inputs {
        match &input.origin {
            InputOrigin::Argument(number) if *number as usize >= arguments.len() => {
                let end = input.bytes.iter().position(|&byte| byte == 0).unwrap_or(input.bytes.len());
                arguments.push(OsString::from_vec(input.bytes[..end].to_vec()));
            }
            InputOrigin::StandardInput => stdin.extend(&input.bytes),
            _ => {
                let why = format!("the symbolic input `{}` cannot be given to a native run", input.name);
                return Err(Refusal::Recording(format!("no native replay: {why}")));
            }
        }
    }
    Ok(())
}

/// The result of a native run.
struct Verdict {
    is_reproduced: bool,
    why: String,
}

impl Verdict {
    fn line(&self) -> String {
        let word = if self.is_reproduced { "reproduced natively" } else { "not reproduced natively" };
        format!("{word}: {}", self.why)
    }
}

/// Compares how the native run ended with how the schedule does.
fn verdict(enforcement: &Enforcement, run: &EnforcedRun, options: &EnforceOptions) -> Verdict {
    let plan = &enforcement.plan;
    let total = plan.steps.len();
    let is_over = run.taken as usize == total || fails_in_last(plan, run);
    let no = |why: String| Verdict { is_reproduced: false, why };
    let yes = |why: String| Verdict { is_reproduced: true, why };
    let steps = count(total);
    let at = format!("after {} of {steps}", run.taken);
    match run.end {
        RunEnd::Diverged { divergence, thread, step } => {
            return no(format!(
                "the run diverges from the schedule {at}: {}",
                deviation(plan, run, divergence, thread, step)
            ));
        }
        RunEnd::Stuck if !is_over => {
            let waited = options.patience.as_secs_f32();
            return no(format!("no step for {waited} s {at}: {}", expected(plan, run)));
        }
        RunEnd::Exited(_) | RunEnd::Signalled(_) if !is_over => {
            return no(format!("the process {} {at}: {}", ended(run.end), expected(plan, run)));
        }
        _ => {}
    }
    let failure = match &enforcement.end {
        End::Exit(exit) => {
            return match run.end {
                RunEnd::Exited(code) if code == i32::from(exit.status) => {
                    yes(format!("all {steps}, and the process exits with status {code}"))
                }
                end => no(format!("all {steps}, but the process {}", ended(end))),
            };
        }
        End::Failed(failure) => failure,
    };
    let message = one_line(&failure.message);
    let crashes: &[i32] = match failure.kind.check().natively {
        Natively::Aborts => &[SIGABRT, SIGILL, SIGTRAP],
        Natively::Faults => &[SIGSEGV, SIGBUS, SIGABRT],
        Natively::Miscalculates => &[SIGFPE],
        Natively::Hangs | Natively::Unknown => &[],
    };
    match (failure.kind, run.end) {
        (FailureKind::Deadlock, RunEnd::Deadlocked) => yes(format!("{message} ({steps})")),
        (FailureKind::Livelock, RunEnd::Stuck) => yes(format!(
            "{message} ({steps}; the process ran on for {} s)",
            options.patience_at_end.as_secs_f32()
        )),
        (_, RunEnd::Signalled(signal)) if crashes.contains(&signal) => {
            yes(format!("{message} ({steps}; the process {})", ended(run.end)))
        }
        (FailureKind::Exit, RunEnd::Exited(code)) if code != 0 => {
            yes(format!("all {steps}, and the process exits with status {code}"))
        }
        (FailureKind::Assert, end) if failure.detail == FailureDetail::Panic => {
            yes(format!("{message} ({steps}; natively the panic unwinds, and the process {})", ended(end)))
        }
        (FailureKind::Assert | FailureKind::Abort | FailureKind::Uncaught | FailureKind::Deadlock, _)
        | (FailureKind::Livelock | FailureKind::Exit, _) => {
            no(format!("all {steps}, but the process {}", ended(run.end)))
        }
        // Natively these are no crash, or need not be: it is enough that the thread came to the place in this
        // order.
        _ => yes(format!(
            "{message} ({steps}; natively the place is reached without a crash, and the process {})",
            ended(run.end)
        )),
    }
}

/// Whether all steps but the last were taken, and the failing thread fails in that one. It does not come back
/// from there. A call is such a step, in which a library has synchronised and then fails.
fn fails_in_last(plan: &Plan, run: &EnforcedRun) -> bool {
    let thread = plan.steps.last().and_then(|step| run.threads.get(step.thread as usize));
    run.taken as usize + 1 == plan.steps.len()
        && matches!(run.end, RunEnd::Signalled(_))
        && thread.is_some_and(|seen| seen.state == ThreadState::Failed)
}

fn count(steps: usize) -> String {
    if steps == 1 { "1 step".into() } else { format!("{steps} steps") }
}

// Signals by number, as x86-64 Linux has them.
const SIGILL: i32 = 4;
const SIGTRAP: i32 = 5;
const SIGABRT: i32 = 6;
const SIGBUS: i32 = 7;
const SIGFPE: i32 = 8;
const SIGSEGV: i32 = 11;

fn ended(end: RunEnd) -> String {
    match end {
        RunEnd::Exited(code) => format!("exits with status {code}"),
        RunEnd::Signalled(signal) => format!("is killed by signal {signal}"),
        RunEnd::Deadlocked => "waits forever".into(),
        RunEnd::Stuck => "does not end".into(),
        RunEnd::Diverged { .. } => "diverges from the schedule".into(),
    }
}

/// The deviation of a run, as the program saw it.
fn deviation(
    plan: &Plan,
    run: &EnforcedRun,
    divergence: Divergence,
    thread: Option<u32>,
    step: Option<u32>,
) -> String {
    let name =
        |thread: u32| plan.threads.get(thread as usize).map_or("?".into(), |it| ThreadName::label_of(it));
    let who = thread.map_or_else(|| "a thread".into(), name);
    let what = step.and_then(|step| plan.step(step)).map_or("an unknown step", |step| &step.description);
    match divergence {
        Divergence::OutOfOrder => {
            let next = thread.and_then(|thread| next_of(plan, run, thread)).unwrap_or("nothing more");
            format!("{who} stands at {what}, where the schedule has it at {next}")
        }
        Divergence::EndedEarly => format!("{who} has ended, where the schedule has it at {what}"),
        Divergence::Unknown => who,
    }
}

/// The step a thread is to take next, for people.
fn next_of<'p>(plan: &'p Plan, run: &EnforcedRun, thread: u32) -> Option<&'p str> {
    let steps = plan.steps.iter().skip(run.taken as usize).chain(&plan.ends);
    steps.filter(|step| step.thread == thread).map(|step| step.description.as_str()).next()
}

/// Whose turn it is, and where that thread is instead.
fn expected(plan: &Plan, run: &EnforcedRun) -> String {
    let Some(step) = plan.steps.get(run.taken as usize) else { return "the schedule is over".into() };
    let name = ThreadName::label_of(&plan.threads[step.thread as usize]);
    let seen = run.threads.get(step.thread as usize);
    let last = seen.and_then(|seen| plan.step(seen.step?)).map(|step| step.description.as_str());
    let stands = match (seen.map(|seen| seen.state), last) {
        (None | Some(ThreadState::NotCreated), _) => "was not created".to_string(),
        (Some(ThreadState::Ended), _) => "has ended".to_string(),
        (Some(ThreadState::Waiting), Some(last)) => format!("waits at {last}"),
        (_, Some(last)) => format!("was last seen at {last}"),
        (_, None) => "has taken no step".to_string(),
    };
    format!("the schedule expects {name} at {}, which {stands}", step.description)
}

/// Starts the binary under gdb; gdb's own status.
fn under_gdb(
    enforcement: &Enforcement,
    run: &EnforceOptions,
    gdb_arguments: &[OsString],
) -> Result<u8, Refusal> {
    let crashes = match &enforcement.end {
        End::Failed(failure) => matches!(
            failure.kind,
            FailureKind::Assert | FailureKind::Abort | FailureKind::Uncaught | FailureKind::Arithmetic
        ),
        End::Exit(_) => false,
    };
    let traps = if crashes { Traps::Divergence } else { Traps::Failure };
    let layout = Layout::new(&enforcement.plan, traps, &run.stdin, None)
        .map_err(|error| Refusal::Recording(error.to_string()))?;
    let script = layout.stdin().with_file_name("gdb");
    let commands = gdb_script(run, &layout)?;
    std::fs::write(&script, commands).map_err(|error| Refusal::unwritable(&script, error))?;
    let mut gdb = Command::new("gdb");
    gdb.arg("-q").arg("-x").arg(&script).args(gdb_arguments).arg(&run.binary);
    let status = gdb.status().map_err(|error| Refusal::unreadable("gdb", error))?;
    Ok(status.code().map_or(1, |code| code as u8))
}

/// Commands that give the program its surroundings.
fn gdb_script(run: &EnforceOptions, layout: &Layout) -> Result<String, Refusal> {
    let text = |value: &OsString| {
        let text = value.to_str().filter(|text| !text.contains('\n'));
        text.map(str::to_string)
            .ok_or_else(|| Refusal::Usage("--gdb: gdb cannot pass this argument or variable".into()))
    };
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
    let mut script = String::from("set confirm off\nset startup-with-shell on\nunset environment\n");
    for (name, value) in &run.environment {
        script += &format!("set environment {} = {}\n", text(name)?, text(value)?);
    }
    for (name, value) in layout.environment() {
        script += &format!("set environment {name} = {}\n", value.display());
    }
    script += "set args";
    for argument in &run.arguments {
        script += &format!(" {}", quoted(&text(argument)?));
    }
    script += &format!(" < {}\n", quoted(&layout.stdin().display().to_string()));
    Ok(script)
}
