//! The standard library copies files by system calls of the kernel's, where there are such.
//@ native
use std::fs;

fn main() {
    let folder = std::env::temp_dir();
    let (from, to) = (folder.join("symx_copied_from"), folder.join("symx_copied_to"));
    fs::write(&from, "abc").unwrap();
    println!("{:?} {:?}", fs::copy(&from, &to).map_err(|error| error.kind()), fs::read_to_string(&to).ok());
    fs::remove_file(from).unwrap();
    fs::remove_file(to).unwrap();
}
