//! Every outcome of a program by listing all candidate executions and asking the axioms.
//!
//! Candidates are put together part by part; what no model allows already is not completed. Models that keep
//! history need not be coherent: any write can be read, and coherence order matters to updates alone.

use crate::program::{Instruction, Observed, Outcome, Program, REGISTERS, Update, from_bytes, to_bytes};
use std::collections::BTreeSet;
use symx_memmodel::{ByteRange, Event, Execution, Location, MemoryModel, Operation, Ordering};

/// A step of a guessed control flow: the instruction, and whether its branch is skipped or its compare fails.
#[derive(Clone, Copy)]
struct Step<'a> {
    instruction: &'a Instruction,
    fails: bool,
}

/// All ways through one thread, guessing each condition.
fn paths(code: &[Instruction]) -> Vec<Vec<Step<'_>>> {
    let Some((instruction, rest)) = code.split_first() else { return vec![Vec::new()] };
    let guesses: &[(bool, usize)] = match instruction {
        Instruction::SkipUnless { count, .. } => &[(false, 0), (true, *count)],
        Instruction::Update { update: Update::CompareExchange { .. }, .. } => &[(false, 0), (true, 0)],
        _ => &[(false, 0)],
    };
    let mut all = Vec::new();
    for &(fails, skipped) in guesses {
        for tail in paths(&rest[skipped..]) {
            all.push([vec![Step { instruction, fails }], tail].concat());
        }
    }
    all
}

/// The event of a step; a branch has none.
fn event(thread: usize, step: &Step) -> Option<Event> {
    let (operation, ordering, range) = match step.instruction {
        Instruction::Load { range, ordering, .. } => (Operation::Load, *ordering, *range),
        Instruction::Store { range, ordering, .. } => (Operation::Store, *ordering, *range),
        Instruction::Update { range, ordering, .. } if step.fails => {
            (Operation::FailedCompareExchange, *ordering, *range)
        }
        Instruction::Update { range, ordering, .. } => (Operation::ReadModifyWrite, *ordering, *range),
        Instruction::Fence(ordering) => (Operation::Fence, *ordering, ByteRange::new(0, 0)),
        Instruction::SkipUnless { .. } => return None,
    };
    Some(Event { thread: thread as u32, operation, ordering, range })
}

/// All coherent choices of coherence order and reads-from at a location.
fn coherent_choices(execution: &Execution, location: &Location) -> Vec<Location> {
    let mut choices = Vec::new();
    for coherence in permutations(&location.coherence) {
        let order = Location { coherence, reads_from: Vec::new(), range: location.range };
        if execution.check_location(&order).is_err() {
            continue;
        }
        choices.extend(location.reads_from.iter().fold(vec![order], |partial, &(read, _)| {
            let sources = || location.coherence.iter().copied().filter(|&write| write != read).map(Some);
            let extended = partial.iter().flat_map(|choice| {
                sources().chain([None]).map(|source| {
                    let mut choice = choice.clone();
                    choice.reads_from.push((read, source));
                    choice
                })
            });
            extended.filter(|choice| execution.check_location(choice).is_ok()).collect()
        }));
    }
    choices
}

/// For one location after another, its coherent relations.
fn coherent_questions(execution: &Execution) -> Vec<Question> {
    let choices = |(index, location)| {
        coherent_choices(execution, location)
            .into_iter()
            .map(|choice| vec![(index, Part::All(choice))])
            .collect()
    };
    execution.locations.iter().enumerate().map(choices).collect()
}

/// First the order of the writes that updates order, then for one read after another where its bytes come from: with so
/// many sources, what a read cannot return must be seen before the next is looked at.
fn history_questions(execution: &Execution) -> Vec<Question> {
    let is_update = |read: usize| {
        let operation = execution.events[read].operation;
        matches!(operation, Operation::ReadModifyWrite | Operation::FailedCompareExchange)
    };
    let mut questions: Vec<Question> = Vec::new();
    for (index, location) in execution.locations.iter().enumerate() {
        let ordered = location.reads_from.iter().any(|(read, _)| is_update(*read));
        let orders =
            if ordered { permutations(&location.coherence) } else { vec![location.coherence.clone()] };
        questions.push(orders.into_iter().map(|order| vec![(index, Part::Coherence(order))]).collect());
    }
    for (read, event) in execution.events.iter().enumerate().filter(|(_, event)| event.reads()) {
        let mut answers: Question = vec![Vec::new()];
        let at = execution.locations.iter().enumerate();
        for (index, location) in at.filter(|(_, location)| event.range.covers(location.range)) {
            // Nothing of the thread's own that comes later.
            let writes = location.coherence.iter().copied().filter(|write| {
                *write != read && (*write < read || execution.events[*write].thread != event.thread)
            });
            let sources: Vec<Option<usize>> = writes.map(Some).chain([None]).collect();
            let extended = answers.iter().flat_map(|answer| {
                sources.iter().filter(|source| !tears(execution, answer, **source, location)).map(|source| {
                    let mut answer = answer.clone();
                    answer.push((index, Part::Source(read, *source)));
                    answer
                })
            });
            answers = extended.collect();
        }
        questions.push(answers);
    }
    questions
}

