//! The contract of the command line: exit codes, one-line refusals, the result file.

mod project_file;
mod suites;

use std::ffi::OsStr;
use std::process::{Command, Output, Stdio};
use symx_posix_explore::SEARCHES;

const SAFE: &str = "#include <stdio.h>\nint main(int argc, char **argv) {\n    printf(\"%s\\n\", argv[argc - 1]);\n    return 0;\n}\n";
const WRONG: &str =
    "#include <stdlib.h>\nint *volatile p;\nint main(void) {\n    *p = 1;\n    return 0;\n}\n";
const RACY: &str = "#include <assert.h>\n#include <pthread.h>\nvolatile int x;\n\
    static void *work(void *unused) { x = 1; return unused; }\n\
    int main(void) {\n    pthread_t thread;\n    pthread_create(&thread, NULL, work, NULL);\n    assert(x == 0);\n\
    pthread_join(thread, NULL);\n    return 0;\n}\n";
const ENDLESS: &str = "volatile int x;\nint main(void) {\n    for (;;)\n        x++;\n}\n";
const YIELDING: &str = "#include <pthread.h>\n#include <sched.h>\n\
    static void *work(void *unused) { return unused; }\n\
    int main(void) {\n    pthread_t thread;\n    pthread_create(&thread, NULL, work, NULL);\n\
    pthread_join(thread, NULL);\n    for (;;)\n        sched_yield();\n}\n";
const MEETING: &str = "#include <pthread.h>\n#include <sched.h>\n#include <stdatomic.h>\n\
    static pthread_barrier_t barrier;\nstatic atomic_int ready[2];\n\
    static void *meet(void *argument) {\n    int me = (int)(long)argument;\n    pthread_barrier_wait(&barrier);\n\
    atomic_store_explicit(&ready[me], 1, memory_order_relaxed);\n\
    while (!atomic_load_explicit(&ready[1 - me], memory_order_relaxed)) sched_yield();\n    return 0;\n}\n\
    int main(void) {\n    pthread_t one, other;\n    pthread_barrier_init(&barrier, 0, 2);\n\
    pthread_create(&one, 0, meet, (void *)0);\n    pthread_create(&other, 0, meet, (void *)1);\n\
    pthread_join(one, 0);\n    pthread_join(other, 0);\n    return 0;\n}\n";
const STATUS: &str = "int main(void) { return 7; }\n";

/// A folder with the programs, where symx runs.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for (name, text) in [
            ("safe.c", SAFE),
            ("wrong.c", WRONG),
            ("racy.c", RACY),
            ("endless.c", ENDLESS),
            ("yielding.c", YIELDING),
            ("meeting.c", MEETING),
            ("status.c", STATUS),
        ] {
            place.write(name, text.as_bytes());
        }
        place
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.0.path().join(name), bytes).unwrap();
    }

    fn symx<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_symx"))
            .args(arguments)
            .current_dir(self.0.path())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// The message of a refusal: exit code 2, one line on stderr, nothing on stdout.
    fn refusal(&self, arguments: &[&str]) -> String {
        let output = self.symx(arguments);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert_eq!(output.stdout, b"", "{arguments:?}");
        assert_eq!(message.lines().count(), 1, "{message}");
        message.strip_prefix("symx: error: ").unwrap_or_else(|| panic!("{message}")).trim_end().to_owned()
    }

    fn json(&self, arguments: &[&str]) -> (i32, serde_json::Value) {
        let output = self.symx(&[arguments, &["--json", "result.json"]].concat());
        let text = std::fs::read(self.0.path().join("result.json"))
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        (output.status.code().unwrap(), serde_json::from_slice(&text).unwrap())
    }

    fn bitcode(&self, source: &str, name: &str) {
        let status = Command::new("clang-22")
            .args(["-g", "-O1", "-emit-llvm", "-c", source, "-o", name])
            .current_dir(self.0.path())
            .status()
            .unwrap();
        assert!(status.success());
    }
}

