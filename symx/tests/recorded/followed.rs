//! Native runs that ask the system or the processor what neither answers alike twice are followed.

use crate::symx;
use std::process::Command;

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

#[test]
fn a_wait_for_a_time_stamp_of_inline_assembly() {
    is_followed(
        "reads.c",
        "#include <pthread.h>\n\
         static unsigned long long now(void) {\n    unsigned low, high, processor;\n    \
         __asm__ volatile(\"lfence; rdtsc\" : \"=a\"(low), \"=d\"(high) : : \"memory\");\n    \
         __asm__ volatile(\"rdtscp\" : \"=a\"(low), \"=d\"(high), \"=c\"(processor));\n    \
         return (unsigned long long)high << 32 | low;\n}\n\
         static void *work(void *unused) { return unused; }\n\
         int main(void) {\n    pthread_t thread;\n    pthread_create(&thread, 0, work, 0);\n    \
         unsigned long long end = now() + 3000;\n    while (now() < end) __builtin_ia32_pause();\n    \
         return pthread_join(thread, 0);\n}\n",
    );
}

/// Recorded code and code that is inside a library in symx tell one processor.
#[test]
fn the_processor_is_the_same_in_both_runs() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let text = "#include <cpuid.h>\n#include <stdio.h>\n\
        extern unsigned __cpu_model[4], __cpu_features2[4];\n\
        int main(void) {\n    __builtin_cpu_init();\n    \
        for (int i = 0; i < 4; i++) printf(\"%x %x\\n\", __cpu_model[i], __cpu_features2[i]);\n    \
        for (unsigned leaf = 0; leaf < 3; leaf++) {\n        unsigned a, b, c, d;\n        \
        __cpuid(leaf, a, b, c, d);\n        printf(\"%x %x %x %x\\n\", a, b, c, d);\n    }\n}\n";
    std::fs::write(at.join("asks.c"), text).unwrap();
    let made = symx(at, &["instrument", "asks.c", "-o", "made"]);
    assert!(made.status.success(), "{made:?}");
    let native = Command::new("./made").current_dir(at).output().unwrap();
    let interpreted = symx(at, &["exec", "asks.c"]);
    assert_eq!(native.stdout.split(|byte| *byte == b'\n').count(), 8, "{native:?}");
    assert_eq!(native.stdout, interpreted.stdout, "{interpreted:?}");
}

/// The constructor of the error is in the program and, inlined, in the library that throws it.
#[test]
fn a_function_of_which_the_library_has_a_copy() {
    is_followed(
        "copied.cc",
        "#include <exception>\n#include <future>\n#include <string>\n#include <thread>\n\
         int main() {\n    std::promise<int> promise;\n    std::exception_ptr kept;\n    \
         std::thread thread([&] {\n        promise.set_value(1);\n        \
         try { promise.set_value(2); } catch (const std::future_error &) { kept = std::current_exception(); }\n    \
         });\n    thread.join();\n    \
         try { std::rethrow_exception(kept); }\n    \
         catch (const std::logic_error &error) { return std::string(error.what()).empty(); }\n}\n",
    );
}

/// Nothing had shown that the count is shared: its reader left the path before the other thread came to it.
#[test]
fn a_count_that_another_thread_lowers_first() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(
        at.join("owners.c"),
        "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
         static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n\
         static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;\nstatic atomic_int *handed;\n\
         static void *worker(void *unused) {\n    pthread_mutex_lock(&lock);\n    \
         while (!handed) pthread_cond_wait(&changed, &lock);\n    atomic_int *owners = handed;\n    \
         pthread_mutex_unlock(&lock);\n    atomic_fetch_sub(owners, 1);\n    return unused;\n}\n\
         int main(void) {\n    pthread_t thread;\n    pthread_create(&thread, 0, worker, 0);\n    \
         atomic_int *owners = malloc(sizeof *owners);\n    atomic_init(owners, 2);\n    \
         pthread_mutex_lock(&lock);\n    handed = owners;\n    pthread_cond_signal(&changed);\n    \
         pthread_mutex_unlock(&lock);\n    if (atomic_load(owners) == 1) puts(\"last\");\n    \
         pthread_join(thread, 0);\n    free(owners);\n    return 0;\n}\n",
    )
    .unwrap();
    let is_last = |seed: &u32| {
        let recorded = symx(at, &["record", "--seed", &seed.to_string(), "owners.c"]);
        assert_eq!(recorded.status.code(), Some(0), "{recorded:?}");
        recorded.stdout.starts_with(b"last")
    };
    assert!((0..100).any(|seed| is_last(&seed)), "another thread lowers the count first with some seed");
    let followed = symx(at, &["run", "--guide", "path.prof", "--max-time", "60", "owners.c"]);
    let told = String::from_utf8_lossy(&followed.stdout).into_owned();
    assert!(told.starts_with("incomplete: guided (") && !told.contains("no-execution"), "{followed:?}");
}
