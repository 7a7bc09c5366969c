//! The requests of a command line of clang, as far as making bitcode beside needs to know them.

use crate::load::compile::WHOLE_TYPES;
use crate::load::embedded::has_bitcode;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The task of clang.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Task {
    /// Objects of sources (`-c`).
    Compile,
    /// A program or a library.
    Link,
    /// Anything that leaves nothing to run: preprocessing, assembly, questions.
    Other,
}

/// Options whose value is the next argument. Those not named here take none, or have it attached.
const WITH_VALUE: [&str; 38] = [
    "-o",
    "-x",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-u",
    "-e",
    "-z",
    "-T",
    "-G",
    "-A",
    "-F",
    "-B",
    "-V",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-isysroot",
    "-arch",
    "-target",
    "-framework",
    "-Xclang",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-mllvm",
    "-aux-info",
    "--param",
];

/// Of those, the ones about dependency files: the second compilation must not write them again.
const DEPENDENCY_VALUES: [&str; 4] = ["-MF", "-MT", "-MQ", "-MJ"];
/// The same without a value.
const DEPENDENCIES: [&str; 5] = ["-MD", "-MMD", "-MP", "-MG", "-MV"];
/// Options that ask for something other than objects and programs.
const OTHER_TASKS: [&str; 12] = [
    "-E",
    "-S",
    "-M",
    "-MM",
    "-fsyntax-only",
    "-emit-llvm",
    "-emit-ast",
    "--version",
    "-###",
    "--help",
    "-dumpversion",
    "-dumpmachine",
];
/// How options begin that ask for a library, or for something for another machine.
const OTHER_RESULTS: [&str; 5] = ["-shared", "-m32", "-mx32", "-target", "--target"];
/// Extensions of what clang compiles to LLVM's instructions.
const SOURCES: [&str; 12] = ["c", "i", "cc", "cp", "cpp", "cxx", "c++", "C", "CPP", "ii", "m", "mm"];

#[derive(Clone, PartialEq, Eq, Debug)]
enum Argument {
    /// An option, with its value if that is an argument of its own.
    Option(OsString, Option<OsString>),
    /// A file to compile.
    Source(PathBuf),
    /// Another file: an object, an archive, a library, assembly.
    Input(PathBuf),
}

/// A command line of clang.
#[derive(Debug)]
pub(crate) struct Invocation {
    /// The task it asks for.
    pub task: Task,
    arguments: Vec<Argument>,
}