#[test]
fn verdicts_have_their_exit_codes() {
    let place = Place::new();
    let (code, report) = place.json(&["run", "safe.c"]);
    assert_eq!((code, &report["verdict"]), (0, &"safe".into()), "{report}");
    assert_eq!(report["outcomes"][0]["stdout"], "safe.c\n");
    let (code, report) = place.json(&["run", "wrong.c"]);
    assert_eq!((code, &report["verdict"]), (1, &"violation".into()), "{report}");
    let (code, report) = place.json(&["run", "endless.c", "--max-steps", "10000"]);
    assert_eq!((code, &report["verdict"]), (3, &"incomplete".into()), "{report}");
    assert_eq!(report["incomplete"][0]["reason"], "max-steps");
    let (code, report) = place.json(&["run", "endless.c", "--max-time", "0.5"]);
    assert_eq!((code, &report["incomplete"][0]["reason"]), (3, &"max-time".into()), "{report}");
    let (code, report) = place.json(&["run", "yielding.c"]);
    assert_eq!((code, &report["violations"][0]["kind"]), (1, &"livelock".into()), "{report}");
}

#[test]
fn probabilistic_testing_says_how_likely_it_is_to_find_a_bug() {
    let place = Place::new();
    place.write("tame.c", RACY.replace("assert(x == 0)", "assert(x >= 0)").as_bytes());
    let (code, report) =
        place.json(&["run", "--search", "pct", "--pct-depth", "2", "--max-executions", "20", "tame.c"]);
    assert_eq!((code, &report["incomplete"][0]["reason"]), (3, &"sampled".into()), "{report}");
    let what = report["incomplete"][0]["what"].as_str().unwrap();
    assert!(
        what.ends_with(
            "2 agents and 7 steps, each further one shows a bug of depth 2 with a probability of at least 1 in 14"
        ),
        "{what}"
    );
}

#[test]
fn a_violation_is_replayed_and_says_where_it_is() {
    let place = Place::new();
    let (_, report) = place.json(&["run", "wrong.c", "--memmodel", "tso"]);
    assert_eq!((&report["schema"], &report["command"]), (&1.into(), &"run".into()));
    assert_eq!((&report["program"], &report["memmodel"]), (&"wrong.c".into(), &"tso".into()));
    let violation = &report["violations"][0];
    assert_eq!((&violation["kind"], &violation["detail"]), (&"memory".into(), &"null-deref".into()));
    assert_eq!(
        (&violation["location"]["line"], &violation["location"]["function"]),
        (&4.into(), &"main".into())
    );
    assert_eq!((&violation["thread"], &violation["replayed"]), (&"0".into(), &true.into()));
    assert_eq!(violation["schedule"], "symx-out/failure-1.schedule.json");
    for file in ["failure-1.schedule.json", "failure-1.inputs.json", "trace.json"] {
        assert!(place.0.path().join("symx-out").join(file).exists(), "{file}");
    }
}

#[test]
fn a_schedule_replays_and_only_on_its_program() {
    let place = Place::new();
    let (code, report) = place.json(&["run", "racy.c"]);
    assert_eq!(code, 1, "{report}");
    assert!(report["violations"][0]["context_switches"].as_u64() >= Some(1), "{report}");
    let schedule = report["violations"][0]["schedule"].as_str().unwrap();
    let replay = place.symx(&["replay", "racy.c", schedule]);
    let text = String::from_utf8_lossy(&replay.stdout).into_owned();
    assert_eq!(replay.status.code(), Some(0), "{text}");
    assert!(text.contains("racy.c:8") && text.contains("reproduced: assertion failed"), "{text}");
    assert!(
        place.refusal(&["replay", "safe.c", schedule]).contains("recorded for a different build of `racy.c`")
    );
    assert!(place.refusal(&["replay", "safe.c", "safe.c"]).contains("not a schedule"));
    assert_eq!(place.symx(&["exec", "racy.c", "--schedule", schedule]).status.code(), Some(1));
}

