//! Calls through which input enters a program, and their answers in the recorded run.
//!
//! The recorder notes, for each thread and in order, every call of one of these functions from recorded code.
//! Under a guide the n-th call is answered as it was. A call that symx can answer by itself (the content of
//! files, which the host still has) is noted without its answer.

use serde::{Deserialize, Serialize};

/// Where a function that brings input puts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputFunction {
    /// Its name.
    pub name: &'static str,
    /// Which argument, from 0, points to where input goes, if any does.
    pub buffer: Option<usize>,
    /// How many bytes it writes there.
    pub filled: Filled,
    /// What it returns.
    pub returns: Returned,
    /// The result of a call that fails.
    pub failed: i64,
    /// Whether it reads what symx has again by itself: files, the standard input in the profile, the
    /// process's own pipes.
    pub comes_again: bool,
}

/// The type of a function's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returned {
    /// An `int`.
    Int,
    /// A `long`, `size_t` or the like.
    Word,
}

/// How many bytes a call that did not fail wrote into its buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filled {
    /// As many, if there is a buffer.
    Bytes(u64),
    /// As many as it returned.
    Returned,
    /// As many as this argument, from 0, asks for.
    Argument(usize),
}

impl InputFunction {
    /// Whether a call that returned so has failed.
    pub fn has_failed(&self, result: i64) -> bool {
        result == self.failed
    }

    /// How many bytes a call with these arguments wrote into its buffer, if it returned so
    /// and has not failed.
    pub fn filled(&self, arguments: &[u64], result: i64) -> u64 {
        match self.filled {
            Filled::Bytes(count) => count,
            Filled::Returned => result.max(0) as u64,
            Filled::Argument(index) => arguments.get(index).copied().unwrap_or(0),
        }
    }

    const fn filling(self, buffer: usize, filled: Filled) -> Self {
        Self { buffer: Some(buffer), filled, ..self }
    }

    const fn that_comes_again(self) -> Self {
        Self { comes_again: true, ..self }
    }
}

const fn function(name: &'static str, returns: Returned) -> InputFunction {
    InputFunction { name, buffer: None, filled: Filled::Bytes(0), returns, failed: -1, comes_again: false }
}

/// A `time_t`.
const TIME: Filled = Filled::Bytes(8);
/// A `struct timeval` or `struct timespec`.
const TIME_AND_FRACTION: Filled = Filled::Bytes(16);
/// An `unsigned`.
const SEED: Filled = Filled::Bytes(4);

/// The functions, in the order of the recorder's numbers for them, which begin with 1.
pub const FUNCTIONS: [InputFunction; 27] = [
    function("time", Returned::Word).filling(0, TIME),
    function("gettimeofday", Returned::Int).filling(0, TIME_AND_FRACTION),
    function("clock_gettime", Returned::Int).filling(1, TIME_AND_FRACTION),
    function("clock", Returned::Word),
    function("rand", Returned::Int),
    function("random", Returned::Word),
    function("getpid", Returned::Int),
    function("getppid", Returned::Int),
    function("getrandom", Returned::Word).filling(0, Filled::Returned),
    function("getentropy", Returned::Int).filling(0, Filled::Argument(1)),
    function("read", Returned::Word).filling(1, Filled::Returned).that_comes_again(),
    function("recv", Returned::Word).filling(1, Filled::Returned).that_comes_again(),
    // It returns the base of the time, and 0 if it fails.
    InputFunction { failed: 0, ..function("timespec_get", Returned::Int).filling(0, TIME_AND_FRACTION) },
    function("rand_r", Returned::Int).filling(0, SEED),
    function("sysconf", Returned::Word),
    function("isatty", Returned::Int),
    function("gettid", Returned::Int),
    function("sched_getcpu", Returned::Int),
    function("getuid", Returned::Int),
    function("geteuid", Returned::Int),
    function("getgid", Returned::Int),
    function("getegid", Returned::Int),
    // std::chrono::steady_clock::now, system_clock::now; std::thread::hardware_concurrency;
    // std::random_device::_M_getval. libstdc++ makes the calls that bring what they return.
    function("_ZNSt6chrono3_V212steady_clock3nowEv", Returned::Word),
    function("_ZNSt6chrono3_V212system_clock3nowEv", Returned::Word),
    function("_ZNSt6thread20hardware_concurrencyEv", Returned::Int),
    function("_ZNSt13random_device9_M_getvalEv", Returned::Int),
    function(TIME_STAMP, Returned::Word),
];

/// The name of the instruction that reads the processor's time stamp: no call in symx.
pub const TIME_STAMP: &str = "__rdtsc";

/// Functions through which input enters and whose answers are not noted. (What comes over standard input is
/// recorded as a whole, however it is read.)
pub const NOT_RECORDED: [&str; 22] = [
    "accept",
    "accept4",
    "connect",
    "epoll_wait",
    "getaddrinfo",
    "gethostbyname",
    "getifaddrs",
    "getloadavg",
    "getrusage",
    "ioctl",
    "mkstemp",
    "poll",
    "popen",
    "ppoll",
    "pselect",
    "recvfrom",
    "recvmmsg",
    "recvmsg",
    "select",
    "sysinfo",
    "times",
    "waitpid",
];

/// One call, or several that symx answers itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RecordedCall {
    /// The function's name.
    pub function: String,
    /// Its answer; `None` for calls that are answered anew.
    pub answer: Option<Answer>,
    /// How many such calls there were in a row.
    pub times: u32,
}

/// The answer of a call.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// What it returned.
    pub result: i64,
    /// `errno` after it, which means something if it failed.
    pub error: i32,
    /// The bytes it wrote into its buffer.
    pub bytes: Vec<u8>,
}

/// The row of a function, if calls of it are noted.
pub fn input_function(name: &str) -> Option<&'static InputFunction> {
    FUNCTIONS.iter().find(|function| function.name == name)
}
