//! The processes that a suite has started, so that they end with it.

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::collections::BTreeMap;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::OwnedFd;
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard};

/// Processes that have been started and not waited for.
#[derive(Debug)]
struct Children(Mutex<State>);

#[derive(Debug)]
struct State {
    /// By the order of their starts. A descriptor names no other process when its own is gone.
    running: BTreeMap<u64, OwnedFd>,
    started: u64,
    /// No further one is started.
    is_over: bool,
}

static CHILDREN: Children = Children::new();

impl Children {
    const fn new() -> Self {
        Self(Mutex::new(State { running: BTreeMap::new(), started: 0, is_over: false }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no thread panics while it holds the lock")
    }

    fn output(&self, command: &mut Command) -> Result<Output> {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut state = self.state();
        if state.is_over {
            return Err(Error::new(ErrorKind::Interrupted, "interrupted"));
        }
        // Started under the lock: the end of all misses none.
        let child = command.spawn()?;
        state.started += 1;
        let number = state.started;
        let process = Pid::from_raw(child.id().cast_signed());
        if let Some(Ok(descriptor)) = process.map(|process| pidfd_open(process, PidfdFlags::empty())) {
            state.running.insert(number, descriptor);
        }
        drop(state);
        let output = child.wait_with_output();
        self.state().running.remove(&number);
        output
    }

    fn end(&self) {
        let mut state = self.state();
        state.is_over = true;
        for process in state.running.values() {
            // One that has ended meanwhile needs no signal.
            let _ = pidfd_send_signal(process, Signal::TERM);
        }
    }
}

/// Starts a process and waits for it, as `Command::output`, unless [`end_all`] was called.
pub fn output(command: &mut Command) -> Result<Output> {
    CHILDREN.output(command)
}

/// Asks all processes to end. No further one is started.
pub fn end_all() {
    CHILDREN.end();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn those_that_run_end_and_none_starts() {
        let (children, began) = (Children::new(), Instant::now());
        std::thread::scope(|scope| {
            let slow = scope.spawn(|| children.output(Command::new("sleep").arg("60")).unwrap());
            while children.state().running.is_empty() {
                std::thread::sleep(Duration::from_millis(1));
            }
            children.end();
            assert_eq!(slow.join().unwrap().status.code(), None);
        });
        assert!(began.elapsed() < Duration::from_secs(30) && children.state().running.is_empty());
        assert_eq!(children.output(&mut Command::new("true")).unwrap_err().kind(), ErrorKind::Interrupted);
    }
}
