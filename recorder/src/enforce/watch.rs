//! Running an enforcing program under a plan, and watching its progress.
//!
//! The program writes the positions of its threads to a page of memory that both map as a file (`struct page`
//! in `runtime/enforce.c`). The clock is here.

use super::plan::{Action, Plan, Traps};
use crate::limits::{DEADLOCKED, GLANCE};
use std::ffi::OsString;
use std::io::{Seek, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How a program is run under a plan.
#[derive(Clone, Debug)]
pub struct EnforceOptions {
    /// The enforcing program.
    pub binary: PathBuf,
    /// Its arguments, without its name.
    pub arguments: Vec<OsString>,
    /// The name it is given as its own.
    pub name: OsString,
    /// All of its environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Its standard input.
    pub stdin: Vec<u8>,
    /// Whether what it writes is shown.
    pub show_output: bool,
    /// After how long without a step it is abandoned.
    pub patience: Duration,
    /// After how long without a change it is abandoned once all steps are taken.
    pub patience_at_end: Duration,
    /// Where the plan and the page go meanwhile; the system's place for temporary files if `None`.
    pub folder: Option<PathBuf>,
}

/// Why there was no run.
#[derive(Debug, thiserror::Error)]
pub enum EnforceError {
    /// The program could not be started, or a file not be used.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The program or the file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The program does not ask for a plan.
    #[error("{path}: the program does not enforce schedules", path = path.display())]
    NotEnforcing {
        /// The program.
        path: PathBuf,
    },
    /// The program is of another module than the plan.
    #[error("{path}: the program is another one than the schedule's", path = path.display())]
    AnotherProgram {
        /// The program.
        path: PathBuf,
    },
    /// The runtime and the plan do not understand each other.
    #[error("{path}: the plan does not fit the program, at its line {line}", path = path.display())]
    BadPlan {
        /// The program.
        path: PathBuf,
        /// The line of the plan.
        line: u32,
    },
}

/// The last observed state of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThreadState {
    /// It was not created yet.
    NotCreated,
    /// It runs.
    Running,
    /// It waits for the turn of its next step.
    Waiting,
    /// It is where the schedule leaves it.
    Held,
    /// It went to wait forever.
    Blocked,
    /// It did not wait forever.
    Unblocked,
    /// It has reached the failure.
    Failed,
    /// It has ended.
    Ended,
}

/// A thread, and the step it was seen at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seen {
    /// Its state.
    pub state: ThreadState,
    /// Its step, by number in the plan.
    pub step: Option<u32>,
}

/// Why the run diverged from the schedule, as the program itself saw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Divergence {
    /// A thread came to a step that is not its next one.
    OutOfOrder,
    /// A thread ended before its last step.
    EndedEarly,
    /// The cause could not be determined.
    Unknown,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunEnd {
    /// It exited.
    Exited(i32),
    /// A signal ended it.
    Signalled(i32),
    /// All threads that the plan says wait forever do; it was ended.
    Deadlocked,
    /// There was no step for as long as was waited; it was ended.
    Stuck,
    /// It diverged from the schedule and was ended.
    Diverged {
        /// Why.
        divergence: Divergence,
        /// The thread, by number in the plan.
        thread: Option<u32>,
        /// The step, by number in the plan.
        step: Option<u32>,
    },
}

/// A run under a plan.
#[derive(Clone, Debug)]
pub struct EnforcedRun {
    /// How it ended.
    pub end: RunEnd,
    /// How many steps were taken.
    pub taken: u32,
    /// The observed states of the plan's threads.
    pub threads: Vec<Seen>,
}

/// A plan laid out for a program to find.
pub struct Layout {
    folder: TempDir,
    threads: usize,
}

impl Layout {
    /// Writes the plan, the page and what the program is to read.
    pub fn new(plan: &Plan, traps: Traps, stdin: &[u8], parent: Option<&Path>) -> Result<Self, EnforceError> {
        let parent = parent.map_or_else(std::env::temp_dir, Path::to_path_buf);
        let file = |path: &Path, source| EnforceError::File { path: path.to_path_buf(), source };
        let folder = tempfile::Builder::new().prefix("enforce-").tempdir_in(&parent);
        let folder = folder.map_err(|error| file(&parent, error))?;
        let layout = Self { folder, threads: plan.threads.len() };
        let write =
            |path: PathBuf, bytes: &[u8]| std::fs::write(&path, bytes).map_err(|error| file(&path, error));
        write(layout.plan(), plan.write(traps).as_bytes())?;
        write(layout.page(), &vec![0; PAGE_BYTES])?;
        write(layout.stdin(), stdin)?;
        Ok(layout)
    }

    fn plan(&self) -> PathBuf {
        self.folder.path().join("plan")
    }

    fn page(&self) -> PathBuf {
        self.folder.path().join("page")
    }

    /// The file the program reads from standard input.
    pub fn stdin(&self) -> PathBuf {
        self.folder.path().join("stdin")
    }

