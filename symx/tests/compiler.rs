//! `symx cc` stands in for clang in builds; what it leaves runs natively and in symx.

use std::path::Path;
use std::process::{Command, Output};

const MAIN: &str = "#include <stdio.h>\nint twice(int x);\nint main(int argc, char **argv) {\n    \
    printf(\"%d\\n\", twice(argc));\n    return 0;\n}\n";
const TWICE: &str = "static int by = 2;\nint twice(int x) { return by * x; }\n";
const THRICE: &str = "static int by = 3;\nint thrice(int x) { return by * x; }\n";
const CXX: &str =
    "#include <iostream>\n#include <string>\nint main() { std::cout << std::string(3, 'x') << '\\n'; }\n";

fn succeed(folder: &Path, program: &str, arguments: &[&str]) -> Output {
    let done = Command::new(program).args(arguments).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    done
}

fn symx(folder: &Path, arguments: &[&str]) -> String {
    String::from_utf8(succeed(folder, env!("CARGO_BIN_EXE_symx"), arguments).stdout).unwrap()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("main.c", MAIN), ("twice.c", TWICE), ("thrice.c", THRICE), ("text.cc", CXX)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

#[test]
fn objects_archives_and_programs_carry_their_bitcode() {
    let folder = folder();
    let at = folder.path();
    for source in ["twice.c", "thrice.c"] {
        symx(at, &["cc", "-O1", "-MD", "-c", source]);
    }
    assert!(at.join("twice.d").exists(), "dependency files are written as clang does");
    succeed(at, "ar", &["rcs", "libmany.a", "twice.o", "thrice.o"]);
    symx(at, &["cc", "main.c", "-L.", "-lmany", "-o", "program"]);
    assert_eq!(succeed(at, "./program", &[]).stdout, b"2\n");
    assert_eq!(symx(at, &["exec", "program", "--", "x"]), "4\n");
    symx(at, &["extract-bc", "program"]);
    let module = std::fs::read(at.join("program.bc")).unwrap();
    assert!(module.starts_with(b"BC"), "bitcode");
    assert_eq!(symx(at, &["exec", "program.bc"]), "2\n");
    // A member of the archive that the linker did not take is not in the program.
    assert!(!module.windows(6).any(|window| window == b"thrice"));
    succeed(at, "strip", &["program"]);
    assert_eq!(symx(at, &["exec", "program"]), "2\n");
}

#[test]
fn where_a_file_is_no_cxx17_another_standard_is_shown() {
    let folder = folder();
    let at = folder.path();
    std::fs::write(
        at.join("newer.cpp"),
        "#include <concepts>\nstatic_assert(std::same_as<int, int>);\nint main() {}\n",
    )
    .unwrap();
    let run =
        Command::new(env!("CARGO_BIN_EXE_symx")).args(["run", "newer.cpp"]).current_dir(at).output().unwrap();
    let told = String::from_utf8_lossy(&run.stderr);
    assert!(told.contains("as C++17; `--std c++20` is another standard"), "{told}");
    symx(at, &["run", "--std", "c++20", "newer.cpp"]);
    symx(at, &["c++", "-std=c++20", "-g", "newer.cpp", "-o", "newer"]);
    symx(at, &["run", "newer"]);
}

/// A replay compiles by the standard of the run; a standard of the other language is refused.
#[test]
fn each_language_has_its_standard() {
    let folder = folder();
    let at = folder.path();
    let text = "#include <assert.h>\nint main(void) {\n    assert(__STDC_VERSION__ != 199901L);\n}\n";
    std::fs::write(at.join("old.c"), text).unwrap();
    let run = |arguments: &[&str]| {
        let run = Command::new(env!("CARGO_BIN_EXE_symx")).args(arguments).current_dir(at).output().unwrap();
        (run.status.code(), String::from_utf8_lossy(&run.stderr).into_owned())
    };
    assert_eq!(run(&["run", "old.c"]).0, Some(0));
    assert_eq!(run(&["run", "--std", "gnu99", "--std", "c++20", "old.c"]).0, Some(1));
    let (status, told) = run(&["replay", "old.c", "symx-out/failure-1.schedule.json"]);
    assert_eq!(status, Some(0), "{told}");
    let (status, told) = run(&["run", "--std", "c++20", "old.c"]);
    assert_eq!(status, Some(2), "{told}");
    assert!(told.contains("--std c++20: old.c is a file of C; give a standard of C, too"), "{told}");
    std::fs::write(at.join("symx.toml"), "[program]\nstandards = [\"gnu99\"]\n").unwrap();
    assert_eq!(run(&["run", "old.c"]).0, Some(1));
}

/// clang describes a class where its constructor is: the file with `main` would know of none of its fields.
#[test]
fn fields_have_names_where_the_constructor_is_in_another_file() {
    let folder = folder();
    let at = folder.path();
    for (name, text) in [
        (
            "latch.h",
            "#include <mutex>\nstruct Latch {\n    Latch();\n    int before = 0;\n    std::mutex guard;\n};\n",
        ),
        ("latch.cc", "#include \"latch.h\"\nLatch::Latch() {}\n"),
        (
            "held.cc",
            "#include \"latch.h\"\nint main() {\n    Latch latch;\n    latch.guard.lock();\n    latch.guard.lock();\n}\n",
        ),
    ] {
        std::fs::write(at.join(name), text).unwrap();
    }
    symx(at, &["c++", "-O1", "held.cc", "latch.cc", "-o", "held"]);
    let run =
        Command::new(env!("CARGO_BIN_EXE_symx")).args(["run", "held"]).current_dir(at).output().unwrap();
    let told = String::from_utf8_lossy(&run.stdout);
    assert!(told.contains("latch.guard") && !told.contains("latch+"), "{told}");
}

#[test]
fn an_instrumented_twin_comes_with_the_same_build() {
    let folder = folder();
    let at = folder.path();
    symx(at, &["cc", "--symx-record", "-O2", "main.c", "twice.c", "-o", "program"]);
    assert_eq!(succeed(at, "./program.symx-recorded", &[]).stdout, b"2\n");
    symx(at, &["record", "--quiet", "--", "./program.symx-recorded", "x", "y"]);
    let report = symx(at, &["profile", "show", "path.prof"]);
    assert!(report.contains("./program.symx-recorded x y") && report.contains("status 0"), "{report}");
    // The profile belongs to the program, not to its twin.
    let guided = Command::new(env!("CARGO_BIN_EXE_symx"))
        .args(["run", "--guide", "path.prof", "--json", "result.json", "program"])
        .current_dir(at)
        .output()
        .unwrap();
    let result = std::fs::read_to_string(at.join("result.json"))
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&guided.stderr)));
    let result: serde_json::Value = serde_json::from_str(&result).unwrap();
    assert_eq!(result["outcomes"][0]["stdout"], "6\n", "{result}");
    // It can be made later as well, of what the program carries.
    symx(at, &["instrument", "program", "-o", "later"]);
    symx(at, &["record", "--quiet", "-o", "later.prof", "--", "./later", "x", "y"]);
    let of = |profile: &str| {
        let report = symx(at, &["profile", "show", profile]);
        report.lines().next().expect("a line").to_owned()
    };
    assert!(of("path.prof").starts_with("program "));
    assert_eq!(of("later.prof"), of("path.prof"));
}

