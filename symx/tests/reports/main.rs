//! Files for people that a failure leaves: the explanation, the page, the graph, the log for other tools.

mod allocated;
mod book;
mod examples;
mod names;
mod outcomes;

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use symx_trace::failure::checks::{CHECKS, Made};

const LOST_UPDATE: &str = "bitcode-corpus/fail/lost_update.c";

/// Two stores that both wait in their buffers while the loads are made.
const STORE_BUFFERING: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
    static atomic_int x, y;\nstatic int left, right;\n\
    #define SET(at) atomic_store_explicit(&at, 1, memory_order_relaxed)\n\
    #define GET(at) atomic_load_explicit(&at, memory_order_relaxed)\n\
    static void *one(void *unused) {\n    SET(x);\n    left = GET(y);\n    return unused;\n}\n\
    static void *other(void *unused) {\n    SET(y);\n    right = GET(x);\n    return unused;\n}\n\
    int main(void) {\n    pthread_t a, b;\n    pthread_create(&a, NULL, one, NULL);\n    pthread_create(&b, NULL, other, NULL);\n\
    pthread_join(a, NULL);\n    pthread_join(b, NULL);\n    assert(left || right);\n    return 0;\n}\n";

fn symx(folder: &Path, arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_symx"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_ne!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn json(folder: &Path, name: &str) -> Value {
    serde_json::from_str(&read(folder, name)).unwrap()
}

/// The steps of the failing execution that was explained first.
fn failing_steps(folder: &Path) -> Vec<Value> {
    let explanation = json(folder, "symx-out/failure-1.explanation.json");
    explanation["failing"]["steps"].as_array().unwrap().clone()
}

/// In every report, not in messages alone.
#[test]
fn threads_of_a_forked_process_have_its_number() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let processes = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("bitcode-corpus/processes");
    let run = |name: &str| {
        let run = symx(folder, &["run", processes.join(name).to_str().unwrap()]);
        assert_eq!(run.status.code(), Some(1));
        let explanation = json(folder, "symx-out/failure-1.explanation.json");
        (explanation, String::from_utf8_lossy(&run.stdout).into_owned())
    };
    let (explanation, text) = run("lost_update_is_a_failure.c");
    assert_eq!(explanation["sentences"]["threads"][1], "P1 T1 main");
    assert!(text.contains("atomicity-violation: P1 T1 main writes count[0] = 1"), "{text}");
    assert!(text.contains("a symbolic trace cannot express fork\n"), "{text}");
    // It fails before one of its steps is visible.
    let (explanation, _) = run("child_that_fails.c");
    assert_eq!(explanation["sentences"]["threads"][1], "P1 T1 main");
    let (_, text) = run("deadlock_between_processes.c");
    assert!(text.contains("the mutex `mutexes[0]` of a heap object"), "{text}");
}

#[test]
fn a_failure_leaves_a_page_that_shows_its_source_and_steps() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(LOST_UPDATE);
    let program = program.to_str().unwrap();
    let run = symx(folder, &["run", "--quiet", "--no-explain", "--sarif", "run.sarif", program]);
    assert_eq!(run.status.code(), Some(1));

    let explanation = json(folder, "symx-out/failure-1.explanation.json");
    let steps = explanation["failing"]["steps"].as_array().unwrap();
    let trace = json(folder, "symx-out/trace.json");
    assert_eq!(steps.len(), trace["events"].as_array().unwrap().len());
    let writes: Vec<_> = steps.iter().filter(|step| step["kind"] == "write").collect();
    assert_eq!(writes.len(), 2);
    for write in writes {
        assert_eq!((&write["object"], &write["value"]), (&"counter".into(), &"1".into()));
    }
    assert_eq!(explanation["failing"]["threads"][2]["function"], "increment");
    assert_eq!(explanation["sentences"]["threads"][2], "T2 increment");

    let page = read(folder, "symx-out/failure-1.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("assertion failed: counter == 2"));
    assert!(page.contains("counter = counter + 1;"), "the source is in the page");

    let log = json(folder, "run.sarif");
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "assert");
    assert_eq!(result["codeFlows"][0]["threadFlows"].as_array().unwrap().len(), 3);

    // The same from the file, and from the schedule.
    let drawn = [
        "--html",
        "again.html",
        "--dot",
        "again.dot",
        "--sarif",
        "again.sarif",
        "--chrome-trace",
        "again.trace",
    ];
    let explanation = "symx-out/failure-1.explanation.json";
    // The file may name any source: the folder whose source is shown is given again.
    let source = Path::new(program).parent().unwrap().to_str().unwrap();
    let report = ["report", explanation, "--source-root", source];
    assert!(symx(folder, &[&report[..], &drawn[..]].concat()).status.success());
    assert_eq!(read(folder, "again.html"), page);
    assert_eq!(json(folder, "again.sarif"), log);
    let events = json(folder, "again.trace")["traceEvents"].as_array().unwrap().clone();
    let slices =
        events.iter().filter(|event| event["ph"] == "X" && event["cat"] == "step" && event["pid"] == 1);
    assert_eq!(slices.count(), steps.len());
    let replay = ["replay", "--quiet", program, "symx-out/failure-1.schedule.json"];
    assert!(symx(folder, &[&replay[..], &["--dot", "replay.dot"]].concat()).status.success());
    assert_eq!(read(folder, "replay.dot"), read(folder, "again.dot"));
}

