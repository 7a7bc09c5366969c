//! Running a recording program and gathering the logs of its threads.

use crate::limits::STDERR_TAIL;
use crate::thread_file::Left;
use crate::{input_file, thread_file};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use symx_ir::path_numbering::PATH_LIMIT;
use symx_trace::ThreadName;
use symx_trace::profile::{ProcessEnd, ProcessRecord, Profile, ThreadProfile, creation_order};

/// How a program is run.
#[derive(Clone, Debug, Default)]
pub struct RecordOptions {
    /// The program, made by `build`.
    pub binary: PathBuf,
    /// Its arguments, without the program's name.
    pub arguments: Vec<std::ffi::OsString>,
    /// Variables to set in its environment, beside those it inherits.
    pub environment: Vec<(std::ffi::OsString, std::ffi::OsString)>,
    /// Where it runs; the current directory if `None`.
    pub working_directory: Option<PathBuf>,
    /// Its standard input; inherited if `None`.
    pub stdin: Option<Vec<u8>>,
    /// Whether this process's standard input is handed on to it and recorded, where `stdin` is `None`.
    pub hands_on_stdin: bool,
    /// Whether its standard output goes to this process's; it is thrown away otherwise.
    pub show_output: bool,
    /// After how long it is killed; never if `None`.
    pub timeout: Option<Duration>,
    /// How much of each thread's log is kept, its end, in MiB; all of it if `None`.
    pub ring: Option<u32>,
    /// Whether the order of synchronisation operations is recorded, which orders threads more
    /// than the program does.
    pub sync: bool,
    /// The seed of delays at random where threads synchronise, begin and create others; none if `None`.
    pub noise: Option<u64>,
    /// Whether what external calls answer is not recorded.
    pub no_inputs: bool,
    /// Where the logs go while it runs: a new directory in this one is made and removed. A memory-backed
    /// place is fastest. The system's place for temporary files if `None`.
    pub log_directory: Option<PathBuf>,
}

/// Why there is no profile.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The program could not be started, or a file not be used.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The program or the file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The run left no log of a main thread: the program is not instrumented, or there was no room.
    #[error("{path}: nothing was recorded; is the program instrumented?", path = path.display())]
    NothingRecorded {
        /// The program or the directory of the logs.
        path: PathBuf,
    },
    /// A thread's log has the layout of another version of symx, which instrumented the program.
    #[error(
        "{path}: instrumented by another version of symx (its logs have version {found}, this symx reads {supported}): instrument it again",
        path = path.display(),
        supported = thread_file::VERSION
    )]
    OtherVersion {
        /// The program or the directory of the logs.
        path: PathBuf,
        /// The version of the layout.
        found: u32,
    },
    /// The logs are not of one program.
    #[error("{path}: the logs of thread {thread} are of another program than those of thread 0", path = path.display())]
    MixedPrograms {
        /// The directory of the logs.
        path: PathBuf,
        /// The thread.
        thread: String,
    },
}

/// Runs a recording program to its end, whatever that is, and gathers its profile.
pub fn record(options: &RecordOptions) -> Result<Profile, RecordError> {
    let file = |path: &Path| {
        let path = path.to_path_buf();
        move |source| RecordError::File { path, source }
    };
    let parent = options.log_directory.clone().unwrap_or_else(std::env::temp_dir);
    let parent = std::path::absolute(&parent).map_err(file(&parent))?;
    let logs = tempfile::Builder::new().prefix("record-").tempdir_in(&parent).map_err(file(&parent))?;
    let mut stderr = tempfile::tempfile_in(logs.path()).map_err(file(logs.path()))?;
    let mut command = Command::new(&options.binary);
    command.args(&options.arguments).envs(options.environment.iter().map(|(name, value)| (name, value)));
    command.env("SYMX_RECORD_DIR", logs.path());
    if let Some(mebibytes) = options.ring {
        command.env("SYMX_RECORD_RING", mebibytes.to_string());
    }
    if options.no_inputs {
        command.env("SYMX_RECORD_NO_INPUTS", "1");
    }
    if let Some(seed) = options.noise {
        command.env("SYMX_RECORD_NOISE", seed.to_string());
    }
    if options.sync {
        command.env("SYMX_RECORD_SYNC", "1");
    }
    if let Some(directory) = &options.working_directory {
        command.current_dir(directory);
    }
    if let Some(input) = &options.stdin {
        // A file and not a pipe: no thread has to keep writing while the program runs.
        let mut stdin = tempfile::tempfile_in(logs.path()).map_err(file(logs.path()))?;
        stdin.write_all(input).and_then(|()| stdin.rewind()).map_err(file(logs.path()))?;
        command.stdin(stdin);
    }
    let hands_on = options.stdin.is_none() && options.hands_on_stdin;
    if hands_on {
        command.stdin(Stdio::piped());
    }
    if !options.show_output {
        command.stdout(Stdio::null());
    }
    command.stderr(stderr.try_clone().map_err(file(logs.path()))?);
    let mut child = command.spawn().map_err(file(&options.binary))?;
    let handed_on = child.stdin.take().map(hand_on_stdin);
    let status = wait(child, options.timeout).map_err(file(&options.binary))?;
    let mut profile = match collect(logs.path()) {
        Err(RecordError::NothingRecorded { .. }) => {
            return Err(RecordError::NothingRecorded { path: options.binary.clone() });
        }
        Err(RecordError::OtherVersion { found, .. }) => {
            return Err(RecordError::OtherVersion { path: options.binary.clone(), found });
        }
        other => other?,
    };
    let process = &mut profile.process;
    process.end = end_of(status, &profile.threads);
    // The thread that hands input on may still wait for more, which will not be read.
    let handed_on =
        handed_on.map(|bytes| std::mem::take(&mut *bytes.lock().unwrap_or_else(PoisonError::into_inner)));
    process.stdin = options.stdin.clone().or(handed_on);
    let bytes = |text: &std::ffi::OsString| text.as_bytes().to_vec();
    process
        .environment
        .retain(|(asked, _)| options.environment.iter().all(|(name, _)| bytes(name) != *asked));
    process.environment.extend(options.environment.iter().map(|(name, value)| (bytes(name), bytes(value))));
    process.stderr_tail = tail(&mut stderr).map_err(file(logs.path()))?;
    Ok(profile)
}

