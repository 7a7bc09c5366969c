//! Texts for people have one name for each thread, variable and input, in every form.

use super::{failing_steps, json, read, symx};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

/// Two threads count in a variable of `main` that is named like a global one.
const SHADOWED: &str = "#define _GNU_SOURCE\n#include <assert.h>\n#include <pthread.h>\nint count;\n\
    static void *work(void *at) {\n    int *mine = at;\n    *mine = *mine + 1;\n    count = count + 1;\n    return 0;\n}\n\
    int main(void) {\n    int count = 0;\n    pthread_t a, b;\n    pthread_setname_np(pthread_self(), \"counter\");\n\
    pthread_create(&a, 0, work, &count);\n    pthread_create(&b, 0, work, &count);\n    pthread_join(a, 0);\n\
    pthread_join(b, 0);\n    assert(count == 2);\n    return 0;\n}\n";

/// Fails for one input, in every order.
const OF_INPUT: &str = "#include <assert.h>\n#include <symx.h>\nint main(void) {\n    int n;\n\
    symx_make_symbolic(&n, sizeof n, \"n\");\n    assert(n != 77);\n    return 0;\n}\n";

#[test]
fn threads_have_one_name_and_a_local_is_distinguished_from_a_global() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("shadowed.c"), SHADOWED).unwrap();
    let run = symx(folder, &["run", "shadowed.c", "--json", "result.json"]);
    let told = String::from_utf8(run.stdout).unwrap();
    let schedule = "symx-out/failure-1.schedule.json";
    let explained = String::from_utf8(symx(folder, &["explain", "shadowed.c", schedule]).stdout).unwrap();
    let replayed = String::from_utf8(symx(folder, &["replay", "shadowed.c", schedule]).stdout).unwrap();
    let page = read(folder, "symx-out/failure-1.html");
    for (what, text) in [("story", &told), ("explain", &explained), ("replay", &replayed), ("page", &page)] {
        assert!(text.contains("T1 work"), "{what}: {text}");
        assert!(!text.contains("thread 0"), "{what}: {text}");
        assert!(what == "replay" || text.contains("count of main"), "{what}: {text}");
    }
    assert!(told.contains("in T0 counter") && replayed.contains("stack of T0 counter"), "{told}{replayed}");
    let violation = &json(folder, "result.json")["violations"][0];
    assert_eq!(violation["thread"], "0");
    let named = [("0", "T0 counter"), ("0.1", "T1 work"), ("0.2", "T2 work")];
    let threads = violation["threads"].as_array().unwrap();
    assert_eq!(threads.len(), named.len());
    for (thread, (name, title)) in threads.iter().zip(named) {
        assert_eq!((&thread["thread"], &thread["title"]), (&name.into(), &title.into()));
    }
}

#[test]
fn inputs_are_the_same_in_story_page_and_explanation() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("input.c"), OF_INPUT).unwrap();
    let run = symx(folder, &["run", "input.c"]);
    let told = String::from_utf8(run.stdout).unwrap();
    assert!(told.contains("inputs     n: 4-byte integer = 77 (0x4d)"), "{told}");
    let explained = symx(folder, &["explain", "input.c", "symx-out/failure-1.schedule.json"]);
    let explained = String::from_utf8(explained.stdout).unwrap();
    assert!(explained.contains("input: n: 4-byte integer = 77 (0x4d)"), "{explained}");
    let page = read(folder, "symx-out/failure-1.html");
    let row = "<th scope=\"row\">n</th><td>4-byte integer</td><td><code>77 (0x4d)</code></td>";
    assert!(page.contains(row), "the page has the inputs");
    let explanation = json(folder, "symx-out/failure-1.explanation.json");
    assert_eq!(explanation["inputs"][0]["bytes"], serde_json::json!([77, 0, 0, 0]));
}

/// Two threads count from an input.
const FROM_INPUT: &str = "#include <assert.h>\n#include <pthread.h>\n#include <symx.h>\nunsigned count;\n\
    static void *work(void *unused) {\n    count = count + 1;\n    return unused;\n}\nint main(void) {\n    unsigned n;\n\
    symx_make_symbolic(&n, sizeof n, \"n\");\n    count = n;\n    pthread_t a, b;\n    pthread_create(&a, 0, work, 0);\n\
    pthread_create(&b, 0, work, 0);\n    pthread_join(a, 0);\n    pthread_join(b, 0);\n    assert(count != 79);\n    return 0;\n}\n";

