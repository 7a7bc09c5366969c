//! The failure in a sentence, and its fix, with threads by their labels.

use crate::render::sentences::{common_file, each_once, giving_up, guard_of_block, location_of, place};
use crate::text::one_line;
use std::cell::RefCell;
use symx_checkers::{Diagnosis, diagnosis, first_fix};
use symx_trace::explanation::{ExecutedStep, Explanation, HeldLock, Progress, Remedy};
use symx_trace::{CallEffect, CallOutcome, EventKind, FailureKind, Location};

/// `class: one sentence`.
pub fn headline(explanation: &Explanation) -> String {
    let tell = Tell::new(explanation);
    let Some(failure) = &explanation.failing.failure else { return "no failure".into() };
    let found = diagnosis(explanation);
    let own = failure.class();
    let class = found.class().unwrap_or(&own);
    let told = told(&tell, &found);
    let message = one_line(&failure.message);
    let shown = format!("{}{}", message.trim_end_matches('.'), tell.place_of(&failure.location));
    match (told, failure.kind) {
        // The message may begin with its class.
        (None, _) => format!("{class}: {}.", shown.strip_prefix(&format!("{class}: ")).unwrap_or(&shown)),
        // The message says the same in other words.
        (Some(told), FailureKind::Deadlock | FailureKind::Race) => format!("{class}: {told}."),
        // People look for the error in memory; its reason is the class.
        (Some(told), FailureKind::Memory) => format!("{}: {told} ({}).", failure.detail, spaced(class)),
        (Some(told), _) => format!("{class}: {told}. Then: {shown}."),
    }
}

/// What a diagnosis says of the steps it names; `None` if it names none.
fn told(tell: &Tell<'_>, found: &Diagnosis) -> Option<String> {
    match found {
        Diagnosis::LockOrderInversion { waits } => {
            let one = |step: &u32| {
                let step = tell.step(*step);
                let held = step.locks.iter().map(HeldLock::quoted).collect::<Vec<_>>().join(", ");
                format!("{} holds {held} and waits for {}", tell.thread(step), tell.object_at(step))
            };
            Some(waits.iter().map(one).collect::<Vec<_>>().join("; "))
        }
        Diagnosis::LostWakeup { signal, wait } => {
            let (signal, wait) = (tell.step(*signal), tell.step(*wait));
            Some(format!(
                "{} waits on {} after {} sent the last signal{}: no thread was waiting then",
                tell.thread(wait),
                tell.object_at(wait),
                tell.thread(signal),
                tell.at(signal)
            ))
        }
        Diagnosis::AtomicityViolation { first, between, last } => {
            let between = between.map(|between| tell.step(between));
            Some(tell.interrupted(tell.step(*first), between, tell.step(*last)))
        }
        Diagnosis::OrderViolation { early, late } => {
            let (early, late) = (tell.step(*early), tell.step(*late));
            Some(format!("{}, before {}", tell.clause(early), tell.clause(late)))
        }
        Diagnosis::StoreBufferReordering { store, access } => {
            let (store, access) = (tell.step(*store), tell.step(*access));
            let whose = match store.thread == access.thread {
                true => "its own".into(),
                false => format!("{}'s", tell.thread(store)),
            };
            Some(format!(
                "{}, while {whose} store to {} is still in the store buffer",
                tell.clause(access),
                tell.object_at(store)
            ))
        }
        Diagnosis::MemoryReordering { first, second } => {
            let (first, second) = (tell.step(*first), tell.step(*second));
            let model = &tell.explanation.memory_model;
            Some(format!(
                "nothing keeps these in order under {model}: {}, and {}",
                tell.clause(first),
                tell.clause(second)
            ))
        }
        Diagnosis::InconsistentLocking { access, taken } => {
            let (access, taken) = (tell.step(*access), tell.step(*taken));
            Some(format!(
                "{} without {}, which other accesses to it hold",
                tell.clause(access),
                taken.object.quoted()
            ))
        }
        Diagnosis::DataRace => first_fix(tell.explanation).map(|fix| {
            let (first, second) = fix.steps();
            let (first, second) = (tell.step(first), tell.step(second));
            format!("nothing orders these: {}, and {}", tell.clause(first), tell.clause(second))
        }),
        Diagnosis::Plain => None,
    }
}

