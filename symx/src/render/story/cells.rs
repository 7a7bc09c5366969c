//! The cells of a table: steps in as few words as there are, with names that fit and yet differ.

use crate::render::sentences::outcome;
use std::collections::{BTreeMap, BTreeSet};
use symx_trace::explanation::{ExecutedStep, Progress};
use symx_trace::{CallEffect, CallOutcome, EventKind};

/// Characters of a name at least: fewer say nothing.
const SHORTEST: usize = 6;

/// Characters of the name that a pointer has for a value, at most, where there is no room for all.
const LONGEST_POINTER: usize = 14;

/// A step in words, in parts: `8 read `, `count`, ` = 0`, and what follows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cell {
    pub before: String,
    pub object: String,
    pub value: String,
    pub after: String,
}

impl Cell {
    /// A step with its value.
    pub fn of(step: &ExecutedStep, value: &str) -> Self {
        let mut cell = Self::of_step(step);
        let is_commit = step.kind == EventKind::Commit;
        if (is_commit || step.kind.is_access()) && !value.is_empty() {
            cell.value = format!(" = {value}");
        }
        match step.progress {
            Progress::Taken => match outcome(step) {
                "" => {}
                outcome => cell.after += &format!(": {outcome}"),
            },
            Progress::Waits => cell.before.insert_str(0, "BLOCKED: "),
            Progress::NotReached if is_commit => cell.before = "(not drained: ".into(),
            Progress::NotReached => {
                cell.before.insert_str(0, "(not reached: ");
                cell.after.push(')');
            }
        }
        cell
    }

    /// What stands before and after the object of a step; no object where it is not named.
    fn of_step(step: &ExecutedStep) -> Self {
        // Which part of its own objects a library takes says nothing to who calls it.
        let in_source =
            Some(step.object.in_source()).filter(|name| step.library.is_some() && !name.is_empty());
        let object = in_source.unwrap_or(&step.object);
        let parts = |before: &str, after: &str| Self {
            before: before.into(),
            object: object.to_owned(),
            after: after.into(),
            ..Self::default()
        };
        let alone = |words: &str| Self { before: words.into(), ..Self::default() };
        match &step.kind {
            EventKind::Read => parts("read ", ""),
            EventKind::Write => parts("write ", ""),
            EventKind::ReadModifyWrite => parts("update ", ""),
            EventKind::Fence => alone("fence"),
            EventKind::Commit => parts("(drains: ", ")"),
            EventKind::Free => parts("end of ", ""),
            EventKind::Failure => alone("fails"),
            EventKind::Call(call) => match call.effect {
                CallEffect::Lock if step.outcome == CallOutcome::Busy => parts("try to lock ", ""),
                CallEffect::Lock if step.outcome == CallOutcome::Queued => parts("wait for ", ""),
                CallEffect::Lock => parts("lock ", ""),
                CallEffect::Unlock => parts("unlock ", ""),
                CallEffect::ConditionWait => parts("wait ", ""),
                CallEffect::Signal => parts("signal ", ""),
                CallEffect::Broadcast => parts("broadcast ", ""),
                CallEffect::BarrierWait => parts("barrier ", ""),
                CallEffect::CreateThread => parts("create ", ""),
                CallEffect::JoinThread => parts("join ", ""),
                CallEffect::ThreadStart => alone("start"),
                CallEffect::ThreadEnd => alone("end"),
                CallEffect::Free => parts("free ", ""),
                CallEffect::Destroy => parts("destroy ", ""),
                CallEffect::SemaphoreWait
                | CallEffect::SemaphorePost
                | CallEffect::Once
                | CallEffect::Other => parts(&format!("{}(", call.name), ")"),
            },
        }
    }

    /// The cell with its names cut as these are, if it does not fit.
    pub fn text(&self, names: &ShortNames) -> String {
        let short = names.short.get(&self.object).filter(|_| self.length() > names.widest);
        match short {
            Some(short) => format!("{}{}{}{}", self.before, short.text, self.short_value(), self.after),
            None => format!("{}{}{}{}", self.before, self.object, self.value, self.after),
        }
    }

