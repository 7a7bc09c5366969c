//! A thread waits as channels of the standard library do: it idles for longer from round to round, then
//! yields.
//@ outcomes: 1
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::*};
use std::thread;

static READY: AtomicBool = AtomicBool::new(false);
static VALUE: AtomicI32 = AtomicI32::new(0);

fn main() {
    let writer = thread::spawn(|| {
        VALUE.store(1, Relaxed);
        READY.store(true, Release);
    });
    let mut step = 0_u32;
    while !READY.load(Acquire) {
        if step <= 6 {
            (0..step.pow(2)).for_each(|_| std::hint::spin_loop());
        } else {
            thread::yield_now();
        }
        step = step.wrapping_add(1);
    }
    println!("{}", VALUE.load(Relaxed));
    writer.join().unwrap();
}
