//! Candidates of models that keep history, which need not be coherent: any write can be read, and coherence order
//! matters to updates alone.
//!
//! Candidates are put together part by part; what no model allows already is not completed.

use super::values::{Values, evaluate};
use super::{Allowed, Step, unrelated};
use crate::program::Program;
use symx_memmodel::{ByteRange, Execution, Location, Operation};

/// Adds the outcomes of one control flow, whose events `execution` has, under some `models`.
pub(super) fn add_outcomes(
    program: &Program,
    threads: &[Vec<Step>],
    mut execution: Execution,
    models: &[usize],
    allowed: &mut [Allowed],
) {
    let questions = questions(&execution);
    for location in &mut execution.locations {
        *location = unrelated(location.range);
    }
    Candidates { program, threads, execution, questions, allowed }.complete(0, models);
}

/// First the order of the writes that updates order, then for one read after another where its bytes come from: with so
/// many sources, what a read cannot return must be seen before the next is looked at.
fn questions(execution: &Execution) -> Vec<Question> {
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

/// A relation, or part of one, of a location.
#[derive(Clone)]
enum Part {
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
    allowed: &'a mut [Allowed],
}

impl Candidates<'_> {
    /// Answers the questions from number `next` on in every way; `models` allow the answers before.
    fn complete(&mut self, next: usize, models: &[usize]) {
        let complete = next == self.questions.len();
        let values = evaluate(self.program, self.threads, &self.execution);
        let interested = |model: &usize| {
            let (model, outcomes) = &self.allowed[*model];
            let known = matches!(&values, Values::Outcome(outcome) if complete && outcomes.contains(outcome));
            !known && model.allows(&self.execution).is_ok()
        };
        let models: Vec<usize> = match values {
            Values::WrongGuess => return,
            _ => models.iter().copied().filter(interested).collect(),
        };
        if models.is_empty() {
            return;
        }
        if complete {
            let Values::Outcome(outcome) = values else {
                panic!("thin air is allowed: {:?}", self.execution)
            };
            for model in models {
                self.allowed[model].1.insert(outcome.clone());
            }
            return;
        }
        for answer in std::mem::take(&mut self.questions[next]) {
            let before = self.execution.locations.clone();
            for (location, part) in &answer {
                let location = &mut self.execution.locations[*location];
                match part {
                    Part::Coherence(order) => location.coherence = order.clone(),
                    Part::Source(read, source) => location.reads_from.push((*read, *source)),
                }
            }
            self.complete(next + 1, &models);
            self.execution.locations = before;
            self.questions[next].push(answer);
        }
    }
}