#[test]
fn a_delayed_store_is_shown_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("buffering.c"), STORE_BUFFERING).unwrap();
    for model in ["tso", "weak"] {
        assert_eq!(
            symx(folder, &["run", "--quiet", "--memmodel", model, "buffering.c"]).status.code(),
            Some(1)
        );
        let steps = failing_steps(folder);
        let loads: Vec<_> = steps
            .iter()
            .filter(|step| step["kind"] == "read" && (step["object"] == "x" || step["object"] == "y"))
            .collect();
        assert_eq!(loads.len(), 2, "{model}");
        for load in &loads {
            assert_eq!((&load["value"], &load["reads_from"]), (&"0".into(), &Value::Null), "{model}");
        }
        if model == "tso" {
            assert!(
                loads.iter().any(|load| load["buffered"][0] == "x = 1" || load["buffered"][0] == "y = 1")
            );
            let commit = steps.iter().find(|step| step["kind"] == "commit").unwrap();
            let issuer = &steps[commit["issued_by"].as_u64().unwrap() as usize];
            assert_eq!((&issuer["kind"], &issuer["object"]), (&"write".into(), &commit["object"]));
        }
    }
}

#[test]
fn what_is_no_explanation_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("broken.json"), "{\"version\": 1}").unwrap();
    for arguments in [&["report", "broken.json", "--html", "a.html"][..], &["report", "broken.json"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_symx"))
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(String::from_utf8(output.stderr).unwrap().lines().count(), 1);
    }
}

/// Two threads that count for long, then say which was last.
const COUNTING: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
    static atomic_int count, last;\n\
    static void *work(void *number) {\n    for (int i = 0; i < 3000; i++) atomic_fetch_add(&count, 1);\n\
        atomic_store(&last, (int)(long)number);\n    return 0;\n}\n\
    int main(void) {\n    pthread_t a, b;\n    pthread_create(&a, 0, work, (void *)1);\n    pthread_create(&b, 0, work, (void *)2);\n\
        pthread_join(a, 0);\n    pthread_join(b, 0);\n    assert(atomic_load(&last) == 1);\n    return 0;\n}\n";

/// Whether a process listens to Ctrl-C.
fn listens(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    caught & 1 << (libc::SIGINT - 1) != 0
}

#[test]
fn ctrl_c_ends_the_search_for_a_cause_and_what_is_known_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("counting.c"), COUNTING).unwrap();
    assert_eq!(symx(folder, &["run", "--quiet", "counting.c"]).status.code(), Some(1));
    let mut command = Command::new(env!("CARGO_BIN_EXE_symx"));
    command.args(["explain", "counting.c", "symx-out/failure-1.schedule.json", "--json", "why.json"]);
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    while !listens(child.id()) && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    // SAFETY: a signal to a child that was not waited for.
    assert_eq!(unsafe { libc::kill(child.id().cast_signed(), libc::SIGINT) }, 0);
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("no passing execution was found: interrupted"), "{text}");
    let explanation = json(folder, "why.json");
    assert!(explanation["failing"]["failure"]["message"].as_str().unwrap().contains("last"), "{text}");
}

