//! Effects of functions without a body on memory, locks and threads, by name. Their names are all that is
//! known of them in a program that is not executed.

mod text;

pub(crate) use text::{Uses, text_of};

use symx_ir::known_functions::{ATOMIC_BEGIN, ATOMIC_END, is_operator_delete, is_operator_new, locks};

/// The effect of a call of such a function. Numbers are those of arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    /// Nothing to the program's memory: synchronisation objects are not data.
    Nothing,
    /// Uses of memory that arguments point to, and nothing else.
    Uses(Uses),
    /// Returns new memory.
    Allocate,
    /// Returns new memory or the old, with the old contents.
    Reallocate,
    /// Stores the address of new memory where the argument points.
    AllocateAt(usize),
    /// Ends the life of memory.
    Free,
    /// Copies memory to the first argument from the second; whether the result is the end of what was written
    /// rather than its beginning.
    Copy { returns_end: bool },
    /// Fills memory.
    Fill,
    /// Acquires the lock at the first argument; readers share it.
    Lock { is_shared: bool },
    /// Releases the lock at the first argument.
    Unlock,
    /// Acquires, or releases, the lock that all atomic sections have in common.
    Section { enters: bool },
    /// Creates a thread that runs a function on an argument.
    Create { function: usize, argument: usize },
    /// Waits for a thread, or looks whether it has ended, and stores its result where an argument points.
    Join { waits: bool },
    /// Ends the thread.
    EndThread,
    /// Calls a function without arguments.
    Calls(usize),
    /// Has a function called by an unknown thread, on what `argument` points to, if it has one.
    CallsLater { function: usize, argument: Option<usize> },
    /// Keeps a value for each thread.
    SetSpecific,
    /// The value kept.
    GetSpecific,
    /// Throws what the first argument points to.
    Throw,
    /// A call of the kernel: its number comes first. Of one that may wait, and that no row names, any use of
    /// its arguments is assumed.
    SystemCall { may_wait: bool },
    /// An atomic operation on memory of any size: the object, what is written, where the old value goes.
    Atomic { object: usize, written: Option<usize>, result: Option<usize>, expected: Option<usize> },
    /// Unknown: all that the arguments point to may be read and written, functions among them called.
    Unknown,
}

/// How memory that an argument points to is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    Reads,
    Writes,
}

/// The hook by which symx's libc releases its own locks.
const LIBRARY_UNLOCK: &str = "__symx_unlock";

/// Beginnings of the names of calls that touch synchronisation objects, attributes and scheduling alone.
const QUIET: &[&str] = &[
    "pthread_",
    "mtx_",
    "cnd_",
    "sem_",
    "thrd_",
    "tss_",
    "sched_",
    "__pthread_",
    "_pthread_",
    "__cxa_",
    "_Unwind_",
    "__symx_",
    "__VERIFIER_",
    "klee_",
    "symx_",
    "_ZSt9terminate",
    "llvm.",
];

const QUIET_NAMES: &[&str] = &[
    "abort",
    "usleep",
    "sleep",
    "setjmp",
    "_setjmp",
    "__sigsetjmp",
    "sigsetjmp",
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "sqrt",
    "sqrtf",
    "fma",
    "fmaf",
    "floor",
    "floorf",
    "ceil",
    "ceilf",
    "trunc",
    "truncf",
    "round",
    "roundf",
    "sysconf",
    "__assert_fail",
    "__assert",
    "__assert_perror_fail",
    "reach_error",
    "__stack_chk_fail",
    "__chk_fail",
    "__fortify_fail",
    "malloc_trim",
    "malloc_usable_size",
];

