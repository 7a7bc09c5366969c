//! Which way the arrows run between the top-level modules of each crate.

use crate::assert_none;
use crate::repository::{crates, sources};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Crates whose modules still need each other, how many of them do at most, and why. The numbers are to
/// fall; every other crate has no cycle at all.
const CYCLES: &[(&str, usize, &str)] =
    &[("interp", 11, "an executor has caches, guides and fixes as parts, which are methods of an executor")];

/// By module, the modules that it names, and a file that does so.
type Arrows = BTreeMap<String, BTreeMap<String, PathBuf>>;

/// The text without comments, and without the tests at its end.
fn code(text: &str) -> String {
    let line = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    let product = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    product.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn first_word(text: &str) -> &str {
    text.split(|character| !is_word(character)).next().unwrap_or_default()
}

/// The parts of a list between braces, whose opening one is gone.
fn parts(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, character) in list.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => {
                parts.push(&list[start..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// The names that stand in code right after the crate's root, which `prefix` is.
fn after_root<'c>(code: &'c str, prefix: &str) -> Vec<&'c str> {
    let mut named = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        if code[..at].ends_with(|before: char| is_word(before) || before == ':') {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        match rest.strip_prefix('{') {
            Some(list) => named.extend(parts(list).into_iter().map(first_word)),
            None => named.push(first_word(rest)),
        }
    }
    named
}

/// The names that a crate's root takes over from modules, with the module of each.
fn taken_over(root: &str) -> BTreeMap<&str, &str> {
    let mut from = BTreeMap::new();
    for import in root.split("use ").skip(1) {
        let Some((path, _)) = import.split_once(';') else { continue };
        let Some((module, rest)) = path.split_once("::") else { continue };
        let list = rest.rfind('{').map_or(rest, |at| &rest[at + 1..]);
        let names = list.split([',', '}']).map(|name| name.rsplit("::").next().unwrap_or_default().trim());
        from.extend(names.filter(|name| !name.is_empty()).map(|name| (name, module.trim())));
    }
    from
}

/// The arrows between a crate's modules, of which `files` are the sources by their paths in `src`.
fn arrows(files: &[(PathBuf, String)]) -> Arrows {
    let top = |path: &Path| -> Option<String> {
        let first = path.components().next()?.as_os_str().to_str()?;
        Some(first.strip_suffix(".rs").unwrap_or(first).to_owned())
            .filter(|top| !["lib", "main", "bin"].contains(&top.as_str()))
    };
    let code: Vec<(&Path, String)> = files.iter().map(|(path, text)| (path.as_path(), code(text))).collect();
    let mut arrows: Arrows =
        code.iter().filter_map(|(path, _)| top(path)).map(|top| (top, BTreeMap::new())).collect();
    let root = code.iter().find(|(path, _)| *path == Path::new("lib.rs"));
    let taken_over = root.map_or_else(BTreeMap::new, |(_, root)| taken_over(root));
    for (path, code) in &code {
        let Some(from) = top(path) else { continue };
        let depth = path.components().count() - usize::from(path.ends_with("mod.rs"));
        let above = "super::".repeat(depth);
        let named = after_root(code, "crate::").into_iter().chain(after_root(code, &above));
        for name in named {
            let to =
                if arrows.contains_key(name) { name } else { taken_over.get(name).copied().unwrap_or("") };
            if to != from && arrows.contains_key(to) {
                let to = to.to_owned();
                arrows.entry(from.clone()).or_default().entry(to).or_insert_with(|| path.to_path_buf());
            }
        }
    }
    arrows
}

/// The modules that arrows lead to from a module, itself only if they lead back.
fn reached<'a>(arrows: &'a Arrows, from: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = arrows[from].keys().map(String::as_str).collect();
    while let Some(module) = open.pop() {
        if reached.insert(module) {
            open.extend(arrows[module].keys().map(String::as_str));
        }
    }
    reached
}

/// The cycles: modules that all reach each other.
fn cycles(arrows: &Arrows) -> BTreeSet<BTreeSet<&str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        arrows.keys().map(|module| (module.as_str(), reached(arrows, module))).collect();
    let cycle = |module: &&str| {
        let mutual = reached[*module].iter().filter(|other| reached[**other].contains(*module));
        mutual.copied().collect::<BTreeSet<&str>>()
    };
    reached.keys().map(cycle).filter(|cycle| !cycle.is_empty()).collect()
}

