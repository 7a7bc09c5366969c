//! `symx debug` with a scripted client.

mod client;

use client::{Client, corpus, explore, line_of};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

const SCHEDULE: &str = "symx-out/failure-1.schedule.json";

#[test]
fn values_are_those_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let program = corpus("fail/values_of_every_kind.c");
    explore(folder.path(), &program, &[]);
    let mut client = Client::start(folder.path(), &[program.to_str().unwrap(), SCHEDULE]);
    client.launch(Value::Null);
    assert_eq!(client.go("configurationDone", Value::Null).reason, "exception");
    let values = [
        // That of the function where the program stands.
        ("calls", "22"),
        // Values of a bit-field of few bits are all of `int`.
        ("bits.low - 6 < 0", "1"),
        ("bits.middle", "-2"),
        ("bits.high == 0xF000000000000001", "1"),
        ("narrow.behind == 0x7000000000000001", "1"),
        ("tenth == 1.1f", "1"),
        ("product == tenth * tenth", "1"),
        // Without negative enumerators, its type has no sign.
        ("size > -1", "0"),
        ("'\\a'", "7"),
    ];
    for (expression, value) in values {
        assert_eq!(client.value(1, expression), value, "{expression}");
    }
    client.end();
}

#[test]
fn from_the_failing_assertion_back_to_the_writes_that_caused_it() {
    let folder = tempfile::tempdir().unwrap();
    let program = corpus("fail/lost_update.c");
    explore(folder.path(), &program, &[]);
    let mut client = Client::start(folder.path(), &[program.to_str().unwrap(), SCHEDULE]);
    client.launch(Value::Null);
    let failure = client.go("configurationDone", Value::Null);
    assert_eq!((failure.reason.as_str(), failure.thread), ("exception", 1));
    assert!(failure.text.contains("counter == 2"), "{failure:?}");
    let exception = client.request("exceptionInfo", json!({ "threadId": 1 }));
    assert!(exception["description"].as_str().unwrap().contains("counter == 2"));
    let (_, function, line) = client.frame(1);
    assert_eq!((function.as_str(), line), ("main", line_of(&program, "assert(counter")));
    assert_eq!(client.value(1, "counter"), "1");
    assert_eq!(client.value(1, "counter + 1 == 2 && &counter != 0"), "1");

    // The second write, which stores what is there already.
    client.watch(1, "counter");
    let increment = line_of(&program, "counter = counter + 1");
    let second = client.go("reverseContinue", json!({ "threadId": 1 }));
    assert_eq!(second.reason, "data breakpoint", "{second:?}");
    assert!(second.text.contains("counter"), "{second:?}");
    assert_eq!(client.frame(second.thread).2, increment);
    assert_eq!(client.value(second.thread, "counter"), "1");

    // Back over the context switch: the other thread has not written then.
    client.request("setDataBreakpoints", json!({ "breakpoints": [] }));
    let back = client.go("stepBack", json!({ "threadId": second.thread }));
    assert_eq!((back.thread, client.frame(second.thread).2), (second.thread, increment));
    let other = client.threads().into_iter().find(|(id, _)| *id != 1 && *id != second.thread);
    let (other, name) = other.expect("the other thread is there");
    assert!(name.ends_with(" increment"), "{name}");
    assert_eq!(client.value(second.thread, "counter"), "0");
    assert_eq!(client.value(other, "counter"), "0");
    assert_eq!(client.scope(second.thread, "Locals"), [("unused".to_owned(), "NULL".to_owned())]);

    // Forwards again, to either write, then to the failure.
    client.watch(1, "counter");
    let first = client.go("continue", json!({ "threadId": 1 }));
    assert_eq!((first.reason.as_str(), first.thread), ("data breakpoint", other));
    assert_eq!(client.value(other, "counter"), "1");
    let again = client.go("continue", json!({ "threadId": 1 }));
    assert_eq!((again.reason.as_str(), again.thread), ("data breakpoint", second.thread));
    assert_eq!(client.go("continue", json!({ "threadId": 1 })).reason, "exception");
    client.end();
}

