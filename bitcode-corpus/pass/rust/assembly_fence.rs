//! A locked instruction on a word of the thread's own is a full fence, as crates write it: not both threads
//! miss the other's store. The text is in Intel's syntax, which is Rust's default.
//@ outcomes: 01 10 11
use std::arch::asm;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

static FLAGS: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

fn full_fence() {
    let word = AtomicUsize::new(0);
    unsafe { asm!("lock not qword ptr [{0}]", in(reg) word.as_ptr(), options(nostack)) };
}

fn raise(own: usize) -> usize {
    FLAGS[own].store(1, Relaxed);
    full_fence();
    FLAGS[1 - own].load(Relaxed)
}

fn main() {
    let other = thread::spawn(|| raise(1));
    let seen = raise(0);
    println!("{seen}{}", other.join().unwrap());
}