#[test]
fn values_of_inputs_are_numbers_and_words_of_the_source() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("from.c"), FROM_INPUT).unwrap();
    assert_eq!(symx(folder, &["run", "from.c"]).status.code(), Some(1));
    let steps = failing_steps(folder);
    let values: BTreeSet<&str> = steps.iter().map(|step| step["value"].as_str().unwrap()).collect();
    // As two threads count, or one of the updates is lost.
    let given = if values.contains("77 (n)") { 77 } else { 78 };
    for value in [format!("{given} (n)"), format!("{} (n + 1)", given + 1)] {
        assert!(values.contains(value.as_str()), "no {value} in {values:?}");
    }
    assert_eq!(values.iter().find(|value| value.contains("bv") || value.contains("concat")), None);
}

/// Fails for one value of each type.
const TYPED: &str = "#include <assert.h>\n#include <stdint.h>\n#include <symx.h>\n\
    extern unsigned __VERIFIER_nondet_uint(void);\nextern char __VERIFIER_nondet_char(void);\n\
    struct { uint16_t port; char name[4]; } global;\nint main(void) {\n    unsigned u;\n    short at[2];\n\
    symx_make_symbolic(&u, sizeof u, \"u\");\n    symx_make_symbolic(at, sizeof at, \"at\");\n\
    symx_make_symbolic(&global.port, sizeof global.port, \"port\");\n\
    symx_make_symbolic(global.name, sizeof global.name, \"name\");\n\
    uint32_t v = symx_u32(\"v\");\n    int64_t w = symx_i64(\"w\");\n    bool flag = symx_bool(\"flag\");\n\
    unsigned x = __VERIFIER_nondet_uint();\n    char c = __VERIFIER_nondet_char();\n\
    assert(!(u == 4000000000u && at[0] == -1 && at[1] == 2 && global.port == 65535 && global.name[0] == 'g'\n\
        && global.name[1] == 'o' && !global.name[2] && !global.name[3] && v == 4294967295u && w == -1 && flag\n\
        && x == 3000000000u && c == 'q'));\n    return 0;\n}\n";

#[test]
fn inputs_are_shown_by_their_declared_types() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("typed.c"), TYPED).unwrap();
    let told = String::from_utf8(symx(folder, &["run", "typed.c"]).stdout).unwrap();
    let explained = symx(folder, &["explain", "typed.c", "symx-out/failure-1.schedule.json"]);
    let explained = String::from_utf8(explained.stdout).unwrap();
    let page = read(folder, "symx-out/failure-1.html");
    let inputs = json(folder, "symx-out/failure-1.inputs.json");
    for (number, (name, of, value)) in [
        ("u", "4-byte unsigned integer", "4000000000 (0xee6b2800)"),
        ("at", "2 2-byte integers", "{-1, 2}"),
        ("port", "2-byte unsigned integer", "65535 (0xffff)"),
        ("name", "4 bytes", "\"go\""),
        ("v", "4-byte unsigned integer", "4294967295 (0xffffffff)"),
        ("w", "8-byte integer", "-1 (0xffffffffffffffff)"),
        ("flag", "boolean", "true"),
        ("uint", "4-byte unsigned integer", "3000000000 (0xb2d05e00)"),
        ("char", "character", "113 'q'"),
    ]
    .into_iter()
    .enumerate()
    {
        assert!(explained.contains(&format!("input: {name}: {of} = {value}")), "{name}: {explained}");
        let shown = value.replace('"', "&quot;").replace('\'', "&#39;");
        let row = format!("<th scope=\"row\">{name}</th><td>{of}</td><td><code>{shown}</code></td>");
        assert!(page.contains(&row), "{name} is on the page");
        assert_eq!(
            (&inputs["inputs"][number]["type"], &inputs["inputs"][number]["value"]),
            (&of.into(), &value.into())
        );
    }
    assert!(told.contains("u: 4-byte unsigned integer = 4000000000 (0xee6b2800)"), "{told}");
}