#[test]
fn a_random_schedule_is_simplified_to_the_switches_it_needs() {
    let place = Place::new();
    place.write(
        "twice.c",
        b"#include <assert.h>\n#include <pthread.h>\nvolatile int sum, noise;\n\
        static void *add(void *unused) { for (int i = 0; i < 4; i++) { noise++; sum = sum + 1; } return unused; }\n\
        static void *other(void *unused) { for (int i = 0; i < 9; i++) noise++; return unused; }\n\
        int main(void) {\n    pthread_t one, two, three;\n    pthread_create(&one, NULL, add, NULL);\n    \
        pthread_create(&two, NULL, add, NULL);\n    pthread_create(&three, NULL, other, NULL);\n    \
        pthread_join(one, NULL);\n    pthread_join(two, NULL);\n    pthread_join(three, NULL);\n    \
        assert(sum == 8);\n    return 0;\n}\n",
    );
    // The report of a search at random is simplified already: hundreds of steps by four threads, each with a
    // lot of noise.
    let (code, report) = place.json(&["run", "--search", "random", "--seed", "5", "twice.c"]);
    assert_eq!(code, 1, "{report}");
    assert!(report["violations"][0]["context_switches"].as_u64().unwrap() <= 5, "{report}");
    let before = report["violations"][0]["context_switches"].as_u64().unwrap();
    let output = place.symx(&["simplify", "twice.c", "symx-out/failure-1.schedule.json"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}");
    // One thread adds between another one's read and write: into it and back, and to main and the third
    // thread's end. Asked again, there is nothing to gain.
    let expected = format!("simplified: {before} context switches");
    let nothing_gained = format!(" to {before} context switches");
    assert!(text.contains(&expected) && text.contains(&nothing_gained), "{text}");
    let again = place.symx(&["replay", "twice.c", "symx-out/failure-1.simplified.json"]);
    assert!(String::from_utf8_lossy(&again.stdout).contains("reproduced: "), "{again:?}");
}

#[test]
fn another_program_is_refused_by_name() {
    let place = Place::new();
    let source = "#include <unistd.h>\nint main(void) {\n    execl(\"/bin/true\", \"true\", (char *)0);\n}\n";
    place.write("exec.c", source.as_bytes());
    for command in ["run", "exec"] {
        let (code, report) = place.json(&[command, "exec.c"]);
        let cut = &report["incomplete"][0];
        assert_eq!((code, &report["verdict"]), (3, &"incomplete".into()), "{report}");
        assert_eq!(
            (&cut["reason"], &cut["location"]["line"]),
            (&"unsupported".into(), &3.into()),
            "{report}"
        );
        assert_eq!(cut["what"], "execve of another program, `/bin/true`", "{report}");
    }
}

#[test]
fn calls_that_are_modelled_in_part_are_refused_by_name() {
    let place = Place::new();
    let head = "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <fenv.h>\n#include <poll.h>\n#include <signal.h>\n\
                #include <sys/mman.h>\n#include <sys/select.h>\nint main(void) {\n    sigset_t mask;\n    \
                sigfillset(&mask);\n    struct timespec none = { 0, 0 };\n";
    let calls = [
        ("ppoll(NULL, 0, &none, &mask)", "ppoll that blocks more signals than its thread does"),
        (
            "pselect(0, NULL, NULL, NULL, &none, &mask)",
            "pselect6 that blocks more signals than its thread does",
        ),
        ("fesetround(FE_UPWARD)", "a rounding mode other than to nearest"),
        ("fetestexcept(FE_ALL_EXCEPT)", "floating-point exceptions"),
        (
            "mprotect(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096, PROT_READ)",
            "mprotect that takes rights to a whole mapping away",
        ),
    ];
    for (call, what) in calls {
        place.write("call.c", format!("{head}    return {call};\n}}\n").as_bytes());
        let (code, report) = place.json(&["run", "call.c"]);
        assert_eq!((code, &report["verdict"]), (3, &"incomplete".into()), "{report}");
        assert_eq!(report["incomplete"][0]["what"], what, "{report}");
    }
}

/// Two threads ask one facet of the classic locale, which fills a table when it is first asked.
#[test]
fn tables_that_the_library_fills_do_not_race() {
    let place = Place::new();
    let program = "#include <sstream>\n#include <thread>\nint main() {\n    std::thread thread([] {\n        \
                   std::ostringstream stream;\n        stream << 1 << std::endl;\n    });\n    \
                   std::ostringstream stream;\n    stream << 2 << std::endl;\n    thread.join();\n}\n";
    place.write("streams.cc", program.as_bytes());
    let options = ["run", "--check", "race", "--search", "random", "--max-executions", "10", "streams.cc"];
    let (_, report) = place.json(&options);
    assert_eq!(report["violations"], serde_json::json!([]), "{report}");
    assert_eq!(report["stats"]["executions"], 10, "{report}");
}

#[test]
fn exec_passes_output_and_status_through() {
    let place = Place::new();
    let output = place.symx(&["exec", "safe.c", "--", "one", "two"]);
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"two\n"[..]));
    assert_eq!(place.symx(&["exec", "status.c"]).status.code(), Some(7));
    let wrong = place.symx(&["exec", "wrong.c"]);
    let text = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert_eq!(wrong.status.code(), Some(1), "{text}");
    assert!(text.contains("error[memory/null-deref]") && text.contains("*p = 1;"), "{text}");
    let (code, report) = place.json(&["exec", "status.c"]);
    assert_eq!((code, &report["exit_status"], &report["stdout"]), (7, &7.into(), &"".into()));
}

