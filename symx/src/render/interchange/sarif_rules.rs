//! The rules of a log in SARIF: a failure's class, in a sentence, and what to do about it. Code hosts show
//! them beside the results, and some take no log without.

use crate::render::sentences::advice;
use serde_json::{Value, json};
use symx_trace::{Failure, FailureDetail};

/// What a reader does with any result.
const READING: &str = "The code flows are the failing execution and the closest passing one. The message has the root cause and \
                       suggested fixes, with the result of trying them.";

/// The rule that the class of a failure is.
pub fn rule(failure: &Failure) -> Value {
    let kind = failure.kind.check().sentence;
    let sentence = of_detail(failure.detail).unwrap_or(kind);
    let help = advice(failure).map_or_else(|| READING.to_owned(), |advice| format!("{advice} {READING}"));
    json!({
        "id": failure.class(),
        "shortDescription": { "text": sentence },
        "fullDescription": { "text": if sentence == kind { kind.to_owned() } else { format!("{kind} {sentence}") } },
        "help": { "text": help },
        "defaultConfiguration": { "level": "error" },
    })
}

/// What a failure is that is distinguished from others of its kind.
fn of_detail(detail: FailureDetail) -> Option<&'static str> {
    Some(match detail {
        FailureDetail::DestroyLocked => "A lock is destroyed while a thread holds it.",
        FailureDetail::DestroyWaited => "An object is destroyed while threads wait at it.",
        FailureDetail::DivisionByZero => "A number is divided by zero.",
        FailureDetail::DoubleFree => "A block is freed that was freed before.",
        FailureDetail::EndOfLife => {
            "An access to a variable is not ordered before the end of the variable's life."
        }
        FailureDetail::ErrorCall => "The place that the program names as its error is reached.",
        FailureDetail::ExitHoldingLock => "A thread ends while it holds a mutex that is not robust.",
        FailureDetail::InvalidFree => "Something is freed that no allocation returned.",
        FailureDetail::Joinable => "A thread's object ends before the thread was joined or detached.",
        FailureDetail::Misaligned => "An address is no multiple of the alignment.",
        FailureDetail::MismatchedFree => "A block is released another way than it was made.",
        FailureDetail::NullDeref => "A null pointer is followed.",
        FailureDetail::OutOfBounds => "An access is past the bounds of an object.",
        FailureDetail::Panic => "Rust code panicked.",
        FailureDetail::ReadOnly => "Constant memory is written to.",
        FailureDetail::ShiftOutOfRange => {
            "A number is shifted by the width of its type or more, or by a negative number."
        }
        FailureDetail::SignedOverflow => "A signed result does not fit its type.",
        FailureDetail::StackOverflow => "The stack takes more memory than there is.",
        FailureDetail::Thread => "A thread was neither joined nor detached.",
        FailureDetail::Unfreed => "Memory is allocated, and still pointed to, when the process ends.",
        FailureDetail::Uninitialised => "A value or an object is used that nothing initialised.",
        FailureDetail::UnlockNotOwner => "A lock is released by a thread that does not hold it.",
        FailureDetail::UseAfterFree => "Memory is used after it was freed.",
        FailureDetail::UseAfterReturn => "A variable is used after its function has returned.",
        FailureDetail::UseAfterScope => "A variable is used after its scope has ended.",
        FailureDetail::UseAfterDestroy => "A synchronisation object is used after it was destroyed.",
        FailureDetail::WaitNotOwner => "A thread waits with a mutex that it does not hold.",
        FailureDetail::WaitOtherMutex => "Threads wait at one condition variable with different mutexes.",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::example::lost_update;
    use symx_trace::FailureKind;

    #[test]
    fn every_kind_has_a_rule_with_a_description_and_help() {
        let mut failure = lost_update().failing.failure.unwrap();
        for kind in FailureKind::ALL {
            failure.kind = *kind;
            let rule = rule(&failure);
            for part in ["shortDescription", "fullDescription", "help"] {
                let text = rule[part]["text"].as_str().unwrap();
                assert!(text.ends_with('.') && text.len() > 10, "{rule}");
            }
        }
        (failure.kind, failure.detail) = (FailureKind::Memory, FailureDetail::UseAfterFree);
        let rule = rule(&failure);
        assert_eq!(rule["id"], "memory/use-after-free");
        assert_eq!(rule["shortDescription"]["text"], "Memory is used after it was freed.");
        assert!(rule["help"]["text"].as_str().unwrap().starts_with("Free it after the last use"), "{rule}");
    }
}
