//! The standard library copies from and to pipes by system calls of the kernel's.
//@ native
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::os::fd::OwnedFd;

fn main() {
    let path = std::env::temp_dir().join("symx_copied_through_a_pipe");
    fs::write(&path, "a text").unwrap();
    let (out, into) = io::pipe().unwrap();
    let (mut out, mut into) = (File::from(OwnedFd::from(out)), File::from(OwnedFd::from(into)));
    println!("{:?}", io::copy(&mut File::open(&path).unwrap(), &mut into).ok());
    drop(into);
    let mut file = File::options().read(true).write(true).truncate(true).open(&path).unwrap();
    println!("{:?}", io::copy(&mut out, &mut file).ok());
    file.rewind().unwrap();
    let mut found = String::new();
    file.read_to_string(&mut found).unwrap();
    println!("{found}");
    fs::remove_file(path).unwrap();
}