#[test]
fn exec_tolerates_undefined_behaviour_on_request_and_replays_so() {
    let place = Place::new();
    place.write(
        "undefined.c",
        b"#include <limits.h>\n#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n    \
        int sum = INT_MAX;\n    sum += argc;\n    int *fresh = malloc(8);\n    if (*fresh == 0)\n        \
        printf(\"%d %d\\n\", sum, *(int *)((char *)fresh + 1));\n    fflush(stdout);\n    free(fresh);\n    \
        return fresh == NULL ? 0 : *(int *)NULL;\n}\n",
    );
    let (code, report) = place.json(&["exec", "undefined.c"]);
    assert_eq!((code, &report["violations"][0]["detail"]), (1, &"uninitialised".into()), "{report}");
    let output = place.symx(&["exec", "--undefined", "all=ignore", "undefined.c"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "-2147483648 0\n");
    assert_eq!(output.status.code(), Some(1));
    let again = place.symx(&["replay", "undefined.c", "symx-out/failure-1.schedule.json"]);
    assert!(String::from_utf8_lossy(&again.stderr).contains("null"), "{again:?}");
}

#[test]
fn exec_reads_standard_input() {
    let place = Place::new();
    place.write("cat.c", b"#include <stdio.h>\nint main(void) { int c; while ((c = getchar()) != EOF) putchar(c); return 0; }\n");
    place.write("input", b"some\0bytes\n");
    let output = place.symx(&["exec", "cat.c", "--stdin", "input"]);
    assert_eq!(output.stdout, b"some\0bytes\n", "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn bad_programs_are_refused_by_name() {
    let place = Place::new();
    assert_eq!(place.refusal(&["run", "gone.bc"]), "cannot read `gone.bc`: no such file or directory");
    place.write("empty.bc", b"");
    assert_eq!(place.refusal(&["run", "empty.bc"]), "`empty.bc`: the file is empty");
    place.write("garbage.bc", b"\x01\x02\x03\0\xff no bitcode");
    assert_eq!(place.refusal(&["exec", "garbage.bc"]), "`garbage.bc`: not LLVM bitcode or textual IR");
    place.bitcode("safe.c", "safe.bc");
    let bitcode = std::fs::read(place.0.path().join("safe.bc")).unwrap();
    place.write("short.bc", &bitcode[..bitcode.len() / 2]);
    assert!(place.refusal(&["run", "short.bc"]).starts_with("`short.bc`: truncated bitcode"));
    place.bitcode("status.c", "status.bc");
    assert!(place.refusal(&["run", env!("CARGO_BIN_EXE_symx")]).contains("is not a program symx can load"));
    place.write("script", b"#!/bin/sh\n");
    assert_eq!(place.refusal(&["exec", "script"]), "`script` is a script");
    std::fs::create_dir(place.0.path().join(".libs")).unwrap();
    place.write(".libs/script", b"");
    assert!(place.refusal(&["exec", "script"]).contains("libtool's program is `.libs/script`"));
    place.write("library.c", b"int twice(int x) { return 2 * x; }\n");
    assert_eq!(place.refusal(&["run", "library.c"]), "`library.c` defines no function `main`");
}

#[test]
fn a_refusal_says_what_is_wanted_and_a_position_once() {
    let place = Place::new();
    place.bitcode("safe.c", "safe.bc");
    let refused = place.refusal(&["extract-bc", "safe.bc", "-o", "all.bc"]);
    assert!(
        refused.starts_with("`safe.bc` carries no bitcode: ") && refused.contains("symx cc"),
        "{refused}"
    );
    place.write("broken.json", b"{}");
    let refused = place.refusal(&["report", "broken.json", "--html", "page.html"]);
    assert_eq!(refused.matches("column").count(), 1, "{refused}");
}

#[test]
fn options_of_replay_that_would_be_ignored_are_refused_by_name() {
    let place = Place::new();
    for (options, named) in [
        (&["--times", "3"][..], "--native"),
        (&["--patience", "3"][..], "--native"),
        (&["--", "a", "b"][..], "--gdb"),
        (&["--native", "binary", "--", "a"][..], "--gdb"),
        (&["--native", "binary", "--html", "page.html"][..], "--html"),
        (&["--native", "binary", "--gdb", "--times", "3"][..], "--times"),
    ] {
        let line = [&["replay", "racy.c", "failing.schedule.json"], options].concat();
        let refused = place.refusal(&line);
        assert!(refused.contains(named), "{options:?}: {refused}");
    }
}

#[test]
fn one_of_a_kind_is_no_plural() {
    let place = Place::new();
    let recorded = place.symx(&["record", "status.c", "-o", "path.prof"]);
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert!(said.contains("; 1 thread recorded in path.prof"), "{said}");
    let text = b"#include <stdlib.h>\nstatic void *volatile last;\n\
        int main(void) {\n    last = malloc(4);\n    last = malloc(8);\n    last = NULL;\n    return 0;\n}\n";
    place.write("leaks.c", text);
    let found = place.symx(&["run", "leaks.c", "--check", "leak", "--no-explain"]);
    let said = String::from_utf8_lossy(&found.stdout);
    assert!(said.contains(", and 1 more object ("), "{said}");
}

#[test]
fn damaged_bitcode_never_takes_symx_down() {
    let place = Place::new();
    place.bitcode("racy.c", "racy.bc");
    let bitcode = std::fs::read(place.0.path().join("racy.bc")).unwrap();
    for seed in 0..12_usize {
        let mut damaged = bitcode.clone();
        for flip in 0..4 {
            let at = 64 + (seed * 7919 + flip * 104_729) % (damaged.len() - 64);
            damaged[at] ^= 1 << (seed % 8);
        }
        place.write("damaged.bc", &damaged);
        let output = place.symx(&["run", "damaged.bc", "--max-time", "2"]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(matches!(output.status.code(), Some(0..=3)), "{:?} {message}", output.status);
        if output.status.code() == Some(2) {
            assert!(message.starts_with("symx: error: ") && message.lines().count() == 1, "{message}");
        }
    }
}

#[test]
fn engines_that_synthesise_go_with_no_other_search() {
    let place = Place::new();
    for engine in ["synthesis", "both"] {
        let others =
            SEARCHES.iter().filter(|row| row.search.is_sample() || row.search.bound_reason().is_some());
        for search in others.map(|row| row.name) {
            let refusal = place
                .refusal(&["run", "safe.c", "--guide", "a.prof", "--engine", engine, "--search", search]);
            let expected =
                format!("--search {search}: --engine synthesis and --engine both explore depth-first");
            assert_eq!(refusal, expected);
        }
    }
}

#[test]
fn bad_profiles_are_refused_by_name() {
    let place = Place::new();
    place.write("bad.prof", b"no profile");
    assert_eq!(
        place.refusal(&["run", "safe.c", "--guide", "bad.prof"]),
        "profile `bad.prof`: not a path profile"
    );
    assert_eq!(place.refusal(&["profile", "show", "bad.prof"]), "profile `bad.prof`: not a path profile");
    place.bitcode("safe.c", "safe.bc");
    let built = place.symx(&["instrument", "safe.bc", "-o", "safe"]);
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let recorded = place.symx(&["record", "-o", "safe.prof", "--", "./safe", "x"]);
    assert_eq!((recorded.status.code(), recorded.stdout.as_slice()), (Some(0), &b"x\n"[..]));
    assert!(place.symx(&["profile", "show", "safe.prof"]).status.success());
    assert!(place.refusal(&["run", "wrong.c", "--guide", "safe.prof"]).contains("recorded from"));
    let mut damaged = std::fs::read(place.0.path().join("safe.prof")).unwrap();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0x55;
    place.write("damaged.prof", &damaged);
    assert!(place.refusal(&["profile", "show", "damaged.prof"]).starts_with("profile `damaged.prof`: "));
}

#[test]
fn files_of_another_kind_are_refused_by_name() {
    let place = Place::new();
    // Neither text nor the beginning of any format.
    place.write("bytes", b"\x89\xff\xfe\0");
    assert_eq!(
        place.refusal(&["replay", "safe.c", "bytes"]),
        "schedule `bytes`: not a schedule: expected value at line 1 column 1"
    );
    assert_eq!(place.refusal(&["trace", "show", "bytes"]), "trace `bytes`: not a symbolic trace");
    assert_eq!(place.refusal(&["trace", "show", "safe.c"]), "trace `safe.c`: not a symbolic trace");
    let drawn = place.refusal(&["report", "bytes", "--html", "page.html"]);
    assert!(drawn.starts_with("explanation `bytes`: "), "{drawn}");
    std::fs::create_dir(place.0.path().join("left")).unwrap();
    place.write("left/unfinished.json", b"\xff");
    let resumed = place.refusal(&["run", "safe.c", "--resume", "left"]);
    assert!(resumed.starts_with("unfinished exploration `left/unfinished.json`: damaged: "), "{resumed}");
}

#[test]
fn bad_usage_is_refused_in_one_line() {
    let place = Place::new();
    assert!(place.refusal(&["run"]).contains("PROG"));
    assert!(place.refusal(&["run", "safe.c", "--memmodel", "arm"]).contains("known models are sc, tso, pso"));
    assert!(place.refusal(&["run", "safe.c", "--max-time", "soon"]).contains("expected a number of seconds"));
    assert!(place.refusal(&["run", "safe.c", "--mount", "gone"]).contains("`gone` does not exist"));
    let exchanging = ["run", "safe.c", "--symmetry", "--reduction", "source-sets"];
    assert!(
        place.refusal(&exchanging).contains("only the reduction `reads-from` exchanges identical threads")
    );
    assert!(place.refusal(&["frobnicate"]).contains("frobnicate"));
    assert!(place.refusal(&["record", "--", "./gone"]).contains("no such file"));
    let models = place.symx(&["run", "--list-memmodels"]);
    assert!(models.status.success() && String::from_utf8_lossy(&models.stdout).contains("tso"));
}

#[test]
fn a_folder_of_programs_is_tested() {
    let place = Place::new();
    std::fs::create_dir_all(place.0.path().join("suite/fail")).unwrap();
    place.write("suite/ok.c", b"int main(void) { return 0; }\n");
    place.write("suite/fail/null.c", WRONG.replace("*p = 1;", "*p = 1; //~ ERROR: null pointer").as_bytes());
    let passed = place.symx(&["test", "suite", "--junit", "junit.xml", "--json", "results.json"]);
    assert_eq!(passed.status.code(), Some(0), "{}", String::from_utf8_lossy(&passed.stdout));
    assert!(String::from_utf8_lossy(&passed.stdout).contains("6 passed, 0 failed"));
    assert!(place.0.path().join("junit.xml").exists());
    place.write("suite/fail/clean.c", b"int main(void) { return 0; }\n");
    let failed = place.symx(&["test", "suite"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&failed.stdout).contains("without `//~ ERROR:`"));
    assert!(place.refusal(&["test", "gone"]).contains("cannot read `gone`"));
}

#[test]
fn what_has_not_changed_since_it_passed_is_not_run_again() {
    let place = Place::new();
    std::fs::create_dir_all(place.0.path().join("suite")).unwrap();
    place.write("suite/ok.c", b"int main(void) { return 0; }\n");
    let arguments = ["test", "suite", "--changed", "--cache", "cache", "--summary", "summary.md"];
    for expected in ["3 passed, 0 failed\n", "3 passed, 0 failed, 3 of them unchanged since they passed\n"] {
        assert_eq!(place.symx(&arguments).status.code(), Some(0));
        let summary = std::fs::read_to_string(place.0.path().join("summary.md")).unwrap();
        assert!(summary.ends_with(expected), "{summary}");
    }
    place.write("suite/ok.c", b"int main(void) { int *p = 0; return *p; }\n");
    let failed = place.symx(&[&arguments[..], &["--out", "kept"]].concat());
    assert_eq!(failed.status.code(), Some(1));
    let told = String::from_utf8_lossy(&failed.stdout);
    assert!(told.contains("schedules and pages: kept/ok/sc"), "{told}");
    assert!(place.0.path().join("kept/ok/tso/failure-1.schedule.json").exists());
    let listed = place.symx(&["test", "suite", "--list"]);
    assert_eq!(String::from_utf8_lossy(&listed.stdout), "ok [sc]\nok [tso]\nok [pso]\n");
}

#[test]
fn versions_completions_manual_and_needs_are_printed() {
    let place = Place::new();
    let version = place.symx(&["--version"]);
    assert!(String::from_utf8_lossy(&version.stdout).contains("\nLLVM 22."));
    let completions = place.symx(&["completions", "bash"]);
    assert!(String::from_utf8_lossy(&completions.stdout).contains("_symx()"));
    assert_eq!(place.symx(&["man", "pages"]).status.code(), Some(0));
    assert!(place.0.path().join("pages/symx-run.1").exists());
    let doctor = place.symx(&["doctor"]);
    assert_eq!(doctor.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&doctor.stdout).starts_with("ok       C library as bitcode: "));
}

/// Two threads wait for each other's store, which may stand in its buffer for a while.
#[test]
fn who_waits_for_a_buffered_store_waits_not_for_ever() {
    let place = Place::new();
    for search in SEARCHES.iter().filter(|row| row.search.is_sample()).map(|row| row.name) {
        let found = place.symx(&["run", "meeting.c", "--search", search, "--memmodel", "tso"]);
        assert_eq!(found.status.code(), Some(3), "{}", String::from_utf8_lossy(&found.stdout));
        assert!(String::from_utf8_lossy(&found.stdout).contains("1000 executions"));
    }
}

/// The first store of T3 is seen before it is known that another thread reads the second one.
const OVERTAKEN: &str = "#include <assert.h>\n#include <pthread.h>\nstatic int first, second;\n\
    static void *idle(void *unused) { return unused; }\n\
    static void *look(void *unused) { return (void *)(long)__atomic_load_n(&first, __ATOMIC_RELAXED); }\n\
    static void *store(void *unused) {\n    __atomic_store_n(&first, 1, __ATOMIC_RELAXED);\n\
    __atomic_store_n(&second, 3, __ATOMIC_RELEASE);\n    return unused;\n}\n\
    int main(void) {\n    pthread_t a, b, c;\n    pthread_create(&a, 0, idle, 0);\n\
    pthread_create(&b, 0, look, 0);\n    pthread_create(&c, 0, store, 0);\n    pthread_join(b, 0);\n\
    int later = __atomic_load_n(&second, __ATOMIC_ACQUIRE);\n\
    int earlier = __atomic_load_n(&first, __ATOMIC_RELAXED);\n    assert(later == 0 || earlier == 1);\n\
    return 0;\n}\n";

#[test]
fn no_store_overtakes_an_older_one_while_it_is_learnt_what_is_shared() {
    let place = Place::new();
    place.write("overtaken.c", OVERTAKEN.as_bytes());
    // With these, the sampled executions before the last one had shown that the first variable is shared.
    let seeds = [("tso", ["42", "50", "64"]), ("pso", ["42", "50", "64"]), ("weak", ["2", "7", "12"])];
    for (model, seeds) in seeds {
        for seed in seeds {
            let options = ["--memmodel", model, "--search", "pct", "--seed", seed, "--max-executions", "20"];
            let (code, report) = place.json(&[&["run"], &options[..], &["overtaken.c"]].concat());
            let cut = &report["incomplete"][0]["reason"];
            assert_eq!((code, cut), (3, &"sampled".into()), "{model} {seed}: {report}");
        }
    }
}

#[test]
fn growing_bounds_end_where_nothing_is_cut_or_name_what_was_completed() {
    let place = Place::new();
    let tame = RACY.replace("x = 1;", "x = x + 1; x = x - 1;").replace("assert(x == 0)", "assert(x >= 0)");
    place.write("tame.c", tame.as_bytes());
    for search in ["preemptions", "delays"] {
        let (code, report) = place.json(&["run", "--search", search, "tame.c"]);
        assert_eq!((code, &report["verdict"]), (0, &"safe".into()), "{report}");
        let whole = report["stats"]["executions"].as_u64().unwrap();
        // A bound of the same kind is the last one.
        let last = format!("--{search}");
        let (code, report) = place.json(&["run", "--search", search, &last, "0", "tame.c"]);
        let cut = &report["incomplete"][0];
        assert_eq!((code, &cut["reason"]), (3, &search.into()), "{report}");
        assert_eq!(cut["what"], format!("schedules with more than 0 {search}"), "{report}");
        assert!(report["stats"]["executions"].as_u64().unwrap() < whole, "{report}");
        let more = (report["stats"]["executions"].as_u64().unwrap() + 1).to_string();
        let (code, report) = place.json(&["run", "--search", search, "tame.c", "--max-executions", &more]);
        assert_eq!((code, &report["incomplete"][0]["reason"]), (3, &"max-executions".into()), "{report}");
        let completed = &report["incomplete"][1];
        assert_eq!(completed["what"], format!("all schedules with no {search} were explored"), "{report}");
        let (code, report) = place.json(&["run", "--search", search, "tame.c", "--resume", "symx-out"]);
        assert_eq!((code, &report["verdict"]), (0, &"safe".into()), "{report}");
        assert_eq!(report["stats"]["executions"].as_u64(), Some(whole), "{report}");
    }
    let refusal = place.refusal(&["run", "--search", "preemptions", "--delays", "2", "tame.c"]);
    assert!(refusal.contains("--search preemptions: --delays is a bound of another kind"), "{refusal}");
}

#[test]
fn blessed_programs_say_what_came_out() {
    let place = Place::new();
    std::fs::create_dir(place.0.path().join("suite")).unwrap();
    let program = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdio.h>\n//@ outcomes: 7\n\
                   //@ executions[sc]: 9\nstatic atomic_int x;\n\
                   static void *set(void *unused) { x = 1; return unused; }\nint main(void) {\n    \
                   pthread_t t;\n    pthread_create(&t, NULL, set, NULL);\n    printf(\"%d\\n\", x);\n    \
                   pthread_join(t, NULL);\n    return 0;\n}\n";
    let failing = "#include <assert.h>\n//@ executions: 5\nint main(void) { assert(0); }\n";
    place.write("suite/set.c", program.as_bytes());
    place.write("suite/unexpected.c", failing.as_bytes());
    let output = place.symx(&["test", "suite", "--bless"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("blessed suite/set.c\n"), "{text}");
    // A case that fails unexpectedly is not blessed, and still reported.
    assert!(text.contains("FAILED unexpected [sc]") && text.contains("3 passed, 3 failed"), "{text}");
    let read = |name: &str| std::fs::read_to_string(place.0.path().join(name)).unwrap();
    let blessed =
        program.replace("outcomes: 7", "outcomes: 0 1").replace("executions[sc]: 9", "executions[sc]: 2");
    assert_eq!(read("suite/set.c"), blessed);
    assert_eq!(read("suite/unexpected.c"), failing);
}