#[test]
fn a_store_buffer_can_be_looked_into() {
    let folder = tempfile::tempdir().unwrap();
    let program = corpus("explained/store_buffering.c");
    explore(folder.path(), &program, &["--memmodel", "tso"]);
    let mut client = Client::start(folder.path(), &[program.to_str().unwrap(), SCHEDULE]);
    client.launch(Value::Null);
    let line = line_of(&program, "found[own] = ");
    let source = json!({ "path": program });
    let wanted = json!([{ "line": line, "condition": "own == 1" }]);
    let set = client.request("setBreakpoints", json!({ "source": source, "breakpoints": wanted }));
    assert_eq!(
        (&set["breakpoints"][0]["verified"], &set["breakpoints"][0]["line"]),
        (&json!(true), &json!(line))
    );
    let stopped = client.go("configurationDone", Value::Null);
    assert_eq!(stopped.reason, "breakpoint", "{stopped:?}");
    let (_, function, there) = client.frame(stopped.thread);
    assert_eq!((function.as_str(), there), ("raise_flag", line));
    let buffered = client.scope(stopped.thread, "Store buffer");
    assert_eq!(buffered, [("flags[1]".to_owned(), "1".to_owned())]);
    // The thread sees its own store, the others do not.
    assert_eq!(client.value(stopped.thread, "flags[own]"), "1");
    assert_eq!(client.value(1, "flags[1]"), "0");
    assert_eq!(client.scope(1, "Store buffer"), []);

    // The store reaches memory in a step of the buffer's own.
    client.watch(stopped.thread, "flags[1]");
    let commit = client.go("continue", json!({ "threadId": 1 }));
    assert_eq!(commit.reason, "data breakpoint");
    assert!(commit.text.contains("reaches memory"), "{commit:?}");
    assert_eq!(client.value(1, "flags[1]"), "1");
    let back = client.go("reverseContinue", json!({ "threadId": 1 }));
    assert!(back.text.contains("reaches memory"), "{back:?}");
    assert_eq!(client.value(1, "flags[1]"), "0");
    let issue = client.go("reverseContinue", json!({ "threadId": 1 }));
    assert!(issue.reason == "breakpoint" || issue.text.contains("store buffer"), "{issue:?}");
    client.end();
}

const VALUES: &str = "#include <assert.h>\n#include <stdlib.h>\n\
    enum colour { RED, GREEN = 5 };\n\
    struct node { int value; enum colour colour; struct node *next; char name[8]; unsigned low : 3, high : 5; };\n\
    static struct node list[2];\n\
    static int depth;\n\
    struct node *kept;\n\
    __attribute__((noinline)) static int sum(const struct node *from, int scale) {\n\
    \x20   int total = 0;\n\
    \x20   for (const struct node *at = from; at; at = at->next)\n\
    \x20       total += at->value * scale;\n\
    \x20   return total;\n\
    }\n\
    int main(int argc, char **argv) {\n\
    \x20   double half = 0.5 * argc;\n\
    \x20   struct node *heap = calloc(1, sizeof *heap);\n\
    \x20   heap->value = 3;\n\
    \x20   list[0] = (struct node){1, GREEN, &list[1], \"one\", 5, 9};\n\
    \x20   list[1] = (struct node){2, RED, heap, \"two\", 0, 0};\n\
    \x20   struct node local = {7, GREEN, heap, \"loc\", 1, 1};\n\
    \x20   kept = &local;\n\
    \x20   int total = sum(list, 10);\n\
    \x20   depth = total;\n\
    \x20   assert(total == 61 && half > 0 && argv && kept->value);\n\
    \x20   return 0;\n\
    }\n";

/// Compiles [`VALUES`] at a level of optimisation, explores it and launches it.
fn values_at(folder: &Path, level: &str) -> (Client, std::path::PathBuf) {
    let source = folder.join("values.c");
    std::fs::write(&source, VALUES).unwrap();
    let bitcode = folder.join("values.bc");
    let compiled = Command::new("clang-22")
        .args(["-g", level, "-emit-llvm", "-c", "-o"])
        .args([&bitcode, &source])
        .current_dir(folder)
        .status()
        .unwrap();
    assert!(compiled.success());
    explore(folder, &bitcode, &[]);
    let mut client = Client::start(folder, &[bitcode.to_str().unwrap(), SCHEDULE]);
    client.launch(json!({ "stopOnEntry": true }));
    (client, source)
}

