//! Answers of other processes and the system are in the record, as the program saw them.

use crate::survival::run;
use std::io::Write;
use std::net::TcpListener;
use symx_recorder::RecordOptions;
use symx_trace::profile::{Answer, ProcessEnd, TIME_STAMP};

#[test]
fn what_another_process_sends_and_the_clock() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let sender = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"first678").unwrap();
        stream
    });
    let (profile, _) = run("receives.c", &[&port], RecordOptions::default());
    drop(sender.join().unwrap());
    let inputs = &profile.thread("0").unwrap().inputs;
    let answers = |name: &str| -> Vec<&Answer> {
        let calls = inputs.iter().filter(|call| call.function == name);
        calls.map(|call| call.answer.as_ref().expect("an answer")).collect()
    };
    let received = answers("recv");
    let told: Vec<(i64, &[u8])> = received.iter().map(|answer| (answer.result, &answer.bytes[..])).collect();
    assert_eq!(told, [(5, &b"first"[..]), (100, &[1, 0, 0, 0][..])]);
    assert_eq!(answers("read")[0].bytes, b"678");
    let clock = answers("gettimeofday")[0];
    let microseconds = i64::from_ne_bytes(clock.bytes[8..16].try_into().unwrap());
    let status = 64 + ((i64::from(b't') + i64::from(b'8') + microseconds + answers("rand")[0].result) & 63);
    assert_eq!(profile.process.end, ProcessEnd::Exited(status as i32));
}

#[test]
fn time_stamps_that_assembly_reads() {
    let (profile, _) = run("stamps.c", &[], RecordOptions::default());
    let inputs = &profile.thread("0").unwrap().inputs;
    let stamps: Vec<u64> = inputs
        .iter()
        .filter(|call| call.function == TIME_STAMP)
        .map(|call| call.answer.as_ref().expect("an answer").result as u64)
        .collect();
    assert!(matches!(stamps[..], [first, second, third] if first < second && second < third), "{stamps:?}");
    let status: u64 = 64 + stamps.iter().map(|stamp| stamp % 31).sum::<u64>();
    assert_eq!(profile.process.end, ProcessEnd::Exited(status as i32));
}
