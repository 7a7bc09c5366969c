//! Generated programs as C. Each operation has a line of its own.

use crate::calls::Kind;
use crate::program::{Operation, Order, Own, Program, Stored, ToThread, Update, VARIABLES};
use std::fmt::Write;

/// One file of these programs, of which `main` runs the one that its argument names.
pub fn c_text(programs: &[Program]) -> String {
    let mut writer = Writer { text: include_str!("prelude.h").to_owned(), ..Writer::default() };
    for (index, program) in programs.iter().enumerate() {
        writer.name = format!("p{index}");
        writer.program(program);
    }
    let names: Vec<String> = (0..programs.len()).map(|index| format!("p{index}")).collect();
    let _ = writeln!(writer.text, "static void (*const programs[])(void) = {{ {} }};", names.join(", "));
    writer.text.push_str("#ifdef NATIVE\n");
    writer.text.push_str(include_str!("native_main.h"));
    writer.text.push_str(
        "#else\nint main(int argc, char **argv) { programs[argc > 1 ? atoi(argv[1]) : 0](); return 0; }\n\
         #endif\n",
    );
    writer.text
}

/// Writes programs. (Writing to a string does not fail.)
#[derive(Default)]
struct Writer {
    text: String,
    /// Prefix of the present program's names.
    name: String,
    /// How deep the present line is.
    depth: usize,
    /// Clean-up routines of the present thread, and inputs and loops of the present program, so far.
    routines: usize,
    inputs: usize,
    loops: usize,
    /// The present function.
    thread: usize,
}

