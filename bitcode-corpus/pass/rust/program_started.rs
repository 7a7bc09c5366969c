//! The program starts itself by the standard library, and learns how it ended.
//@ outcomes: Some(7)
use std::process::{Command, exit};

fn main() {
    if std::env::args().count() > 1 {
        exit(7);
    }
    let program = std::env::current_exe().unwrap();
    println!("{:?}", Command::new(program).arg("again").status().unwrap().code());
}