impl Invocation {
    /// Reads the arguments after clang's name.
    pub fn of(arguments: &[OsString]) -> Self {
        let mut parsed = Vec::new();
        let (mut task, mut language_is_source) = (Task::Link, None);
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let text = argument.to_string_lossy();
            if text == "-" || !text.starts_with('-') {
                let path = PathBuf::from(argument);
                let is_source = language_is_source.unwrap_or_else(|| has_extension(&path, &SOURCES));
                // Input from a pipe can be read once only.
                if text == "-" || text.starts_with('@') {
                    task = Task::Other;
                }
                parsed.push(if is_source { Argument::Source(path) } else { Argument::Input(path) });
                continue;
            }
            if OTHER_TASKS.contains(&&*text) || text.starts_with("-print-") || text.starts_with("--print-") {
                task = Task::Other;
            } else if text == "-c" && task == Task::Link {
                task = Task::Compile;
            }
            let value = WITH_VALUE.contains(&&*text).then(|| rest.next().cloned()).flatten();
            let language = match (&value, text.strip_prefix("-x")) {
                (Some(value), Some("")) => Some(value.to_string_lossy().into_owned()),
                (None, Some(language)) => Some(language.to_owned()),
                _ => None,
            };
            if let Some(language) = language {
                language_is_source = match &*language {
                    "none" => None,
                    "c" | "c++" | "cpp-output" | "c++-cpp-output" => Some(true),
                    _ => Some(false),
                };
            }
            parsed.push(Argument::Option(argument.clone(), value));
        }
        let mut invocation = Self { task, arguments: parsed };
        if !invocation.has_input() {
            invocation.task = Task::Other;
        }
        invocation
    }

    /// Whether it names a file to work on.
    pub fn has_input(&self) -> bool {
        self.arguments.iter().any(|argument| !matches!(argument, Argument::Option(..)))
    }

    /// The files to compile.
    pub fn sources(&self) -> impl Iterator<Item = &Path> {
        self.arguments.iter().filter_map(|argument| match argument {
            Argument::Source(path) => Some(path.as_path()),
            _ => None,
        })
    }

    /// Where `-c` leaves the object of a source.
    pub fn object_of(&self, source: &Path) -> PathBuf {
        self.output().unwrap_or_else(|| {
            let name = source.file_name().unwrap_or(source.as_os_str());
            Path::new(name).with_extension("o")
        })
    }

    /// Where linking leaves its result.
    pub fn program(&self) -> PathBuf {
        self.output().unwrap_or_else(|| "a.out".into())
    }

    fn output(&self) -> Option<PathBuf> {
        self.arguments.iter().rev().find_map(|argument| match argument {
            Argument::Option(name, Some(value)) if name == "-o" => Some(value.into()),
            Argument::Option(name, None) => name.to_string_lossy().strip_prefix("-o").map(PathBuf::from),
            _ => None,
        })
    }

    /// All arguments but those that would leave bitcode in place of objects.
    pub fn without_link_time_optimisation(&self) -> Vec<OsString> {
        let kept = self.arguments.iter().filter(|argument| !is_link_time_optimisation(argument));
        kept.flat_map(Argument::words).collect()
    }

    /// Arguments that make an object of one source.
    pub fn to_object(&self, source: &Path, object: &Path) -> Vec<OsString> {
        let kept = self.compiling(source).filter(|argument| !argument.is_for_linking());
        let words = kept.flat_map(Argument::words);
        words.chain(["-c".into(), "-o".into(), object.into()]).collect()
    }

    /// Arguments that make bitcode of one source, with all positions and nothing kept from later passes.
    pub fn to_bitcode(&self, source: &Path, bitcode: &Path) -> Vec<OsString> {
        let is_about_dependencies = |argument: &Argument| match argument {
            Argument::Option(name, _) => {
                let name = name.to_string_lossy();
                DEPENDENCIES.contains(&&*name)
                    || DEPENDENCY_VALUES.iter().any(|option| name.starts_with(option))
                    || name.starts_with("-Wp,-M")
                    || name.starts_with("-save-temps")
            }
            _ => false,
        };
        let kept = self.compiling(source).filter(|argument| !is_about_dependencies(argument));
        let kept = kept.filter(|argument| !argument.is_for_linking());
        let more =
            ["-g", "-Xclang", "-disable-O0-optnone", "-w", "-c", "-emit-llvm", "-o"].map(OsString::from);
        // Before the user's options, so that those count. In C it changes nothing.
        let first = std::iter::once(OsString::from(WHOLE_TYPES));
        first.chain(kept.flat_map(Argument::words)).chain(more).chain([bitcode.into()]).collect()
    }

    /// Options, and of the inputs one source.
    fn compiling<'a>(&'a self, source: &'a Path) -> impl Iterator<Item = &'a Argument> {
        self.arguments.iter().filter(move |argument| match argument {
            Argument::Option(name, _) => {
                let is_output = name.to_string_lossy().starts_with("-o");
                name != "-c" && !is_output && !is_link_time_optimisation(argument)
            }
            Argument::Source(path) => path == source,
            Argument::Input(_) => false,
        })
    }

    /// Arguments that link, with `objects` in place of the sources.
    pub fn linking(&self, objects: &[PathBuf]) -> Vec<OsString> {
        let mut objects = objects.iter();
        let mut words = Vec::new();
        for argument in &self.arguments {
            match argument {
                Argument::Source(_) => words.extend(objects.next().map(|object| object.into())),
                // The arguments after it are no sources any more.
                Argument::Option(name, _) if name.to_string_lossy().starts_with("-x") => {}
                _ if is_link_time_optimisation(argument) => {}
                _ => words.extend(argument.words()),
            }
        }
        words
    }

    /// The needs of the linked program beside its bitcode: options of linking, libraries, objects without
    /// bitcode.
    pub fn libraries(&self) -> Vec<String> {
        let needed = self.arguments.iter().filter(|argument| match argument {
            Argument::Option(name, _) => {
                argument.is_for_linking() || name == "-pthread" || name == "-fopenmp"
            }
            Argument::Source(_) => false,
            Argument::Input(path) => has_extension(path, &["a", "so"]) || !has_bitcode(path),
        });
        let needed = needed.map(Argument::absolute);
        needed.flat_map(|argument| argument.words()).map(|word| word.to_string_lossy().into_owned()).collect()
    }

    /// Whether it links a program for this machine, which may be instrumented later.
    pub fn makes_native_program(&self) -> bool {
        let is_other = |argument: &Argument| match argument {
            Argument::Option(name, _) => {
                let name = name.to_string_lossy();
                OTHER_RESULTS.iter().any(|prefix| name.starts_with(prefix)) || name == "-r"
            }
            Argument::Source(_) | Argument::Input(_) => false,
        };
        self.task == Task::Link && !self.arguments.iter().any(is_other)
    }
}

