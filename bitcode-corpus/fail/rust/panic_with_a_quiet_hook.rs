//! A panic has its message, also where the program's own hook does not write it.
fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let worker = std::thread::spawn(|| {
        panic!("no room left"); //~ ERROR: panicked: no room left
    });
    let _ = worker.join();
}
