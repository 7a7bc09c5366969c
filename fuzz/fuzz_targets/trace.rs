//! Symbolic traces, damaged: both readers read one that means something, or refuse by name; what is
//! read is written again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use symx_trace::symbolic::{SymbolicTrace, file};

fuzz_target!(|input: &[u8]| {
    let read = file::read(input).ok();
    let from_json = std::str::from_utf8(input).ok().and_then(|text| SymbolicTrace::from_json(text).ok());
    for trace in read.into_iter().chain(from_json) {
        let again = file::read(&file::write(&trace)).expect("what was written is read");
        assert!(again == trace);
        trace.terms.load(&symx_expr::Terms::new());
    }
});
