//! Effects of the C library's functions on text and streams. Their bodies would mix what all their callers
//! pass. Streams themselves are left out, and so is what `%n` of a format writes.

use super::Use;
use super::Use::{Reads, Writes};
use symx_ir::{CallTarget, Program};

/// A function that works on text: no pointer in memory takes part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Text {
    /// These uses of memory that arguments point to.
    pub uses: &'static [(usize, Use)],
    /// From this argument on, all are used so.
    pub rest: Option<(usize, Use)>,
    /// The result points into what this argument points to.
    pub result: Option<usize>,
    /// A pointer into what the first argument points to is stored where this argument points.
    pub end: Option<usize>,
}

impl Text {
    const fn that(uses: &'static [(usize, Use)]) -> Self {
        Self { uses, rest: None, result: None, end: None }
    }

    const fn returning(self, argument: usize) -> Self {
        Self { result: Some(argument), ..self }
    }

    const fn ending_at(self, argument: usize) -> Self {
        Self { end: Some(argument), ..self }
    }

    const fn with_rest(self, first: usize, how: Use) -> Self {
        Self { rest: Some((first, how)), ..self }
    }
}

/// That of what a call calls, if it is a library's and such a function.
pub(crate) fn text_of(program: &Program, target: &CallTarget) -> Option<Text> {
    match *target {
        CallTarget::Function(id) => {
            let function = program.function(id);
            if function.in_program { None } else { text(&function.name) }
        }
        CallTarget::External(id) => text(&program.externals[id.0 as usize].name),
        _ => None,
    }
}

/// The function of this name, if it is such.
pub(super) fn text(name: &str) -> Option<Text> {
    let name = name.strip_suffix("_unlocked").unwrap_or(name);
    let revised = name.strip_prefix("__isoc99_").or(name.strip_prefix("__isoc23_"));
    Some(match revised.unwrap_or(name) {
        "strchr" | "strrchr" | "strchrnul" | "__strchrnul" | "index" | "rindex" | "memchr" | "memrchr"
        | "rawmemchr" => Text::that(&[(0, Reads)]).returning(0),
        "strstr" | "strcasestr" | "strpbrk" => Text::that(&[(0, Reads), (1, Reads)]).returning(0),
        "memmem" => Text::that(&[(0, Reads), (2, Reads)]).returning(0),
        "strspn" | "strcspn" | "strcasecmp" | "strncasecmp" | "strcoll" => {
            Text::that(&[(0, Reads), (1, Reads)])
        }
        "strcpy" | "strncpy" | "stpcpy" | "stpncpy" | "__strcpy_chk" | "__strncpy_chk" | "__stpcpy_chk" => {
            Text::that(&[(0, Writes), (1, Reads)]).returning(0)
        }
        "strcat" | "strncat" | "__strcat_chk" | "__strncat_chk" => {
            Text::that(&[(0, Reads), (0, Writes), (1, Reads)]).returning(0)
        }
        "strlcpy" => Text::that(&[(0, Writes), (1, Reads)]),
        "strlcat" => Text::that(&[(0, Reads), (0, Writes), (1, Reads)]),
        "strtol" | "strtoul" | "strtoll" | "strtoull" | "strtoimax" | "strtoumax" | "strtod" | "strtof"
        | "strtold" => Text::that(&[(0, Reads), (1, Writes)]).ending_at(1),
        "atoi" | "atol" | "atoll" | "atof" | "puts" | "perror" | "fputs" | "fwrite" => {
            Text::that(&[(0, Reads)])
        }
        "fread" => Text::that(&[(0, Writes)]),
        "fgets" => Text::that(&[(0, Writes)]).returning(0),
        "fputc" | "putc" | "putchar" | "fgetc" | "getc" | "getchar" | "ungetc" | "fflush" | "feof"
        | "ferror" | "clearerr" | "fileno" | "fseek" | "fseeko" | "ftell" | "ftello" | "rewind" => {
            Text::that(&[])
        }
        "printf" => Text::that(&[(0, Reads)]).with_rest(1, Reads),
        "fprintf" | "dprintf" | "__printf_chk" => Text::that(&[(1, Reads)]).with_rest(2, Reads),
        "__fprintf_chk" => Text::that(&[(2, Reads)]).with_rest(3, Reads),
        "sprintf" => Text::that(&[(0, Writes), (1, Reads)]).with_rest(2, Reads),
        "snprintf" => Text::that(&[(0, Writes), (2, Reads)]).with_rest(3, Reads),
        "__sprintf_chk" => Text::that(&[(0, Writes), (3, Reads)]).with_rest(4, Reads),
        "__snprintf_chk" => Text::that(&[(0, Writes), (4, Reads)]).with_rest(5, Reads),
        "scanf" => Text::that(&[(0, Reads)]).with_rest(1, Writes),
        "sscanf" => Text::that(&[(0, Reads), (1, Reads)]).with_rest(2, Writes),
        "fscanf" => Text::that(&[(1, Reads)]).with_rest(2, Writes),
        _ => return None,
    })
}
