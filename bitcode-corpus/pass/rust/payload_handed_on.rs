//! `resume_unwind` hands a payload on without a panic: libraries that run closures on threads do so.
//@ native
use std::panic::{catch_unwind, resume_unwind};

fn main() {
    let caught = catch_unwind(|| {
        if std::env::args().count() > 0 {
            resume_unwind(Box::new(3));
        }
    });
    let payload = caught.unwrap_err();
    println!("caught {}", payload.downcast_ref::<i32>().unwrap());
}
