//! Files that a program sees are sent to the workers.

use crate::comparison::{essence, report};
use crate::server::Server;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Prints the size of each file that it is given, and how many files are in a folder.
const READS: &str = "#include <dirent.h>\n#include <stdio.h>\n#include <sys/stat.h>\n\
    int main(int count, char **names) {\n    struct stat about;\n\
    for (int i = 1; i < count; i++) printf(\"%d\\n\", stat(names[i], &about) ? -1 : (int)about.st_size);\n\
    DIR *folder = opendir(\"data\");\n    int files = 0;\n    while (folder && readdir(folder)) files++;\n\
    printf(\"%d\\n\", files);\n    return 0;\n}\n";

fn run(folder: &Path, options: &[&str]) -> (i32, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_symx"));
    command.args(["run", "--quiet", "--json", "-", "reads.c"]).args(options);
    report(&command.current_dir(folder).output().expect("symx runs"))
}

#[test]
fn workers_see_the_files_of_the_machine_that_asks() {
    let Some(server) = Server::start() else { return };
    let (address, _workers) = (server.address(), server.workers(1));
    let place = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(place.path().join("data")).expect("a folder");
    for (name, text) in [("reads.c", READS), ("one.txt", "one"), ("data/two.txt", "second")] {
        std::fs::write(place.path().join(name), text).expect("a file");
    }
    for seen in [&["--", "one.txt"][..], &["--mount", "data", "--", "one.txt", "data/two.txt", "none"], &[]] {
        let alone = run(place.path(), seen);
        assert_eq!(alone.0, 0, "{}", alone.1);
        let together = run(place.path(), &[&["--cluster", &address][..], seen].concat());
        assert_eq!(essence(&together), essence(&alone), "{seen:?}");
    }
}
