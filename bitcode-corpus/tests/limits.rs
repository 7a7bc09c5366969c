//! Programs that grow in every way known, each within a time and a memory: ended by name soon after either,
//! and soon after SIGTERM. One test a program; `-- table` measures all of them strictly and prints a table,
//! for a machine that does nothing else.

use libtest_mimic::{Arguments, Trial};
use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use symx::harness::compile_bitcode;
use symx_bitcode_corpus::{cache, folder};

/// Limits of each program: seconds, and MiB of the whole process.
const SECONDS: u64 = 2;
const MEBIBYTES: u64 = 500;

/// The limit below all of symx's own, in KiB of address space.
const NET: u64 = 6_000_000;

/// When SIGTERM comes: symx explores by then, unless other processes keep it from the processor.
const BEFORE_SIGNAL: Duration = Duration::from_millis(1000);

/// A process that has not ended by then does not end.
const PATIENCE: Duration = Duration::from_secs(60);

/// How late an end may come.
#[derive(Clone, Copy)]
struct Slack {
    after_time: Duration,
    after_signal: Duration,
    /// Resident memory, in MiB.
    most_memory: u64,
}

/// A second, a tenth more memory, half a second.
const STRICT: Slack = Slack {
    after_time: Duration::from_secs(1),
    after_signal: Duration::from_millis(500),
    most_memory: MEBIBYTES + MEBIBYTES / 10,
};

/// Beside other tests, on a machine with few processors, everything takes many times as long, and what grows
/// between two looks is more.
const GENEROUS: Slack = Slack {
    after_time: Duration::from_secs(20),
    after_signal: Duration::from_secs(20),
    most_memory: MEBIBYTES + MEBIBYTES / 2,
};

/// A program, and what its first lines say of it.
struct Growing {
    name: String,
    source: PathBuf,
    options: Vec<String>,
    /// Whether it is among those that are run with all other tests.
    is_quick: bool,
}

/// How a run ended.
struct Ended {
    code: Option<i32>,
    /// From its start, and from SIGTERM if that was sent.
    whole: Duration,
    after_signal: Option<Duration>,
    peak_mebibytes: u64,
    /// The verdict and what cut it short, or what symx said.
    why: String,
}

fn programs() -> Vec<Growing> {
    let files = std::fs::read_dir(folder().join("limits")).expect("the programs are beside this file");
    let mut programs: Vec<Growing> = files
        .map(|entry| entry.expect("a folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .map(|source| {
            let text = std::fs::read_to_string(&source).expect("a program can be read");
            let options = text.lines().find_map(|line| line.strip_prefix("// options: ")).unwrap_or_default();
            Growing {
                name: source.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
                options: options.split_whitespace().map(str::to_owned).collect(),
                is_quick: text.lines().any(|line| line == "// quick"),
                source,
            }
        })
        .collect();
    programs.sort_by(|one, other| one.name.cmp(&other.name));
    assert!(programs.len() >= 40, "only {} programs were found", programs.len());
    programs
}

/// What the system says of a process that has not ended (`proc_pid_status(5)`).
fn status_of(child: &Child, field: &str) -> Option<String> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let words = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    words.split_whitespace().next().map(str::to_owned)
}

/// The most memory a process has had, in MiB.
fn peak(child: &Child) -> Option<u64> {
    status_of(child, "VmHWM")?.parse::<u64>().ok().map(|kib| kib / 1024)
}

/// Whether a process has a handler of SIGTERM by now.
fn handles_termination(child: &Child) -> bool {
    let caught = status_of(child, "SigCgt").and_then(|mask| u64::from_str_radix(&mask, 16).ok());
    caught.is_some_and(|mask| mask >> (Signal::TERM.as_raw() - 1) & 1 == 1)
}

