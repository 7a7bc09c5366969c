//! Names of C++ as authors write them: `std::vector<int>` for `std::vector<int, std::allocator<int> >`.

use std::borrow::Cow;

/// Namespaces of implementations, which programs do not name.
const INLINE: [&str; 2] = ["__cxx11::", "__1::"];

/// Templates of the library that have a name of their own for each kind of character.
const OF_CHARACTERS: [&str; 18] = [
    "string",
    "string_view",
    "ios",
    "streambuf",
    "istream",
    "ostream",
    "iostream",
    "stringbuf",
    "istringstream",
    "ostringstream",
    "stringstream",
    "filebuf",
    "ifstream",
    "ofstream",
    "fstream",
    "regex",
    "syncbuf",
    "osyncstream",
];

/// How deep arguments of templates may be nested: deeper ones stay as they are.
const DEEPEST: u32 = 64;

/// Kinds of characters, with what the names of templates for them begin with.
const CHARACTERS: [(&str, &str); 5] =
    [("char", ""), ("wchar_t", "w"), ("char8_t", "u8"), ("char16_t", "u16"), ("char32_t", "u32")];

/// Templates of the library whose last arguments have defaults, and which these are.
const DEFAULTS: [(&[&str], &[DefaultArgument]); 7] = [
    (&["vector", "deque", "list", "forward_list"], &[DefaultArgument::Of("allocator")]),
    (&["set", "multiset"], &[DefaultArgument::Of("less"), DefaultArgument::Of("allocator")]),
    (&["map", "multimap"], &[DefaultArgument::Of("less"), DefaultArgument::PairAllocator]),
    (
        &["unordered_set", "unordered_multiset"],
        &[DefaultArgument::Of("hash"), DefaultArgument::Of("equal_to"), DefaultArgument::Of("allocator")],
    ),
    (
        &["unordered_map", "unordered_multimap"],
        &[DefaultArgument::Of("hash"), DefaultArgument::Of("equal_to"), DefaultArgument::PairAllocator],
    ),
    (&["unique_ptr"], &[DefaultArgument::Of("default_delete")]),
    (&["queue", "stack"], &[DefaultArgument::Of("deque")]),
];

/// Default arguments of templates for characters.
const DEFAULTS_OF_CHARACTERS: [DefaultArgument; 2] =
    [DefaultArgument::Of("char_traits"), DefaultArgument::Of("allocator")];

/// A default argument of a template.
#[derive(Clone, Copy)]
enum DefaultArgument {
    /// A template of the library with the first argument.
    Of(&'static str),
    /// `std::allocator` for pairs of the first argument, constant, and the second.
    PairAllocator,
}

impl DefaultArgument {
    /// Whether `given` is this, with these arguments before it.
    fn is(self, given: &str, before: &[String]) -> bool {
        match (self, before) {
            (Self::Of(template), [first, ..]) => {
                given.strip_prefix("std::").and_then(|rest| rest.strip_prefix(template))
                    == Some(&format!("<{first}>"))
            }
            (Self::PairAllocator, [first, second, ..]) => {
                // Where the first is a pointer, it is constant behind its asterisk.
                given == format!("std::allocator<std::pair<const {first}, {second}>>")
                    || given == format!("std::allocator<std::pair<{first} const, {second}>>")
                    || given == format!("std::allocator<std::pair<{first}const, {second}>>")
            }
            _ => false,
        }
    }
}

/// A name as its author writes it: without default arguments of the library's templates, without namespaces
/// of implementations, with the library's short names for strings and streams. Others stay as they are.
pub fn as_written(name: &str) -> Cow<'_, str> {
    // What follows in `operator<` is no list of arguments.
    let (head, operator) = name.split_at(name.find("operator").unwrap_or(name.len()));
    if !head.contains('<') && !INLINE.iter().any(|inline| head.contains(inline)) {
        return Cow::Borrowed(name);
    }
    let mut rest = head;
    match sequence(&mut rest, 0) {
        Some(written) if rest.is_empty() => Cow::Owned(written + operator),
        _ => Cow::Borrowed(name),
    }
}