    /// The value, of a pointer the end.
    fn short_value(&self) -> String {
        match self.value.strip_prefix(" = &") {
            Some(name) => format!(" = &{}", ending(name, LONGEST_POINTER)),
            None => self.value.clone(),
        }
    }

    /// The characters that are left for its object.
    fn room(&self, widest: usize) -> usize {
        let others = [&self.before, &self.short_value(), &self.after].map(|part| part.chars().count());
        widest.saturating_sub(others.iter().sum()).max(SHORTEST)
    }

    fn length(&self) -> usize {
        [&self.before, &self.object, &self.value, &self.after].iter().map(|part| part.chars().count()).sum()
    }
}

/// A name cut to fit.
struct Short {
    text: String,
    /// Whether its end is that of another one, and a number tells them apart.
    is_numbered: bool,
}

/// Names for cells that do not fit: no two alike.
#[derive(Default)]
pub struct ShortNames {
    /// Characters of a cell.
    widest: usize,
    /// By the names in full.
    short: BTreeMap<String, Short>,
}

impl ShortNames {
    /// For cells of at most `widest` characters.
    pub fn of<'c>(cells: impl Iterator<Item = &'c Cell> + Clone, widest: usize) -> Self {
        let mut rooms: BTreeMap<&str, usize> = BTreeMap::new();
        for cell in cells.clone().filter(|cell| cell.length() > widest) {
            let room = rooms.entry(cell.object.as_str()).or_insert(usize::MAX);
            *room = cell.room(widest).min(*room);
        }
        let whole: BTreeSet<&str> =
            cells.map(|cell| cell.object.as_str()).filter(|name| !rooms.contains_key(name)).collect();
        let cut: BTreeMap<&str, String> =
            rooms.iter().map(|(name, room)| (*name, cut_to(name, *room))).collect();
        let mut taken: BTreeSet<String> = whole.into_iter().map(str::to_owned).collect();
        let is_shared = |text: &str, taken: &BTreeSet<String>| {
            taken.contains(text) || cut.values().filter(|other| *other == text).count() > 1
        };
        let mut short = BTreeMap::new();
        for (name, room) in &rooms {
            let mut text = cut[name].clone();
            let is_numbered = is_shared(&text, &taken);
            if is_numbered {
                let own = ending(without_origin(name), room.saturating_sub(2));
                let mut numbered = (1..).map(|number: u32| format!("{own}~{number}"));
                text = numbered.find(|text| !taken.contains(text)).unwrap_or(text);
            }
            taken.insert(text.clone());
            short.insert((*name).to_owned(), Short { text, is_numbered });
        }
        Self { widest, short }
    }

    /// Those that only a number distinguishes, with the whole names.
    pub fn numbered(&self) -> impl Iterator<Item = (&str, &str)> {
        let numbered = self.short.iter().filter(|(_, short)| short.is_numbered);
        numbered.map(|(name, short)| (short.text.as_str(), name.as_str()))
    }
}

/// A name in at most `room` characters. Where an object was allocated says less than its name, and a name's
/// beginning less than its end.
fn cut_to(name: &str, room: usize) -> String {
    let fits = |name: &str| name.chars().count() <= room;
    if fits(name) { name.to_owned() } else { ending(without_origin(name), room) }
}

/// `config->height` of `config->height (dcl.cc:20)`.
fn without_origin(name: &str) -> &str {
    name.split_once(" (").map_or(name, |(own, _)| own)
}