/// The effect of the function of this name; `None` if its body in a library says so better than any row here.
pub(crate) fn effect(name: &str, has_body: bool) -> Option<Effect> {
    use Effect::*;
    if let Some(lock) = locks::acquiring(name).filter(|lock| lock.waits) {
        return Some(Lock { is_shared: lock.is_shared });
    }
    if let Some(uses) = text::text(name) {
        return Some(Effect::Uses(uses));
    }
    let uses = |list| Effect::Uses(self::Uses::of(list));
    Some(match name {
        "malloc" | "valloc" | "calloc" | "aligned_alloc" | "memalign" | "__symx_tp" => Allocate,
        "realloc" | "reallocarray" => Reallocate,
        "posix_memalign" => AllocateAt(0),
        "free" | "cfree" => Free,
        "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" => Copy { returns_end: false },
        "mempcpy" => Copy { returns_end: true },
        "memset" | "bzero" | "__memset_chk" => Fill,
        "memcmp" | "bcmp" | "strcmp" | "strncmp" => uses(&[(0, Use::Reads), (1, Use::Reads)]),
        "strlen" | "strnlen" => uses(&[(0, Use::Reads)]),
        "__symx_lock" | "__symx_lock_stream" => Lock { is_shared: false },
        ATOMIC_BEGIN => Section { enters: true },
        ATOMIC_END => Section { enters: false },
        "pthread_create" => Create { function: 2, argument: 3 },
        "thrd_create" => Create { function: 1, argument: 2 },
        "pthread_join" | "thrd_join" => Join { waits: true },
        // They say in their result whether the thread has ended.
        "pthread_tryjoin_np" | "pthread_timedjoin_np" | "pthread_clockjoin_np" => Join { waits: false },
        "pthread_exit" | "thrd_exit" | "__pthread_unwind_next" => EndThread,
        "pthread_once" | "call_once" => Calls(1),
        "pthread_key_create" | "tss_create" => CallsLater { function: 1, argument: None },
        "__cxa_thread_atexit_impl" | "__cxa_thread_atexit" => CallsLater { function: 0, argument: Some(1) },
        "_pthread_cleanup_push" => CallsLater { function: 1, argument: Some(2) },
        "pthread_atfork" | "__register_atfork" | "timer_create" | "mq_notify" => Unknown,
        "pthread_setspecific" | "tss_set" => SetSpecific,
        "pthread_getspecific" | "tss_get" => GetSpecific,
        "_Unwind_RaiseException"
        | "_Unwind_Resume_or_Rethrow"
        | "_Unwind_Resume"
        | "_Unwind_ForcedUnwind" => Throw,
        "__symx_syscall" | "syscall" => SystemCall { may_wait: false },
        "__symx_syscall_cp" => SystemCall { may_wait: true },
        "__atomic_load" => Atomic { object: 1, written: None, result: Some(2), expected: None },
        "__atomic_store" => Atomic { object: 1, written: Some(2), result: None, expected: None },
        "__atomic_exchange" => Atomic { object: 1, written: Some(2), result: Some(3), expected: None },
        "__atomic_compare_exchange" => {
            Atomic { object: 1, written: Some(3), result: None, expected: Some(2) }
        }
        "sem_getvalue" => uses(&[(1, Use::Writes)]),
        "pthread_getschedparam" => uses(&[(1, Use::Writes), (2, Use::Writes)]),
        "pthread_getname_np" | "pthread_getcpuclockid" | "pthread_barrier_wait_result" => {
            uses(&[(1, Use::Writes)])
        }
        "pthread_setname_np" => uses(&[(1, Use::Reads)]),
        "pthread_cond_timedwait" | "cnd_timedwait" => uses(&[(2, Use::Reads)]),
        "pthread_cond_clockwait" => uses(&[(3, Use::Reads)]),
        "pthread_mutex_timedlock" | "mtx_timedlock" | "sem_timedwait" => uses(&[(1, Use::Reads)]),
        "klee_make_symbolic" | "symx_make_symbolic" | "__VERIFIER_nondet_memory" => uses(&[(0, Use::Writes)]),
        LIBRARY_UNLOCK => Unlock,
        name if locks::releases(name) => Unlock,
        name if is_operator_new(name) => Allocate,
        name if is_operator_delete(name) => Free,
        name if QUIET_NAMES.contains(&name) || QUIET.iter().any(|start| name.starts_with(start)) => Nothing,
        _ if has_body => return None,
        _ => Unknown,
    })
}

