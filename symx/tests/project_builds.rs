//! Projects as people have them, built with `symx cc` in the compiler's place. They are programs that share a
//! static library, each with its bitcode and its recording twin. Where a build tool is not installed its
//! project is not built.

use std::path::Path;
use std::process::{Command, Output};

const FILES: [(&str, &str); 8] = [
    (
        "twice.c",
        "#include <stdio.h>\nint twice(int x);\nint main(int argc, char **argv) { printf(\"%d\\n\", twice(argc)); }\n",
    ),
    (
        "thrice.c",
        "#include <stdio.h>\nint thrice(int x);\nint main(int argc, char **argv) { printf(\"%d\\n\", thrice(argc)); }\n",
    ),
    ("by_two.c", "int twice(int x) { return 2 * x; }\n"),
    ("by_three.c", "int thrice(int x) { return 3 * x; }\n"),
    (
        "plain.mk",
        "all: twice thrice\nlibmany.a: by_two.o by_three.o\n\tar rcs $@ $^\ntwice: twice.o libmany.a\n\
         thrice: thrice.o libmany.a\ntwice thrice:\n\t$(CC) $(CFLAGS) -o $@ $^\n",
    ),
    ("Makefile.in", "CC = @CC@\nCFLAGS = @CFLAGS@\ninclude plain.mk\n"),
    (
        "configure.ac",
        "AC_INIT([many], [1])\nAC_PROG_CC\nAC_CHECK_HEADERS([pthread.h nosuch.h])\n\
         AC_CHECK_FUNCS([getrandom nosuchfunction])\nAC_SEARCH_LIBS([pthread_create], [pthread])\n\
         AC_RUN_IFELSE([AC_LANG_PROGRAM([], [return 0;])], [], [AC_MSG_ERROR([it does not run])])\n\
         AC_CHECK_SIZEOF([long])\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n",
    ),
    (
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.10)\nproject(many C)\nfind_package(Threads REQUIRED)\n\
         add_library(many STATIC by_two.c by_three.c)\nadd_executable(twice twice.c)\n\
         target_link_libraries(twice many Threads::Threads)\nadd_executable(thrice thrice.c)\n\
         target_link_libraries(thrice many)\n",
    ),
];

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in FILES {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn is_installed(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok_and(|done| done.status.success())
}

/// Runs a program, with a compiler that is `symx cc`; it must succeed.
fn succeed(folder: &Path, program: &str, arguments: &[&str]) -> Output {
    let compiler = concat!(env!("CARGO_BIN_EXE_symx"), " cc");
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).env("CC", compiler).env("CFLAGS", "--symx-record -O1");
    let done = command.output().unwrap();
    assert!(done.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    done
}

/// Both programs run natively, in symx and recorded.
fn check(folder: &Path) {
    let symx = env!("CARGO_BIN_EXE_symx");
    for (name, result) in [("twice", "4\n"), ("thrice", "6\n")] {
        let program = format!("./{name}");
        let recorded = format!("{program}.symx-recorded");
        let told = |done: Output| String::from_utf8(done.stdout).unwrap();
        assert_eq!(told(succeed(folder, &program, &["x"])), result);
        assert_eq!(told(succeed(folder, symx, &["exec", &program, "--", "x"])), result);
        assert_eq!(told(succeed(folder, symx, &["record", "--quiet", "--", &recorded, "x"])), result);
        let shown = told(succeed(folder, symx, &["profile", "show", "path.prof", "--program", &program]));
        // Functions of the library for the other program are not in this one.
        assert!(shown.contains("covered 1 of 1 functions"), "{shown}");
    }
}

#[test]
fn plain_make() {
    if !is_installed("make") {
        return;
    }
    let folder = project();
    succeed(folder.path(), "make", &["-f", "plain.mk"]);
    check(folder.path());
}

#[test]
fn autoconf() {
    if !is_installed("make") || !is_installed("autoconf") {
        return;
    }
    let folder = project();
    succeed(folder.path(), "autoconf", &[]);
    let configured = succeed(folder.path(), "sh", &["./configure"]);
    let checks = String::from_utf8(configured.stdout).unwrap();
    for found in ["pthread.h... yes", "nosuch.h... no", "getrandom... yes", "nosuchfunction... no"] {
        assert!(checks.contains(found), "{found}: {checks}");
    }
    succeed(folder.path(), "make", &[]);
    check(folder.path());
}

#[test]
fn cmake() {
    if !is_installed("cmake") {
        return;
    }
    let folder = project();
    succeed(folder.path(), "cmake", &["-S", ".", "-B", "build"]);
    succeed(folder.path(), "cmake", &["--build", "build"]);
    check(&folder.path().join("build"));
}

/// Runs a program of this package in `folder`.
fn of_package(program: &str, folder: &Path, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).current_dir(folder).output().unwrap()
}