/// The end of a name, in at most `room` characters, from the beginning of a part if there is one.
fn ending(name: &str, room: usize) -> String {
    let length = name.chars().count();
    if length <= room {
        return name.to_owned();
    }
    let end: Vec<char> = name.chars().skip(length - room.saturating_sub(1)).collect();
    let is_between = |letter: &char| matches!(letter, '.' | '>' | ':' | ' ');
    let begin = end[..end.len() / 2].iter().position(is_between).map_or(0, |at| at + 1);
    let begin = begin + end[begin..].iter().take_while(|letter| is_between(letter)).count();
    std::iter::once('…').chain(end[begin..].iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(object: &str, value: &str) -> Cell {
        Cell::of(&ExecutedStep::taken(1, EventKind::Read, object), value)
    }

    fn shown<const N: usize>(cells: [Cell; N], widest: usize) -> [String; N] {
        let names = ShortNames::of(cells.iter(), widest);
        cells.map(|cell| cell.text(&names))
    }

    #[test]
    fn names_that_do_not_fit_end_in_what_distinguishes_them() {
        let cells = [read("compressor.queue.head", "0"), read("compressor.queue.tail", "0")];
        assert_eq!(
            shown(cells.clone(), 40),
            ["read compressor.queue.head = 0", "read compressor.queue.tail = 0"]
        );
        assert_eq!(shown(cells.clone(), 21), ["read …queue.head = 0", "read …queue.tail = 0"]);
        assert_eq!(shown(cells, 16), ["read …head = 0", "read …tail = 0"]);
    }

    #[test]
    fn a_name_outlasts_where_it_is_from_unless_that_distinguishes() {
        let height = || read("config->height (dcl.cc:20 by T1)", "480");
        assert_eq!(shown([height()], 27), ["read config->height = 480"]);
        let twins = [read("counter (bank.cc:5)", "0"), read("counter (bank.cc:12)", "0")];
        assert_eq!(shown(twins, 20), ["read counter~2 = 0", "read counter~1 = 0"]);
    }

    #[test]
    fn a_name_is_whole_where_it_fits() {
        let cells = [read("compressor.queue.head", "0"), read("compressor.queue.head", "1234567890")];
        let whole = "read compressor.queue.head = 0";
        assert_eq!(shown(cells, 30), [whole, "read …queue.head = 1234567890"]);
    }

    #[test]
    fn names_of_one_end_are_numbered() {
        let cells = [read("producer.queue.head", "0"), read("consumer.queue.head", "0")];
        let names = ShortNames::of(cells.iter(), 16);
        let texts = cells.each_ref().map(|cell| cell.text(&names));
        assert_eq!(texts, ["read …head~2 = 0", "read …head~1 = 0"]);
        let legend: Vec<_> = names.numbered().collect();
        assert_eq!(legend, [("…head~1", "consumer.queue.head"), ("…head~2", "producer.queue.head")]);
    }

    #[test]
    fn a_pointer_s_value_ends_in_its_last_field() {
        let cell = read("list.first", "&manager.connections.first_of_all");
        assert_eq!(shown([cell], 34), ["read list.first = &…first_of_all"]);
    }

    #[test]
    fn a_step_says_what_has_come_of_it() {
        let whole = ShortNames { widest: 100, ..ShortNames::default() };
        let of = |step: ExecutedStep, value: &str| Cell::of(&step, value).text(&whole);
        let step = |kind| ExecutedStep::taken(1, kind, "x");
        let not = |kind| ExecutedStep { progress: Progress::NotReached, ..step(kind) };
        assert_eq!(of(step(EventKind::Write), "1"), "write x = 1");
        assert_eq!(of(not(EventKind::Commit), "1"), "(not drained: x = 1)");
        assert_eq!(of(step(EventKind::Commit), "1"), "(drains: x = 1)");
        assert_eq!(of(not(EventKind::Read), ""), "(not reached: read x)");
        assert_eq!(of(step(EventKind::Fence), ""), "fence");
        let waits = ExecutedStep { progress: Progress::Waits, ..step(EventKind::Read) };
        assert_eq!(of(waits, ""), "BLOCKED: read x");
    }
}
