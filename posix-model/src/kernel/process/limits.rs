//! Limits of resources, which each process has: `getrlimit`, `setrlimit`, `prlimit64`.
//!
//! The limit of descriptors is kept to. One whose effect the model lacks cannot be lowered: a run that does
//! so is incomplete.

use crate::answer::{PosixCall, Step, Turn, announced, failed, word};
use crate::errno::{EINVAL, EPERM, ESRCH};
use crate::kernel::nodes::descriptors::descriptor_places;
use crate::kernel::process::numbered::process_meant;
use crate::kernel::system_calls::argument;
use crate::places::{LIMITS, read, write};
use crate::threads::process_numbers::{own_number, process_numbered};
use smallvec::smallvec;
use std::sync::Arc;
use symx_interp::stop::Stop;
use symx_interp::value::Value;
use symx_trace::Footprint;

/// The limit that counts, and the highest that it can be set to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Limit {
    soft: u64,
    hard: u64,
}

/// The effect of a lower limit on a process.
#[derive(Clone, Copy)]
enum Lowered {
    /// It is kept to, or has no effect on what a program can tell.
    Kept,
    /// The limit of this is not kept to.
    Unsupported(&'static str),
}

/// The highest number of descriptors that the kernel allows (`fs.nr_open`).
const MOST_DESCRIPTORS: u64 = 1 << 20;
const UNLIMITED: u64 = u64::MAX;
const FREE: Limit = Limit { soft: UNLIMITED, hard: UNLIMITED };

/// The resource that descriptors are (`RLIMIT_NOFILE`).
const DESCRIPTORS: usize = 7;

/// What the resources are called, by number, and the unit of each.
const NAMES: [(&str, &str); RESOURCES.len()] = [
    ("cpu time", "seconds"),
    ("file size", "bytes"),
    ("data size", "bytes"),
    ("stack size", "bytes"),
    ("core file size", "bytes"),
    ("resident set", "bytes"),
    ("processes", "processes"),
    ("open files", "files"),
    ("locked memory", "bytes"),
    ("address space", "bytes"),
    ("file locks", "locks"),
    ("pending signals", "signals"),
    ("msgqueue size", "bytes"),
    ("nice priority", ""),
    ("realtime priority", ""),
    ("realtime timeout", "us"),
];

/// The resources by number, with the limits that the kernel gives its first process.
const RESOURCES: [(Limit, Lowered); 16] = [
    (FREE, Lowered::Unsupported("processor time")),
    (FREE, Lowered::Unsupported("the size of files")),
    (FREE, Lowered::Unsupported("the size of data")),
    // Of the main thread's stack, which has no size here. Others get the size of when the program began.
    (Limit { soft: 8 << 20, hard: UNLIMITED }, Lowered::Kept),
    // Of the image of a process that a signal ends.
    (FREE, Lowered::Kept),
    // Of resident memory: Linux does not look at it.
    (FREE, Lowered::Kept),
    (FREE, Lowered::Unsupported("the number of threads")),
    (Limit { soft: 1024, hard: 4096 }, Lowered::Kept),
    (FREE, Lowered::Unsupported("locked memory")),
    (FREE, Lowered::Unsupported("the address space")),
    // Of locks of files: Linux does not look at it.
    (FREE, Lowered::Kept),
    (FREE, Lowered::Unsupported("pending signals")),
    (FREE, Lowered::Unsupported("message queues")),
    // Only the superuser may be before others by priority.
    (Limit { soft: 0, hard: 0 }, Lowered::Kept),
    (Limit { soft: 0, hard: 0 }, Lowered::Kept),
    (FREE, Lowered::Unsupported("time without a wait")),
];

/// The limits of a process, by resource.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Limits(Arc<[Limit; RESOURCES.len()]>);

impl Default for Limits {
    fn default() -> Self {
        Self(Arc::new(RESOURCES.map(|(limit, _)| limit)))
    }
}

impl Limits {
    /// Descriptors are below this number, unless they were made before it was.
    pub fn descriptors(&self) -> u32 {
        self.0[DESCRIPTORS].soft.min(MOST_DESCRIPTORS) as u32
    }

    /// Whether the limit of descriptors is that of the beginning.
    pub fn is_usual(&self) -> bool {
        self.0[DESCRIPTORS] == RESOURCES[DESCRIPTORS].0
    }

    /// The table of them that a process can read.
    pub fn text(&self) -> String {
        let number = |limit: u64| if limit == UNLIMITED { "unlimited".to_owned() } else { limit.to_string() };
        let row = |name: &str, soft: &str, hard: &str, unit: &str| {
            let unit = if unit.is_empty() { String::new() } else { format!("{unit:<10}") };
            format!("{name:<25} {soft:<20} {hard:<20} {unit}\n")
        };
        let mut text = row("Limit", "Soft Limit", "Hard Limit", "Units     ");
        for ((name, unit), limit) in NAMES.iter().zip(self.0.iter()) {
            text += &row(&format!("Max {name}"), &number(limit.soft), &number(limit.hard), unit);
        }
        text
    }

