//! The paths that code names, and which module each leads to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// How many imports a name is followed through.
const MOST_IMPORTS: usize = 8;

/// The names on the way from a crate's root to a module or an item.
pub type Names = Vec<String>;

/// A module, as far as its arrows depend on it.
struct Module {
    file: PathBuf,
    /// By the name that it has here, what is imported.
    imports: BTreeMap<String, Names>,
    /// The paths that it names, as they are written.
    named: BTreeSet<Names>,
}

/// The modules of a crate, by the way from its root.
pub struct Modules(BTreeMap<Names, Module>);

/// One module names something in another.
pub struct Arrow {
    pub from: Names,
    pub to: Names,
    pub file: PathBuf,
}

/// The text without comments, and without the tests at its end.
fn code(text: &str) -> String {
    let line = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    let product = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    product.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// The parts of a list between commas.
fn parts(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, character) in list.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// The names of a path; none if it is no path.
fn names(path: &str) -> Names {
    let names = path.split("::").map(str::trim).filter(|name| !name.is_empty());
    let names: Names = names.map(str::to_owned).collect();
    let is_name = |name: &String| name == "*" || name.chars().all(is_word);
    if names.iter().all(is_name) { names } else { Names::new() }
}

/// The paths that an import has below `above`, each with the name that it has here.
fn leaves(tree: &str, above: &[String], found: &mut Vec<(String, Names)>) {
    let tree = tree.trim();
    if let Some((before, list)) = tree.strip_suffix('}').and_then(|tree| tree.split_once('{')) {
        let above = [above, &names(before)].concat();
        parts(list).into_iter().for_each(|part| leaves(part, &above, found));
        return;
    }
    let (path, name) = tree.split_once(" as ").map_or((tree, None), |(path, name)| (path, Some(name.trim())));
    let mut path = [above, &names(path)].concat();
    path.pop_if(|last| last == "self" && !above.is_empty());
    if let Some(last) = path.last() {
        found.push((name.unwrap_or(last).to_owned(), path));
    }
}

/// The imports of code, and the code without them.
fn imports(code: &str) -> (Vec<(String, Names)>, String) {
    let (mut found, mut rest, mut left) = (Vec::new(), String::new(), code);
    while let Some((before, after)) = left.split_once("use ") {
        rest.push_str(before);
        left = after;
        if !before.ends_with(is_word)
            && let Some((tree, after)) = after.split_once(';')
        {
            leaves(tree, &[], &mut found);
            left = after;
        }
    }
    (found, rest + left)
}

/// The paths of several names in code without imports.
fn written(code: &str) -> impl Iterator<Item = Names> {
    let words = code.split(|character: char| !is_word(character) && character != ':');
    let paths = words.filter(|path| path.contains("::") && !path.starts_with(':'));
    paths.map(names).filter(|path| path.len() > 1)
}

/// The way from a crate's root to the module of a file; `None` for tests, and for programs.
fn way(file: &Path) -> Option<Names> {
    let mut way: Names = file.with_extension("").iter().map(|name| name.to_string_lossy().into()).collect();
    let is_test = way.iter().any(|name| name == "tests") || way.last()?.ends_with("tests");
    way.pop_if(|last| last == "mod" || last == "lib");
    let is_apart = way.first().is_some_and(|first| first == "main" || first == "bin");
    (!is_test && !is_apart).then_some(way)
}

impl Modules {
    /// Of a crate whose sources these are, by their paths in `src`.
    pub fn new(files: &[(PathBuf, String)]) -> Self {
        let module = |(file, text): &(PathBuf, String)| {
            let (imports, rest) = imports(&code(text));
            let named = imports.iter().map(|(_, path)| path.clone()).chain(written(&rest)).collect();
            Some((way(file)?, Module { file: file.clone(), imports: imports.into_iter().collect(), named }))
        };
        Self(files.iter().filter_map(module).collect())
    }

    /// The modules, each by the way to it.
    pub fn ways(&self) -> impl Iterator<Item = &Names> {
        self.0.keys()
    }

    /// All that modules name in others.
    pub fn arrows(&self) -> Vec<Arrow> {
        let of = |(from, module): (&Names, &Module)| {
            let to = module.named.iter().filter_map(|path| self.leads_to(from, path, MOST_IMPORTS));
            to.map(|to| Arrow { from: from.clone(), to, file: module.file.clone() }).collect::<Vec<_>>()
        };
        self.0.iter().flat_map(of).collect()
    }

    /// The module that has what a path leads to which stands in the module `from`; `None` if it leads out of
    /// the crate, or to a name of that module's own.
    fn leads_to(&self, from: &[String], path: &[String], imports: usize) -> Option<Names> {
        let (first, rest) = path.split_first()?;
        let mut at = from.to_vec();
        let mut rest = match first.as_str() {
            "crate" => {
                at.clear();
                rest
            }
            "self" => rest,
            "super" => {
                at.pop()?;
                rest
            }
            _ if self.has(&at, first) => path,
            _ => return self.imported(from, path, imports),
        };
        while let Some((name, below)) = rest.split_first() {
            if name == "super" {
                at.pop()?;
            } else if self.has(&at, name) {
                at.push(name.clone());
            } else {
                // A name that is imported there leads on; others are that module's own.
                return self.imported(&at, rest, imports).or(Some(at));
            }
            rest = below;
        }
        Some(at)
    }

    /// Where a path leads whose first name a module has imported.
    fn imported(&self, module: &[String], path: &[String], imports: usize) -> Option<Names> {
        let (first, rest) = path.split_first()?;
        let import = self.0.get(module)?.imports.get(first)?;
        // A crate, or a name that is imported by itself, leads nowhere here.
        if imports == 0 || import.first() == Some(first) && !self.has(module, first) {
            return None;
        }
        self.leads_to(module, &[import, rest].concat(), imports - 1)
    }

    /// Whether a module has a child of this name.
    fn has(&self, module: &[String], name: &str) -> bool {
        self.0.contains_key(&[module, &[name.to_owned()]].concat())
    }
}