/// Whether a read that takes other locations from what `answer` says would tear a write by taking `here` from `source`.
fn tears(execution: &Execution, answer: &Answer, source: Option<usize>, here: &Location) -> bool {
    let wrote = |write: Option<usize>, range: ByteRange| {
        write.is_none_or(|write| execution.events[write].range.covers(range))
    };
    answer.iter().any(|(there, part)| match part {
        Part::Source(_, other) => {
            let there = execution.locations[*there].range;
            *other != source && wrote(*other, here.range) && wrote(source, there)
        }
        _ => false,
    })
}

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    let Some((first, rest)) = items.split_first() else { return vec![Vec::new()] };
    let insert = |tail: Vec<usize>| {
        (0..=tail.len()).map(move |position| {
            let mut permutation = tail.clone();
            permutation.insert(position, *first);
            permutation
        })
    };
    permutations(rest).into_iter().flat_map(insert).collect()
}

/// What the values of an execution turn out to be.
enum Values {
    /// As guessed, with this outcome.
    Outcome(Outcome),
    /// A branch or compare goes the other way.
    WrongGuess,
    /// Some value depends on itself.
    OutOfThinAir,
}

/// Computes values along program order and reads-from.
fn evaluate(program: &Program, threads: &[Vec<Step>], execution: &Execution) -> Values {
    let mut registers = vec![0; REGISTERS + program.observed.len()];
    let mut written: Vec<Option<Vec<u8>>> = vec![None; execution.events.len()];
    let mut position = vec![0; threads.len()];
    let first_event: Vec<usize> = (0..threads.len())
        .map(|thread| execution.events.iter().filter(|event| (event.thread as usize) < thread).count())
        .collect();
    let mut next_event = first_event;
    // The byte of `address` that `source` wrote, `None` while unknown.
    let byte = |written: &[Option<Vec<u8>>], source: Option<usize>, address: u64| match source {
        None => Some(program.initial_byte(address)),
        Some(write) => {
            let offset = execution.events[write].range.offset_of(address)? as usize;
            written[write].as_ref().map(|bytes| bytes[offset])
        }
    };
    let value_read = |written: &[Option<Vec<u8>>], read: usize| -> Option<u64> {
        let bytes = execution.events[read].range.addresses().map(|address| {
            let location = execution.locations.iter().find(|at| at.range.offset_of(address).is_some())?;
            let (_, source) = location.reads_from.iter().find(|(reader, _)| *reader == read)?;
            byte(written, *source, address)
        });
        Some(from_bytes(bytes.collect::<Option<Vec<_>>>()?.into_iter()))
    };
    loop {
        let mut progress = false;
        for (thread, steps) in threads.iter().enumerate() {
            while let Some(step) = steps.get(position[thread]) {
                let index = next_event[thread];
                match step.instruction {
                    Instruction::Load { register, .. } => {
                        let Some(value) = value_read(&written, index) else { break };
                        registers[*register] = value;
                    }
                    Instruction::Store { range, value, .. } => {
                        written[index] = Some(to_bytes(value.evaluate(&registers), *range).collect());
                    }
                    Instruction::Update { register, range, update, .. } => {
                        let Some(old) = value_read(&written, index) else { break };
                        let new = update.apply(old, &registers);
                        if new.is_none() != step.fails {
                            return Values::WrongGuess;
                        }
                        written[index] = new.map(|new| to_bytes(new, *range).collect());
                        registers[*register] = old;
                    }
                    Instruction::Fence(_) => {}
                    Instruction::SkipUnless { register, equals, .. } => {
                        if (registers[*register] != *equals) != step.fails {
                            return Values::WrongGuess;
                        }
                    }
                }
                next_event[thread] += usize::from(event(thread, step).is_some());
                position[thread] += 1;
                progress = true;
            }
        }
        if !progress {
            break;
        }
    }
    if threads.iter().zip(&position).any(|(steps, &position)| position < steps.len()) {
        return Values::OutOfThinAir;
    }
    let last_byte = |address: u64| {
        let location = execution.locations.iter().find(|at| at.range.offset_of(address).is_some());
        let last = location.and_then(|location| location.coherence.last().copied());
        byte(&written, last, address).expect("all values are known")
    };
    let observe = |observed: &Observed| match observed {
        Observed::Register(register) => registers[*register],
        Observed::Memory(range) => from_bytes(range.addresses().map(last_byte)),
    };
    Values::Outcome(program.observed.iter().map(observe).collect())
}

/// A relation, or part of one, of a location.
#[derive(Clone)]
enum Part {
    /// All its relations.
    All(Location),
    /// Its coherence order.
    Coherence(Vec<usize>),
    /// Where one read takes it from.
    Source(usize, Option<usize>),
}

/// Parts of locations, by their numbers.
type Answer = Vec<(usize, Part)>;

/// What is to be chosen next: one of these.
type Question = Vec<Answer>;

