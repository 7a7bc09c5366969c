//! Where assertions are not checked, panics unwind as they do natively: values are dropped, joining catches
//! them.
//@ native
//@ flags: --check memory,deadlock
struct Loud(u32);

impl Drop for Loud {
    fn drop(&mut self) {
        println!("dropped{}", self.0);
    }
}

fn main() {
    let caught = std::panic::catch_unwind(|| {
        let _first = Loud(1);
        let values: Vec<u32> = Vec::new();
        values[std::env::args().count()]
    });
    let joined = std::thread::spawn(|| {
        let _second = Loud(2);
        let nothing: Option<u32> = None;
        nothing.unwrap()
    })
    .join();
    println!("{}{}", caught.is_err(), joined.is_err());
}