/// What has no bitcode is linked to a twin as it was to the program, from whatever folder.
#[test]
fn a_twin_is_linked_with_what_its_program_was_linked_with() {
    let folder = folder();
    let at = folder.path();
    succeed(at, "clang-22", &["-c", "twice.c", "-o", "native.o"]);
    symx(at, &["cc", "main.c", "native.o", "-lm", "-o", "program"]);
    let elsewhere = at.join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    symx(&elsewhere, &["instrument", "../program", "-o", "later"]);
    assert_eq!(succeed(&elsewhere, "./later", &["x"]).stdout, b"4\n");
}

/// Shared objects that a build made are part of its program, with the meaning of names that a loader gives
/// them.
#[test]
fn a_program_comes_with_the_shared_objects_that_it_loads() {
    let folder = folder();
    let at = folder.path();
    let library = "#include <stdio.h>\n__attribute__((visibility(\"hidden\"))) int own(void) { return 1; }\n\
        int hook(void) { return 10; }\nint total(void) { return own() + hook(); }\n\
        __attribute__((constructor)) static void begin(void) { puts(\"library\"); }\n";
    let program = "#include <stdio.h>\nint own(void) { return 100; }\nint hook(void) { return 20; }\n\
        int total(void);\n__attribute__((constructor)) static void begin(void) { puts(\"program\"); }\n\
        int main(void) { printf(\"%d %d\\n\", total(), own()); }\n";
    std::fs::write(at.join("library.c"), library).unwrap();
    std::fs::write(at.join("whole.c"), program).unwrap();
    symx(at, &["cc", "-fPIC", "-shared", "library.c", "-o", "libtotal.so"]);
    symx(at, &["cc", "whole.c", "-L.", "-ltotal", "-Wl,-rpath,$ORIGIN", "-o", "whole"]);
    let expected = "library\nprogram\n21 100\n";
    assert_eq!(succeed(at, "./whole", &[]).stdout, expected.as_bytes());
    assert_eq!(symx(at, &["exec", "whole"]), expected);
    symx(at, &["instrument", "whole", "-o", "twin"]);
    assert_eq!(succeed(at, "./twin", &[]).stdout, expected.as_bytes());
    symx(at, &["extract-bc", "whole", "-o", "whole.bc"]);
    assert_eq!(symx(at, &["exec", "whole.bc"]), expected);
}

