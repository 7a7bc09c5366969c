//! The text is known when the program is compiled: the library asks the optimiser, which need not know.
//@ outcomes: text
fn main() {
    println!("text");
}
