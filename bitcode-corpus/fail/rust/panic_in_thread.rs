//! A panic is a failure with its message where the programmer wrote what panics, also if joining would
//! catch it.
fn divide(a: u32, b: u32) -> u32 {
    a / b //~ ERROR: panicked
}

fn main() {
    let zero: u32 = std::env::args().count() as u32 - 1;
    let result = std::thread::spawn(move || divide(4, zero)).join();
    println!("{}", result.is_err());
}