/// Runs a program under the memory limit, and until either its time is over or SIGTERM comes.
fn run(growing: &Growing, is_signalled: bool) -> Result<Ended, String> {
    let text = |error: std::io::Error| error.to_string();
    // Memory that is never read does not grow once it is optimised.
    let program =
        compile_bitcode(&growing.source, &["-O0".to_owned()], &cache()).map_err(|error| error.to_string())?;
    let place = tempfile::tempdir().map_err(text)?;
    let limits = format!("ulimit -v {NET}; exec \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &limits, "sh", env!("CARGO_BIN_EXE_symx-under-test"), "run", "--quiet"]);
    command.args(["--json", "result.json", "--max-memory", &MEBIBYTES.to_string()]).args(&growing.options);
    if !is_signalled {
        command.args(["--max-time", &SECONDS.to_string()]);
    }
    command.arg(program).current_dir(place.path());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let started = Instant::now();
    let mut child = command.spawn().map_err(text)?;
    let (mut peak_mebibytes, mut signalled) = (0, None);
    let status = loop {
        if let Some(status) = child.try_wait().map_err(text)? {
            break status;
        }
        peak_mebibytes = peak(&child).unwrap_or(0).max(peak_mebibytes);
        if is_signalled
            && signalled.is_none()
            && started.elapsed() >= BEFORE_SIGNAL
            && handles_termination(&child)
        {
            let pid = Pid::from_child(&child);
            kill_process(pid, Signal::TERM).map_err(|error| error.to_string())?;
            signalled = Some(Instant::now());
        }
        if started.elapsed() > PATIENCE {
            child.kill().and_then(|()| child.wait()).map_err(text)?;
            return Err(format!("it has not ended after {PATIENCE:?}"));
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let (whole, after_signal) = (started.elapsed(), signalled.map(|since| since.elapsed()));
    let said = child.wait_with_output().map_err(text)?.stderr;
    Ok(Ended {
        code: status.code(),
        whole,
        after_signal,
        peak_mebibytes,
        why: why(place.path()).unwrap_or_else(|| String::from_utf8_lossy(&said).into_owned()),
    })
}

/// The content of the result file; none if there is none.
fn why(folder: &Path) -> Option<String> {
    let result = std::fs::read(folder.join("result.json")).ok()?;
    let result: serde_json::Value = serde_json::from_slice(&result).ok()?;
    let cuts = result["incomplete"].as_array()?.iter().filter_map(|cut| cut["reason"].as_str());
    let words: Vec<&str> = result["verdict"].as_str().into_iter().chain(cuts).collect();
    Some(words.join(" "))
}

impl Ended {
    /// The error in it.
    fn faults(&self, slack: Slack) -> Vec<String> {
        let mut faults = Vec::new();
        let is_named = match self.code {
            Some(0) => self.why == "safe",
            Some(1) => self.why.starts_with("violation"),
            Some(3) => self.why.starts_with("incomplete ") && !self.why.contains("solver-unknown"),
            _ => false,
        };
        if !is_named {
            faults.push(format!("exit code {:?}: {}", self.code, self.why.trim()));
        }
        match self.after_signal {
            Some(after) if after > slack.after_signal => {
                faults.push(format!("{} ms after SIGTERM", after.as_millis()));
            }
            None if self.whole > Duration::from_secs(SECONDS) + slack.after_time => {
                faults.push(format!("{} ms of {SECONDS} s", self.whole.as_millis()));
            }
            _ => {}
        }
        if self.peak_mebibytes > slack.most_memory {
            faults.push(format!("{} MiB of {MEBIBYTES}", self.peak_mebibytes));
        }
        faults
    }
}

/// Runs a program within its limits, and until SIGTERM.
fn holds(growing: &Growing) -> Result<(), String> {
    for is_signalled in [false, true] {
        let faults = run(growing, is_signalled)?.faults(GENEROUS);
        if !faults.is_empty() {
            return Err(faults.join("; "));
        }
    }
    Ok(())
}

/// Measures the programs whose names contain one of these words, or all.
fn table(words: &[String]) -> ExitCode {
    let is_wanted =
        |growing: &Growing| words.is_empty() || words.iter().any(|word| growing.name.contains(word));
    println!("| program | {SECONDS} s, {MEBIBYTES} MiB: ends after | most memory | by SIGTERM, after | as |");
    println!("|---|---:|---:|---:|---|");
    let mut failed = 0;
    for growing in programs().iter().filter(|growing| is_wanted(growing)) {
        let (limited, signalled) = match (run(growing, false), run(growing, true)) {
            (Ok(limited), Ok(signalled)) => (limited, signalled),
            (Err(why), _) | (_, Err(why)) => {
                println!("| {} | | | | **{why}** |", growing.name);
                failed += 1;
                continue;
            }
        };
        let faults = [limited.faults(STRICT), signalled.faults(STRICT)].concat();
        failed += usize::from(!faults.is_empty());
        let after = match signalled.after_signal {
            Some(after) => format!("{} ms", after.as_millis()),
            None => "–".into(),
        };
        let memory = limited.peak_mebibytes.max(signalled.peak_mebibytes);
        let late = if faults.is_empty() { String::new() } else { format!(" **{}**", faults.join("; ")) };
        let seconds = limited.whole.as_secs_f64();
        println!("| {} | {seconds:.2} s | {memory} MiB | {after} | {}{late} |", growing.name, limited.why);
    }
    println!("\n{failed} beyond their limits");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let Some((command, words)) = words.split_first()
        && command == "table"
    {
        return table(words);
    }
    let mut arguments = Arguments::from_args();
    // They measure time and take memory, and are not to do so beside each other.
    arguments.test_threads = Some(1);
    let trials = programs().into_iter().map(|growing| {
        let (name, is_left_out) = (format!("limits::{}", growing.name), !growing.is_quick);
        Trial::test(name, move || holds(&growing).map_err(Into::into)).with_ignored_flag(is_left_out)
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}
