//! Options that make a program's surroundings symbolic: arguments, standard input, files, the
//! function it starts at.

use crate::files::normal_path::normal;
use crate::refusal::Refusal;
use clap::{Args, ValueEnum};
use std::path::Path;
use symx_trace::SymbolicSurroundings;
use symx_trace::input::{EntryPoint, SymbolicArguments, SymbolicFile};

/// Most combinations of counts of arguments.
const MOST_COMBINATIONS: u64 = 1 << 16;
/// Most arguments that are symbolic.
const MOST_ARGUMENTS: u64 = 1 << 16;
/// Most bytes of one symbolic input.
const MOST_BYTES: u64 = 1 << 20;

/// Whether there is room for all that is to be symbolic; an error says what is too large. Options are held to
/// this, and schedules, which may come from anywhere.
pub fn check(symbolic: &SymbolicSurroundings) -> Result<(), String> {
    let groups = &symbolic.arguments;
    if groups.iter().any(|group| group.least > group.most) {
        return Err("symbolic arguments (--sym-args): MIN is more than MAX".into());
    }
    let counts = groups.iter().map(|group| u64::from(group.most - group.least) + 1);
    if counts.fold(1, u64::saturating_mul) > MOST_COMBINATIONS {
        return Err("symbolic arguments (--sym-args): too many combinations of counts".into());
    }
    if groups.iter().map(|group| u64::from(group.most)).fold(0, u64::saturating_add) > MOST_ARGUMENTS {
        return Err(format!("at most {MOST_ARGUMENTS} arguments can be symbolic"));
    }
    let arguments = groups.iter().map(|group| group.length);
    let files = symbolic.files.iter().map(|file| file.length);
    let entry = symbolic.entry.iter().map(|entry| entry.bytes);
    if arguments.chain(files).chain(entry).chain([symbolic.standard_input]).any(|length| length > MOST_BYTES)
    {
        return Err(format!("a symbolic input has at most {MOST_BYTES} bytes"));
    }
    Ok(())
}

/// What is symbolic.
#[derive(Args, Clone, Debug, Default)]
pub struct SymbolicOptions {
    /// Append an argument of at most N symbolic characters; may be repeated
    #[arg(long = "sym-arg", value_name = "N")]
    symbolic_argument: Vec<u64>,
    /// Append MIN to MAX arguments of at most N symbolic characters each; may be repeated
    #[arg(long = "sym-args", num_args = 3, value_names = ["MIN", "MAX", "N"])]
    symbolic_arguments: Vec<u32>,
    /// Append this many symbolic bytes to standard input
    #[arg(long = "sym-stdin", value_name = "N", default_value_t = 0)]
    symbolic_stdin: u64,
    /// A file of N symbolic bytes; may be repeated
    #[arg(long = "sym-file", num_args = 2, value_names = ["NAME", "N"])]
    symbolic_file: Vec<String>,
    /// NUM files A, B, C, ... of N symbolic bytes each
    #[arg(long = "sym-files", num_args = 2, value_names = ["NUM", "N"])]
    symbolic_files: Vec<u64>,
    /// Start at this function instead of `main`: its integer parameters are symbolic, its pointers point to
    /// symbolic objects of --entry-bytes bytes
    #[arg(long, value_name = "FN")]
    entry: Option<String>,
    /// Size in bytes of the objects that pointer parameters of --entry point to
    #[arg(long, value_name = "N", default_value_t = 64, requires = "entry")]
    entry_bytes: u64,
    /// Behaviour of a call of a function that is neither defined nor modelled
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Externals::Incomplete)]
    externals: Externals,
}

/// What a call of an unknown external function does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum Externals {
    /// The execution is abandoned, and the verdict is incomplete.
    #[default]
    Incomplete,
    /// It returns any value and changes no memory; the verdict says so.
    Havoc,
}

impl SymbolicOptions {
    /// The function to start at, if not `main`.
    pub fn entry(&self) -> Option<&str> {
        self.entry.as_deref()
    }

    /// The symbolic surroundings by the options, for a program in the folder `directory`.
    pub fn surroundings(&self, directory: &Path) -> Result<SymbolicSurroundings, Refusal> {
        let file = |name: &str, length: u64| SymbolicFile {
            path: normal(&directory.join(name)).display().to_string(),
            length,
        };
        let mut files = Vec::new();
        for pair in self.symbolic_file.chunks_exact(2) {
            let length = pair[1].parse().map_err(|_| {
                Refusal::Usage(format!("--sym-file {}: `{}` is not a number of bytes", pair[0], pair[1]))
            })?;
            files.push(file(&pair[0], length));
        }
        for pair in self.symbolic_files.chunks_exact(2) {
            if pair[0] > 26 {
                return Err(Refusal::Usage("--sym-files: at most 26 files".into()));
            }
            let names = ('A'..='Z').take(pair[0] as usize);
            files.extend(names.map(|name| file(&name.to_string(), pair[1])));
        }
        let symbolic = SymbolicSurroundings {
            arguments: self.groups(),
            standard_input: self.symbolic_stdin,
            files,
            entry: self.entry.clone().map(|function| EntryPoint { function, bytes: self.entry_bytes }),
            externals: self.externals == Externals::Havoc,
        };
        check(&symbolic).map_err(Refusal::Usage)?;
        Ok(symbolic)
    }

    fn groups(&self) -> Vec<SymbolicArguments> {
        let single = self.symbolic_argument.iter().map(|length| SymbolicArguments {
            least: 1,
            most: 1,
            length: *length,
        });
        let ranges = self.symbolic_arguments.chunks_exact(3).map(|group| SymbolicArguments {
            least: group[0],
            most: group[1],
            length: group[2].into(),
        });
        single.chain(ranges).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        symbolic: SymbolicOptions,
    }

    fn surroundings(words: &str) -> Result<SymbolicSurroundings, String> {
        let words = ["symx"].into_iter().chain(words.split_whitespace());
        let line = Line::try_parse_from(words).map_err(|error| error.to_string())?;
        line.symbolic.surroundings(Path::new("/folder")).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn klees_forms_are_understood() {
        let read = surroundings("--sym-arg 3 --sym-args 0 2 4 --sym-file x/../a 5 --sym-files 2 6").unwrap();
        let groups: Vec<_> =
            read.arguments.iter().map(|group| (group.least, group.most, group.length)).collect();
        assert_eq!(groups, [(1, 1, 3), (0, 2, 4)]);
        let files: Vec<_> = read.files.iter().map(|file| (file.path.as_str(), file.length)).collect();
        assert_eq!(files, [("/folder/a", 5), ("/folder/A", 6), ("/folder/B", 6)]);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (words, why) in [
            ("--sym-args 2 1 4", "MIN is more than MAX"),
            ("--sym-args 0 4000000000 1", "too many combinations"),
            ("--sym-file a many", "`many` is not a number"),
            ("--sym-files 27 1", "at most 26"),
            ("--sym-args 4000000000 4000000000 1", "at most 65536 arguments"),
            ("--sym-stdin 2000000", "at most 1048576 bytes"),
            ("--entry f --entry-bytes 2000000", "at most 1048576 bytes"),
            ("--sym-args 1 2", "3 values required"),
        ] {
            let refusal = surroundings(words).unwrap_err();
            assert!(refusal.contains(why), "{words}: {refusal}");
        }
    }
}