/// The fix is that of a programmer, and the source with it is safe.
#[test]
fn a_verified_fix_is_a_patch_under_which_the_program_is_safe() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("bitcode-corpus");
    let source = corpus.join("fail/one_thread_without_the_lock.c");
    std::fs::copy(source, folder.join("count.c")).unwrap();
    assert_eq!(symx(folder, &["run", "--quiet", "count.c"]).status.code(), Some(1));
    let explain = ["explain", "count.c", "symx-out/failure-1.schedule.json", "--patch", "fix.diff"];
    let told = String::from_utf8(symx(folder, &explain).stdout).unwrap();
    assert!(told.contains("suggested fix: Hold `lock` around the code at count.c:16"), "{told}");
    let diff = read(folder, "fix.diff");
    assert!(
        diff.contains(
            "\n+    pthread_mutex_lock(&lock);\n     count = count + 1;\n+    pthread_mutex_unlock"
        )
    );
    let applied = Command::new("git").args(["apply", "fix.diff"]).current_dir(folder).status().unwrap();
    assert!(applied.success(), "{diff}");
    assert_eq!(symx(folder, &["run", "--quiet", "count.c"]).status.code(), Some(0));
}

/// As one step the block is safe. With a mutex a thread locks twice, or a write on another path is outside.
#[test]
fn a_block_that_is_not_safe_with_a_mutex_is_no_patch() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for program in ["block_calls_a_reader", "block_and_two_ways_to_write"] {
        let source = corpus(&format!("fail/{program}.c"));
        assert_eq!(symx(folder, &["run", "--quiet", &source]).status.code(), Some(1));
        let schedule = "symx-out/failure-1.schedule.json";
        let explain = symx(folder, &["explain", &source, schedule, "--patch", "fix.diff"]);
        let said = String::from_utf8(explain.stderr).unwrap();
        assert!(said.contains("symx: no patch: the critical section is verified as one step"), "{said}");
        assert!(!folder.join("fix.diff").exists(), "{program}");
    }
}

/// The source with whole lines under the lock is not the program that was verified: a label is jumped to, a
/// macro returns, a line waits or calls, a lock is declared later, a line is a member of a class.
#[test]
fn a_patch_under_which_the_source_is_not_safe_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let programs = [
        ("fail/two_statements_behind_labels.c", "sc"),
        ("fail/left_by_a_macro.c", "sc"),
        ("fail/waited_for_on_one_line.c", "sc"),
        ("fail/lock_declared_later.c", "sc"),
        ("fail/stored_on_one_line.c", "pso"),
        ("fail/cxx/added_on_one_line.cc", "sc"),
    ];
    for (program, model) in programs {
        let source = corpus(program);
        let run = symx(folder, &["run", "--quiet", "--memmodel", model, &source]);
        assert_eq!(run.status.code(), Some(1), "{program}");
        let schedule = "symx-out/failure-1.schedule.json";
        let explain = symx(folder, &["explain", &source, schedule, "--patch", "fix.diff"]);
        let said = String::from_utf8(explain.stderr).unwrap();
        assert!(said.contains("symx: no patch: "), "{program}: {said}");
        assert!(!folder.join("fix.diff").exists(), "{program}");
    }
}

/// A lock that lies in the object which is accessed is tried, wherever the object is.
#[test]
fn a_lock_of_the_accessed_object_is_a_verified_fix() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let programs = [
        ("one_thread_without_the_lock_of_its_object.c", "17"),
        ("one_thread_without_the_lock_on_the_heap.c", "18"),
    ];
    for (program, line) in programs {
        let source = corpus(&format!("fail/{program}"));
        assert_eq!(symx(folder, &["run", "--quiet", &source]).status.code(), Some(1));
        let explain = symx(folder, &["explain", &source, "symx-out/failure-1.schedule.json"]);
        let told = String::from_utf8(explain.stdout).unwrap();
        let fix = told.lines().find(|line| line.starts_with("suggested fix: ")).unwrap_or_default();
        assert!(fix.starts_with("suggested fix: Hold `counter"), "{told}");
        assert!(fix.contains(&format!("{program}:{line}")) && fix.contains("no failure in any"), "{told}");
    }
}

