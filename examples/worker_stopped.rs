// A worker that is stopped by a flag. The flag is set and the worker is woken without the lock, so
// that it may look, be woken before it waits, and wait forever.
//
//     symx run examples/worker_stopped.rs
//
// It ends with exit code 1 and prints, among other lines:
//
//     lost-wakeup: T1 closure worker_stopped.rs:54 waits on `worker.changed` of main (worker_stopped.rs:46)
//       after T0 main sent the last signal (:33): no thread was waiting then.
//     suggested fix: hold the mutex of the wait around worker_stopped.rs:43-46 in T1 closure
//       worker_stopped.rs:54 and at every other access to `worker.stopped` of main and `worker.changed` of
//       main. Verified: no failure in any execution.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex};
use std::thread;

#[derive(Default)]
struct Worker {
    jobs: Mutex<Vec<u32>>,
    changed: Condvar,
    stopped: AtomicBool,
}

impl Worker {
    fn push(&self, job: u32) {
        self.jobs.lock().unwrap().push(job);
        self.changed.notify_one();
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.changed.notify_one();
    }

    fn run(&self) -> u32 {
        let mut sum = 0;
        let mut jobs = self.jobs.lock().unwrap();
        loop {
            while let Some(job) = jobs.pop() {
                sum += job;
            }
            if self.stopped.load(Ordering::SeqCst) {
                return sum;
            }
            jobs = self.changed.wait(jobs).unwrap();
        }
    }
}

fn main() {
    let worker = Worker::default();
    thread::scope(|scope| {
        let sum = scope.spawn(|| worker.run());
        worker.push(2);
        worker.stop();
        println!("{}", sum.join().unwrap());
    });
}
