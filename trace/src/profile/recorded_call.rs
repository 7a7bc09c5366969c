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
    /// What it returns.
    pub returns: Returned,
}

/// The type of a function's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returned {
    /// An `int`.
    Int,
    /// A `long`, `size_t` or the like.
    Word,
}

impl InputFunction {
    /// Whether a call that returned so has failed.
    pub fn has_failed(&self, result: i64) -> bool {
        result == if self.name == "timespec_get" { 0 } else { -1 }
    }

    /// How many bytes a call with these arguments wrote into its buffer, if it returned so
    /// and has not failed.
    pub fn filled(&self, arguments: &[u64], result: i64) -> u64 {
        match self.name {
            "time" => 8,
            "gettimeofday" | "clock_gettime" | "timespec_get" => 16,
            "getrandom" | "read" | "recv" => result.max(0) as u64,
            "getentropy" => arguments.get(1).copied().unwrap_or(0),
            "rand_r" => 4,
            _ => 0,
        }
    }

    /// Whether it reads what symx has again by itself: files, the standard input in the profile,
    /// the process's own pipes.
    pub fn comes_again(&self) -> bool {
        matches!(self.name, "read" | "recv")
    }
}

const fn function(name: &'static str, buffer: Option<usize>, returns: Returned) -> InputFunction {
    InputFunction { name, buffer, returns }
}

/// The functions, in the order of the recorder's numbers for them, which begin with 1.
pub const FUNCTIONS: [InputFunction; 22] = [
    function("time", Some(0), Returned::Word),
    function("gettimeofday", Some(0), Returned::Int),
    function("clock_gettime", Some(1), Returned::Int),
    function("clock", None, Returned::Word),
    function("rand", None, Returned::Int),
    function("random", None, Returned::Word),
    function("getpid", None, Returned::Int),
    function("getppid", None, Returned::Int),
    function("getrandom", Some(0), Returned::Word),
    function("getentropy", Some(0), Returned::Int),
    function("read", Some(1), Returned::Word),
    function("recv", Some(1), Returned::Word),
    function("timespec_get", Some(0), Returned::Int),
    function("rand_r", Some(0), Returned::Int),
    function("sysconf", None, Returned::Word),
    function("isatty", None, Returned::Int),
    function("gettid", None, Returned::Int),
    function("sched_getcpu", None, Returned::Int),
    function("getuid", None, Returned::Int),
    function("geteuid", None, Returned::Int),
    function("getgid", None, Returned::Int),
    function("getegid", None, Returned::Int),
];

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