impl Writer {
    fn line(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.text, "{}{}", "    ".repeat(self.depth), line.as_ref());
    }

    fn program(&mut self, program: &Program) {
        let name = self.name.clone();
        (self.inputs, self.loops, self.routines) = (0, 0, 0);
        for variable in 0..VARIABLES {
            self.line(format!("static int {name}_x{variable};"));
        }
        for (number, object) in program.objects.iter().enumerate() {
            self.line(format!("static {} {name}_o{number};", c_type(*object)));
        }
        let count = program.threads.len();
        self.line(format!("static pthread_t {name}_h[{count}];"));
        for thread in 1..count {
            self.line(format!("static void *{name}_t{thread}(void *unused);"));
        }
        self.line(format!("static void {name}_once(void) {{ {name}_x0 += 1; }}"));
        self.line(format!(
            "static void {name}_destroy(void *value) {{ (void)value; __atomic_fetch_add(&{name}_x1, 4, __ATOMIC_RELAXED); }}"
        ));
        let posts = program.handler.and_then(|handler| handler.posts);
        let posts = posts.map(|number| format!(" sem_post(&{name}_o{number});")).unwrap_or_default();
        self.line(format!(
            "static void {name}_handle(int signal) {{ (void)signal; __atomic_fetch_add(&{name}_x2, 1, __ATOMIC_RELAXED);{posts} }}"
        ));
        for (number, code) in program.threads.iter().enumerate() {
            self.thread = number;
            if program.alike && number > 1 {
                break;
            }
            self.clean_ups(code);
        }
        self.routines = 0;
        for (number, code) in program.threads.iter().enumerate().rev() {
            self.thread = number;
            if program.alike && number > 1 {
                continue;
            }
            self.function(program, code);
        }
    }

    /// Routines are numbered as they are met, thread by thread; the same again when their uses are written.
    fn clean_ups(&mut self, code: &[Operation]) {
        for operation in code {
            if let Operation::CleanUp(routine, _) = operation {
                let number = self.routines;
                self.routines += 1;
                let head = format!("static void {}_c{}_{number}(void *unused) {{", self.name, self.thread);
                self.line(head);
                self.depth = 1;
                self.line("uint64_t seen = 1; int r = 0; (void)unused;");
                for inner in routine {
                    self.operation(inner);
                }
                self.line("(void)seen; (void)r;");
                self.depth = 0;
                self.line("}");
            }
        }
    }

    fn function(&mut self, program: &Program, code: &[Operation]) {
        let (name, thread) = (self.name.clone(), self.thread);
        match thread {
            0 => self.line(format!("static void {name}(void) {{")),
            _ => self.line(format!("static void *{name}_t{thread}(void *unused) {{")),
        }
        self.depth = 1;
        self.line("uint64_t seen = 1; int r = 0;");
        match thread {
            0 => {
                self.line("uint64_t returned[8]; int count = 0;");
                self.line(format!("{name}_h[0] = pthread_self();"));
                for (number, object) in program.objects.iter().enumerate() {
                    let place = format!("&{name}_o{number}");
                    let text = initialisation(*object, &place, &name);
                    self.line(text);
                }
                if let Some(handler) = program.handler {
                    let flags = if handler.restarts { "SA_RESTART" } else { "0" };
                    self.line(format!("handle_with({name}_handle, {flags});"));
                }
            }
            _ => self.line("(void)unused;"),
        }
        // Those of one thread are numbered from where the numbers of the threads before it end.
        self.routines = program.threads[..thread]
            .iter()
            .flatten()
            .filter(|operation| matches!(operation, Operation::CleanUp(..)))
            .count();
        for operation in code {
            self.operation_of(program, operation);
        }
        match thread {
            0 => {
                for variable in 0..VARIABLES {
                    self.line(format!("SEE(__atomic_load_n(&{name}_x{variable}, __ATOMIC_RELAXED));"));
                }
                self.line("returned[count++] = seen;");
                self.line("write(1, returned, (size_t)count * 8);");
            }
            _ => self.line("return (void *)seen;"),
        }
        self.depth = 0;
        self.line("}");
    }

    fn operation_of(&mut self, program: &Program, operation: &Operation) {
        if let Operation::Thread(ToThread::Create | ToThread::CreateDetached, which) = operation
            && program.alike
        {
            let text = format!("{0}_t1, NULL", self.name);
            let line = format!("pthread_create(&{}_h[{which}], NULL, {text})", self.name);
            return self.result(&line);
        }
        self.operation(operation);
    }

    fn result(&mut self, expression: &str) {
        self.line(format!("PAUSE r = {expression}; SEE(r);"));
    }

    fn inner(&mut self, head: &str, inner: &[Operation]) {
        self.line(head);
        self.depth += 1;
        for operation in inner {
            self.operation(operation);
        }
        self.depth -= 1;
        self.line("}");
    }

    fn operation(&mut self, operation: &Operation) {
        let name = self.name.clone();
        let variable = |which: u8| format!("{name}_x{which}");
        match operation {
            Operation::Load(which, None) => self.result(&variable(*which)),
            Operation::Load(which, Some(order)) => {
                self.result(&format!("__atomic_load_n(&{}, {})", variable(*which), c_order(*order)));
            }
            Operation::Store(which, order, stored) => {
                let value = match stored {
                    Stored::Constant(value) => value.to_string(),
                    Stored::Next => "r + 1".into(),
                };
                let place = variable(*which);
                match order {
                    None => self.line(format!("PAUSE {place} = {value};")),
                    Some(order) => {
                        self.line(format!("PAUSE __atomic_store_n(&{place}, {value}, {});", c_order(*order)));
                    }
                }
            }
            Operation::Update(which, order, update) => {
                let (place, c_order) = (variable(*which), c_order(*order));
                match update {
                    Update::Add(by) => {
                        self.result(&format!("__atomic_fetch_add(&{place}, {by}, {c_order})"));
                    }
                    Update::Exchange(new) => {
                        self.result(&format!("__atomic_exchange_n(&{place}, {new}, {c_order})"));
                    }
                    Update::CompareExchange(old, new) => {
                        let failure = on_failure(*order);
                        self.result(&format!(
                            "({{ int old = {old}; __atomic_compare_exchange_n(&{place}, &old, {new}, 0, {c_order}, {failure}); old; }})"
                        ));
                    }
                }
            }
            Operation::Fence(order) => {
                self.line(format!("PAUSE __atomic_thread_fence({});", c_order(*order)));
            }
            Operation::Call(call, objects) => {
                let place = |at: usize| objects.get(at).map(|o| format!("&{name}_o{o}")).unwrap_or_default();
                let text = call.text.replace('$', &place(0)).replace('%', &place(1));
                self.result(&text.replace("ROUTINE", &format!("{name}_once")));
            }
            Operation::Thread(to_thread, which) => self.between_threads(*to_thread, *which),
            Operation::Own(own) => self.own(*own),
            Operation::Input(below) => {
                let number = self.inputs;
                self.inputs += 1;
                // One of two values is branched upon; one of more stays unknown.
                let input = format!("INPUT(\"i{number}\", {below})");
                self.result(&if *below == 2 { format!("decided({input})") } else { input });
            }
            Operation::FailIf(value) => self.line(format!("CHECK(r != {value});")),
            Operation::If(value, inner) => self.inner(&format!("if (r == {value}) {{"), inner),
            Operation::Repeat(rounds, inner) => {
                let number = self.loops;
                self.loops += 1;
                self.inner(&format!("for (int i{number} = 0; i{number} < {rounds}; i{number}++) {{"), inner);
            }
            Operation::CleanUp(_, inner) => {
                let number = self.routines;
                self.routines += 1;
                self.line(format!("pthread_cleanup_push({name}_c{}_{number}, NULL);", self.thread));
                for operation in inner {
                    self.operation(operation);
                }
                self.line("pthread_cleanup_pop(0);");
            }
            Operation::Print(letter) => self.line(format!("PAUSE write(1, \"{letter}\", 1);")),
        }
    }

    fn between_threads(&mut self, to_thread: ToThread, which: usize) {
        let handle = format!("{}_h[{which}]", self.name);
        let start = format!("{}_t{which}", self.name);
        let joined =
            if self.thread == 0 { "returned[count++] = (uint64_t)result;" } else { "SEE_ALL(result);" };
        let join =
            |call: &str| format!("PAUSE {{ void *result; r = {call}; SEE(r); if (r == 0) {{ {joined} }} }}");
        match to_thread {
            ToThread::Create => self.result(&format!("pthread_create(&{handle}, NULL, {start}, NULL)")),
            ToThread::CreateDetached => self.result(&format!("create_detached(&{handle}, {start})")),
            ToThread::Join => self.line(join(&format!("pthread_join({handle}, &result)"))),
            ToThread::TryJoin => self.line(join(&format!("pthread_tryjoin_np({handle}, &result)"))),
            ToThread::TimedJoin => {
                self.line(join(&format!("pthread_timedjoin_np({handle}, &result, SOON)")));
            }
            ToThread::Detach => self.result(&format!("pthread_detach({handle})")),
            ToThread::Cancel => self.result(&format!("pthread_cancel({handle})")),
            ToThread::Kill => self.result(&format!("pthread_kill({handle}, SIGUSR1)")),
        }
    }

    fn own(&mut self, own: Own) {
        let state = |call: &str| format!("({{ int old; {call}, &old) ? 99 : old; }})");
        match own {
            Own::TestCancel => self.line("PAUSE pthread_testcancel();"),
            Own::DisableCancel => {
                self.result(&state("pthread_setcancelstate(PTHREAD_CANCEL_DISABLE"));
            }
            Own::EnableCancel => self.result(&state("pthread_setcancelstate(PTHREAD_CANCEL_ENABLE")),
            Own::CancelAtOnce => self.result(&state("pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS")),
            Own::CancelLater => self.result(&state("pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED")),
            Own::Yield => self.line("sched_yield();"),
            Own::Exit => self.line("PAUSE pthread_exit((void *)seen);"),
            Own::BlockSignal => self.result("mask(SIG_BLOCK)"),
            Own::UnblockSignal => self.result("mask(SIG_UNBLOCK)"),
            Own::WaitForSignal => self.result("await_signal()"),
        }
    }
}

