//! The driver of `./x conformance`, with a generator of programs that stands in for csmith.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Writes the program it is asked for and, as csmith does, a file of its own beside wherever it was started.
const GENERATOR: &str = "#!/bin/sh\n\
    echo 'integer size = 4' > platform.info\n\
    [ \"$1 $2 $3\" = '--seed 1 --output' ] && echo 'int main(void) { return 3; }' > \"$4\"\n";

#[test]
fn a_generators_own_files_stay_out_of_the_folder_that_the_driver_is_started_in() {
    let place = tempfile::tempdir().unwrap();
    let (tools, started_in) = (place.path().join("tools"), place.path().join("here"));
    for folder in [&tools, &started_in] {
        std::fs::create_dir(folder).unwrap();
    }
    let generator = tools.join("csmith");
    std::fs::write(&generator, GENERATOR).unwrap();
    std::fs::set_permissions(&generator, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(place.path().join("differences"), "# none\n").unwrap();
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("../setup/conformance/compare.py");
    let path = std::env::var("PATH").unwrap();
    let done = Command::new("python3")
        .arg(driver)
        .args(["csmith", "--symx", env!("CARGO_BIN_EXE_symx"), "--clang", "clang-22", "--levels", "O0"])
        .args(["--count", "1", "--work", "../work", "--differences", "../differences"])
        .env("PATH", format!("{}:{path}", tools.display()))
        .current_dir(&started_in)
        .output()
        .unwrap();
    let (says, errors) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(says.starts_with("csmith O0: 1 of 1 agree"), "{says}{errors}");
    let files: Vec<_> = std::fs::read_dir(&started_in).unwrap().collect();
    assert!(files.is_empty(), "{files:?}");
}