#[test]
fn one_object_made_twice_at_the_same_time_carries_one_module() {
    let folder = project();
    let compile =
        || of_package(env!("CARGO_BIN_EXE_symx-cc"), folder.path(), &["-c", "by_two.c", "-o", "two.o"]);
    for _ in 0..3 {
        let both = std::thread::scope(|scope| {
            let (one, other) = (scope.spawn(compile), scope.spawn(compile));
            [one.join().unwrap(), other.join().unwrap()]
        });
        assert!(both.iter().all(|done| done.status.success()), "{both:?}");
        // A second module would define the function once more.
        let linked =
            of_package(env!("CARGO_BIN_EXE_symx-cc"), folder.path(), &["twice.c", "two.o", "-o", "twice"]);
        assert!(linked.status.success(), "{linked:?}");
        let run = of_package(env!("CARGO_BIN_EXE_symx"), folder.path(), &["exec", "twice"]);
        assert_eq!(String::from_utf8_lossy(&run.stdout), "2\n", "{run:?}");
    }
    let left: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with(".symx")), "{left:?}");
}

#[test]
fn messages_of_the_linker_of_bitcode_are_reported() {
    let folder = project();
    for source in ["by_two.c", "by_three.c"] {
        let compiled = of_package(env!("CARGO_BIN_EXE_symx-cc"), folder.path(), &["-c", source]);
        assert!(compiled.status.success(), "{compiled:?}");
    }
    let arguments = ["extract-bc", "by_two.o", "by_three.o", "by_two.o", "-o", "all.bc"];
    let refused = of_package(env!("CARGO_BIN_EXE_symx"), folder.path(), &arguments);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("'twice': symbol multiply defined"), "{said}");
}

#[test]
fn a_compiler_of_one_word_compiles_cxx() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("a.cc"),
        "#include <iostream>\nint main() { std::cout << \"here\\n\"; }\n",
    )
    .unwrap();
    let built = of_package(env!("CARGO_BIN_EXE_symx-cxx"), folder.path(), &["a.cc", "-o", "a"]);
    assert!(built.status.success(), "{built:?}");
    let run = of_package(env!("CARGO_BIN_EXE_symx"), folder.path(), &["exec", "a"]);
    assert_eq!(String::from_utf8_lossy(&run.stdout), "here\n", "{run:?}");
}

#[test]
fn headers_of_symx_are_found_and_stay_for_the_next_compilation() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("team.c"), "#include <symx.h>\n#include <omp.h>\nint one;\n").unwrap();
    let compiled = of_package(env!("CARGO_BIN_EXE_symx-cc"), folder.path(), &["-MD", "-c", "team.c"]);
    assert!(compiled.status.success(), "{compiled:?}");
    let dependencies = std::fs::read_to_string(folder.path().join("team.d")).unwrap();
    let named = dependencies.split_whitespace().find(|word| word.ends_with("/symx.h")).unwrap();
    assert!(Path::new(named).is_file(), "{dependencies}");
}