fn c_type(kind: Kind) -> &'static str {
    match kind {
        Kind::StandardMutex | Kind::StandardRecursiveMutex => "mtx_t",
        Kind::Condition => "pthread_cond_t",
        Kind::StandardCondition => "cnd_t",
        Kind::ReadWriteLock => "pthread_rwlock_t",
        Kind::SpinLock => "pthread_spinlock_t",
        Kind::Barrier(_) => "pthread_barrier_t",
        Kind::Semaphore(_) => "sem_t",
        Kind::Once => "pthread_once_t",
        Kind::Key => "pthread_key_t",
        _ => "pthread_mutex_t",
    }
}

fn initialisation(kind: Kind, place: &str, name: &str) -> String {
    let mutex = |kind: &str, robust: u8| format!("make_mutex({place}, PTHREAD_MUTEX_{kind}, {robust});");
    match kind {
        Kind::NormalMutex => mutex("NORMAL", 0),
        Kind::RecursiveMutex => mutex("RECURSIVE", 0),
        Kind::CheckingMutex => mutex("ERRORCHECK", 0),
        Kind::RobustMutex => mutex("NORMAL", 1),
        Kind::RobustCheckingMutex => mutex("ERRORCHECK", 1),
        Kind::StandardMutex => format!("mtx_init({place}, mtx_timed);"),
        Kind::StandardRecursiveMutex => format!("mtx_init({place}, mtx_timed | mtx_recursive);"),
        Kind::Condition => format!("pthread_cond_init({place}, NULL);"),
        Kind::StandardCondition => format!("cnd_init({place});"),
        Kind::ReadWriteLock => format!("pthread_rwlock_init({place}, NULL);"),
        Kind::SpinLock => format!("pthread_spin_init({place}, 0);"),
        Kind::Barrier(count) => format!("pthread_barrier_init({place}, NULL, {count});"),
        Kind::Semaphore(units) => format!("sem_init({place}, 0, {units});"),
        Kind::Once => format!("(void){place};"),
        Kind::Key => format!("pthread_key_create({place}, {name}_destroy);"),
    }
}

fn c_order(order: Order) -> &'static str {
    match order {
        Order::Relaxed => "__ATOMIC_RELAXED",
        Order::Acquire => "__ATOMIC_ACQUIRE",
        Order::Release => "__ATOMIC_RELEASE",
        Order::AcquireRelease => "__ATOMIC_ACQ_REL",
        Order::SequentiallyConsistent => "__ATOMIC_SEQ_CST",
    }
}

/// The order of a compare-and-exchange that fails.
fn on_failure(order: Order) -> &'static str {
    match order {
        Order::Acquire | Order::AcquireRelease => "__ATOMIC_ACQUIRE",
        Order::SequentiallyConsistent => "__ATOMIC_SEQ_CST",
        Order::Relaxed | Order::Release => "__ATOMIC_RELAXED",
    }
}
