//! Decoding in a child process under limits of memory and time.
//!
//! LLVM's reader can crash, hang or grow without bound on a malformed file. The child answers through a pipe
//! with the decoded module or with the reason why there is none. It is a fork of this process while that has
//! one thread, which spares it the start of an executable as large as LLVM. Else it is symx started anew with
//! a hidden command.

use crate::refusal::Refusal;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{Pid, Resource, Rlimit, Signal, WaitOptions, WaitStatus, kill_process, waitpid};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use symx_bitcode::LoadOptions;
use symx_ir::Module;
use symx_ir::debug_info::DebugInfo;

/// The name of the command that makes symx the child.
pub const HIDDEN_COMMAND: &str = "decode-in-child";

/// Address space the child may take, in bytes.
const MEMORY: u64 = 4 << 30;

/// How long the child may take.
const TIME: Duration = Duration::from_secs(60);

/// The request to the child, as one JSON argument where it is started again.
#[derive(Serialize, Deserialize)]
struct Request {
    promote: bool,
    in_program: bool,
    /// Whether what debug information says of variables is wanted, not the module.
    debug_info: bool,
    /// The process that waits for the answer.
    parent: i32,
}

/// A child at work.
struct Decoder {
    process: Pid,
    /// Where its answer comes from.
    answer: OwnedFd,
}

/// Decodes the file `bitcode`; in messages it is called `name`.
pub fn decode(name: &Path, bitcode: &Path, options: &LoadOptions) -> Result<Module, Refusal> {
    ask(name, bitcode, options, false)
}

/// The variables in the debug information of the file `bitcode`.
pub fn decode_debug_info(name: &Path, bitcode: &Path, options: &LoadOptions) -> Result<DebugInfo, Refusal> {
    ask(name, bitcode, options, true)
}

fn ask<T: DeserializeOwned>(
    name: &Path,
    bitcode: &Path,
    options: &LoadOptions,
    debug_info: bool,
) -> Result<T, Refusal> {
    let undecodable = |why: String| Refusal::Undecodable { path: name.into(), why };
    let parent = rustix::process::getpid().as_raw_pid();
    let request = Request { promote: options.promote, in_program: options.in_program, debug_info, parent };
    let decoder = start(&request, bitcode)
        .map_err(|error| undecodable(format!("the decoder cannot be started: {error}")))?;
    let answer = read_within(decoder.answer, TIME);
    if answer.is_err() {
        // It may have ended by itself in between; either way it is waited for below.
        let _ = kill_process(decoder.process, Signal::KILL);
    }
    let status = retry_on_intr(|| waitpid(Some(decoder.process), WaitOptions::empty()))
        .map_err(|error| undecodable(error.to_string()))?;
    let bytes = match answer {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::TimedOut => {
            return Err(undecodable(format!("decoding took more than {} seconds", TIME.as_secs())));
        }
        Err(error) => return Err(undecodable(error.to_string())),
    };
    if let Some((_, status)) = status
        && status.exit_status() != Some(0)
    {
        return Err(undecodable(describe_crash(status)));
    }
    match postcard::from_bytes::<Result<T, String>>(&bytes) {
        Ok(Ok(decoded)) => Ok(decoded),
        Ok(Err(why)) => Err(undecodable(why)),
        Err(error) => Err(undecodable(format!("the decoder's answer is garbled: {error}"))),
    }
}

fn start(request: &Request, bitcode: &Path) -> std::io::Result<Decoder> {
    if is_only_thread() { fork(request, bitcode) } else { spawn(request, bitcode) }
}

/// Whether this process has one thread; where the system does not say, it may have more.
fn is_only_thread() -> bool {
    std::fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() == 1)
}

/// A child that continues from here.
fn fork(request: &Request, bitcode: &Path) -> std::io::Result<Decoder> {
    let (answer, question) = rustix::pipe::pipe()?;
    // SAFETY: no other thread exists that could hold a lock the child needs, so it may do all that this
    // process may. It never returns from here.
    match unsafe { libc::fork() } {
        -1 => Err(std::io::Error::last_os_error()),
        0 => {
            drop(answer);
            let served = end_with(request.parent)
                .and_then(|()| silence())
                .and_then(|()| serve(request, bitcode, File::from(question)));
            // SAFETY: nothing of the parent's is to be flushed or torn down by the child.
            unsafe { libc::_exit(i32::from(served.is_err())) }
        }
        process => {
            let process = Pid::from_raw(process).expect("a child has a number above zero");
            Ok(Decoder { process, answer })
        }
    }
}