#[test]
fn variables_have_names_types_and_parts_with_and_without_optimisation() {
    for level in ["-O0", "-O1"] {
        let folder = tempfile::tempdir().unwrap();
        let (mut client, source) = values_at(folder.path(), level);
        let entry = client.go("configurationDone", Value::Null);
        assert_eq!((entry.reason.as_str(), client.frame(1).1.as_str()), ("entry", "main"));
        let wanted = json!([{ "name": "sum" }]);
        client.request("setFunctionBreakpoints", json!({ "breakpoints": wanted }));
        let called = client.go("continue", json!({ "threadId": 1 }));
        assert_eq!((called.reason.as_str(), client.frame(1).1.as_str()), ("function breakpoint", "sum"));
        assert_eq!(client.value(1, "scale"), "10", "{level}");
        assert_eq!(client.value(1, "from->next->next->value * scale"), "30", "{level}");
        assert_eq!(client.value(1, "*from").split(',').next(), Some("{value = 1"), "{level}");
        assert_eq!(client.value(1, "from->colour"), "GREEN (5)");
        assert_eq!(client.value(1, "from->colour == GREEN ? from->high : 0"), "9");
        assert_eq!(client.value(1, "list[1].name"), "\"two\"");
        assert_eq!(client.value(1, "(from + 1)->value"), "2");
        assert_eq!(client.value(1, "sizeof list / sizeof list[0]"), "2");
        let (frame, ..) = client.frame(1);
        let list = client.request("evaluate", json!({ "expression": "list", "frameId": frame }));
        assert_eq!(list["type"], "struct node[2]");
        let nodes = client.variables(list["variablesReference"].clone());
        assert_eq!((nodes.len(), &nodes[0]["name"]), (2, &json!("[0]")));
        let members = client.variables(nodes[1]["variablesReference"].clone());
        let names: Vec<_> = members.iter().map(|member| member["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["value", "colour", "next", "name", "low", "high"]);
        assert_eq!(members[2]["evaluateName"], "list[1].next");
        let heap = client.variables(members[2]["variablesReference"].clone());
        assert_eq!(
            (&heap[0]["value"], &heap[0]["evaluateName"]),
            (&json!("3"), &json!("list[1].next->value"))
        );
        let refused = client.refused("evaluate", json!({ "expression": "from->nothing", "frameId": frame }));
        assert_eq!(refused, "`const struct node` has no member `nothing`");
        let refused = client.refused("evaluate", json!({ "expression": "scale = 3", "frameId": frame }));
        assert!(refused.contains("recorded"), "{refused}");

        // Out of the function, and over lines.
        let out = client.go("stepOut", json!({ "threadId": 1 }));
        assert_eq!((out.reason.as_str(), client.frame(1).1.as_str()), ("step", "main"));
        assert_eq!(client.value(1, "local.name"), "\"loc\"", "{level}");
        assert_eq!(client.value(1, "&local == kept && local.value == 7"), "1", "{level}");
        client.go("next", json!({ "threadId": 1 }));
        let line = client.frame(1).2;
        assert!(line >= line_of(&source, "depth = total"), "{level}: {line}");
        assert_eq!(client.value(1, "total"), "60", "{level}");
        let back = client.go("reverseContinue", json!({ "threadId": 1 }));
        assert_eq!((back.reason.as_str(), client.frame(1).1.as_str()), ("function breakpoint", "sum"));
        let beginning = client.go("reverseContinue", json!({ "threadId": 1 }));
        assert_eq!(beginning.reason, "entry");
        client.end();
    }
}

#[test]
fn lines_are_stepped_over_into_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let (mut client, source) = values_at(folder.path(), "-O0");
    client.go("configurationDone", Value::Null);
    let call = line_of(&source, "int total = sum");
    let path = json!({ "path": source });
    let wanted = json!([{ "line": call }, { "line": 9000 }, { "line": call, "condition": "(" }]);
    let set = client.request("setBreakpoints", json!({ "source": path, "breakpoints": wanted }));
    let verified: Vec<_> =
        set["breakpoints"].as_array().unwrap().iter().map(|set| &set["verified"]).collect();
    assert_eq!(verified, [true, false, false]);
    let mut at = client.go("continue", json!({ "threadId": 1 }));
    assert_eq!((at.reason.as_str(), client.frame(1).2), ("breakpoint", call));
    client.go("stepIn", json!({ "threadId": 1 }));
    // Where `total` becomes 0, the loader leaves no code: the variable is a register.
    assert_eq!((client.frame(1).1.as_str(), client.frame(1).2), ("sum", line_of(&source, "for (const")));
    client.go("next", json!({ "threadId": 1 }));
    assert_eq!(client.frame(1).2, line_of(&source, "total += "));
    assert_eq!(client.value(1, "at == list && total == 0"), "1");
    client.go("stepBack", json!({ "threadId": 1 }));
    client.go("stepBack", json!({ "threadId": 1 }));
    assert_eq!((client.frame(1).1.as_str(), client.frame(1).2), ("main", call));
    at = client.go("next", json!({ "threadId": 1 }));
    assert_eq!((at.reason.as_str(), client.frame(1).2), ("step", line_of(&source, "depth = total")));
    let (frame, ..) = client.frame(1);
    at = client.go("restartFrame", json!({ "frameId": frame }));
    assert_eq!((at.reason.as_str(), client.frame(1).2), ("step", line_of(&source, "double half")));

    // To any time at which the loop reached its body.
    let body = line_of(&source, "total += ");
    let targets = client.request("gotoTargets", json!({ "source": path, "line": body }));
    let targets = targets["targets"].as_array().unwrap().clone();
    assert_eq!(targets.len(), 3);
    at = client.go("goto", json!({ "threadId": 1, "targetId": targets[2]["id"] }));
    assert_eq!((at.reason.as_str(), client.value(1, "at->value").as_str()), ("goto", "3"));
    assert_eq!(client.value(1, "total"), "30");
    at = client.go("restart", Value::Null);
    assert_eq!((at.reason.as_str(), client.frame(1).1.as_str()), ("entry", "main"));
    client.end();
}

#[test]
fn bad_requests_and_bad_schedules_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let program = corpus("fail/lost_update.c");
    explore(folder.path(), &program, &[]);
    let bad = folder.path().join("bad.json");
    std::fs::write(&bad, "{").unwrap();
    let mut client = Client::start(folder.path(), &[]);
    assert_eq!(client.refused("threads", Value::Null), "no program is launched");
    let refused = client.refused("launch", json!({ "program": program }));
    assert!(refused.contains("`schedule` is missing"), "{refused}");
    let refused = client.refused("launch", json!({ "program": program, "schedule": bad }));
    assert!(refused.contains("not a schedule"), "{refused}");
    let refused = client.refused("launch", json!({ "program": "no.c", "schedule": SCHEDULE }));
    assert!(refused.contains("no such file"), "{refused}");
    // Decisions that lead nowhere.
    let mut schedule: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join(SCHEDULE)).unwrap()).unwrap();
    schedule["decisions"] = json!([{ "decision": { "run": { "thread": 7 } }, "times": 1 }]);
    std::fs::write(&bad, schedule.to_string()).unwrap();
    let refused = client.refused("launch", json!({ "program": program, "schedule": bad }));
    assert!(refused.contains("diverges"), "{refused}");

    client.launch(json!({ "program": program, "schedule": SCHEDULE }));
    client.send_raw(b"Content-Length: 3\r\n\r\n{]}");
    assert!(client.event("output")["output"].as_str().unwrap().contains("bad message"));
    client.send_raw(b"Content-Length: nine\r\n\r\n");
    assert!(client.event("output")["output"].as_str().unwrap().contains("Content-Length"));
    assert_eq!(client.go("configurationDone", Value::Null).reason, "exception");
    let nowhere = json!(u64::MAX);
    let requests = [
        ("next", json!({ "threadId": 99 })),
        ("stackTrace", json!({ "threadId": 0 })),
        ("stackTrace", json!([])),
        ("scopes", json!({ "frameId": 1 })),
        ("variables", json!({ "variablesReference": nowhere })),
        ("evaluate", json!({ "expression": "nothing" })),
        ("evaluate", json!({ "expression": "*0" })),
        ("evaluate", json!({ "expression": "counter / 0" })),
        ("evaluate", json!({ "expression": "goto 1000000", "context": "repl" })),
        ("setBreakpoints", Value::Null),
        ("dataBreakpointInfo", json!({ "variablesReference": 5, "name": "x" })),
        ("goto", json!({ "targetId": 0 })),
        ("gotoTargets", json!({ "source": { "path": "elsewhere.c" }, "line": 1 })),
        ("restartFrame", json!({ "frameId": 12 })),
        ("setVariable", json!({ "name": "counter", "value": "2" })),
        ("dance", Value::Null),
    ];
    for (command, arguments) in requests {
        assert!(!client.refused(command, arguments).is_empty());
    }
    let unverified = json!([{ "dataId": "0xffffffffffffffff/8" }, { "dataId": "x" }]);
    let set = client.request("setDataBreakpoints", json!({ "breakpoints": unverified }));
    assert_eq!(
        (&set["breakpoints"][0]["verified"], &set["breakpoints"][1]["verified"]),
        (&json!(false), &json!(false))
    );
    let steps = client.go("evaluate", json!({ "expression": "goto 0", "context": "repl" }));
    assert_eq!(steps.reason, "goto");
    client.end();
}
