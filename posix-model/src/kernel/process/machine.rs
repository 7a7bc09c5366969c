//! What the machine and its processes say of themselves as files, in `/proc` and `/sys`.
//!
//! A page is there if the model has the state that it tells. All others do not exist.

use crate::answer::PosixCall;
use crate::kernel::nodes::content::Content;
use crate::kernel::nodes::file_system::FileSystem;
use crate::kernel::nodes::kinds::{NodeKind, Page};
use crate::kernel::process::{MEMORY, USER};
use crate::places::{LIMITS, read, record_of};
use crate::threads::process_numbers::own_number;
use crate::threads::{name_of, thread_number};
use std::fmt::Write;
use symx_trace::{Footprint, Place, ThreadId};

/// The directory of the threads of the calling process.
pub(crate) const THREADS: &str = "/proc/self/task";

const DIRECTORIES: [&str; 7] = [
    "/proc",
    "/proc/self",
    THREADS,
    "/sys",
    "/sys/devices",
    "/sys/devices/system",
    "/sys/devices/system/cpu",
];

const PAGES: [(&str, Page); 3] = [
    ("/proc/self/status", Page::Status),
    ("/proc/self/comm", Page::Name),
    ("/proc/self/limits", Page::Limits),
];

/// The instruction sets that all processors of this kind have.
const FLAGS: &str = "fpu tsc cx8 cmov mmx fxsr sse sse2 syscall nx lm";

/// Adds the pages of a machine with as many processors.
pub(crate) fn describe(files: &mut FileSystem, processors: u32) {
    for path in DIRECTORIES {
        files.create(ThreadId::MAIN, path, NodeKind::Directory, 0o555);
    }
    for (path, page) in PAGES {
        files.create(ThreadId::MAIN, path, NodeKind::Page(page), 0o444);
    }
    let last = processors.saturating_sub(1);
    let range = if last == 0 { "0\n".to_owned() } else { format!("0-{last}\n") };
    let cpu = |name| format!("/sys/devices/system/cpu/{name}");
    let mut texts = ["online", "possible", "present"].map(|name| (cpu(name), range.clone())).to_vec();
    texts.push(("/proc/cpuinfo".into(), of_processors(processors)));
    texts.push(("/proc/meminfo".into(), of_memory()));
    for (path, text) in texts {
        let content = NodeKind::File(Content::of_host(text.as_bytes()));
        files.create(ThreadId::MAIN, &path, content, 0o444);
    }
}

fn of_processors(processors: u32) -> String {
    let mut text = String::new();
    for number in 0..processors {
        let _ = write!(
            text,
            "processor\t: {number}\nvendor_id\t: symx\nmodel name\t: symx\nphysical id\t: 0\nsiblings\t: \
             {processors}\ncore id\t\t: {number}\ncpu cores\t: {processors}\nflags\t\t: {FLAGS}\n\n"
        );
    }
    text
}

fn of_memory() -> String {
    let (all, free) = (MEMORY >> 10, MEMORY >> 11);
    let rows =
        [("MemTotal", all), ("MemFree", free), ("MemAvailable", free), ("SwapTotal", 0), ("SwapFree", 0)];
    rows.map(|(name, size)| format!("{:<15} {size:>8} kB\n", format!("{name}:"))).concat()
}

/// What a look at the page of the calling process touches.
pub(crate) fn touched_by_page(call: &mut PosixCall<'_, '_>, page: Page) -> Footprint {
    let process = call.process();
    match page {
        Page::Name => [read(record_of(process))].into_iter().collect(),
        Page::Limits => [read(LIMITS)].into_iter().collect(),
        Page::Status => {
            let mut footprint = touched_by_threads(call);
            footprint.push(read(record_of(process)));
            footprint
        }
    }
}

/// What a look at which threads there are touches: their ends, and that they make no more of them.
pub(crate) fn touched_by_threads(call: &mut PosixCall<'_, '_>) -> Footprint {
    call.is_beyond_traces("a look at which threads there are");
    let me = call.thread();
    let threads = call.state().threads.iter();
    let others = threads.filter(|thread| thread.id != me && !thread.exited && !thread.is_to_come);
    others
        .flat_map(|other| {
            let next = Place::Child { parent: other.id, number: other.children + 1 };
            [read(Place::Thread(other.id)), read(next)]
        })
        .collect()
}

/// The numbers of the threads of the calling process. Its first one is there even when it has ended.
pub(crate) fn threads(call: &PosixCall<'_, '_>) -> Vec<u64> {
    let process = call.process();
    let threads = call.state().threads.iter();
    let there = threads
        .filter(|thread| !thread.service && !thread.is_to_come)
        .filter(|thread| call.process_of(thread.id) == process && (!thread.exited || thread.id == process));
    there.map(|thread| thread_number(thread.id)).collect()
}

/// The text of a page of the calling process.
pub(crate) fn text(call: &PosixCall<'_, '_>, page: Page) -> Vec<u8> {
    let name = name_of(call, call.process());
    match page {
        Page::Name => [&name[..], b"\n"].concat(),
        Page::Limits => call.bookkeeping().kernel.own.limits.text().into_bytes(),
        Page::Status => {
            let (process, threads) = (own_number(call), threads(call).len());
            let users = [USER; 4].map(|user| format!("\t{user}")).concat();
            let rest = format!(
                "\nTgid:\t{process}\nPid:\t{process}\nUid:{users}\nGid:{users}\nThreads:\t{threads}\n"
            );
            [b"Name:\t", &name[..], rest.as_bytes()].concat()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_counted_alike_everywhere() {
        assert_eq!(of_processors(3).matches("processor\t:").count(), 3);
        assert!(of_processors(3).contains("siblings\t: 3\ncore id\t\t: 2\n"));
        assert!(of_memory().starts_with("MemTotal:        8388608 kB\nMemFree:         4194304 kB\n"));
    }
}
