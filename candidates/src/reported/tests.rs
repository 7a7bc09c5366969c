//! Reports as the tools print them, whole and damaged.

use super::*;
use proptest::prelude::*;

const THREAD_SANITIZER: &str = "\
some output of the program
==================
WARNING: ThreadSanitizer: data race (pid=4242)
  Write of size 4 at 0x55d1 by thread T2 (mutexes: write M1):
    #0 two /src/two_locks.c:17:6 (two_locks+0xd1b2)
    #1 __tsan_thread_start_func <null> (two_locks+0x4c0de)

  Previous write of size 4 at 0x55d1 by thread T1 (mutexes: write M0):
    #0 memcpy <null> (two_locks+0x1)
    #1 one(void*) /src/two_locks.c:10 (two_locks+0xd112) (BuildId: 12ab)

  Location is global 'x' of size 4 at 0x55d1 (two_locks+0x14a)

  Mutex M1 (0x55d2) created at:
    #0 pthread_mutex_lock <null> (two_locks+0x5)
    #1 two /src/two_locks.c:16:5 (two_locks+0xd1a1)

  Thread T2 (tid=4245, running) created by main thread at:
    #0 pthread_create <null> (two_locks+0x6)
    #1 main /src/two_locks.c:24:5 (two_locks+0xd21e)

SUMMARY: ThreadSanitizer: data race /src/two_locks.c:17:6 in two
==================
";

const HELGRIND: &str = "\
==77== ---Thread-Announcement------------------------------------------
==77== 
==77== Thread #3 was created
==77==    at 0x49A1: clone (clone.S:76)
==77== 
==77== ----------------------------------------------------------------
==77== 
==77== Possible data race during write of size 4 at 0x10C014 by thread #3
==77== Locks held: 1, at address 0x10C080
==77==    at 0x109199: two (two_locks.c:17)
==77==    by 0x484B: mythread_wrapper (hg_intercepts.c:406)
==77==    by 0x4901: start_thread (in /lib/libc.so.6)
==77== 
==77== This conflicts with a previous read of size 4 by thread #2
==77== Locks held: none
==77==    at 0x109176: one (two_locks.c:10)
==77==  Address 0x10c014 is 0 bytes inside data symbol \"x\"
==77== 
==77== ERROR SUMMARY: 1 errors from 1 contexts
";

fn lines(access: &Option<ReportedAccess>) -> Vec<(String, u32, u32, String)> {
    let frames = access.iter().flat_map(|access| &access.frames);
    frames.map(|frame| (frame.file.clone(), frame.line, frame.column, frame.function.clone())).collect()
}

fn place(file: &str, line: u32, column: u32, function: &str) -> (String, u32, u32, String) {
    (file.into(), line, column, function.into())
}

#[test]
fn a_report_of_thread_sanitizer() {
    let reports = read(THREAD_SANITIZER).unwrap();
    let [report] = &reports[..] else { panic!("{reports:?}") };
    assert_eq!((report.tool, report.line, report.object.as_deref()), (Tool::ThreadSanitizer, 3, Some("x")));
    assert_eq!(lines(&report.accesses[0]), [place("/src/two_locks.c", 17, 6, "two")]);
    let second = report.accesses[1].as_ref().unwrap();
    assert!(second.writes && !second.atomic && second.thread == "thread T1");
    assert_eq!(lines(&report.accesses[1]).len(), 1, "what is not known has no frame");
    assert_eq!(second.frames[0].line, 10);
}

#[test]
fn a_report_of_helgrind() {
    let reports = read(HELGRIND).unwrap();
    let [report] = &reports[..] else { panic!("{reports:?}") };
    assert_eq!((report.tool, report.line, report.object.as_deref()), (Tool::Helgrind, 8, Some("x")));
    assert_eq!(lines(&report.accesses[0])[0], place("two_locks.c", 17, 0, "two"));
    assert_eq!(lines(&report.accesses[1]), [place("two_locks.c", 10, 0, "one")]);
    assert!(!report.accesses[1].as_ref().unwrap().writes);
}

#[test]
fn both_tools_in_one_file() {
    let tools: Vec<Tool> =
        read(&format!("{HELGRIND}{THREAD_SANITIZER}")).unwrap().iter().map(|report| report.tool).collect();
    assert_eq!(tools, [Tool::Helgrind, Tool::ThreadSanitizer]);
}

#[test]
fn a_stack_that_was_forgotten_is_none() {
    let text = THREAD_SANITIZER
        .replace("    #0 memcpy <null> (two_locks+0x1)\n", "    [failed to restore the stack]\n")
        .replace("    #1 one(void*) /src/two_locks.c:10 (two_locks+0xd112) (BuildId: 12ab)\n", "");
    let reports = read(&text).unwrap();
    assert_eq!(reports[0].accesses[1].as_ref().unwrap().frames, []);
}

#[test]
fn what_is_not_whole_is_an_error_with_its_line() {
    let cut = |text: &str, lines: usize| text.lines().take(lines).collect::<Vec<_>>().join("\n");
    assert_eq!(read("").unwrap_err().line, 1);
    assert_eq!(
        read("nothing\nat all").unwrap_err().what,
        "no report of a race, by ThreadSanitizer or Helgrind"
    );
    assert_eq!(read(&cut(THREAD_SANITIZER, 6)).unwrap_err().line, 3);
    assert_eq!(read(&cut(THREAD_SANITIZER, 8)).unwrap_err().line, 3);
    assert_eq!(read(&cut(HELGRIND, 9)).unwrap_err().line, 8);
    let garbled = THREAD_SANITIZER.replace("by thread T1", "");
    assert_eq!(read(&garbled).unwrap_err().line, 8);
    let frame = THREAD_SANITIZER.replace("#0 two", "#zero two");
    assert_eq!(read(&frame).unwrap_err().to_string(), "line 5: `#zero` is no frame");
    // A report of one place alone is one: Helgrind does not always remember the other.
    let one = cut(HELGRIND, 12);
    assert_eq!(read(&one).unwrap()[0].accesses[1], None);
}

#[test]
fn other_warnings_are_passed_over() {
    let text = THREAD_SANITIZER.replace("data race (pid", "lock-order-inversion (potential deadlock) (pid");
    assert!(read(&text).is_err());
    assert_eq!(read(&format!("{text}{THREAD_SANITIZER}")).unwrap().len(), 1);
}

proptest! {
    /// Damage is an error or another reading, never a panic, and an error names a line of the text.
    #[test]
    fn damaged_text(
        which in any::<bool>(),
        damages in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4u8), 1..12),
    ) {
        let mut bytes = if which { THREAD_SANITIZER } else { HELGRIND }.as_bytes().to_vec();
        for (at, byte, how) in damages {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, byte),
                _ => bytes.truncate(at),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        match read(&text) {
            Ok(reports) => for report in reports {
                prop_assert!(report.line as usize <= text.lines().count());
                prop_assert!(report.accesses[0].is_some());
            },
            Err(error) => prop_assert!(error.line >= 1 && error.line as usize <= text.lines().count().max(1)),
        }
    }
}
