//! What a failure leaves behind for people: the explanation, the page, the graph, the log for other tools.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};

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

#[test]
fn a_failure_leaves_a_page_that_shows_its_source_and_steps() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(LOST_UPDATE);
    let program = program.to_str().unwrap();
    let run = symx(folder, &["run", "--quiet", "--sarif", "run.sarif", program]);
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

    let page = read(folder, "symx-out/failure-1.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("assertion failed: counter == 2"));
    assert!(page.contains("counter = counter + 1;"), "the source is in the page");

    let log = json(folder, "run.sarif");
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "assert");
    assert_eq!(result["codeFlows"][0]["threadFlows"].as_array().unwrap().len(), 3);

    // The same from the file, and from the schedule.
    let drawn = ["--html", "again.html", "--dot", "again.dot", "--sarif", "again.sarif"];
    let explanation = "symx-out/failure-1.explanation.json";
    // The file may name any source: what is shown of it is said anew.
    let source = Path::new(program).parent().unwrap().to_str().unwrap();
    let report = ["report", explanation, "--source-root", source];
    assert!(symx(folder, &[&report[..], &drawn[..]].concat()).status.success());
    assert_eq!(read(folder, "again.html"), page);
    assert_eq!(json(folder, "again.sarif"), log);
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
        let explanation = json(folder, "symx-out/failure-1.explanation.json");
        let steps = explanation["failing"]["steps"].as_array().unwrap();
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

/// Two threads that count for long, then say who was last.
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
fn ctrl_c_ends_the_search_for_a_cause_and_what_is_known_is_told() {
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
