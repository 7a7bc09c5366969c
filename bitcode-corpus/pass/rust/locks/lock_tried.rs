//! A lock is tried while another thread may hold it, or have released it.
//@ outcomes: busy 0 1
use std::sync::Mutex;
use std::thread;

static COUNT: Mutex<u32> = Mutex::new(0);

fn main() {
    let writer = thread::spawn(|| *COUNT.lock().unwrap() = 1);
    match COUNT.try_lock() {
        Ok(count) => println!("{count}"),
        Err(_) => println!("busy"),
    }
    writer.join().unwrap();
}
