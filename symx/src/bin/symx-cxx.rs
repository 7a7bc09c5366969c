//! `symx-cxx`: `symx c++` as one word, for build systems that take a compiler's name for one.

mod one_word;

fn main() -> std::process::ExitCode {
    one_word::run("c++")
}
