//! Which way the arrows run between modules: one way, in each folder.

use crate::assert_none;
use crate::paths::Modules;
use crate::repository::{crates, sources};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Modules of one folder that need each other.
struct Cycle {
    folder: &'static str,
    /// Their names, sorted.
    modules: &'static [&'static str],
    /// Why they do, for as long as they do.
    why: &'static str,
}

/// The cycles that there are still. A cycle that is not in the list is an error. So is one that is in it and
/// no longer there: the list shrinks with them.
const ALLOWED: &[Cycle] = &[Cycle {
    folder: "interp/src",
    modules: &["caches", "environment", "machine"],
    why: "an environment's models are called with an executor, whose caches are filled by its methods",
}];

/// By module, the modules beside it that it names, and a file that does so.
type Arrows = BTreeMap<String, BTreeMap<String, PathBuf>>;

/// By folder, the arrows between the modules in it. `files` are a crate's sources by their paths in `src`.
fn arrows(files: &[(PathBuf, String)]) -> BTreeMap<PathBuf, Arrows> {
    let modules = Modules::new(files);
    let mut arrows: BTreeMap<PathBuf, Arrows> = BTreeMap::new();
    for way in modules.ways() {
        if let Some((name, folder)) = way.split_last() {
            arrows.entry(folder.iter().collect()).or_default().insert(name.clone(), BTreeMap::new());
        }
    }
    for arrow in modules.arrows() {
        let (from, to) = (&arrow.from, &arrow.to);
        let shared = from.iter().zip(to).take_while(|(from, to)| from == to).count();
        // A parent's arrows to its children, and theirs to it, are none between modules of one folder.
        let (Some(one), Some(other)) = (from.get(shared), to.get(shared)) else { continue };
        let folder = arrows.entry(from[..shared].iter().collect()).or_default();
        folder.entry(other.clone()).or_default();
        folder.entry(one.clone()).or_default().entry(other.clone()).or_insert(arrow.file);
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

/// What a cycle consists of.
fn told(arrows: &Arrows, cycle: &BTreeSet<&str>) -> String {
    let inside = arrows.iter().filter(|(from, _)| cycle.contains(from.as_str()));
    let inside = inside.flat_map(|(from, to)| to.iter().map(move |(to, file)| (from, to, file)));
    let inside = inside.filter(|(_, to, _)| cycle.contains(to.as_str()));
    let named: Vec<String> =
        inside.map(|(from, to, file)| format!("{from} -> {to} ({})", file.display())).collect();
    named.join(", ")
}

/// What is wrong in a crate whose sources are in the folder `src`, where some cycles are allowed.
fn wrong(src: &Path, arrows: &BTreeMap<PathBuf, Arrows>, allowed: &[Cycle]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut gone: Vec<&Cycle> =
        allowed.iter().filter(|cycle| Path::new(cycle.folder).starts_with(src)).collect();
    for (folder, arrows) in arrows {
        let folder = if folder.as_os_str().is_empty() { src.to_path_buf() } else { src.join(folder) };
        for cycle in cycles(arrows) {
            let is_known = |known: &&Cycle| {
                Path::new(known.folder) == folder && known.modules.iter().copied().eq(cycle.iter().copied())
            };
            match gone.iter().position(is_known) {
                Some(known) => drop(gone.remove(known)),
                None => problems.push(format!(
                    "{}: {} modules need each other: {}",
                    folder.display(),
                    cycle.len(),
                    told(arrows, &cycle)
                )),
            }
        }
    }
    problems.extend(gone.into_iter().map(|cycle| {
        let modules = cycle.modules.join(", ");
        format!("{}: {modules}: no such cycle any more ({}): shorten the list", cycle.folder, cycle.why)
    }));
    problems
}

/// The sources of a crate by their paths in its `src`.
fn of_crate(name: &str, sources: &[(PathBuf, String)]) -> Vec<(PathBuf, String)> {
    let folder = Path::new(name).join("src");
    let inside = sources.iter().filter_map(|(path, text)| Some((path.strip_prefix(&folder).ok()?, text)));
    inside.map(|(path, text)| (path.to_path_buf(), text.clone())).collect()
}

#[test]
fn arrows_between_modules_run_one_way() {
    let sources = sources();
    let of =
        |name: String| wrong(&Path::new(&name).join("src"), &arrows(&of_crate(&name, &sources)), ALLOWED);
    assert_none(&crates().into_iter().flat_map(of).collect::<Vec<_>>());
}

#[test]
fn allowed_cycles_are_of_folders_of_sources() {
    let folders: Vec<PathBuf> = crates().iter().map(|name| Path::new(name).join("src")).collect();
    let is_inside = |cycle: &&Cycle| folders.iter().any(|folder| Path::new(cycle.folder).starts_with(folder));
    let outside = ALLOWED.iter().filter(|cycle| !is_inside(cycle)).map(|cycle| cycle.folder.to_owned());
    assert_none(&outside.collect::<Vec<_>>());
}

/// What is wrong in a crate of these files.
fn wrong_in(files: &[(&str, &str)], allowed: &[Cycle]) -> Vec<String> {
    let file = |(path, text): &(&str, &str)| (PathBuf::from(path), (*text).to_owned());
    wrong(Path::new("x/src"), &arrows(&files.iter().map(file).collect::<Vec<_>>()), allowed)
}

const KNOWN: Cycle = Cycle { folder: "x/src", modules: &["a", "b"], why: "they are one" };

#[test]
fn a_cycle_is_seen_however_a_module_is_named() {
    let root = ("lib.rs", "mod a;\nmod b;\npub use b::{c::Name, Other};");
    let below = ("b/c.rs", "use crate::{\n    a::{self, X},\n    d,\n};");
    let parent = ("b/mod.rs", "pub mod c;\npub struct Y;");
    let backs = [
        "use crate::b::Y;",
        "use super::b::Y;",
        "fn f(y: crate::b::Y) {}",
        "use crate::Name;",
        "use crate::b as other;\nfn f(y: other::Y) {}",
    ];
    for back in backs {
        let files = [root, ("a.rs", back), parent, below];
        assert_eq!(wrong_in(&files, &[]).len(), 1, "{back}");
        assert_eq!(wrong_in(&files, &[KNOWN]), [""; 0], "{back}");
    }
    for other in ["// use crate::b::Y;", "use other::b::Y;", "use super::super::b::Y;", "use crate::a::b;"] {
        assert_eq!(wrong_in(&[root, ("a.rs", other), parent, below], &[]), [""; 0], "{other}");
    }
}

#[test]
fn a_cycle_below_the_top_is_seen() {
    let parent = ("b/mod.rs", "mod c;\nmod d;\nuse c::C;\nstruct B;");
    for back in ["use super::c::C;", "use crate::b::c::C;", "fn f(c: super::C) {}", "use super::C;"] {
        let files = [("lib.rs", "mod b;"), parent, ("b/c.rs", "use super::d::D;"), ("b/d.rs", back)];
        assert_eq!(wrong_in(&files, &[]).len(), 1, "{back}");
        let below = Cycle { folder: "x/src/b", modules: &["c", "d"], why: "" };
        assert_eq!(wrong_in(&files, &[below]), [""; 0], "{back}");
    }
    // What a parent has itself is no module beside its children.
    let files = [("lib.rs", "mod b;"), parent, ("b/c.rs", "use super::d::D;"), ("b/d.rs", "use super::B;")];
    assert_eq!(wrong_in(&files, &[]), [""; 0]);
}

#[test]
fn the_list_of_allowed_cycles_only_shrinks() {
    let files = [("lib.rs", "mod a;\nmod b;"), ("a.rs", ""), ("b.rs", "use crate::a::A;")];
    assert_eq!(wrong_in(&files, &[KNOWN]).len(), 1, "one that is gone");
    let smaller = Cycle { modules: &["a", "b", "c"], ..KNOWN };
    let files = [("lib.rs", ""), ("a.rs", "use crate::b::B;"), ("b.rs", "use crate::a::A;"), ("c.rs", "")];
    assert_eq!(wrong_in(&files, &[smaller]).len(), 2, "one that has become smaller");
    let elsewhere = Cycle { folder: "y/src", ..KNOWN };
    assert_eq!(wrong_in(&[("lib.rs", "")], &[elsewhere]), [""; 0]);
}
