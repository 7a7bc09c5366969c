//! Native runs that ask the system or the processor what neither answers alike twice are followed.

use std::path::Path;
use std::process::{Command, Output};

fn symx(at: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_symx")).args(arguments).current_dir(at).output().unwrap()
}

/// Records a program that passes, and has symx follow the record.
fn is_followed(name: &str, text: &str) {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join(name), text).unwrap();
    let made = symx(at, &["instrument", name, "-o", "made"]);
    assert!(made.status.success(), "{made:?}");
    let recorded = symx(at, &["record", "--", "./made"]);
    assert_eq!(recorded.status.code(), Some(0), "{recorded:?}");
    let followed = symx(at, &["run", "--guide", "path.prof", "--max-time", "60", name]);
    let told = String::from_utf8_lossy(&followed.stdout).into_owned();
    assert!(told.starts_with("incomplete: guided (") && !told.contains("no-execution"), "{followed:?}");
}

/// glibc lets reference counts be plain until there is a second thread.
#[test]
fn a_copy_of_a_shared_pointer_before_the_first_thread() {
    is_followed(
        "copies.cc",
        "#include <memory>\n#include <thread>\n\
         int main() {\n    auto first = std::make_shared<int>(1);\n    auto second = first;\n    \
         std::thread thread([second] {});\n    thread.join();\n}\n",
    );
}

#[test]
fn a_choice_by_what_the_processor_is() {
    is_followed(
        "chooses.c",
        "#include <cpuid.h>\n#include <pthread.h>\n\
         static int better(int x) { return x - 1; }\nstatic int plain(int x) { return x - x; }\n\
         static int (*chosen)(int);\n\
         static void *work(void *unused) { return chosen(1) ? &chosen : unused; }\n\
         __attribute__((constructor)) static void choose(void) {\n    \
         unsigned a = 0, b = 0, c = 0, d = 0;\n    __builtin_cpu_init();\n    \
         if (__get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_1)) chosen = better; else chosen = plain;\n    \
         if (__builtin_cpu_supports(\"avx\") || __builtin_cpu_is(\"amd\")) chosen = better;\n}\n\
         int main(void) {\n    pthread_t thread;\n    pthread_create(&thread, 0, work, 0);\n    \
         return pthread_join(thread, 0);\n}\n",
    );
}

#[test]
fn what_the_library_of_cxx_asks_the_system() {
    is_followed(
        "asks.cc",
        "#include <chrono>\n#include <random>\n#include <thread>\n#include <vector>\n\
         using namespace std::chrono;\nstatic int odd;\n\
         int main() {\n    std::thread thread([] {});\n    std::random_device device;\n    \
         for (int i = 0; i < 8; i++) if (device() & 1) odd++;\n    \
         if (system_clock::now().time_since_epoch().count() & 2) odd++;\n    \
         for (unsigned i = 0; i < std::thread::hardware_concurrency(); i++) odd++;\n    \
         auto end = steady_clock::now() + milliseconds(2);\n    \
         while (steady_clock::now() < end) std::this_thread::sleep_for(microseconds(300));\n    \
         thread.join();\n}\n",
    );
}

#[test]
fn a_wait_for_a_time_stamp() {
    is_followed(
        "waits.c",
        "#include <pthread.h>\n#include <x86intrin.h>\n\
         static void *work(void *unused) { return unused; }\n\
         int main(void) {\n    pthread_t thread;\n    pthread_create(&thread, 0, work, 0);\n    \
         unsigned long long end = __rdtsc() + 3000;\n    while (__rdtsc() < end) _mm_pause();\n    \
         return pthread_join(thread, 0);\n}\n",
    );
}