/// Fails when all values are read that the other thread writes, one of each kind of type.
const TYPED_STEPS: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdbool.h>\n#include <stdint.h>\n\
    enum state { IDLE, BUSY = 7 };\nstatic uint32_t limit;\nstatic uint64_t seed;\nstatic bool ready;\n\
    static unsigned char letter;\nstatic enum state state;\nstatic int count, *target, *none = &count;\n\
    static void *work(void *unused) {\n    limit = 4000000000u;\n    seed = UINT64_MAX;\n    letter = 'q';\n\
    state = BUSY;\n    target = &count;\n    none = 0;\n    count = -1;\n    ready = true;\n    return unused;\n}\n\
    int main(void) {\n    pthread_t thread;\n    pthread_create(&thread, 0, work, 0);\n\
    assert(!(ready && limit == 4000000000u && seed == UINT64_MAX && letter == 'q' && state == BUSY\n\
        && target == &count && none == 0 && count == -1));\n    pthread_join(thread, 0);\n    return 0;\n}\n";

#[test]
fn values_of_steps_are_shown_by_their_declared_types() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("steps.c"), TYPED_STEPS).unwrap();
    assert_eq!(symx(folder, &["run", "steps.c"]).status.code(), Some(1));
    let explained = symx(folder, &["explain", "steps.c", "symx-out/failure-1.schedule.json"]);
    let explained = String::from_utf8(explained.stdout).unwrap();
    let page = read(folder, "symx-out/failure-1.html");
    let steps = failing_steps(folder);
    for (object, value) in [
        ("limit", "4000000000"),
        ("seed", "18446744073709551615"),
        ("ready", "true"),
        ("letter", "113 'q'"),
        ("state", "BUSY"),
        ("target", "&count"),
        ("none", "null"),
        ("count", "-1"),
    ] {
        for kind in ["write", "read"] {
            let is_shown = |step: &&serde_json::Value| step["kind"] == kind && step["object"] == object;
            let step = steps.iter().find(is_shown).unwrap_or_else(|| panic!("no {kind} of {object}"));
            assert_eq!(step["value"], value, "{kind} of {object}");
        }
    }
    for text in [&explained, &page] {
        assert!(!text.contains("-294967296"), "{text}");
    }
}

/// An optimiser makes two variables of the structure.
const SPLIT: &str = "#include <assert.h>\n#include <pthread.h>\nstatic struct { long first; int second; } pair;\n\
    static void *add(void *unused) {\n    pair.second++;\n    pair.first++;\n    return unused;\n}\n\
    int main(void) {\n    pthread_t a, b;\n    pthread_create(&a, 0, add, 0);\n    pthread_create(&b, 0, add, 0);\n\
    pthread_join(a, 0);\n    pthread_join(b, 0);\n    assert(pair.second == 2 && pair.first == 2);\n    return 0;\n}\n";

#[test]
fn parts_of_a_variable_that_an_optimiser_split_keep_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("split.c"), SPLIT).unwrap();
    compile(folder, "-O1", "split.c");
    assert_eq!(symx(folder, &["run", "split.bc"]).status.code(), Some(1));
    let steps = failing_steps(folder);
    let objects: BTreeSet<(&str, u64)> = steps
        .iter()
        .filter(|step| step["kind"] == "write")
        .map(|step| (step["object"].as_str().unwrap(), step["location"]["line"].as_u64().unwrap()))
        .collect();
    assert_eq!(objects, BTreeSet::from([("pair.second", 5), ("pair.first", 6)]));
}

/// A timer of which no thread is notified.
const TIMED: &str = "#include <signal.h>\n#include <time.h>\nint main(void) {\n    sigset_t awaited;\n    timer_t timer;\n\
    struct sigevent event = {.sigev_notify = SIGEV_NONE};\n    struct itimerspec when = {.it_value = {0, 1000000}};\n\
    timer_create(CLOCK_MONOTONIC, &event, &timer);\n    timer_settime(timer, 0, &when, 0);\n\
    sigemptyset(&awaited);\n    sigaddset(&awaited, SIGUSR1);\n    sigwaitinfo(&awaited, 0);\n    return 0;\n}\n";

#[test]
fn a_call_of_a_library_has_the_name_that_the_program_calls_and_a_timer_waits_for_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("timed.c"), TIMED).unwrap();
    let told = String::from_utf8(symx(folder, &["run", "timed.c"]).stdout).unwrap();
    assert!(told.contains("BLOCKED: sigwaitinfo()") && !told.contains("rt_sigtimedwait()"), "{told}");
    assert!(!told.contains("BLOCKED: timer"), "{told}");
    let threads = &json(folder, "symx-out/failure-1.explanation.json")["failing"]["threads"];
    let threads: Vec<_> =
        threads.as_array().unwrap().iter().map(|thread| (&thread["name"], &thread["function"])).collect();
    assert_eq!(threads, [(&"0".into(), &"main".into()), (&"0.0".into(), &"timer".into())]);
}

