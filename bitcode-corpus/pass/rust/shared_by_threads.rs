//! Threads own a lock together. Which of them gives its share up first makes no difference, as `main` has one
//! until all have ended.
//@ outcomes: 3
//@ executions[sc]: 6
use std::sync::{Arc, Mutex};
use std::thread;

fn main() {
    let count = Arc::new(Mutex::new(0));
    let add = |_| {
        let count = Arc::clone(&count);
        thread::spawn(move || *count.lock().unwrap() += 1)
    };
    let threads: Vec<_> = (0..3).map(add).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    println!("{}", count.lock().unwrap());
}
