//! Which crate may use which: what the table of `ARCHITECTURE.md`, "The house", says.

use crate::assert_none;
use crate::repository::{crates, read, root};
use std::collections::{BTreeMap, BTreeSet};

/// Libraries that only these crates may use.
const BOUND: &[(&str, &[&str])] = &[
    ("llvm-sys", &["bitcode", "recorder"]),
    ("z3", &["expr"]),
    ("z3-sys", &["expr"]),
    ("cadical-sys", &["checkers"]),
];

/// The table's words for every crate, and for none.
const ALL: &str = "all";
const NONE: &str = "–";
/// After a crate's name: the crates it may use, too.
const VOCABULARY: &str = " and its vocabulary";

/// By crate, the crates that it may use.
type Edges = BTreeMap<String, BTreeSet<String>>;

/// The edges that a document's table of crates allows. Rows of folders that are no crate, and words that name
/// none, such as LLVM, are passed over.
fn edges(document: &str, crates: &[String]) -> Result<Edges, String> {
    let mut cells = BTreeMap::new();
    let rows = document.split("\n## The house").nth(1).and_then(|rest| rest.split("\n## ").next());
    for row in rows.ok_or("no section \"The house\"")?.lines().filter(|line| line.starts_with("| `")) {
        let columns: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, folder, _, uses, _] = columns[..] else { return Err(format!("not three columns: {row}")) };
        let folder = folder.trim_matches('`').trim_end_matches('/');
        if crates.iter().any(|name| name == folder) {
            cells.insert(folder.to_owned(), uses.to_owned());
        }
    }
    if let Some(missing) = crates.iter().find(|name| !cells.contains_key(*name)) {
        return Err(format!("the table has no row for `{missing}/`"));
    }
    cells.keys().map(|name| Ok((name.clone(), allowed(name, &cells, crates)))).collect()
}

fn allowed(name: &str, cells: &BTreeMap<String, String>, crates: &[String]) -> BTreeSet<String> {
    let uses = cells[name].as_str();
    if uses == ALL {
        return crates.iter().filter(|other| *other != name).cloned().collect();
    }
    let mut allowed = BTreeSet::new();
    for word in uses.split(',').map(str::trim).filter(|word| *word != NONE) {
        let (word, has_vocabulary) = match word.strip_suffix(VOCABULARY) {
            Some(word) => (word, true),
            None => (word, false),
        };
        if crates.iter().any(|other| other == word) {
            allowed.insert(word.to_owned());
            if has_vocabulary {
                allowed.extend(self::allowed(word, cells, crates));
            }
        }
    }
    allowed
}

/// Names in a manifest's `[dependencies]` (and, with `all`, the other tables of dependencies).
fn dependencies(manifest: &str, all: bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in manifest.lines() {
        if let Some(table) = line.strip_prefix('[') {
            inside = table.starts_with("dependencies]") || all && table.contains("dependencies]");
        } else if let (true, Some((name, _))) = (inside, line.split_once(['=', '.'])) {
            found.push(name.trim().to_owned());
        }
    }
    found
}

/// The folder of a crate of ours by its name.
fn folder(name: &str) -> &str {
    name.strip_prefix("symx-").unwrap_or(name)
}

/// The crates that a crate's manifest uses and the edges forbid.
fn forbidden(name: &str, manifest: &str, edges: &Edges) -> Vec<String> {
    let used = dependencies(manifest, false);
    let ours = used.iter().map(|used| folder(used)).filter(|used| edges.contains_key(*used));
    let wrong = ours.filter(|used| !edges[name].contains(*used));
    wrong.map(|used| format!("{name} must not use {used} (ARCHITECTURE.md, \"The house\")")).collect()
}

#[test]
fn crates_use_only_what_the_architecture_allows() {
    let crates = crates();
    let edges = edges(&read("ARCHITECTURE.md"), &crates).expect("the table of crates");
    let manifest = |name: &String| read(root().join(name).join("Cargo.toml"));
    let problems: Vec<String> =
        crates.iter().flat_map(|name| forbidden(name, &manifest(name), &edges)).collect();
    assert_none(&problems);
}

#[test]
fn only_the_loader_and_the_recorder_link_llvm_and_only_terms_link_z3() {
    let mut problems = Vec::new();
    for name in crates() {
        let used = dependencies(&read(root().join(&name).join("Cargo.toml")), true);
        let bound = BOUND.iter().filter(|(library, users)| {
            used.iter().any(|used| used == library) && !users.contains(&name.as_str())
        });
        problems.extend(bound.map(|(library, _)| format!("{name} must not use {library}")));
    }
    assert_none(&problems);
}

#[test]
fn the_table_is_the_rule() {
    let crates = ["a", "b", "c", "d"].map(str::to_owned);
    let table = "\n## The house\n\n| folder | what | may use |\n|---|---|---|\n| `a/` | x | – |\n\
                 | `b/` | x | a, LLVM |\n| `c/` | x | b and its vocabulary |\n| `d/` | x | all |\n| `e/` | x | d |\n\n## B";
    let edges = edges(table, &crates).unwrap();
    let names = |name: &str| edges[name].iter().map(String::as_str).collect::<Vec<_>>().join(" ");
    assert_eq!([names("a"), names("b"), names("c"), names("d")], ["", "a", "a b", "a b c"]);
    let manifest =
        "[dependencies]\nsymx-c.workspace = true\nserde = \"1\"\n[dev-dependencies]\nsymx-d = \"1\"";
    assert_eq!(forbidden("b", manifest, &edges).len(), 1);
    assert_eq!(forbidden("d", manifest, &edges), [""; 0]);
    let missing = self::edges(&table.replace("`b/`", "`f/`"), &crates);
    assert_eq!(missing, Err("the table has no row for `b/`".into()));
}