/// Fails for one value of each parameter.
const PARAMETERS: &str = "#include <assert.h>\nint check(unsigned limit, _Bool quiet, const char *name) {\n\
    assert(!(limit == 4000000000u && quiet && name[0] == 'g' && name[1] == 'o' && !name[2]));\n    return 0;\n}\n\
    int main(void) {\n    return check(0, 0, \"\");\n}\n";

#[test]
fn parameters_of_an_entry_have_their_names_and_types() {
    for level in ["-O0", "-O1"] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::fs::write(folder.join("check.c"), PARAMETERS).unwrap();
        compile(folder, level, "check.c");
        let run = symx(folder, &["run", "check.bc", "--entry", "check", "--entry-bytes", "3"]);
        assert_eq!(run.status.code(), Some(1), "{level}");
        let inputs = json(folder, "symx-out/failure-1.inputs.json");
        for (number, (name, of, value)) in [
            ("limit", "4-byte unsigned integer", "4000000000 (0xee6b2800)"),
            ("quiet", "boolean", "true"),
            ("name", "3 bytes", "\"go\""),
        ]
        .into_iter()
        .enumerate()
        {
            let input = &inputs["inputs"][number];
            assert!(input["name"].as_str().unwrap().starts_with(name), "{level}: {input}");
            assert_eq!((&input["type"], &input["value"]), (&of.into(), &value.into()), "{level}");
        }
    }
}

/// Compiles a source of C or C++ to bitcode beside it.
pub fn compile(folder: &Path, level: &str, source: &str) {
    let (name, extension) = source.split_once('.').unwrap();
    let compiler = if extension == "cc" { "clang++-22" } else { "clang-22" };
    let compiled = Command::new(compiler)
        .args([level, "-Xclang", "-disable-O0-optnone", "-g", "-pthread", "-emit-llvm", "-c"])
        .args([source, "-o", &format!("{name}.bc")])
        .current_dir(folder)
        .status()
        .unwrap();
    assert!(compiled.success());
}

/// The objects of the steps of the failing execution.
pub fn objects(folder: &Path) -> BTreeSet<String> {
    let steps = failing_steps(folder);
    steps.iter().map(|step| step["object"].as_str().unwrap().to_owned()).collect()
}

/// What containers of C++ hold is on the heap, and no variable points to it.
const ELEMENTS: &str = "#include <cassert>\n#include <map>\n#include <memory>\n#include <thread>\n#include <vector>\n\
    struct Item { int id = 0; unsigned quantity = 0; };\n\
    class Account {\n    int unread = 0;\n  public:\n    void deliver() { unread++; }\n    int size() const { return unread; }\n};\n\
    int main() {\n    std::vector<Item> items(2);\n    std::map<int, int> index;\n    index[1] = 0;\n\
    auto account = std::make_unique<Account>();\n\
    auto work = [&] {\n        items[1].quantity += 1;\n        index[1] += 1;\n        account->deliver();\n    };\n\
    std::thread a(work), b(work);\n    a.join();\n    b.join();\n\
    assert(items[1].quantity == 2 && index[1] == 2 && account->size() == 2);\n}\n";

#[test]
fn what_containers_hold_is_called_by_its_type_and_field() {
    for level in ["-O0", "-O1"] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::fs::write(folder.join("elements.cc"), ELEMENTS).unwrap();
        compile(folder, level, "elements.cc");
        assert_eq!(symx(folder, &["run", "elements.bc"]).status.code(), Some(1), "{level}");
        let objects = objects(folder);
        for name in [
            "Item(elements.cc:14)[1].quantity",
            "pair<const int, int>(elements.cc:16).second",
            // Its one field is the whole of it.
            "Account(elements.cc:17)",
        ] {
            assert!(objects.contains(name), "{level}: no {name} in {objects:?}");
        }
    }
}

/// The last of a shared pointer's owners is one of three.
const SHARED_POINTER: &str = "#include <cassert>\n#include <memory>\n#include <thread>\nint main() {\n\
    auto total = std::make_shared<int>(0);\n    auto add = [total] { *total += 1; };\n\
    std::thread one(add), other(add);\n    one.join();\n    other.join();\n    assert(*total == 2);\n}\n";

