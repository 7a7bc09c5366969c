//! Names in explanations of programs in Rust, whose library is compiled into them.

use super::explained;
use std::collections::{BTreeSet, HashMap};
use symx_trace::EventKind;

/// Those of Rust's library have no debug information.
#[test]
fn no_static_of_rust_has_its_linker_name() {
    let (explanation, text) = explained("fail/rust/lost_update.rs", &[]);
    let steps = explanation.failing.steps.iter().chain(explanation.passing.iter().flat_map(|it| &it.steps));
    let mangled = |name: &&str| name.starts_with("_R") || name.starts_with("_ZN");
    assert_eq!(steps.map(|step| &*step.object).find(mangled), None, "{text}");
}

/// What Rust's library allocates for a variable is called by it. An object has one name: `spawn` allocates
/// several of one size for one line.
#[test]
fn objects_of_rusts_library_have_their_variable_s_or_their_type_s_name() {
    let (explanation, text) = explained("fail/rust/lost_update.rs", &[]);
    let steps = &explanation.failing.steps;
    let named = |name: &str| steps.iter().filter(|step| *step.object == *name).count();
    assert!(named("*count") > 4 && named("count->strong") > 0, "{text}");
    let mut names: HashMap<u64, BTreeSet<&str>> = HashMap::new();
    for step in steps {
        let Some(place) = step.place.filter(|place| place.offset < 64) else { continue };
        let name = step.object.trim_start_matches('*');
        names.entry(place.object).or_default().insert(name.split(['.', '-', '+']).next().unwrap_or(name));
    }
    let several: Vec<_> = names.values().filter(|names| names.len() > 1).collect();
    assert!(several.is_empty(), "{several:?}");
}

/// What a program calls of the library is in its explanation, not the system call that the library makes.
#[test]
fn calls_of_rusts_library_have_their_names() {
    let (explanation, text) = explained("../examples/worker_stopped.rs", &[]);
    let calls = explanation.failing.steps.iter().filter_map(|step| match &step.kind {
        EventKind::Call(call) => Some((&*call.name, &*step.object)),
        _ => None,
    });
    let of_condition: BTreeSet<&str> =
        calls.filter(|(_, object)| object.starts_with("worker.changed")).map(|(name, _)| name).collect();
    assert_eq!(of_condition, BTreeSet::from(["Condvar::wait", "Condvar::notify_one"]), "{text}");
}
