//! `symx profile`: look into a profile.

use super::run::read_profile;
use crate::refusal::Refusal;
use clap::Subcommand;
use std::path::PathBuf;
use symx_trace::profile::{ProcessEnd, Profile, unit};

/// What to do with a profile.
#[derive(Subcommand, Debug)]
pub enum ProfileCommand {
    /// Print what a profile holds
    Show {
        /// The profile
        #[arg(value_name = "PROFILE")]
        profile: PathBuf,
    },
}

/// Runs the command.
pub fn profile(command: &ProfileCommand) -> Result<u8, Refusal> {
    let ProfileCommand::Show { profile } = command;
    print!("{}", describe(&read_profile(profile)?));
    Ok(0)
}

fn describe(profile: &Profile) -> String {
    let process = &profile.process;
    let arguments: Vec<_> = process.arguments.iter().map(|text| String::from_utf8_lossy(text)).collect();
    let mut text = format!("program {}\n", process.program);
    text += &format!("command {}\n", arguments.join(" "));
    text += &format!("end     {}\n", describe_end(&process.end));
    if profile.is_truncated {
        text += "the file is cut off: threads, or the end of a log, may be missing\n";
    }
    for thread in &profile.threads {
        let events = unit::Events::new(&thread.units, thread.started).filter_map(Result::ok);
        let (mut paths, mut calls, mut children) = (0_u64, 0_u64, 0_u64);
        for event in events {
            match event {
                unit::Event::Path(_) | unit::Event::Return(_) => paths += 1,
                unit::Event::Enter(_) => calls += 1,
                unit::Event::Created(_) => children += 1,
                _ => {}
            }
        }
        let name = &thread.name;
        let units = thread.units.len();
        text += &format!("thread {name}: {calls} calls, {paths} paths, {children} children, {units} units");
        if thread.lost_units > 0 {
            text += &format!(", the {} units before them lost", thread.lost_units);
        }
        if let Some(signal) = thread.signal {
            text += &format!(", received signal {signal}");
        }
        text += if thread.ended.is_some() { ", ended\n" } else { ", still running\n" };
    }
    text
}

/// How a recorded process ended, in words.
pub fn describe_end(end: &ProcessEnd) -> String {
    match end {
        ProcessEnd::Exited(status) => format!("exited with status {status}"),
        ProcessEnd::Signalled { signal, thread: Some(thread) } => {
            format!("signal {signal} in thread {thread}")
        }
        ProcessEnd::Signalled { signal, thread: None } => format!("signal {signal}"),
        ProcessEnd::TimedOut => "killed when its time was over".into(),
        ProcessEnd::Unknown => "end unknown".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_told_apart() {
        let end = ProcessEnd::Signalled { signal: 11, thread: Some("0.2".into()) };
        assert_eq!(describe_end(&end), "signal 11 in thread 0.2");
        assert_eq!(describe_end(&ProcessEnd::Exited(3)), "exited with status 3");
    }
}
