//! Files of an earlier run in `--out`: they say nothing about the present one, and are removed before that
//! writes.

use crate::refusal::Refusal;
use std::fs::{read_dir, remove_dir_all, remove_file};
use std::io::ErrorKind;
use std::path::Path;

/// Endings of the files of a numbered failure, after `failure-N`.
const ENDINGS: [&str; 5] = [".schedule.json", ".inputs.json", ".explanation.json", ".trace.json", ".html"];

/// Files of a failure without a number, which are always written together.
const WITHOUT_NUMBER: [&str; 4] = ["schedule.json", "inputs.json", "explanation.json", "failure.html"];

/// Other files, which only lie beside failures.
const BESIDE: [&str; 2] = ["trace.json", "unfinished.json"];

/// Removes the files of failures from a folder, and nothing else. Links are removed, not followed.
pub fn remove_earlier(folder: &Path) -> Result<(), Refusal> {
    let entries = match read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Refusal::unreadable(folder, error)),
    };
    let names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    let has = |name: &str| names.iter().any(|other| other == name);
    let has_unnumbered = WITHOUT_NUMBER.iter().all(|name| has(name));
    let has_numbered = names.iter().any(|name| is_numbered(name));
    for name in &names {
        let is_one = is_numbered(name)
            || has_unnumbered && (WITHOUT_NUMBER.contains(&name.as_str()) || name == "failure")
            || (has_numbered || has_unnumbered) && BESIDE.contains(&name.as_str());
        if is_one {
            let path = folder.join(name);
            let is_folder = path.symlink_metadata().is_ok_and(|found| found.is_dir());
            let removed = if is_folder { remove_dir_all(&path) } else { remove_file(&path) };
            removed.map_err(|error| Refusal::unwritable(&path, error))?;
        }
    }
    Ok(())
}

/// `failure-3.html`, or the folder `failure-3`.
fn is_numbered(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("failure-") else { return false };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let ending = &rest[digits..];
    digits > 0 && (ending.is_empty() || ENDINGS.contains(&ending))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn only_what_a_run_has_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let make = |names: &[&str]| names.iter().for_each(|name| std::fs::write(at(name), "x").unwrap());
        let rest = || -> BTreeSet<String> {
            let entries = std::fs::read_dir(folder.path()).unwrap();
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        };
        // Nothing here says that these are of a run.
        let own =
            ["schedule.json", "inputs.json", "trace.json", "failure-x.html", "failure-1.c", "path.prof"];
        make(&own);
        remove_earlier(folder.path()).unwrap();
        assert_eq!(rest().len(), own.len());
        make(&["failure-1.html", "failure-12.schedule.json", "unfinished.json"]);
        std::fs::create_dir(at("failure-1")).unwrap();
        make(&["failure-1/args.bin"]);
        remove_earlier(folder.path()).unwrap();
        let kept = ["schedule.json", "inputs.json", "failure-x.html", "failure-1.c", "path.prof"];
        assert_eq!(rest(), kept.iter().map(ToString::to_string).collect());
        make(&["explanation.json", "failure.html"]);
        remove_earlier(folder.path()).unwrap();
        assert_eq!(rest(), kept[2..].iter().map(ToString::to_string).collect());
        remove_earlier(&at("none")).unwrap();
    }

    #[test]
    fn a_link_is_removed_and_what_it_leads_to_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (inside, outside) = (folder.path().join("out"), folder.path().join("outside"));
        std::fs::create_dir(&inside).unwrap();
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("kept"), "x").unwrap();
        std::os::unix::fs::symlink(&outside, inside.join("failure-1")).unwrap();
        remove_earlier(&inside).unwrap();
        assert!(!inside.join("failure-1").exists() && outside.join("kept").exists());
    }
}
