//! OpenMP's loops and sections under several schedules: what has to come once comes once, in whatever order
//! threads go.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const LOOPS: &str = r#"
#include <omp.h>
#include <stdio.h>
#define COUNT 7

int main(void) {
    int seen[6][COUNT] = {0}, sum = 0, next = 0, in_order = 1, last = -1;
    omp_set_num_threads(3);
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < COUNT; i++) seen[0][i]++;
#pragma omp for schedule(static, 2)
        for (int i = 0; i < COUNT; i++) seen[1][i]++;
#pragma omp for schedule(dynamic) nowait
        for (int i = COUNT - 1; i >= 0; i--) seen[2][i]++;
#pragma omp for schedule(guided, 2)
        for (unsigned i = 0; i < 2 * COUNT; i += 2) seen[3][i / 2]++;
#pragma omp for schedule(dynamic, 2) ordered
        for (long i = 0; i < COUNT; i++) {
            seen[4][i]++;
#pragma omp ordered
            in_order &= next++ == i;
        }
#pragma omp for reduction(+ : sum) lastprivate(last)
        for (int i = 1; i <= 10; i++) {
            sum += i;
            last = i;
        }
#pragma omp sections
        {
#pragma omp section
            seen[5][0]++;
#pragma omp section
            seen[5][1]++;
        }
    }
    int once = 1;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < COUNT; j++) once &= seen[i][j] == 1;
    printf("%d,%d,%d,%d,%d\n", once, seen[5][0] + seen[5][1], in_order, sum, last);
    return 0;
}
"#;

/// Compiles a program in `place`; its bitcode.
fn compiled(place: &Path, text: &str) -> PathBuf {
    let (source, bitcode) = (place.join("program.c"), place.join("program.bc"));
    std::fs::write(&source, text).unwrap();
    let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let compiled = Command::new("clang-22")
        .args(["-g", "-O1", "-fopenmp", "-emit-llvm", "-c", "-idirafter"])
        .arg(&headers)
        .arg(&source)
        .arg("-o")
        .arg(&bitcode)
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{compiled:?}");
    bitcode
}

/// Runs bitcode once.
fn exec(place: &Path, bitcode: &Path, seed: u32) -> Output {
    Command::new(env!("CARGO_BIN_EXE_symx"))
        .args(["exec", "--seed", &seed.to_string()])
        .arg(bitcode)
        .current_dir(place)
        .output()
        .unwrap()
}

#[test]
fn every_iteration_runs_once_under_each_schedule() {
    let place = tempfile::tempdir().unwrap();
    let bitcode = compiled(place.path(), LOOPS);
    for seed in 0..8 {
        let done = exec(place.path(), &bitcode, seed);
        assert_eq!(String::from_utf8_lossy(&done.stdout), "1,2,1,55,10\n", "seed {seed}: {done:?}");
    }
}

#[test]
fn a_region_that_shares_too_much_is_refused_by_name() {
    let names: Vec<String> = (0..25).map(|number| format!("v{number}")).collect();
    let text = format!(
        "int main(int argc, char **argv) {{\n    volatile int {};\n#pragma omp parallel\n    {{ {} }}\n}}\n",
        names.iter().map(|name| format!("{name} = argc")).collect::<Vec<_>>().join(", "),
        names.iter().map(|name| format!("{name}++;")).collect::<Vec<_>>().join(" "),
    );
    let place = tempfile::tempdir().unwrap();
    let done = exec(place.path(), &compiled(place.path(), &text), 0);
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(3), "{said}");
    assert!(said.contains("an OpenMP region that shares so many variables"), "{said}");
}