/// What is wrong with a crate's arrows, where cycles of `most` modules are known.
fn wrong(name: &str, arrows: &Arrows, most: usize) -> Vec<String> {
    let mut problems = Vec::new();
    let cycles = cycles(arrows);
    let largest = cycles.iter().map(BTreeSet::len).max().unwrap_or(0);
    for cycle in cycles.iter().filter(|cycle| cycle.len() > most) {
        let inside = arrows.iter().filter(|(from, _)| cycle.contains(from.as_str()));
        let inside = inside.flat_map(|(from, to)| to.iter().map(move |(to, file)| (from, to, file)));
        let inside = inside.filter(|(_, to, _)| cycle.contains(to.as_str()));
        let named: Vec<String> =
            inside.map(|(from, to, file)| format!("{from} -> {to} ({})", file.display())).collect();
        problems.push(format!("{name}: {} modules need each other: {}", cycle.len(), named.join(", ")));
    }
    if largest < most {
        problems.push(format!("{name}: its largest cycle has {largest} modules: lower the bound of {most}"));
    }
    problems
}

/// The sources of a crate by their paths in its `src`, without files of tests.
fn of_crate(name: &str, sources: &[(PathBuf, String)]) -> Vec<(PathBuf, String)> {
    let folder = Path::new(name).join("src");
    let inside = sources.iter().filter_map(|(path, text)| Some((path.strip_prefix(&folder).ok()?, text)));
    let is_test = |path: &Path| {
        path.components().any(|part| part.as_os_str() == "tests")
            || path.file_stem().is_some_and(|name| name.to_string_lossy().ends_with("tests"))
    };
    inside.filter(|(path, _)| !is_test(path)).map(|(path, text)| (path.to_path_buf(), text.clone())).collect()
}

#[test]
fn arrows_between_modules_run_one_way() {
    let sources = sources();
    let mut problems = Vec::new();
    for name in crates() {
        let most = CYCLES.iter().find(|(other, ..)| *other == name).map_or(0, |(_, most, _)| *most);
        problems.extend(wrong(&name, &arrows(&of_crate(&name, &sources)), most));
    }
    assert_none(&problems);
}

#[test]
fn a_cycle_is_seen_however_a_module_is_named() {
    let crate_of = |files: &[(&str, &str)]| {
        let file = |(path, text): &(&str, &str)| (PathBuf::from(path), (*text).to_owned());
        arrows(&files.iter().map(file).collect::<Vec<_>>())
    };
    let root = ("lib.rs", "mod a;\nmod b;\npub use b::{c::Name, Other};");
    let below = ("b/c.rs", "use crate::{\n    a::{self, X},\n    d,\n};");
    for back in ["use crate::b::Y;", "use super::b::Y;", "fn f(y: crate::b::Y) {}", "use crate::Name;"] {
        let arrows = crate_of(&[root, ("a.rs", back), below]);
        assert_eq!(wrong("x", &arrows, 0).len(), 1, "{back}");
        assert_eq!(wrong("x", &arrows, 2), [""; 0], "{back}");
    }
    for other in ["// use crate::b::Y;", "use other::b::Y;", "use super::super::b::Y;", "use crate::a::b;"] {
        assert_eq!(wrong("x", &crate_of(&[root, ("a.rs", other), below]), 0), [""; 0], "{other}");
    }
    let arrows = crate_of(&[root, ("a.rs", ""), below]);
    assert_eq!(wrong("x", &arrows, 2).len(), 1, "a bound that is too high");
}
