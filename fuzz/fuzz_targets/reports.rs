//! Reports of other tools' races, damaged: read or refused by line; what stands around them changes nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use symx_candidates::reported;

fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    let count = text.lines().count().max(1) as u32;
    match reported::read(&text) {
        Err(error) => assert!((1..=count).contains(&error.line), "{error}"),
        Ok(reports) => {
            let lines: Vec<u32> = reports.iter().map(|report| report.line).collect();
            assert!(lines.windows(2).all(|pair| pair[0] < pair[1]) && lines.iter().all(|line| *line <= count));
            let behind = reported::read(&format!("said by the program\n{text}")).expect("it was read before");
            assert!(behind.iter().map(|report| report.line - 1).eq(lines));
        }
    }
});