    /// Variables the program's environment needs besides its own.
    pub fn environment(&self) -> [(&'static str, PathBuf); 2] {
        [("SYMX_ENFORCE_PLAN", self.plan()), ("SYMX_ENFORCE_PAGE", self.page())]
    }

    fn glance(&self) -> std::io::Result<Page> {
        let bytes = std::fs::read(self.page())?;
        let word = |at: usize| {
            let word = bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
            word.map_or(0, u32::from_le_bytes)
        };
        let seen = |thread: usize| {
            let at = THREADS_AT + thread * SEEN_BYTES;
            Seen { state: state(word(at)), step: some(word(at + 4)) }
        };
        Ok(Page {
            is_written: bytes.starts_with(MAGIC),
            turn: word(12),
            error: word(20),
            thread: word(24).checked_sub(1),
            step: some(word(28)),
            line: word(32),
            threads: (0..self.threads).map(seen).collect(),
        })
    }
}

const MAGIC: &[u8] = b"SYMXPLAY";
const THREADS_AT: usize = 36;
const SEEN_BYTES: usize = 16;
/// As `MOST_THREADS` in the runtime says.
const MOST_THREADS: usize = 4096;
const PAGE_BYTES: usize = (THREADS_AT + MOST_THREADS * SEEN_BYTES).next_multiple_of(4096);

#[derive(PartialEq, Eq)]
struct Page {
    is_written: bool,
    turn: u32,
    error: u32,
    thread: Option<u32>,
    step: Option<u32>,
    line: u32,
    threads: Vec<Seen>,
}

fn some(word: u32) -> Option<u32> {
    (word != u32::MAX).then_some(word)
}

fn state(word: u32) -> ThreadState {
    match word {
        0 => ThreadState::NotCreated,
        2 => ThreadState::Waiting,
        3 => ThreadState::Held,
        4 => ThreadState::Blocked,
        5 => ThreadState::Unblocked,
        6 => ThreadState::Failed,
        7 => ThreadState::Ended,
        _ => ThreadState::Running,
    }
}

/// Runs an enforcing program under a plan.
pub fn enforce(plan: &Plan, options: &EnforceOptions) -> Result<EnforcedRun, EnforceError> {
    let path = &options.binary;
    let file = |path: &Path| {
        let path = path.to_path_buf();
        move |source| EnforceError::File { path, source }
    };
    let layout = Layout::new(plan, Traps::None, &options.stdin, options.folder.as_deref())?;
    let mut stdin = std::fs::File::open(layout.stdin()).map_err(file(&layout.stdin()))?;
    stdin.rewind().map_err(file(&layout.stdin()))?;
    let mut command = Command::new(path);
    std::os::unix::process::CommandExt::arg0(&mut command, &options.name);
    command.args(&options.arguments).env_clear();
    command.envs(options.environment.iter().map(|(name, value)| (name, value)));
    command.envs(layout.environment()).stdin(stdin);
    if !options.show_output {
        command.stdout(Stdio::null()).stderr(Stdio::null());
    }
    std::io::stdout().flush().map_err(file(path))?;
    let child = command.spawn().map_err(file(path))?;
    let (end, page) = watch(child, plan, &layout, options).map_err(file(path))?;
    let path = path.clone();
    match (page.is_written, page.error) {
        (false, _) => return Err(EnforceError::NotEnforcing { path }),
        (_, 2) => return Err(EnforceError::AnotherProgram { path }),
        (_, 1 | 3 | 4) => return Err(EnforceError::BadPlan { path, line: page.line }),
        _ => {}
    }
    Ok(EnforcedRun { end, taken: page.turn, threads: page.threads })
}

/// Waits for the end of the run, or brings it about.
fn watch(
    mut child: Child,
    plan: &Plan,
    layout: &Layout,
    options: &EnforceOptions,
) -> std::io::Result<(RunEnd, Page)> {
    let blocks: Vec<u32> =
        plan.ends.iter().filter(|end| end.action == Action::Block).map(|end| end.thread).collect();
    let mut before = layout.glance()?;
    let mut changed = Instant::now();
    loop {
        let ended = child.try_wait()?;
        let page = layout.glance()?;
        if let Some(status) = ended {
            return Ok((end_of(status), page));
        }
        if page != before {
            before = page;
            changed = Instant::now();
        }
        let is_over = before.turn as usize == plan.steps.len();
        let patience = if is_over { options.patience_at_end } else { options.patience };
        let is_blocked = |thread: &u32| {
            before.threads.get(*thread as usize).is_some_and(|seen| seen.state == ThreadState::Blocked)
        };
        let end = if before.error != 0 {
            let divergence = match before.error {
                5 => Divergence::OutOfOrder,
                6 => Divergence::EndedEarly,
                _ => Divergence::Unknown,
            };
            Some(RunEnd::Diverged { divergence, thread: before.thread, step: before.step })
        } else if !blocks.is_empty()
            && blocks.iter().all(is_blocked)
            && is_over
            && changed.elapsed() > DEADLOCKED
        {
            Some(RunEnd::Deadlocked)
        } else {
            (changed.elapsed() > patience).then_some(RunEnd::Stuck)
        };
        if let Some(end) = end {
            child.kill()?;
            child.wait()?;
            return Ok((end, before));
        }
        std::thread::sleep(GLANCE);
    }
}

fn end_of(status: ExitStatus) -> RunEnd {
    match status.code() {
        Some(code) => RunEnd::Exited(code),
        None => RunEnd::Signalled(status.signal().unwrap_or(0)),
    }
}