/// Whether memory that a function of a library allocates is its caller's: it returns it, or is one of C++'s
/// strings, whose code the library has.
pub(crate) fn gives_memory(name: &str) -> bool {
    GIVING.contains(&name) || name.contains(STRINGS)
}

/// A part of the name of each function of C++'s strings.
const STRINGS: &str = "basic_string";

/// Functions of the C library whose callers own what they allocate.
const GIVING: &[&str] = &[
    "strdup",
    "__strdup",
    "strndup",
    "__strndup",
    "getdelim",
    "__getdelim",
    "getline",
    "realpath",
    "vasprintf",
    "asprintf",
    "open_memstream",
    "getcwd",
];

/// The effect of a kernel call, by number, on memory that its arguments point to (the number itself not
/// counted), on x86-64; `None` if no row has it.
pub(crate) fn system_call(number: u64) -> Option<&'static [(usize, Use)]> {
    use Use::{Reads, Writes};
    Some(match number {
        // read, pread64
        0 | 17 => &[(1, Writes)],
        // write, pwrite64
        1 | 18 => &[(1, Reads)],
        // sendto, recvfrom
        44 => &[(1, Reads), (4, Reads)],
        45 => &[(1, Writes), (4, Writes), (5, Reads), (5, Writes)],
        // stat and its kin, pipe, getcwd, getrandom
        4 | 6 => &[(0, Reads), (1, Writes)],
        5 => &[(1, Writes)],
        22 | 293 | 79 | 318 => &[(0, Writes)],
        // readv, writev and their kin: through the list of pieces
        19 | 20 | 295 | 296 | 327 | 328 => &[(1, Reads)],
        // nanosleep, gettimeofday, clock_gettime
        35 => &[(0, Reads), (1, Writes)],
        96 | 201 => &[(0, Writes)],
        228 | 229 => &[(1, Writes)],
        // sendfile, and copy_file_range with its two offsets
        40 => &[(2, Reads), (2, Writes)],
        326 => &[(1, Reads), (1, Writes), (3, Reads), (3, Writes)],
        // open, openat, unlink
        2 | 87 => &[(0, Reads)],
        257 => &[(1, Reads)],
        _ => return None,
    })
}

/// How a system call, by number, uses the file that it is made on, and with it the memory that is a part of
/// the file.
pub(crate) fn use_of_file(number: u64) -> &'static [Use] {
    use Use::{Reads, Writes};
    match number {
        // read, pread64, readv, preadv, preadv2
        0 | 17 | 19 | 295 | 327 => &[Reads],
        // write, pwrite64, writev, pwritev, pwritev2
        1 | 18 | 20 | 296 | 328 => &[Writes],
        // sendfile, copy_file_range: one file is read, another one written
        40 | 326 => &[Reads, Writes],
        _ => &[],
    }
}

/// Whether a function of the C library maps memory, and returns it.
pub(crate) fn maps_memory(name: &str) -> bool {
    matches!(name, "mmap" | "__mmap")
}

/// The flags of a mapping are this argument of the call.
pub(crate) const MAPPING_FLAGS: usize = 3;

/// Whether memory that is mapped with these flags (`None`: unknown ones) may be a part of a file: it is
/// shared, and not anonymous.
pub(crate) fn may_be_of_file(flags: Option<u64>) -> bool {
    flags.is_none_or(|flags| flags & 0x1 != 0 && flags & 0x20 == 0)
}

/// The system calls that return memory: `mmap` and `mremap`.
pub(crate) const MAPS: [u64; 2] = [9, 25];
/// The system call that sets a handler: `rt_sigaction`.
pub(crate) const SETS_HANDLER: u64 = 13;
/// Those whose second argument is a list of pieces, and whether they write there: `readv`, `writev` and those
/// of them that take a place in the file.
pub(crate) const LISTS: [(u64, Use); 6] = [
    (19, Use::Writes),
    (20, Use::Reads),
    (295, Use::Writes),
    (296, Use::Reads),
    (327, Use::Writes),
    (328, Use::Reads),
];