#[test]
fn programs_in_cxx_and_link_time_optimisation_work_too() {
    let folder = folder();
    let at = folder.path();
    symx(at, &["c++", "-O1", "-flto", "-c", "text.cc"]);
    symx(at, &["c++", "-O1", "-flto", "text.o", "-o", "text"]);
    assert_eq!(succeed(at, "./text", &[]).stdout, b"xxx\n");
    assert_eq!(symx(at, &["exec", "text"]), "xxx\n");
}

#[test]
fn questions_and_failures_are_the_compilers() {
    let folder = folder();
    let at = folder.path();
    assert!(symx(at, &["cc", "--version"]).contains("clang"));
    assert!(symx(at, &["cc", "-E", "twice.c"]).contains("int twice(int x)"));
    std::fs::write(at.join("wrong.c"), "int main(void) { return }\n").unwrap();
    let done = Command::new(env!("CARGO_BIN_EXE_symx"))
        .args(["cc", "-c", "wrong.c"])
        .current_dir(at)
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&done.stderr).contains("expected expression"));
}

#[test]
fn functions_that_are_one_step_by_their_names_are_missed_where_they_were_inlined() {
    let folder = folder();
    let at = folder.path();
    let text = "static int sum;\nvoid __VERIFIER_atomic_add(void) { sum++; }\n\
        int main(void) {\n    __VERIFIER_atomic_add();\n    return sum != 1;\n}\n";
    std::fs::write(at.join("sections.c"), text).unwrap();
    for (level, status, said) in
        [("-O0", 0, "safe"), ("-O1", 3, "`__VERIFIER_atomic_add`, one step by its name")]
    {
        symx(at, &["cc", "-g", level, "sections.c", "-o", "sections"]);
        let run = Command::new(env!("CARGO_BIN_EXE_symx"))
            .args(["run", "sections"])
            .current_dir(at)
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&run.stdout);
        assert_eq!(run.status.code(), Some(status), "{told}");
        assert!(told.contains(said), "{told}");
    }
}
