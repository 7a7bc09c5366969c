//! `symx test` on folders whose files change, have odd names, or cannot be used.

use super::Place;
use std::process::Output;

/// A folder `suite` with these programs.
fn suite(files: &[(&str, &str)]) -> Place {
    let place = Place::new();
    for (name, text) in files {
        let path = place.0.path().join("suite").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    place
}

/// What a command prints.
fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_program_is_run_again_when_anything_changes_that_it_reads() {
    let reads = "#include <assert.h>\n#include <stdio.h>\n#include <string.h>\n\
        int main(void) {\n    char path[4096];\n    strcpy(path, __FILE__);\n    \
        strcpy(strrchr(path, '/') + 1, \"data.txt\");\n    FILE *file = fopen(path, \"r\");\n    assert(file);\n    \
        assert(fgetc(file) == '1');\n    fclose(file);\n    return 0;\n}\n";
    let asserts =
        |value: &str| format!("#include <assert.h>\n{value}int main(void) {{ assert(VALUE == 1); }}\n");
    let place = suite(&[
        ("inc/value.h", "#define VALUE 1\n"),
        ("sub/header.c", &asserts("#include \"../inc/value.h\"\n")),
        ("sub/table.def", "1\n"),
        ("sub/included.c", &asserts("enum { VALUE =\n#include \"table.def\"\n};\n")),
        ("sub/data.txt", "1\n"),
        ("sub/reads.c", reads),
    ]);
    let run = || printed(&place.symx(&["test", "suite", "--changed", "--summary", "suite/sub/summary.md"]));
    assert_eq!(run(), "9 passed, 0 failed\n");
    assert_eq!(run(), "9 passed, 0 failed\n");
    let summary = std::fs::read_to_string(place.0.path().join("suite/sub/summary.md")).unwrap();
    assert!(summary.ends_with("9 of them unchanged since they passed\n"), "{summary}");
    let changes = [("inc/value.h", "#define VALUE 2\n"), ("sub/table.def", "2\n"), ("sub/data.txt", "2\n")];
    for (number, (name, text)) in (1..).zip(changes) {
        place.write(&format!("suite/{name}"), text.as_bytes());
        let expected = format!("{} passed, {} failed\n", 9 - 3 * number, 3 * number);
        let told = run();
        assert!(told.ends_with(&expected), "{name}: {told}");
    }
}
