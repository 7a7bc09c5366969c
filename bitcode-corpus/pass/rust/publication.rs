//! A value is published by a release store and an acquire load; the thread is joined and its result handed
//! over.
//@ native
//@ executions[sc]: 2
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

static VALUE: AtomicU32 = AtomicU32::new(0);
static IS_READY: AtomicBool = AtomicBool::new(false);

fn main() {
    let writer = std::thread::spawn(|| {
        VALUE.store(7, Ordering::Relaxed);
        IS_READY.store(true, Ordering::Release);
        5
    });
    if IS_READY.load(Ordering::Acquire) {
        assert_eq!(VALUE.load(Ordering::Relaxed), 7);
    }
    println!("{}", writer.join().unwrap());
}