#[test]
fn what_a_shared_pointer_owns_and_its_count_have_names() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("shared.cc"), SHARED_POINTER).unwrap();
    assert_eq!(symx(folder, &["run", "shared.cc"]).status.code(), Some(1));
    let objects = objects(folder);
    for name in ["int(shared.cc:5)", "int(shared.cc:5).use_count"] {
        assert!(objects.contains(name), "no {name} in {objects:?}");
    }
}

/// Two functions count in one variable, each under a lock of its own of the same name.
const TWINS: &str = "#include <assert.h>\n#include <pthread.h>\nint balance;\nstatic void *deposit(void *unused) {\n\
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n    pthread_mutex_lock(&lock);\n    balance += 10;\n\
    pthread_mutex_unlock(&lock);\n    return unused;\n}\nstatic void *withdraw(void *unused) {\n\
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n    pthread_mutex_lock(&lock);\n    balance -= 5;\n\
    pthread_mutex_unlock(&lock);\n    return unused;\n}\nint main(void) {\n    pthread_t a, b;\n\
    pthread_create(&a, 0, deposit, 0);\n    pthread_create(&b, 0, withdraw, 0);\n    pthread_join(a, 0);\n\
    pthread_join(b, 0);\n    assert(balance == 5);\n    return 0;\n}\n";

#[test]
fn variables_of_one_name_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("bank.c"), TWINS).unwrap();
    let told = String::from_utf8(symx(folder, &["run", "bank.c"]).stdout).unwrap();
    let objects = objects(folder);
    for name in ["lock (bank.c:5)", "lock (bank.c:12)", "balance"] {
        assert!(objects.contains(name), "no {name} in {objects:?}");
    }
    // The lock that the others hold is missing, not the one of this name that is held.
    let missing = ["hold `lock` (bank.c:5) around bank.c:14", "hold `lock` (bank.c:12) around bank.c:7"];
    assert!(missing.iter().any(|fix| told.contains(fix)), "{told}");
}

#[test]
fn the_result_file_is_there_when_the_verdict_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("shadowed.c"), SHADOWED).unwrap();
    let mut run = Command::new(env!("CARGO_BIN_EXE_symx"))
        .args(["run", "shadowed.c", "--json", "result.json"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(run.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("violation: ")));
    assert_eq!(json(folder.path(), "result.json")["verdict"], "violation");
    assert!(lines.any(|line| line.unwrap().starts_with("replay ")));
    assert_eq!(run.wait().unwrap().code(), Some(1));
    let violation = &json(folder.path(), "result.json")["violations"][0];
    assert_eq!(violation["class"], "atomicity-violation");
}

/// Threads that are destroyed before they have taken a step. `load` takes an object by value, which the
/// library makes before.
const NOT_BEGUN: &str = "#include <functional>\n#include <thread>\n\
    struct Config { int a = 1; Config() {} Config(Config &&o) : a(o.a) {} };\nvoid load(Config, int) {}\n\
    struct Server { int n = 0; void serve(int k) { n = k; } };\nstatic void other() {}\nint main() {\n    Server s;\n\
    void (*pointer)() = other;\n    std::function<void()> function = other;\n\
    std::thread a(load, Config(), 3), b(&Server::serve, &s, 3), c([pointer] { pointer(); }), d(function);\n}\n";

#[test]
fn a_thread_that_has_taken_no_step_has_the_name_of_its_function() {
    for optimisation in ["-O0", "-O1"] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::fs::write(folder.join("main.cc"), NOT_BEGUN).unwrap();
        let built = symx(folder, &["c++", "-g", optimisation, "-pthread", "main.cc", "-o", "main"]);
        assert!(built.status.success(), "{built:?}");
        assert_eq!(symx(folder, &["run", "main"]).status.code(), Some(1));
        let threads = &json(folder, "symx-out/failure-1.explanation.json")["failing"]["threads"];
        let names: Vec<&str> =
            threads.as_array().unwrap().iter().map(|thread| thread["function"].as_str().unwrap()).collect();
        let own = ["main", "load", "Server::serve", "lambda main.cc:11", "other"];
        assert_eq!(names, own, "{optimisation}");
        let page = read(folder, "symx-out/failure-1.html");
        assert!(
            page.contains("{\"name\":\"main.cc\",\"lines\""),
            "files are named from the present folder on"
        );
    }
}