/// The text up to the end, a comma or a closing angle bracket outside of parentheses, as authors write it.
/// `None` if brackets do not match, or templates are nested too deep: files may hold any name.
fn sequence(rest: &mut &str, nesting: u32) -> Option<String> {
    if nesting > DEEPEST {
        return None;
    }
    let mut written = String::new();
    let mut depth = 0_u32;
    while let Some(next) = rest.chars().next() {
        match next {
            ',' | '>' if depth == 0 => break,
            '<' => {
                *rest = &rest[1..];
                let arguments = arguments(rest, nesting + 1)?;
                shorten(&mut written, arguments);
                continue;
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        written.push(next);
        *rest = &rest[next.len_utf8()..];
        if next == ':' {
            let is_of_library = |before: &str| before.ends_with("std::");
            let ends = |inline: &&&str| written.strip_suffix(**inline).is_some_and(is_of_library);
            if let Some(inline) = INLINE.iter().find(ends) {
                written.truncate(written.len() - inline.len());
            }
        }
    }
    (depth == 0).then(|| written.trim_end().to_owned())
}

/// The arguments of a template, behind its opening bracket.
fn arguments(rest: &mut &str, nesting: u32) -> Option<Vec<String>> {
    let mut found = Vec::new();
    loop {
        *rest = rest.trim_start();
        let argument = sequence(rest, nesting)?;
        let end = rest.chars().next()?;
        *rest = &rest[1..];
        if !argument.is_empty() || end == ',' {
            found.push(argument);
        }
        if end == '>' {
            return Some(found);
        }
    }
}

/// Adds the arguments of the template whose name `written` ends with, but for defaults.
fn shorten(written: &mut String, mut arguments: Vec<String>) {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let begin = written.rfind(|letter| !is_part(letter)).map_or(0, |before| before + 1);
    let template = written[begin..].to_owned();
    let of_characters = template.strip_prefix("basic_").filter(|kind| OF_CHARACTERS.contains(kind));
    let defaults = match of_characters {
        Some(_) => &DEFAULTS_OF_CHARACTERS[..],
        None => DEFAULTS
            .iter()
            .find(|(templates, _)| templates.contains(&template.as_str()))
            .map_or(&[][..], |(_, defaults)| defaults),
    };
    let is_default = |arguments: &[String]| {
        let (last, before) = arguments.split_last()?;
        defaults.iter().any(|default| default.is(last, before)).then_some(())
    };
    while is_default(&arguments).is_some() {
        arguments.pop();
    }
    let character = match &arguments[..] {
        [only] => CHARACTERS.iter().find(|(character, _)| character == only),
        _ => None,
    };
    if let Some((kind, (_, prefix))) = of_characters.zip(character) {
        written.truncate(begin);
        written.push_str(prefix);
        written.push_str(kind);
        return;
    }
    written.push('<');
    written.push_str(&arguments.join(", "));
    written.push('>');
}

/// Whether a function is a constructor or a destructor, by its name with what it is a member of.
pub fn is_of_lifetime(name: &str) -> bool {
    let mut parts = name.rsplit("::").map(|part| part.split('<').next().unwrap_or_default());
    let member = parts.next().unwrap_or_default();
    member.starts_with('~') || parts.next() == Some(member)
}

#[cfg(test)]
mod tests {
    use super::{as_written, is_of_lifetime};

    #[test]
    fn constructors_and_destructors_are_told_from_other_functions() {
        for name in ["Config::Config", "net::Config<int>::Config", "Config::~Config"] {
            assert!(is_of_lifetime(name), "{name}");
        }
        for name in ["Config::load", "Config", "main", "net::Config::operator<", "std::thread::join"] {
            assert!(!is_of_lifetime(name), "{name}");
        }
    }

    #[test]
    fn default_arguments_are_folded() {
        let string = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";
        let map = format!(
            "std::map<{string}, int, std::less<{string} >, std::allocator<std::pair<const {string}, int> > >"
        );
        for (name, written) in [
            (string, "std::string"),
            (&map, "std::map<std::string, int>"),
            ("basic_string<wchar_t, std::char_traits<wchar_t>, std::allocator<wchar_t> >", "wstring"),
            ("std::basic_ostream<char, std::char_traits<char> >::flush", "std::ostream::flush"),
            (
                "std::vector<std::vector<int, std::allocator<int> >, std::allocator<std::vector<int, \
              std::allocator<int> > > >",
                "std::vector<std::vector<int>>",
            ),
            ("unique_ptr<Job, std::default_delete<Job> >::reset", "unique_ptr<Job>::reset"),
            ("std::queue<int, std::deque<int, std::allocator<int> > >", "std::queue<int>"),
            (
                "std::unordered_map<int, Job, std::hash<int>, std::equal_to<int>, \
              std::allocator<std::pair<const int, Job> > >",
                "std::unordered_map<int, Job>",
            ),
            (
                "std::map<Job *, int, std::less<Job *>, std::allocator<std::pair<Job *const, int> > >",
                "std::map<Job *, int>",
            ),
            ("vector<int, std::allocator<int> >::operator[]", "vector<int>::operator[]"),
            ("std::__cxx11::list<int, std::allocator<int> >", "std::list<int>"),
            (
                "std::function<void (int, std::vector<int, std::allocator<int> >)>",
                "std::function<void (int, std::vector<int>)>",
            ),
        ] {
            assert_eq!(as_written(name), written);
        }
    }

    #[test]
    fn other_names_stay() {
        for name in [
            "count",
            "std::vector<int, Arena<int>>",
            "std::map<int, int, std::greater<int>>",
            "Cache<int, std::hash<int>>",
            "operator<<std::char_traits<char> >",
            "std::set<int, std::less<void>>",
            "broken<int",
            "a > b",
            "core::ops::function::FnOnce::call_once<main::{closure_env#0}, ()>",
        ] {
            assert_eq!(as_written(name), name);
        }
        let deep = "vector<".repeat(1 << 20);
        assert_eq!(as_written(&deep), deep);
    }
}