/// Options of linking by which a binary of whatever origin can ask for no more than libraries: others name
/// programs and plug-ins of linkers.
const REPEATED: [&str; 5] = ["-pthread", "-fopenmp", "-static", "-rdynamic", "-static-libstdc++"];
/// The same, by how they begin.
const REPEATED_PREFIXES: [&str; 2] = ["-l", "-L"];
/// The same among `-Wl,`: how the inputs are looked at.
const REPEATED_FOR_LINKER: [&str; 6] =
    ["--start-group", "--end-group", "--as-needed", "--no-as-needed", "-Bstatic", "-Bdynamic"];

/// Whether an argument that a program says it was linked with is taken at its word.
pub(crate) fn is_repeated(argument: &str) -> bool {
    let for_linker = argument.strip_prefix("-Wl,");
    REPEATED.contains(&argument)
        || REPEATED_PREFIXES.iter().any(|prefix| argument.starts_with(prefix))
        || for_linker.is_some_and(|words| words.split(',').all(|word| REPEATED_FOR_LINKER.contains(&word)))
        || argument.starts_with('/')
}

impl Argument {
    /// The same as one word, and from whatever folder it is given.
    fn absolute(&self) -> Self {
        let whole = |path: &OsStr| std::path::absolute(path).map_or_else(|_| path.into(), OsString::from);
        let joined = |option: &str, value: OsString| {
            let mut word = OsString::from(option);
            word.push(value);
            Self::Option(word, None)
        };
        match self {
            Self::Input(path) => Self::Input(whole(path.as_os_str()).into()),
            Self::Option(name, Some(library)) if name == "-l" => joined("-l", library.clone()),
            Self::Option(name, Some(folder)) if name == "-L" => joined("-L", whole(folder)),
            Self::Option(name, None) => match name.to_string_lossy().strip_prefix("-L") {
                Some(folder) => joined("-L", whole(folder.as_ref())),
                None => self.clone(),
            },
            Self::Option(..) | Self::Source(_) => self.clone(),
        }
    }

    fn words(&self) -> Vec<OsString> {
        match self {
            Self::Option(name, value) => [Some(name.clone()), value.clone()].into_iter().flatten().collect(),
            Self::Source(path) | Self::Input(path) => vec![path.clone().into()],
        }
    }