/// Has this process killed when `parent` ends, however that ends: its results would be lost.
fn end_with(parent: i32) -> std::io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    // The parent may have ended before.
    match rustix::process::getppid() {
        Some(now) if now.as_raw_pid() == parent => Ok(()),
        _ => Err(std::io::ErrorKind::BrokenPipe.into()),
    }
}

/// Output that LLVM prints while it fails is discarded.
fn silence() -> std::io::Result<()> {
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    rustix::stdio::dup2_stderr(&nothing)?;
    Ok(())
}

/// symx, started again.
fn spawn(request: &Request, bitcode: &Path) -> std::io::Result<Decoder> {
    let mut child = Command::new(std::env::current_exe()?)
        .arg(HIDDEN_COMMAND)
        .arg(serde_json::to_string(request)?)
        .arg(bitcode)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let answer = child.stdout.take().expect("standard output is piped").into();
    Ok(Decoder { process: Pid::from_child(&child), answer })
}

/// All that comes through a pipe until its other end is closed; an error of kind `TimedOut` if
/// that takes too long.
fn read_within(pipe: OwnedFd, limit: Duration) -> std::io::Result<Vec<u8>> {
    let end = Instant::now() + limit;
    let mut pipe = File::from(pipe);
    let mut bytes = Vec::new();
    let mut chunk = vec![0; 1 << 16];
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let left = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
        match poll(&mut [PollFd::new(&pipe, PollFlags::IN)], Some(&left)) {
            Ok(0) => return Err(std::io::ErrorKind::TimedOut.into()),
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        match pipe.read(&mut chunk) {
            Ok(0) => return Ok(bytes),
            Ok(count) => bytes.extend_from_slice(&chunk[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn describe_crash(status: WaitStatus) -> String {
    match status.terminating_signal() {
        Some(signal) => format!(
            "malformed bitcode: LLVM crashed reading it (signal {signal}, or more than {} MiB of memory)",
            MEMORY >> 20
        ),
        None => {
            format!(
                "malformed bitcode: LLVM gave up reading it (status {})",
                status.exit_status().unwrap_or(-1)
            )
        }
    }
}

/// The hidden command: decodes the file `bitcode` as `request` says and writes the answer to standard output.
pub fn serve_anew(request: &str, bitcode: &Path) -> std::io::Result<()> {
    let request: Request = serde_json::from_str(request)?;
    // The signal comes when the thread ends that made this process, and that thread waits for the answer.
    end_with(request.parent)?;
    serve(&request, bitcode, std::io::stdout().lock())
}

fn encoded<T: Serialize>(answer: Result<T, String>) -> std::io::Result<Vec<u8>> {
    postcard::to_stdvec(&answer).map_err(std::io::Error::other)
}

/// The child's work.
fn serve(request: &Request, bitcode: &Path, mut out: impl Write) -> std::io::Result<()> {
    limit();
    let options = LoadOptions { promote: request.promote, in_program: request.in_program };
    let read = std::fs::read(bitcode).map_err(|error| error.to_string());
    let bytes =
        match request.debug_info {
            true => encoded(read.and_then(|bytes| {
                symx_bitcode::debug_info(&bytes, &options).map_err(|error| error.to_string())
            })),
            false => encoded(read.and_then(|bytes| {
                symx_bitcode::load(bitcode, &bytes, &options).map_err(|error| error.to_string())
            })),
        }?;
    out.write_all(&bytes)?;
    out.flush()
}

/// Where the system refuses, the parent's limit of time still holds.
fn limit() {
    let limit = Rlimit { current: Some(MEMORY), maximum: Some(MEMORY) };
    let _ = rustix::process::setrlimit(Resource::As, limit);
    // Computing is all it does, so that this is a limit of time that holds without the parent.
    let time = Rlimit { current: Some(TIME.as_secs()), maximum: Some(TIME.as_secs()) };
    let _ = rustix::process::setrlimit(Resource::Cpu, time);
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    let _ = rustix::process::setrlimit(Resource::Core, none);
}
