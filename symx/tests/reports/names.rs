//! Texts for people have one name for each thread, variable and input, in every form.

use super::{json, read, symx};
use std::io::{BufRead, BufReader};
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