    /// The error of setting a limit to `new`, if it cannot be.
    fn refusal(&self, resource: usize, new: Limit) -> Option<i32> {
        match () {
            () if new.soft > new.hard => Some(EINVAL),
            // Only the superuser raises what others cannot go beyond.
            () if new.hard > self.0[resource].hard => Some(EPERM),
            () => None,
        }
    }
}

/// `getrlimit(resource, limit)`.
pub(super) fn get(call: &mut PosixCall<'_, '_>) -> Step {
    let (resource, old) = (argument(call, 0)?, argument(call, 1)?);
    exchange(call, resource, None, Some(old))
}

/// `setrlimit(resource, limit)`.
pub(super) fn set(call: &mut PosixCall<'_, '_>) -> Step {
    let (resource, new) = (argument(call, 0)?, argument(call, 1)?);
    exchange(call, resource, Some(new), None)
}

/// `prlimit64(process, resource, new, old)`: either address may be null, and process 0 is the caller's.
pub(super) fn get_and_set(call: &mut PosixCall<'_, '_>) -> Step {
    let process = argument(call, 0)? as u32;
    let process = match process_meant(call, process) {
        Turn::Go(process) => process,
        Turn::Answer(answer) => return answer,
    };
    let (resource, new, old) = (argument(call, 1)?, argument(call, 2)?, argument(call, 3)?);
    if process != 0 && u64::from(process) != own_number(call) {
        return match process_numbered(call, process as i32) {
            Some(_) => Err(call.unsupported("limits of another process")),
            None => failed(ESRCH),
        };
    }
    let given = |address| (address != 0).then_some(address);
    exchange(call, resource, given(new), given(old))
}

/// Sets the limit to what is at `new`, and writes what it was to `old`.
fn exchange(call: &mut PosixCall<'_, '_>, resource: u64, new: Option<u64>, old: Option<u64>) -> Step {
    let resource = resource as u32 as usize;
    let Some((_, lowered)) = RESOURCES.get(resource) else { return failed(EINVAL) };
    let new = match new {
        None => None,
        Some(at) => Some(Limit { soft: call.read_number(at, 8)?, hard: call.read_number(at + 8, 8)? }),
    };
    // Alone, a thread has nothing to be ordered with. A thread that has ended and was not joined counts: its
    // steps may come later.
    if call.state().unjoined > 1
        && let Some(park) = announced(call, touched(resource, new.is_some()))
    {
        return Ok(park);
    }
    let limits = &call.state().data.kernel.own.limits;
    let was = limits.0[resource];
    if let Some(new) = new {
        if let Some(error) = limits.refusal(resource, new) {
            return failed(error);
        }
        if new.soft < was.soft
            && let Lowered::Unsupported(what) = lowered
        {
            return Err(call.unsupported(format!("a lower limit of {what}")));
        }
    }
    if let Some(old) = old {
        put(call, old, was)?;
    }
    if let Some(new) = new {
        Arc::make_mut(&mut call.data().kernel.own.limits.0)[resource] = new;
    }
    word(0)
}

/// The places that getting or setting a limit touches. Calls that make descriptors touch those, and not the
/// limit.
fn touched(resource: usize, sets: bool) -> Footprint {
    match sets {
        false => smallvec![read(LIMITS)],
        true if resource == DESCRIPTORS => descriptor_places().chain([LIMITS]).map(write).collect(),
        true => smallvec![write(LIMITS)],
    }
}

fn put(call: &mut PosixCall<'_, '_>, address: u64, limit: Limit) -> Result<(), Stop> {
    call.write(address, 8, Value::Concrete(limit.soft))?;
    call.write(address + 8, 8, Value::Concrete(limit.hard))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_stays_below_the_hard_one_which_only_falls() {
        let limits = Limits::default();
        let refusal = |soft, hard| limits.refusal(DESCRIPTORS, Limit { soft, hard });
        assert_eq!((refusal(4096, 4096), refusal(0, 8)), (None, None));
        assert_eq!((refusal(9, 8), refusal(8, 4097)), (Some(EINVAL), Some(EPERM)));
        assert!(limits.descriptors() == 1024 && limits.is_usual());
        let text = limits.text();
        assert_eq!(text.lines().count(), 1 + RESOURCES.len());
        let row = "Max open files            1024                 4096                 files     ";
        assert_eq!(text.lines().nth(8), Some(row));
    }
}