/// The words of an identifier.
fn spaced(class: &str) -> String {
    class.replace('-', " ")
}

/// `T1 reads count = 0 (a.c:8, 2nd visit), before T2 writes count = 1 (:9)`.
pub fn ordering(explanation: &Explanation, (earlier, later): (u32, u32), times: (&str, &str)) -> String {
    let tell = Tell::new(explanation);
    let step = |number: u32, time: &str| {
        let step = tell.step(number);
        let value = match step.issued_by {
            Some(issue) if step.value.is_empty() => tell.step(issue).value.clone(),
            _ => step.value.clone(),
        };
        let step = &ExecutedStep { value, progress: Progress::Taken, ..step.clone() };
        let does = match explanation.failing.ends_wait(number) && step.outcome == CallOutcome::Done {
            true => format!("is woken at {}", step.object),
            false => predicate(step),
        };
        let at = match tell.at(step).strip_suffix(')') {
            Some(place) => format!("{place}{time})"),
            None => time.to_owned(),
        };
        format!("{} {does}{at}", tell.label(step))
    };
    let (earlier, later) = (step(earlier, times.0), step(later, times.1));
    format!("{earlier}, before {later}")
}

/// A suggested fix, in the words of a colleague.
pub fn fix(explanation: &Explanation, fix: &Remedy) -> String {
    let tell = Tell::new(explanation);
    let (one, other) = fix.steps();
    let (first, second) = (tell.step(one), tell.step(other));
    let is_lock = |step: &ExecutedStep| step.call_effect() == Some(CallEffect::Lock);
    match fix {
        Remedy::AtomicBlock { .. } if is_lock(first) && is_lock(second) && first.part() != second.part() => {
            format!(
                "acquire {} and {} in the same order in all threads, or hold one more mutex around {} in {}.",
                first.object.quoted(),
                second.object.quoted(),
                tell.lines(first, second),
                tell.thread(first)
            )
        }
        Remedy::AtomicBlock { .. } => format!(
            "hold {} around {} in {} and at every other access to {}.",
            guard_of_block(first, second),
            tell.lines(first, second),
            tell.thread(first),
            protected(first, second)
        ),
        Remedy::Order { .. } => format!(
            "let {} wait at {} until {} has passed {}, e.g. join the thread or wait for a flag.",
            tell.thread(second),
            tell.line(second),
            tell.thread(first),
            tell.line(first)
        ),
        Remedy::Fence { .. } => format!(
            "put a full memory fence between the store to {} ({}) and the access to {} ({}).",
            first.object.quoted(),
            tell.line(first),
            second.object.quoted(),
            tell.line(second)
        ),
        Remedy::Atomic { ordering, .. } if first.is_at_same_part(second) => {
            let (one, other) = (tell.line(first), tell.line(second));
            let lines = if one.ends_with(&other) { one } else { format!("{one} and {other}") };
            let object = first.object.quoted();
            format!("make the accesses to {object} at {lines} atomic ({ordering}).")
        }
        Remedy::Atomic { ordering, .. } => format!(
            "make both accesses atomic ({ordering}): {} at {} and {} at {}.",
            first.object.quoted(),
            tell.line(first),
            second.object.quoted(),
            tell.line(second)
        ),
        Remedy::HoldLock { taken, .. } => format!(
            "hold {} around {} in {}: {} is accessed there without it, and elsewhere with it.",
            tell.step(*taken).object.quoted(),
            tell.lines(first, second),
            tell.thread(first),
            first.object.quoted()
        ),
        Remedy::Lock { .. } => format!(
            "hold one mutex at every access to {} ({}, {}).",
            first.object.quoted(),
            tell.line(first),
            tell.line(second)
        ),
        Remedy::Join { .. } => format!(
            "join {} before {} reaches {}.",
            tell.thread(first),
            tell.thread(second),
            tell.line(second)
        ),
    }
}