/// Candidates of one control flow, and what of them each model allows.
struct Candidates<'a> {
    program: &'a Program,
    threads: &'a [Vec<Step<'a>>],
    execution: Execution,
    questions: Vec<Question>,
    outcomes: &'a mut [(&'static dyn MemoryModel, BTreeSet<Outcome>)],
}

impl Candidates<'_> {
    /// Answers the questions from number `next` on in every way; `models` allow the answers before.
    fn complete(&mut self, next: usize, models: &[usize]) {
        let execution = &self.execution;
        let allow = |model: &usize| {
            let model = self.outcomes[*model].0;
            // Where there is one order of stores, the choices at each location are coherent already.
            match model.keeps_history() {
                true => model.allows(execution).is_ok(),
                false => execution.check_order(model).is_ok(),
            }
        };
        let models: Vec<usize> = models.iter().copied().filter(allow).collect();
        if models.is_empty() {
            return;
        }
        if next < self.questions.len() {
            for answer in std::mem::take(&mut self.questions[next]) {
                let before = self.execution.locations.clone();
                for (location, part) in &answer {
                    let location = &mut self.execution.locations[*location];
                    match part {
                        Part::All(relations) => *location = relations.clone(),
                        Part::Coherence(order) => location.coherence = order.clone(),
                        Part::Source(read, source) => location.reads_from.push((*read, *source)),
                    }
                }
                self.complete(next + 1, &models);
                self.execution.locations = before;
                self.questions[next].push(answer);
            }
            return;
        }
        match evaluate(self.program, self.threads, &self.execution) {
            Values::WrongGuess => {}
            Values::OutOfThinAir => panic!("thin air is allowed: {:?}", self.execution),
            Values::Outcome(outcome) => {
                for model in models {
                    self.outcomes[model].1.insert(outcome.clone());
                }
            }
        }
    }
}

/// A location without relations: nothing is known of it yet.
fn unrelated(range: ByteRange) -> Location {
    Location { range, coherence: Vec::new(), reads_from: Vec::new() }
}

/// The outcomes of `program` under each of `models`, in their order.
pub fn outcomes(program: &Program, models: &[&'static dyn MemoryModel]) -> Vec<BTreeSet<Outcome>> {
    let mut outcomes: Vec<_> = models.iter().map(|model| (*model, BTreeSet::new())).collect();
    let (history, store_order): (Vec<usize>, Vec<usize>) =
        (0..models.len()).partition(|model| models[*model].keeps_history());
    if !store_order.is_empty() {
        list(program, &[], &store_order, coherent_questions, &mut outcomes);
    }
    if !history.is_empty() {
        // Who looks at memory in the end reads as everybody does.
        let (watched, observer) = with_observer(program);
        list(&watched, &[observer], &history, history_questions, &mut outcomes);
    }
    outcomes.into_iter().map(|(_, outcomes)| outcomes).collect()
}

/// The program with a thread that reads the memory to observe, and that thread's number.
fn with_observer(program: &Program) -> (Program, usize) {
    let mut watched = program.clone();
    let mut reads = Vec::new();
    for (index, observed) in watched.observed.iter_mut().enumerate() {
        if let Observed::Memory(range) = *observed {
            let register = REGISTERS + index;
            reads.push(Instruction::Load { register, range, ordering: Ordering::NotAtomic });
            *observed = Observed::Register(register);
        }
    }
    watched.threads.push(reads);
    (watched, program.threads.len())
}

/// Adds the outcomes under some `models`; `questions` says in which order candidates are put together. Threads in `last`
/// start after all others have ended.
fn list(
    program: &Program,
    last: &[usize],
    models: &[usize],
    questions: fn(&Execution) -> Vec<Question>,
    outcomes: &mut [(&'static dyn MemoryModel, BTreeSet<Outcome>)],
) {
    let every_path: Vec<_> = program.threads.iter().map(|code| paths(code)).collect();
    for threads in product(&every_path) {
        let events = threads
            .iter()
            .enumerate()
            .flat_map(|(thread, steps)| steps.iter().filter_map(move |step| event(thread, step)))
            .collect();
        let mut execution = Execution::new(events);
        let of = |thread: usize| {
            let events = execution.events.iter().enumerate();
            events.filter(move |(_, event)| event.thread as usize == thread).map(|(index, _)| index)
        };
        let mut synchronises = Vec::new();
        for late in last.iter().filter_map(|late| of(*late).next()) {
            let ended = (0..threads.len()).filter(|thread| !last.contains(thread));
            synchronises.extend(ended.filter_map(|thread| Some((of(thread).next_back()?, late))));
        }
        execution.synchronises = synchronises;
        let questions = questions(&execution);
        for location in &mut execution.locations {
            *location = unrelated(location.range);
        }
        let outcomes = &mut *outcomes;
        Candidates { program, threads: &threads, execution, questions, outcomes }.complete(0, models);
    }
}

/// All ways to take one item of each list.
fn product<T: Clone>(lists: &[Vec<T>]) -> Vec<Vec<T>> {
    lists.iter().fold(vec![Vec::new()], |taken, list| {
        taken
            .iter()
            .flat_map(|start| list.iter().map(|item| [start.as_slice(), std::slice::from_ref(item)].concat()))
            .collect()
    })
}