/// Gathers the profile of a run from the directory it logged into (named by `SYMX_RECORD_DIR`), for when
/// `record` did not live to do it.
pub fn collect(logs: &Path) -> Result<Profile, RecordError> {
    let failed = |path: &Path, source| RecordError::File { path: path.to_path_buf(), source };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(logs).map_err(|error| failed(logs, error))? {
        let path = entry.map_err(|error| failed(logs, error))?.path();
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        if path.extension().is_some_and(|extension| extension == "thread") {
            let read = std::fs::File::open(&path).and_then(|file| thread_file::read(&name, &file));
            match read.map_err(|error| failed(&path, error))? {
                Left::Nothing => {}
                Left::OtherVersion(found) => {
                    return Err(RecordError::OtherVersion { path: logs.to_path_buf(), found });
                }
                Left::Log(mut file) => {
                    let inputs = std::fs::read(path.with_extension("inputs")).unwrap_or_default();
                    file.thread.inputs = input_file::read(&inputs);
                    files.push(*file);
                }
            }
        }
    }
    files.sort_by(|a, b| creation_order(&a.thread.name, &b.thread.name));
    let program = match files.first() {
        Some(first) if first.thread.name == ThreadName::main().to_string() => first.program,
        _ => return Err(RecordError::NothingRecorded { path: logs.to_path_buf() }),
    };
    if let Some(other) = files.iter().find(|file| file.program != program) {
        let thread = other.thread.name.clone();
        return Err(RecordError::MixedPrograms { path: logs.to_path_buf(), thread });
    }
    let description = std::fs::read(logs.join("process")).unwrap_or_default();
    let mut parts = description.split(|&byte| byte == 0).map(<[u8]>::to_vec);
    let working_directory = parts.next().unwrap_or_default();
    let mut arguments: Vec<Vec<u8>> = parts.collect();
    arguments.pop();
    Ok(Profile {
        process: ProcessRecord {
            program,
            path_limit: PATH_LIMIT,
            arguments,
            environment: variables(&std::fs::read(logs.join("environment")).unwrap_or_default()),
            working_directory,
            stdin: None,
            end: ProcessEnd::Unknown,
            stderr_tail: Vec::new(),
            unrecorded: lines(&std::fs::read(logs.join("unrecorded")).unwrap_or_default()),
        },
        threads: files.into_iter().map(|file| file.thread).collect(),
        is_truncated: false,
    })
}

/// Copies this process's standard input to the child's until either ends; returns the bytes copied so far.
fn hand_on_stdin(mut child: std::process::ChildStdin) -> Arc<Mutex<Vec<u8>>> {
    let copied = Arc::new(Mutex::new(Vec::new()));
    let out = Arc::clone(&copied);
    std::thread::spawn(move || {
        let mut buffer = [0; 1 << 16];
        while let Ok(count @ 1..) = std::io::stdin().read(&mut buffer) {
            out.lock().unwrap_or_else(PoisonError::into_inner).extend(&buffer[..count]);
            if child.write_all(&buffer[..count]).is_err() {
                break;
            }
        }
    });
    copied
}

/// The variables that the program asked for, as in their file; the first answer counts.
fn variables(text: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut variables: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    for line in text.split(|&byte| byte == 0) {
        let Some(at) = line.iter().position(|&byte| byte == b'=') else { continue };
        if variables.iter().all(|(name, _)| name != &line[..at]) {
            variables.push((line[..at].to_vec(), line[at + 1..].to_vec()));
        }
    }
    variables
}

fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()
}

/// Waits for the child; `None` if it had to be killed.
fn wait(mut child: Child, timeout: Option<Duration>) -> std::io::Result<Option<ExitStatus>> {
    let Some(timeout) = timeout else { return child.wait().map(Some) };
    let deadline = Instant::now() + timeout;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn end_of(status: Option<ExitStatus>, threads: &[ThreadProfile]) -> ProcessEnd {
    match status {
        None => ProcessEnd::TimedOut,
        Some(status) => match (status.code(), status.signal()) {
            (Some(code), _) => ProcessEnd::Exited(code),
            (None, Some(signal)) => {
                let received = |thread: &&ThreadProfile| thread.signal == Some(signal as u32);
                let thread = threads.iter().find(received).map(|thread| thread.name.clone());
                ProcessEnd::Signalled { signal, thread }
            }
            (None, None) => ProcessEnd::Unknown,
        },
    }
}

fn tail(stderr: &mut std::fs::File) -> std::io::Result<Vec<u8>> {
    let length = stderr.seek(SeekFrom::End(0))?;
    stderr.seek(SeekFrom::Start(length.saturating_sub(STDERR_TAIL)))?;
    let mut bytes = Vec::new();
    stderr.read_to_end(&mut bytes)?;
    Ok(bytes)
}
