//! OpenMP's loops and sections under several schedules: what has to come once comes once, in whatever order
//! threads go.

use std::path::Path;
use std::process::Command;

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

#[test]
fn every_iteration_runs_once_under_each_schedule() {
    let place = tempfile::tempdir().unwrap();
    let (source, bitcode) = (place.path().join("loops.c"), place.path().join("loops.bc"));
    std::fs::write(&source, LOOPS).unwrap();
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
    for seed in 0..8 {
        let done = Command::new(env!("CARGO_BIN_EXE_symx"))
            .args(["exec", "--seed", &seed.to_string()])
            .arg(&bitcode)
            .current_dir(place.path())
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&done.stdout), "1,2,1,55,10\n", "seed {seed}: {done:?}");
    }
}