#[test]
fn a_fix_that_is_no_statement_is_no_patch() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("bitcode-corpus");
    let source = corpus.join("fail/free_before_post.c");
    assert_eq!(symx(folder, &["run", "--quiet", source.to_str().unwrap()]).status.code(), Some(1));
    let schedule = "symx-out/failure-1.schedule.json";
    let explain = symx(folder, &["explain", source.to_str().unwrap(), schedule, "--patch", "fix.diff"]);
    let said = String::from_utf8(explain.stderr).unwrap();
    assert!(said.contains("symx: no patch: "), "{said}");
    assert!(!folder.join("fix.diff").exists());
}

/// A program of the corpus.
fn corpus(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    root.join("bitcode-corpus").join(name).to_str().unwrap().to_owned()
}

/// The story with which a run ends: what follows the first empty line after the verdict.
fn story(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let verdict = text.find("\nviolation: ").unwrap_or_else(|| panic!("{text}"));
    let start = text[verdict..].find("\n\n").unwrap_or_else(|| panic!("{text}")) + verdict + 2;
    text[start..].to_owned()
}

#[test]
fn a_run_ends_with_the_story_of_its_failure() {
    let cases: [(&str, &[&str], &str); 8] = [
        ("explained/opposite_locks.c", &[], "lock-order-inversion: T1 there holds `a` and waits for `b`"),
        ("explained/bank.c", &[], "atomicity-violation: `accounts[1]` (bank.c:9): T"),
        ("explained/store_buffering.c", &["--memmodel", "tso"], "store-buffer-reordering: T"),
        (
            "explained/message_passing.c",
            &["--memmodel", "pso"],
            "store-buffer-reordering: T2 receive reads message = 0",
        ),
        ("explained/stringbuffer.c", &[], "atomicity-violation: T2 erase writes source.length = 0"),
        ("explained/freed_lock.c", &[], "use-after-free: T0 main destroys *queue.mutex"),
        ("fail/free_while_in_use.c", &[], "use-after-free: T0 main frees *shared"),
        ("fail/lost_update.c", &[], "atomicity-violation: `counter`"),
    ];
    for (name, options, class) in cases {
        let folder = tempfile::tempdir().unwrap();
        let program = corpus(name);
        let run = symx(folder.path(), &[&["run", &program], options].concat());
        assert_eq!(run.status.code(), Some(1));
        let story = story(&run);
        assert!(story.starts_with(class), "{story}");
        assert!(
            story.lines().count() <= 25 && story.lines().all(|line| line.chars().count() <= 120),
            "{story}"
        );
        assert!(story.contains("closest passing execution") && story.contains("\nroot cause"), "{story}");
        // With what is printed before it, below the excerpt of the source, it is a screen.
        let told = String::from_utf8_lossy(&run.stdout).into_owned();
        let below = told.lines().skip_while(|line| !line.starts_with("stack: "));
        assert!((4..=28).contains(&below.count()), "{told}");
        let fix = story.lines().position(|line| line.starts_with("suggested fix: ")).unwrap();
        let fix: Vec<&str> = story.lines().skip(fix).take(3).map(str::trim).collect();
        assert!(fix.join(" ").contains("Verified: no failure in any"), "{story}");
        // The commands that it names do what they say.
        let schedule = "symx-out/failure-1.schedule.json";
        assert!(story.contains(&format!("\nreplay     symx replay {program} {schedule}\n")), "{story}");
        assert!(symx(folder.path(), &["replay", "--quiet", &program, schedule]).status.success());
        assert!(story.contains("\npage       symx-out/failure-1.html\n"), "{story}");
        let page = read(folder.path(), "symx-out/failure-1.html");
        assert!(page.contains("Suggested fixes") && page.contains("closest passing execution"), "{name}");
    }
}

