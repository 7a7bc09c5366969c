//! Files that cannot be loaded are refused by name, in one line.

mod compile;

use compile::{bitcode, parse};
use std::path::Path;
use symx_bitcode::{LoadError, LoadOptions, load};
use symx_ir::Module;

fn refusal(result: Result<Module, LoadError>) -> LoadError {
    let error = result.unwrap_err();
    let message = error.to_string();
    assert!(!message.contains('\n') && !message.is_empty(), "{message:?}");
    error
}

fn load_bytes(bytes: &[u8]) -> Result<Module, LoadError> {
    load(Path::new("test.bc"), bytes, &LoadOptions::default())
}

#[test]
fn empty_and_foreign_files() {
    assert_eq!(refusal(load_bytes(b"")), LoadError::Empty);
    assert_eq!(refusal(load_bytes(b" \n")), LoadError::Empty);
    assert_eq!(refusal(load_bytes(b"\x7fELF\x02\x01\x01\0\0\0\0\0")), LoadError::NotBitcode);
    let noise: Vec<u8> = (0..4096u32).map(|index| (index.wrapping_mul(2654435761) >> 24) as u8).collect();
    assert_eq!(refusal(load_bytes(&noise)), LoadError::NotBitcode);
}

#[test]
fn textual_errors_have_a_position() {
    let error = refusal(parse("define i32 @f() {\n  %x = add i32 1, 2\n  ret i64 %x\n}\n"));
    let LoadError::Syntax { line, column, message } = error else { panic!("{error:?}") };
    assert_eq!((line, column), (3, 11));
    assert!(message.contains("'%x'"), "{message}");
    let error = refusal(parse("hello, world\n"));
    assert!(matches!(error, LoadError::Syntax { line: 1, .. }), "{error:?}");
}

#[test]
fn the_verifier_has_its_say() {
    let text = "define i32 @f(i1 %c) {\nentry:\n br i1 %c, label %a, label %b\na:\n %x = add i32 1, 2\n br label %b\nb:\n ret i32 %x\n}\n";
    let error = refusal(parse(text));
    let LoadError::Invalid(message) = &error else { panic!("{error:?}") };
    assert!(message.contains("dominate"), "{message}");
}

#[test]
fn every_truncation_is_refused() {
    let bytes = bitcode("int f(int x) { return x + 1; }", &["-O1"]);
    let mut truncated = 0;
    for length in (1..bytes.len()).step_by(7) {
        match load_bytes(&bytes[..length]) {
            // Only the symbol and string tables, which nothing here needs, come after the module.
            Ok(_) => assert!(length > bytes.len() / 2),
            Err(error) => {
                truncated += u32::from(matches!(error, LoadError::Truncated { .. }));
                refusal(Err(error));
            }
        }
    }
    assert!(truncated > 100);
}

#[test]
fn damaged_bitcode_never_ends_the_process() {
    let bytes = bitcode("int g; int f(int x) { return x + g; }", &["-O1"]);
    // The identification block's bytes and those after it; deep damage LLVM itself does not survive.
    let mut refused = 0;
    for position in 0..64 {
        let mut damaged = bytes.clone();
        damaged[position] ^= 0x10;
        if let Err(error) = load_bytes(&damaged) {
            refusal(Err(error));
            refused += 1;
        }
    }
    assert!(refused > 10);
}

/// Bytes of `bytes` with the bits of `from` replaced by those of `to`, wherever they start.
fn replace_six_bit_text(bytes: &mut [u8], from: &str, to: &str) {
    let alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    let bits = |text: &str| -> Vec<bool> {
        text.chars()
            .flat_map(|letter| {
                let code = alphabet.find(letter).unwrap();
                (0..6).map(move |bit| code >> bit & 1 == 1)
            })
            .collect()
    };
    let (from, to) = (bits(from), bits(to));
    let bit = |bytes: &[u8], at: usize| bytes[at / 8] >> (at % 8) & 1 == 1;
    let start = (0..512).find(|&start| (0..from.len()).all(|at| bit(bytes, start + at) == from[at])).unwrap();
    for (at, &set) in to.iter().enumerate() {
        let position = start + at;
        bytes[position / 8] = bytes[position / 8] & !(1 << (position % 8)) | u8::from(set) << (position % 8);
    }
}

#[test]
fn a_newer_producer_is_named() {
    let mut bytes = bitcode("int f(int x) { return x + 1; }", &["-O1"]);
    replace_six_bit_text(&mut bytes, "LLVM22", "LLVM99");
    // A newer version's file that this one can read is read.
    assert!(load_bytes(&bytes).is_ok());
    // Break the module after the identification: its header's word count stays, its content does not.
    let length = bytes.len();
    for byte in &mut bytes[120..length / 2] {
        *byte = !*byte;
    }
    let error = refusal(load_bytes(&bytes));
    let LoadError::NewerLlvm { producer, .. } = &error else { panic!("{error:?}") };
    assert!(producer.starts_with("LLVM99"), "{producer}");
    assert!(error.to_string().starts_with("bitcode of a newer LLVM (LLVM99"), "{error}");
}

#[test]
fn another_machine_is_named() {
    let error = refusal(parse("target triple = \"aarch64-unknown-linux-gnu\"\n@x = global i32 0\n"));
    assert_eq!(error, LoadError::Target("aarch64-unknown-linux-gnu".to_owned()));
}

#[test]
fn inexpressible_initial_values_are_refused() {
    let text =
        "define void @f() {\n ret void\n}\n@x = global i64 xor (i64 ptrtoint (ptr @f to i64), i64 7)\n";
    let error = refusal(parse(text));
    assert!(matches!(&error, LoadError::Initializer { name, .. } if name == "x"), "{error:?}");
}
