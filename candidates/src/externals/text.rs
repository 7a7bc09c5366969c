//! Effects of the C library's functions on text and streams. Their bodies would mix what all their callers
//! pass. Streams themselves are left out, and so is what `%n` of a format writes.

use super::Use;
use super::Use::{Reads, Writes};
use symx_ir::{CallTarget, Program};

/// How a function uses the memory that its arguments point to. No pointer in that memory takes part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Uses {
    /// By argument.
    pub list: &'static [(usize, Use)],
    /// From this argument on, all are used so.
    pub rest: Option<(usize, Use)>,
    /// The result points into what this argument points to.
    pub result: Option<usize>,
    /// A pointer into what the first argument points to is stored where this argument points.
    pub end: Option<usize>,
}

impl Uses {
    /// These, and nothing else.
    pub(super) const fn of(list: &'static [(usize, Use)]) -> Self {
        Self { list, rest: None, result: None, end: None }
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

/// The uses of what a call calls, if that is a library's function on text.
pub(crate) fn text_of(program: &Program, target: &CallTarget) -> Option<Uses> {
    match *target {
        CallTarget::Function(id) => {
            let function = program.function(id);
            if function.in_program { None } else { text(&function.name) }
        }
        CallTarget::External(id) => text(&program.externals[id.0 as usize].name),
        _ => None,
    }
}

/// The uses of the function of this name, if it is such.
pub(super) fn text(name: &str) -> Option<Uses> {
    let name = name.strip_suffix("_unlocked").unwrap_or(name);
    let revised = name.strip_prefix("__isoc99_").or(name.strip_prefix("__isoc23_"));
    Some(match revised.unwrap_or(name) {
        "strchr" | "strrchr" | "strchrnul" | "__strchrnul" | "index" | "rindex" | "memchr" | "memrchr"
        | "rawmemchr" => Uses::of(&[(0, Reads)]).returning(0),
        "strstr" | "strcasestr" | "strpbrk" => Uses::of(&[(0, Reads), (1, Reads)]).returning(0),
        "memmem" => Uses::of(&[(0, Reads), (2, Reads)]).returning(0),
        "strspn" | "strcspn" | "strcasecmp" | "strncasecmp" | "strcoll" => {
            Uses::of(&[(0, Reads), (1, Reads)])
        }
        "strcpy" | "strncpy" | "stpcpy" | "stpncpy" | "__strcpy_chk" | "__strncpy_chk" | "__stpcpy_chk" => {
            Uses::of(&[(0, Writes), (1, Reads)]).returning(0)
        }
        "strcat" | "strncat" | "__strcat_chk" | "__strncat_chk" => {
            Uses::of(&[(0, Reads), (0, Writes), (1, Reads)]).returning(0)
        }
        "strlcpy" => Uses::of(&[(0, Writes), (1, Reads)]),
        "strlcat" => Uses::of(&[(0, Reads), (0, Writes), (1, Reads)]),
        "strtol" | "strtoul" | "strtoll" | "strtoull" | "strtoimax" | "strtoumax" | "strtod" | "strtof"
        | "strtold" => Uses::of(&[(0, Reads), (1, Writes)]).ending_at(1),
        "atoi" | "atol" | "atoll" | "atof" | "puts" | "perror" | "fputs" | "fwrite" => {
            Uses::of(&[(0, Reads)])
        }
        "fread" => Uses::of(&[(0, Writes)]),
        "fgets" => Uses::of(&[(0, Writes)]).returning(0),
        "fputc" | "putc" | "putchar" | "fgetc" | "getc" | "getchar" | "ungetc" | "fflush" | "feof"
        | "ferror" | "clearerr" | "fileno" | "fseek" | "fseeko" | "ftell" | "ftello" | "rewind" => {
            Uses::of(&[])
        }
        "printf" => Uses::of(&[(0, Reads)]).with_rest(1, Reads),
        "fprintf" | "dprintf" | "__printf_chk" => Uses::of(&[(1, Reads)]).with_rest(2, Reads),
        "__fprintf_chk" => Uses::of(&[(2, Reads)]).with_rest(3, Reads),
        "sprintf" => Uses::of(&[(0, Writes), (1, Reads)]).with_rest(2, Reads),
        "snprintf" => Uses::of(&[(0, Writes), (2, Reads)]).with_rest(3, Reads),
        "__sprintf_chk" => Uses::of(&[(0, Writes), (3, Reads)]).with_rest(4, Reads),
        "__snprintf_chk" => Uses::of(&[(0, Writes), (4, Reads)]).with_rest(5, Reads),
        "scanf" => Uses::of(&[(0, Reads)]).with_rest(1, Writes),
        "sscanf" => Uses::of(&[(0, Reads), (1, Reads)]).with_rest(2, Writes),
        "fscanf" => Uses::of(&[(1, Reads)]).with_rest(2, Writes),
        _ => return None,
    })
}