/// The objects of two steps that one mutex is to protect: what they access, not a mutex that one of them
/// locks.
fn protected(first: &ExecutedStep, second: &ExecutedStep) -> String {
    let is_of_lock =
        |step: &ExecutedStep| matches!(step.kind.effect(), Some(CallEffect::Lock | CallEffect::Unlock));
    match (is_of_lock(first), is_of_lock(second)) {
        (true, false) => second.object.quoted(),
        (false, true) => first.object.quoted(),
        _ => each_once(first, second),
    }
}

/// Puts steps of the failing execution into words. A file is named once; then lines do.
struct Tell<'a> {
    explanation: &'a Explanation,
    file: RefCell<Option<String>>,
}

impl<'a> Tell<'a> {
    fn new(explanation: &'a Explanation) -> Self {
        Self { explanation, file: RefCell::default() }
    }

    fn step(&self, number: u32) -> &'a ExecutedStep {
        &self.explanation.failing.steps[number as usize]
    }

    /// `T1 worker`.
    fn thread(&self, step: &ExecutedStep) -> String {
        self.explanation.failing.threads[step.thread as usize].title()
    }

    /// `T1`.
    fn label(&self, step: &ExecutedStep) -> String {
        self.explanation.failing.threads[step.thread as usize].name.label()
    }

    /// `a.c:12`, or `:12` where the file was named; nothing where no line is known.
    fn short(&self, location: &Location) -> String {
        if location.line == 0 || location.file.is_empty() {
            return String::new();
        }
        let is_known = self.file.borrow().as_ref() == Some(&location.file);
        if is_known {
            return format!(":{}", location.line);
        }
        self.file.replace(Some(location.file.clone()));
        place(location)
    }

    /// `a.c:12`, or what the step does where no line is known, as of code that the compiler has merged.
    fn line(&self, step: &ExecutedStep) -> String {
        match self.short(location_of(&self.explanation.failing, step)) {
            none if none.is_empty() && step.object.is_empty() => {
                format!("an unknown line of {}", self.label(step))
            }
            none if none.is_empty() => {
                format!("{}'s {} of {}", self.label(step), noun(step), step.object.quoted())
            }
            place => place,
        }
    }

    /// The lines from one step to another one: `a.c:12-14`.
    fn lines(&self, first: &ExecutedStep, last: &ExecutedStep) -> String {
        let (from, to) = (self.line(first), self.line(last));
        let [one, other] =
            [first, last].map(|step| location_of(&self.explanation.failing, step).function.as_str());
        if one != other && !one.is_empty() && !other.is_empty() {
            return format!("{from} ({one}) to {to} ({other})");
        }
        match to.strip_prefix(':') {
            Some(_) if from.ends_with(&to) => from,
            Some(line) => format!("{from}-{line}"),
            None if from == to => from,
            None => format!("{from} to {to}"),
        }
    }

    /// ` (a.c:12)`, or nothing.
    fn place_of(&self, location: &Location) -> String {
        match self.short(location) {
            none if none.is_empty() => none,
            place => format!(" ({place})"),
        }
    }

    /// The same of a step.
    fn at(&self, step: &ExecutedStep) -> String {
        self.place_of(location_of(&self.explanation.failing, step))
    }

    /// `` `count` (a.c:12)``.
    fn object_at(&self, step: &ExecutedStep) -> String {
        format!("{}{}", step.object.quoted(), self.at(step))
    }

    /// `T1 worker reads count = 0 (a.c:12)`.
    fn clause(&self, step: &ExecutedStep) -> String {
        format!("{} {}{}", self.thread(step), predicate(step), self.at(step))
    }

    fn interrupted(
        &self,
        first: &ExecutedStep,
        between: Option<&ExecutedStep>,
        last: &ExecutedStep,
    ) -> String {
        let thread = self.thread(first);
        let places =
            [first, last].into_iter().chain(between).map(|step| location_of(&self.explanation.failing, step));
        let is_one_line = {
            let mut places = places.clone();
            let first = places.next();
            places
                .all(|place| Some((&place.file, place.line)) == first.map(|first| (&first.file, first.line)))
        };
        let is_one_object = first.is_at_same_part(last)
            && between.is_none_or(|between| between.is_at_same_part(first))
            && !first.object.is_empty();
        if is_one_object && is_one_line && common_file(places).is_some() {
            let told = match between {
                Some(between) => format!("{} {} it", self.thread(between), doing(between)),
                None => "another thread comes".into(),
            };
            return format!(
                "{}: {told} between {thread}'s {} and {}, which belong together",
                self.object_at(first),
                noun(first),
                noun(last)
            );
        }
        let told = between.map_or_else(|| "another thread comes".into(), |between| self.clause(between));
        format!(
            "{told}, between {thread}'s {} of {} and {} of {}",
            noun(first),
            self.object_at(first),
            noun(last),
            self.object_at(last)
        )
    }
}

