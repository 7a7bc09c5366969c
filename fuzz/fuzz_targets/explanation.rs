//! Explanations, damaged: read or refused by name; what is read is written again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use symx_trace::Explanation;

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let Ok(explanation) = Explanation::from_json(text) else { return };
    let text = serde_json::to_string(&explanation).expect("plain data becomes JSON");
    let again = Explanation::from_json(&text).expect("what was written is read");
    assert_eq!(serde_json::to_string(&again).expect("plain data becomes JSON"), text);
});
