//! Two transfers in opposite directions, each of which holds the first lock while it waits for the second.
use std::sync::{Arc, Mutex};
use std::thread;

struct Account {
    balance: Mutex<i64>,
}

fn transfer(from: &Account, to: &Account, amount: i64) {
    let mut from = from.balance.lock().unwrap();
    let mut to = to.balance.lock().unwrap(); //~ ERROR: deadlock
    *from -= amount;
    *to += amount;
}

fn main() {
    let savings = Arc::new(Account { balance: Mutex::new(100) });
    let checking = Arc::new(Account { balance: Mutex::new(100) });
    let (from, to) = (Arc::clone(&savings), Arc::clone(&checking));
    let other = thread::spawn(move || transfer(&from, &to, 10));
    transfer(&checking, &savings, 20);
    other.join().unwrap();
    println!("{}", *savings.balance.lock().unwrap());
}