/// What a step is, as in `read of count`.
fn noun(step: &ExecutedStep) -> &'static str {
    match &step.kind {
        EventKind::Read => "read",
        EventKind::Write | EventKind::Commit => "write",
        EventKind::ReadModifyWrite => "update",
        EventKind::Call(call) => match call.effect {
            CallEffect::Lock if step.outcome == CallOutcome::Queued => "wait",
            CallEffect::Lock if step.outcome != CallOutcome::Done => "failed lock",
            CallEffect::Lock => "lock",
            CallEffect::Unlock => "unlock",
            CallEffect::Signal => "signal",
            CallEffect::Broadcast => "broadcast",
            CallEffect::SemaphorePost => "post",
            CallEffect::CreateThread => "creation",
            CallEffect::JoinThread => "join",
            CallEffect::Free => "free",
            CallEffect::Destroy => "destruction",
            _ => "use",
        },
        EventKind::Free => "end of life",
        EventKind::Fence | EventKind::Failure => "step",
    }
}

fn doing(step: &ExecutedStep) -> &'static str {
    match &step.kind {
        EventKind::Read => "reads",
        EventKind::Write | EventKind::Commit => "writes",
        EventKind::ReadModifyWrite => "updates",
        EventKind::Free => "ends the life of",
        EventKind::Call(call) if call.effect == CallEffect::Free => "frees",
        _ => "uses",
    }
}

/// A step as the predicate of a sentence about its thread.
pub fn predicate(step: &ExecutedStep) -> String {
    if let Some(told) = giving_up(step) {
        return told;
    }
    let object = &step.object;
    // A step that its thread does not take has no value; in place of one stands why.
    let value = match step.value.as_str() {
        value if value.is_empty() || !step.is_taken() => String::new(),
        value => format!(" = {value}"),
    };
    match &step.kind {
        EventKind::Read => format!("reads {object}{value}"),
        EventKind::Write => format!("writes {object}{value}"),
        EventKind::ReadModifyWrite => format!("updates {object}{value}"),
        EventKind::Fence => "passes a fence".into(),
        EventKind::Commit => format!("has stored {object}{value} to memory"),
        EventKind::Free => format!("ends the life of {object}"),
        EventKind::Failure => "fails".into(),
        EventKind::Call(call) => match call.effect {
            CallEffect::Lock => format!("locks {object}"),
            CallEffect::Unlock => format!("unlocks {object}"),
            CallEffect::ConditionWait => format!("waits on {object}"),
            CallEffect::Signal => format!("signals {object}"),
            CallEffect::Broadcast => format!("broadcasts {object}"),
            CallEffect::SemaphoreWait => format!("takes a unit of {object}"),
            CallEffect::SemaphorePost => format!("posts {object}"),
            CallEffect::BarrierWait => format!("arrives at {object}"),
            CallEffect::CreateThread => format!("creates {object}"),
            CallEffect::JoinThread => format!("joins {object}"),
            CallEffect::ThreadStart => "starts".into(),
            CallEffect::ThreadEnd => "ends".into(),
            CallEffect::Free => format!("frees {object}"),
            CallEffect::Destroy => format!("destroys {object}"),
            CallEffect::Once | CallEffect::Other => format!("calls {}({object})", call.name),
        },
    }
}
