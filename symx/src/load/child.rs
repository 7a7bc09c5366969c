//! Decoding in a child process under limits of memory and time.
//!
//! LLVM's reader can crash, hang or grow without bound on a malformed file. The child is symx itself, started with a
//! hidden command; it answers on its standard output with the decoded module or with the reason why there is none.

use crate::refusal::Refusal;
use rustix::process::{Resource, Rlimit};
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use symx_bitcode::LoadOptions;
use symx_ir::Module;

/// The name of the command that makes symx the child.
pub const HIDDEN_COMMAND: &str = "decode-in-child";

/// Address space the child may take, in bytes.
const MEMORY: u64 = 4 << 30;

/// How long the child may take.
const TIME: Duration = Duration::from_secs(60);

/// What the child is told, as one JSON argument.
#[derive(Serialize, Deserialize)]
struct Request {
    promote: bool,
    recorded: bool,
}

/// Decodes the file `bitcode`; in messages it is called `name`.
pub fn decode(name: &Path, bitcode: &Path, options: &LoadOptions) -> Result<Module, Refusal> {
    let undecodable = |why: String| Refusal::Undecodable { path: name.into(), why };
    let request = Request { promote: options.promote, recorded: options.recorded };
    let executable = std::env::current_exe().map_err(|error| undecodable(error.to_string()))?;
    let mut child = Command::new(executable)
        .arg(HIDDEN_COMMAND)
        .arg(serde_json::to_string(&request).map_err(|error| undecodable(error.to_string()))?)
        .arg(bitcode)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| undecodable(format!("the decoder cannot be started: {error}")))?;

    let mut answers = child.stdout.take().expect("standard output is piped");
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = answers.read_to_end(&mut bytes).map(|_| bytes);
        // The receiver is gone when time is up; then nobody wants the answer.
        let _ = sender.send(read);
    });
    let answer = receiver.recv_timeout(TIME);
    if answer.is_err() {
        // It may have ended by itself in between; either way it is waited for below.
        let _ = child.kill();
    }
    let status = child.wait().map_err(|error| undecodable(error.to_string()))?;
    let Ok(bytes) = answer else {
        return Err(undecodable(format!("decoding took more than {} seconds", TIME.as_secs())));
    };
    let bytes = bytes.map_err(|error| undecodable(error.to_string()))?;
    if !status.success() {
        return Err(undecodable(describe_crash(status)));
    }
    match postcard::from_bytes::<Result<Module, String>>(&bytes) {
        Ok(Ok(module)) => Ok(module),
        Ok(Err(why)) => Err(undecodable(why)),
        Err(error) => Err(undecodable(format!("the decoder's answer is garbled: {error}"))),
    }
}

fn describe_crash(status: ExitStatus) -> String {
    match status.signal() {
        Some(signal) => format!(
            "malformed bitcode: LLVM crashed reading it (signal {signal}, or more than {} MiB of memory)",
            MEMORY >> 20
        ),
        None => {
            format!("malformed bitcode: LLVM gave up reading it (status {})", status.code().unwrap_or(-1))
        }
    }
}

/// The child: decodes the file `bitcode` as `request` says and writes the answer to standard output.
pub fn serve(request: &str, bitcode: &Path) -> std::io::Result<()> {
    limit_memory();
    let request: Request = serde_json::from_str(request)?;
    let options = LoadOptions { promote: request.promote, recorded: request.recorded };
    let answer: Result<Module, String> = std::fs::read(bitcode)
        .map_err(|error| error.to_string())
        .and_then(|bytes| symx_bitcode::load(bitcode, &bytes, &options).map_err(|error| error.to_string()));
    let bytes = postcard::to_stdvec(&answer).map_err(std::io::Error::other)?;
    let mut out = std::io::stdout().lock();
    out.write_all(&bytes)?;
    out.flush()
}

/// Where the system refuses, the parent's limit of time still holds.
fn limit_memory() {
    let limit = Rlimit { current: Some(MEMORY), maximum: Some(MEMORY) };
    let _ = rustix::process::setrlimit(Resource::As, limit);
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    let _ = rustix::process::setrlimit(Resource::Core, none);
}
