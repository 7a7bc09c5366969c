//! Parts of symx that others wrote are named, with their licence, in THIRD-PARTY.md.

use crate::assert_none;
use crate::repository::root;
use std::collections::BTreeSet;
use std::process::Command;

/// Names and licences of the crates in `cargo tree`'s answer, but for symx's own.
fn crates(tree: &str) -> BTreeSet<(String, String)> {
    let lines = tree.lines().filter_map(|line| {
        let (package, licence) = line.split_once('|')?;
        let name = package.split_whitespace().next()?;
        Some((name.to_owned(), licence.trim_end_matches(" (*)").trim().to_owned()))
    });
    lines.filter(|(name, _)| !name.starts_with("symx")).collect()
}

/// Crates that a page of notices does not name with their licence, and those that it names needlessly.
fn unnoticed(page: &str, crates: &BTreeSet<(String, String)>) -> Vec<String> {
    let rows = page.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ");
        Some((cells.next()?.to_owned(), cells.next()?.to_owned())).filter(|_| cells.next().is_none())
    });
    let noticed: BTreeSet<(String, String)> = rows.filter(|(name, _)| name != "crate").collect();
    let missing =
        crates.difference(&noticed).map(|(name, licence)| format!("missing: | {name} | {licence} |"));
    let needless = noticed.difference(crates).map(|(name, _)| format!("no longer linked: {name}"));
    missing.chain(needless).collect()
}

#[test]
fn all_crates_are_noticed() {
    let format = ["tree", "-p", "symx", "-e", "normal", "--prefix", "none", "-f", "{p}|{l}"];
    let tree = Command::new(env!("CARGO")).args(format).current_dir(root()).output().expect("cargo runs");
    let tree = String::from_utf8_lossy(&tree.stdout).into_owned();
    let crates = crates(&tree);
    assert!(crates.len() > 50, "{tree}");
    let page = std::fs::read_to_string(root().join("THIRD-PARTY.md")).expect("the notices are there");
    assert_none(&unnoticed(&page, &crates));
}

#[test]
fn a_crate_without_notice_is_seen() {
    let crates = crates("symx v0.1.0 (/x)|MIT\na v1.0.0|MIT\nb v2.0.0|Zlib (*)\n");
    assert_eq!(unnoticed("| crate | licence |\n| a | MIT |\n| b | Zlib |\n", &crates), [""; 0]);
    let told = unnoticed("| a | Apache-2.0 |\n| x | how | where |\n", &crates);
    assert_eq!(told, ["missing: | a | MIT |", "missing: | b | Zlib |", "no longer linked: a"]);
}