    /// Options that only the linker looks at: clang would say that it does not use them.
    fn is_for_linking(&self) -> bool {
        let Self::Option(name, _) = self else { return false };
        let name = name.to_string_lossy();
        let prefixes =
            ["-l", "-L", "-Wl,", "-Xlinker", "-static", "-shared", "-rdynamic", "-fuse-ld", "-u", "-z", "-T"];
        prefixes.iter().any(|prefix| name.starts_with(prefix)) && !name.starts_with("-trigraphs")
    }
}

fn is_link_time_optimisation(argument: &Argument) -> bool {
    matches!(argument, Argument::Option(name, _) if name.to_string_lossy().starts_with("-flto"))
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().and_then(OsStr::to_str).is_some_and(|extension| extensions.contains(&extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invocation(line: &str) -> Invocation {
        Invocation::of(&words(line))
    }

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn tasks_are_distinguished() {
        for (line, task) in [
            ("-O2 -c a.c", Task::Compile),
            ("a.o b.o -o program", Task::Link),
            ("a.c", Task::Link),
            ("-E a.c", Task::Other),
            ("-MM -c a.c", Task::Other),
            ("-c -", Task::Other),
            ("--version", Task::Other),
            ("-v", Task::Other),
            ("-print-prog-name=ld", Task::Other),
        ] {
            assert_eq!(invocation(line).task, task, "{line}");
        }
    }

    #[test]
    fn objects_lie_where_clang_puts_them() {
        assert_eq!(invocation("-c dir/a.c").object_of(Path::new("dir/a.c")), Path::new("a.o"));
        assert_eq!(invocation("-c a.c -o x/y.o").object_of(Path::new("a.c")), Path::new("x/y.o"));
        assert_eq!(invocation("-c a.c -ox.o").object_of(Path::new("a.c")), Path::new("x.o"));
        assert_eq!(invocation("a.c").program(), Path::new("a.out"));
    }

    #[test]
    fn bitcode_is_made_without_touching_what_else_the_compiler_writes() {
        let line = "-MD -MF a.d -O2 -DX=1 -I inc -flto -c a.c b.c -o a.o -lm -Wl,-z,now";
        let made = invocation(line).to_bitcode(Path::new("a.c"), Path::new("t.bc"));
        let expected =
            "-fstandalone-debug -O2 -DX=1 -I inc a.c -g -Xclang -disable-O0-optnone -w -c -emit-llvm -o t.bc";
        assert_eq!(made, words(expected));
        let made =
            invocation("-fno-standalone-debug -c a.cc").to_bitcode(Path::new("a.cc"), Path::new("t.bc"));
        assert_eq!(made[..2], words("-fstandalone-debug -fno-standalone-debug"));
    }

    #[test]
    fn what_a_program_is_linked_with_is_known_from_everywhere() {
        let line = "-O2 a.c -L lib -L/opt/lib sub/native.a -l z -Wl,--plugin=x.so -o program";
        let here = std::env::current_dir().unwrap().display().to_string();
        let expected = format!("-L{here}/lib -L/opt/lib {here}/sub/native.a -lz -Wl,--plugin=x.so");
        let libraries = invocation(line).libraries();
        assert_eq!(libraries.join(" "), expected);
        // An option that may run a program is not repeated for a binary's word.
        for (argument, is_taken) in [
            ("-lz", true),
            ("/a.o", true),
            ("-Wl,--start-group", true),
            ("-Wl,--plugin=x.so", false),
            ("-B/x", false),
        ] {
            assert_eq!(is_repeated(argument), is_taken, "{argument}");
        }
        assert!(invocation(line).makes_native_program() && !invocation("-shared a.c").makes_native_program());
    }

    #[test]
    fn sources_are_replaced_where_they_stand() {
        let line = "-O2 -x c a.c -x none b.o -lz -o program";
        let invocation = invocation(line);
        assert_eq!(invocation.sources().collect::<Vec<_>>(), [Path::new("a.c")]);
        assert_eq!(invocation.linking(&["0.o".into()]), words("-O2 0.o b.o -lz -o program"));
    }
}
