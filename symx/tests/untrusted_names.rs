//! Untrusted content of programs and files: which source they name, what their names hold, what lies in a
//! folder already.

use serde_json::Value;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A folder where symx runs, in bounded memory and time.
struct Place(tempfile::TempDir);

impl Place {
    fn new(name: &str, text: &str) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        place.write(name, text.as_bytes());
        place
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn symx(&self, line: &str) -> Output {
        let symx = env!("CARGO_BIN_EXE_symx");
        Command::new("sh")
            .args(["-c", &format!("ulimit -v 6000000; exec timeout 60 \"$0\" {line}"), symx])
            .current_dir(self.0.path())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

fn contains(bytes: &[u8], part: &str) -> bool {
    bytes.windows(part.len()).any(|window| window == part.as_bytes())
}

/// Fails on its third line, which it says is the first of another file.
fn program(file: &str) -> String {
    format!("void abort(void);\nint main(void) {{\n#line 1 \"{file}\"\n    abort();\n}}\n")
}

#[test]
fn source_that_lies_elsewhere_is_not_shown() {
    let elsewhere = Place::new("secret.c", "the secret line\n");
    let secret = elsewhere.path("secret.c");
    let place = Place::new("a.c", &program(secret.to_str().unwrap()));
    let run = place.symx("run a.c");
    assert_eq!(run.status.code(), Some(1), "{}", said(&run));
    assert!(!said(&run).contains("the secret line") && said(&run).contains("secret.c:1"), "{}", said(&run));
    assert!(!contains(&place.read("symx-out/failure-1.html"), "the secret line"));

    let root = elsewhere.0.path().display();
    let run = place.symx(&format!("run --source-root {root} a.c"));
    assert!(said(&run).contains("the secret line"), "{}", said(&run));
    assert!(contains(&place.read("symx-out/failure-1.html"), "the secret line"));
    let report = "report symx-out/failure-1.explanation.json --html page.html";
    assert_eq!(place.symx(report).status.code(), Some(0));
    assert!(!contains(&place.read("page.html"), "the secret line"));
    assert_eq!(place.symx(&format!("{report} --source-root {root}")).status.code(), Some(0));
    assert!(contains(&place.read("page.html"), "the secret line"));
}

#[test]
fn source_without_end_is_not_read() {
    let place = Place::new("a.c", "");
    let pipe = place.path("pipe.c");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for name in ["/dev/zero", pipe.to_str().unwrap(), "/proc/self/mem", "/etc/passwd"] {
        place.write("a.c", program(name).as_bytes());
        let run = place.symx("run --sarif a.sarif a.c");
        assert_eq!(run.status.code(), Some(1), "{name}: {}", said(&run));
        assert!(!contains(&place.read("symx-out/failure-1.html"), "root:x:0"), "{name}");
    }
}

#[test]
fn control_characters_of_names_come_through_nowhere() {
    let text = "#include <pthread.h>\n#include <assert.h>\n#include <stdio.h>\n\
        static int first asm(\"ob\\033[8mject\");\n\
        static void *start(void *unused) asm(\"st\\033]0;art\\007\");\n\
        #line 1 \"fi\\033[2Jle.c\"\n\
        static void *start(void *unused) {\n    first++;\n    return unused;\n}\n\
        int main(void) {\n    pthread_t a, b;\n    printf(\"\\033[31mred\\n\");\n    fflush(stdout);\n\
        pthread_create(&a, 0, start, 0);\n    pthread_create(&b, 0, start, 0);\n\
        pthread_join(a, 0);\n    pthread_join(b, 0);\n    assert(first == 2 && \"\\033[5m\");\n}\n";
    let place = Place::new("a.c", text);
    let run = place.symx("run --color never --sarif a.sarif a.c");
    assert_eq!(run.status.code(), Some(1), "{}", said(&run));
    assert!(said(&run).contains("le.c") && !said(&run).contains('\u{1b}'), "{}", said(&run));
    let drawn = "--color never --html a.html --dot a.dot --sarif b.sarif";
    let explain = place.symx(&format!("explain a.c symx-out/failure-1.schedule.json {drawn}"));
    assert_eq!(explain.status.code(), Some(0), "{}", said(&explain));
    assert!(!said(&explain).contains('\u{1b}'), "{}", said(&explain));
    let files = ["a.sarif", "b.sarif", "a.html", "a.dot", "symx-out/failure-1.html"];
    for name in files {
        let bytes = place.read(name);
        assert!(!bytes.contains(&0x1b) && !contains(&bytes, "u001b"), "{name}");
        assert!(contains(&bytes, "le.c"), "{name}");
    }
    place.write("bad.json", b"{\"version\": 1, \"\x1b[31mred\": \xc2\x9b5m");
    place.write("bad.ll", b"define i32 @main() { %\"\x1b[31m\" = bad }");
    let commands = [
        "replay a.c bad.json",
        "report bad.json --dot b.dot",
        "run bad.ll",
        "run '\u{1b}[31m.c'",
        "run '--\u{1b}[31m'",
    ];
    for line in commands {
        let refused = place.symx(line);
        assert_eq!(refused.status.code(), Some(2), "{line}");
        assert!(!said(&refused).contains(['\u{1b}', '\u{9b}']), "{line}: {}", said(&refused));
    }
}

#[test]
fn links_that_lie_in_the_folder_for_results_are_not_followed() {
    let place = Place::new("a.c", &program("a.c"));
    place.write("victim", b"kept");
    std::fs::create_dir(place.path("symx-out")).unwrap();
    std::fs::create_dir(place.path("other")).unwrap();
    for name in ["failure-1.schedule.json", "failure-1.inputs.json", "trace.json", "failure-1.html"] {
        symlink(place.path("victim"), place.path("symx-out").join(name)).unwrap();
    }
    let run = place.symx("run a.c");
    assert_eq!(run.status.code(), Some(1), "{}", said(&run));
    assert_eq!(place.read("victim"), b"kept");
    std::fs::remove_dir_all(place.path("symx-out/failure-1")).unwrap();
    symlink(place.path("other"), place.path("symx-out/failure-1")).unwrap();
    let run = place.symx("run a.c");
    // A link in place of an earlier result's folder goes, as that folder would; what it leads to stays.
    assert_eq!(run.status.code(), Some(1), "{}", said(&run));
    assert!(!place.path("symx-out/failure-1").is_symlink());
    assert_eq!(std::fs::read_dir(place.path("other")).unwrap().count(), 0);
}

#[test]
fn outputs_that_are_not_text_are_distinguished() {
    let text = "#include <stdio.h>\nint klee_int(const char *);\n\
        int main(void) {\n    if (klee_int(\"x\")) putchar(0xfe);\n    else putchar(0xff);\n    return 0;\n}\n";
    let place = Place::new("a.c", text);
    let run = place.symx("run --json a.json a.c");
    assert_eq!(run.status.code(), Some(0), "{}", said(&run));
    let report: Value = serde_json::from_slice(&place.read("a.json")).unwrap();
    let outcomes = report["outcomes"].as_array().unwrap();
    let mut bytes: Vec<_> = outcomes.iter().map(|outcome| outcome["hex"].as_str().unwrap()).collect();
    bytes.sort_unstable();
    assert_eq!(bytes, ["fe", "ff"]);
}

#[test]
fn a_profile_is_its_owners() {
    let place = Place::new("a.c", "int main(void) { return 0; }\n");
    place.write("path.prof", b"");
    let record = place.symx("record -o path.prof a.c");
    assert_eq!(record.status.code(), Some(0), "{}", said(&record));
    let mode = place.path("path.prof").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

/// Debug scopes that contain each other: LLVM would follow them forever.
const CYCLE: &str = "define i32 @main() !dbg !5 {\n  ret i32 0, !dbg !9\n}\n\
    !llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!3}\n\
    !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)\n\
    !1 = !DIFile(filename: \"a.c\", directory: \"/\")\n!3 = !{i32 2, !\"Debug Info Version\", i32 3}\n\
    !5 = distinct !DISubprogram(name: \"main\", file: !1, line: 1, type: !6, unit: !0, spFlags: DISPFlagDefinition)\n\
    !6 = !DISubroutineType(types: !7)\n!7 = !{null}\n\
    !8 = distinct !DILexicalBlock(scope: !10, file: !1, line: 1)\n\
    !10 = distinct !DILexicalBlock(scope: !8, file: !1, line: 1)\n\
    !9 = !DILocation(line: 1, column: 1, scope: !8)\n";

#[test]
fn scopes_that_contain_themselves_are_refused_at_once() {
    let inlined = CYCLE.replace("scope: !8, file", "scope: !5, file").replace(
        "!9 = !DILocation(line: 1, column: 1, scope: !8)",
        "!9 = distinct !DILocation(line: 1, column: 1, scope: !8, inlinedAt: !9)",
    );
    for text in [CYCLE, inlined.as_str()] {
        let place = Place::new("a.ll", text);
        for command in ["run a.ll", "instrument a.ll -o a"] {
            let begin = Instant::now();
            let run = place.symx(command);
            assert_eq!(run.status.code(), Some(2), "{}", said(&run));
            assert!(said(&run).contains("debug scopes that contain themselves"), "{}", said(&run));
            assert!(begin.elapsed() < Duration::from_secs(20));
        }
    }
}

/// The numbers of the processes whose parent this is.
fn children(parent: u32) -> Vec<u32> {
    let list = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap_or_default();
    list.split_whitespace().filter_map(|number| number.parse().ok()).collect()
}

fn within_a_while(mut holds: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(3);
    while Instant::now() < end {
        if holds() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

#[test]
fn the_decoder_ends_with_symx() {
    // Far more than LLVM reads in the time that is waited below.
    let sums = (1..1_500_000).map(|number| format!("  %v{number} = add i64 %v{}, 3\n", number - 1));
    let sums: String = sums.collect();
    let text = format!("define i64 @main(i64 %v0) {{\n{sums}  ret i64 %v0\n}}\n");
    let place = Place::new("a.ll", &text);
    let mut symx = Command::new(env!("CARGO_BIN_EXE_symx"))
        .args(["run", "a.ll"])
        .current_dir(place.0.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut decoder = Vec::new();
    let began = within_a_while(|| {
        decoder = children(symx.id());
        !decoder.is_empty()
    });
    symx.kill().unwrap();
    symx.wait().unwrap();
    assert!(began, "the decoder is at work");
    let is_gone = |number: &u32| match std::fs::read_to_string(format!("/proc/{number}/stat")) {
        // Its parent may not have waited for it yet.
        Ok(stat) => stat.contains(") Z "),
        Err(_) => true,
    };
    assert!(within_a_while(|| decoder.iter().all(is_gone)), "the decoder works on for nobody");
}