#[test]
fn terminal_page_and_result_file_agree_on_numbers() {
    let tso: &[&str] = &["--memmodel", "tso"];
    let pso: &[&str] = &["--memmodel", "pso"];
    let cases: [(&str, &[&str]); 9] = [
        ("explained/bank.c", &[]),
        ("explained/store_buffering.c", tso),
        ("explained/message_passing.c", pso),
        ("explained/opposite_locks.c", &[]),
        ("explained/stringbuffer.c", &[]),
        ("explained/missed_signal.c", &[]),
        ("explained/freed_lock.c", &[]),
        ("explained/many_updates.c", &[]),
        ("explained/cxx/connection_pool.cc", &[]),
    ];
    for (name, options) in cases {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let program = corpus(name);
        let run = symx(folder, &[&["run", "--json", "result.json", &program], options].concat());
        let violation = &json(folder, "result.json")["violations"][0];
        let switches = violation["context_switches"].as_u64().unwrap();
        let told = if switches == 1 {
            "1 context switch".to_owned()
        } else {
            format!("{switches} context switches")
        };
        assert!(story(&run).contains(&format!(", {told}")), "{name}: {told}");
        assert!(
            read(folder, "symx-out/failure-1.html").contains(&format!("<li>{told}</li>")),
            "{name}: {told}"
        );
        let explanation = json(folder, violation["explanation"].as_str().unwrap());
        assert_eq!(explanation["failing"]["context_switches"], switches);
        assert_eq!(explanation["failing"]["preemptions"], violation["preemptions"]);
        let replay = symx(folder, &["replay", &program, violation["schedule"].as_str().unwrap()]);
        let text = String::from_utf8_lossy(&replay.stdout).into_owned();
        assert!(text.contains(&format!("schedule ({told}):")), "{text}");
        // It is minimised already.
        let again = symx(folder, &["simplify", &program, violation["schedule"].as_str().unwrap()]);
        let text = String::from_utf8_lossy(&again.stdout).into_owned();
        assert!(text.contains(&format!("simplified: {told} to {told}")) || text.contains(&told), "{text}");
    }
}

#[test]
fn without_an_explanation_a_run_says_what_it_said_before() {
    let folder = tempfile::tempdir().unwrap();
    let program = corpus("explained/bank.c");
    let run = symx(folder.path(), &["run", "--no-explain", &program]);
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(text.contains("schedule (") && !text.contains("suggested fix"), "{text}");
    assert!(text.contains("explain    symx explain "), "{text}");
    let quiet = symx(folder.path(), &["run", "--quiet", &program]);
    assert_eq!((quiet.stdout.as_slice(), quiet.stderr.as_slice()), (&b""[..], &b""[..]));
    assert!(read(folder.path(), "symx-out/failure-1.html").contains("Suggested fixes"));
}

const BRANCHES: &str = "#include <assert.h>\n#include <symx.h>\nint main(void) {\n    int n;\n\
    symx_make_symbolic(&n, sizeof n, \"n\");\n    assert(n != 7);\n    return 0;\n}\n";

#[test]
fn inputs_that_make_it_fail_are_reported_by_name_and_value() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("branches.c"), BRANCHES).unwrap();
    let story = story(&symx(folder.path(), &["run", "branches.c"]));
    assert!(story.contains("\ninputs     n: 4-byte integer = 7 (0x7)\n"), "{story}");
    assert!(story.contains("Not schedule-dependent: with these inputs"), "{story}");
}

const COUNTER: &str = "#include <pthread.h>\n#include <stdio.h>\nstatic int counter;\n\
    static void *add(void *p) { for (int i = 0; i < 2; i++) counter++; return p; }\n\
    int main(void) { pthread_t a, b; pthread_create(&a, 0, add, 0); pthread_create(&b, 0, add, 0);\n\
    pthread_join(a, 0); pthread_join(b, 0); printf(\"%d\\n\", counter); return 0; }\n";
const HIDDEN: &str = "#include <stdio.h>\nint main(void) {\n    FILE *file = fopen(\"data.txt\", \"r\");\n\
    if (!file) { perror(\"data.txt\"); return 1; }\n    return 0;\n}\n";

