//! The processes that a suite has started, so that they end with it.

use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, pidfd_send_signal};
use std::collections::BTreeMap;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// Processes that have been started and not waited for.
#[derive(Clone, Debug, Default)]
pub struct Children(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// By the order of their starts. A descriptor names no other process when its own is gone.
    running: BTreeMap<u64, OwnedFd>,
    started: u64,
    /// No further one is started.
    is_over: bool,
}

impl Children {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no thread panics while it holds the lock")
    }

    /// Starts a process and waits for it, as `Command::output`, unless [all were to end](Self::end_all).
    pub(super) fn output(&self, command: &mut Command) -> Result<Output> {
        let (child, number) = self.start(command)?;
        let output = child.wait_with_output();
        self.state().running.remove(&number);
        output
    }

    /// As [`output`](Self::output). After this time the process is killed, with those that it has started.
    /// The error is `TimedOut` then.
    pub(super) fn output_within(&self, command: &mut Command, limit: Duration) -> Result<Output> {
        let (child, number) = self.start(command.process_group(0))?;
        let group = Pid::from_raw(child.id().cast_signed());
        let (has_ended, ended) = channel::<()>();
        let killer = std::thread::spawn(move || {
            let is_late = ended.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
            is_late && group.is_some_and(|group| kill_process_group(group, Signal::KILL).is_ok())
        });
        let output = child.wait_with_output();
        drop(has_ended);
        self.state().running.remove(&number);
        match killer.join() {
            Ok(true) => Err(Error::new(ErrorKind::TimedOut, format!("not at its end in {limit:?}"))),
            _ => output,
        }
    }

    /// Starts a process. Returns its number, too.
    fn start(&self, command: &mut Command) -> Result<(Child, u64)> {
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
        Ok((child, number))
    }

    /// Asks all processes to end. No further one is started.
    pub fn end_all(&self) {
        let mut state = self.state();
        state.is_over = true;
        for process in state.running.values() {
            // One that has ended meanwhile needs no signal.
            let _ = pidfd_send_signal(process, Signal::TERM);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn those_that_run_end_and_none_starts() {
        let (children, began) = (Children::default(), Instant::now());
        std::thread::scope(|scope| {
            let slow = scope.spawn(|| children.output(Command::new("sleep").arg("60")).unwrap());
            while children.state().running.is_empty() {
                std::thread::sleep(Duration::from_millis(1));
            }
            children.end_all();
            assert_eq!(slow.join().unwrap().status.code(), None);
        });
        assert!(began.elapsed() < Duration::from_secs(30) && children.state().running.is_empty());
        assert_eq!(children.output(&mut Command::new("true")).unwrap_err().kind(), ErrorKind::Interrupted);
    }
    #[test]
    fn one_that_does_not_end_is_killed_with_its_own() {
        let (children, began) = (Children::default(), Instant::now());
        let limit = Duration::from_millis(50);
        // The shell's child has the pipe, too.
        let late = children.output_within(Command::new("sh").args(["-c", "sleep 60; true"]), limit);
        assert_eq!(late.unwrap_err().kind(), ErrorKind::TimedOut);
        assert!(began.elapsed() < Duration::from_secs(30) && children.state().running.is_empty());
        let ended = children.output_within(Command::new("echo").arg("done"), Duration::from_secs(60));
        assert_eq!(ended.unwrap().stdout, b"done\n");
    }
}