#[test]
fn a_clean_result_says_what_was_covered() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("counter.c"), COUNTER).unwrap();
    std::fs::write(folder.join("hidden.c"), HIDDEN).unwrap();
    std::fs::write(folder.join("data.txt"), "here").unwrap();
    let run = symx(folder, &["run", "counter.c", "--preemptions", "40", "--json", "result.json"]);
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    assert_eq!(run.status.code(), Some(0), "{text}");
    assert!(text.starts_with("safe: no check failed; 3 distinct outputs\n"), "{text}");
    assert!(text.contains("\nbounds     --preemptions 40 (not reached)\n"), "{text}");
    let on_request = CHECKS.iter().filter(|check| matches!(check.made, Made::OnRequest(_)));
    let on_request: Vec<&str> = on_request.map(|check| check.kind.name()).collect();
    assert!(text.contains(&format!("(not checked: {})", on_request.join(", "))), "{text}");
    let result = json(folder, "result.json");
    for outcome in result["outcomes"].as_array().unwrap() {
        let executions = outcome["executions"].as_u64().unwrap();
        let noun = if executions == 1 { "execution" } else { "executions" };
        let stdout = outcome["stdout"].as_str().unwrap().trim_end();
        assert!(text.contains(&format!("\"{stdout}\\n\" ({executions} {noun})")), "{text}");
    }
    assert_eq!(result["covered"]["unchecked"], serde_json::json!(on_request));

    let run = symx(folder, &["run", "hidden.c", "--json", "result.json"]);
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(text.contains("note: 1 execution exits with status 1"), "{text}");
    assert!(text.contains("note: an execution writes to standard error: data.txt: No such file"), "{text}");
    assert!(
        text.contains("note: hidden from the program, but on this machine: ")
            && text.contains("data.txt shows it"),
        "{text}"
    );
    assert_eq!(json(folder, "result.json")["notes"].as_array().map(Vec::len), Some(2));
    let run = symx(folder, &["run", "hidden.c", "--mount", "data.txt"]);
    assert!(!String::from_utf8_lossy(&run.stdout).contains("note: "));
}

#[test]
fn what_an_earlier_run_left_does_not_stand_beside_a_new_result() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("counter.c"), COUNTER).unwrap();
    assert_eq!(symx(folder, &["run", "--quiet", &corpus("explained/bank.c")]).status.code(), Some(1));
    assert!(folder.join("symx-out/failure-1.html").exists());
    std::fs::write(folder.join("symx-out/mine.txt"), "kept").unwrap();
    assert_eq!(symx(folder, &["run", "--quiet", "counter.c"]).status.code(), Some(0));
    let left: Vec<_> =
        std::fs::read_dir(folder.join("symx-out")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["mine.txt"]);
}

/// Objects on a stack, on the heap and in arrays, a thread with a name, and a lock in a structure.
const NAMED: &str = "#define _GNU_SOURCE\n#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n\
    struct entry { int hits, misses; };\nstruct node { int value; struct node *next; };\n\
    struct cache { pthread_mutex_t lock; struct entry entries[4]; struct node *list; };\n\
    static void *look(void *p) {\n    struct cache *c = p;\n    c->entries[3].hits++;\n    c->list->value++;\n    return 0;\n}\n\
    int main(void) {\n    struct cache cache = { PTHREAD_MUTEX_INITIALIZER, { { 0, 0 } }, 0 };\n\
    struct node *node = malloc(sizeof *node);\n    node->value = 0;\n    node->next = 0;\n    cache.list = node;\n\
    pthread_t t, u;\n    pthread_create(&t, 0, look, &cache);\n    pthread_setname_np(t, \"reader\");\n\
    pthread_create(&u, 0, look, &cache);\n    pthread_join(t, 0);\n    pthread_join(u, 0);\n\
    assert(cache.entries[3].hits == 2 && node->value == 2);\n    return 0;\n}\n";

#[test]
fn objects_and_threads_have_the_names_of_their_author() {
    for optimisation in ["-O0", "-O1"] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::fs::write(folder.join("named.c"), NAMED).unwrap();
        let compiled = Command::new("clang-22")
            .args(["-g", optimisation, "-pthread", "-emit-llvm", "-c", "named.c", "-o", "named.bc"])
            .current_dir(folder)
            .status()
            .unwrap();
        assert!(compiled.success());
        assert_eq!(symx(folder, &["run", "--quiet", "named.bc"]).status.code(), Some(1));
        let explanation = json(folder, "symx-out/failure-1.explanation.json");
        let steps = explanation["failing"]["steps"].as_array().unwrap();
        let objects: Vec<&str> = steps.iter().map(|step| step["object"].as_str().unwrap()).collect();
        for name in ["cache.entries[3].hits", "node->value"] {
            assert!(objects.contains(&name), "{optimisation}: no `{name}` in {objects:?}");
        }
        let threads = &explanation["failing"]["threads"];
        assert_eq!((&threads[1]["given"], &threads[2]["function"]), (&"reader".into(), &"look".into()));
        let end = steps.iter().find(|step| step["kind"]["call"]["effect"] == "thread_end").unwrap();
        assert_eq!((&end["location"]["function"], &end["location"]["line"]), (&"look".into(), &8.into()));
    }
}
