//! A cluster on this machine, as a new user starts one.

use crate::comparison::{Case, essence};
use crate::server::{Server, free_port};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn a_cluster_on_this_machine_is_two_commands() {
    if Server::start().is_none() {
        return;
    }
    let [folder, store] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let port = free_port().to_string();
    let mut up = Command::new(env!("CARGO_BIN_EXE_symx"))
        .args(["cluster", "up", "2", "--port", &port, "--store"])
        .arg(store.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let said = BufReader::new(up.stdout.take().expect("it is piped")).lines().next();
    let said = said.expect("it says where").expect("text");
    let address = format!("nats://127.0.0.1:{port}");
    assert!(said.contains(&format!("2 workers at {address}")), "{said}");
    let case = Case("families/dekker.c", &[]);
    let together = case.together(folder.path(), &address, "1s");
    assert_eq!(essence(&together), essence(&case.alone(folder.path())));
    let status = Command::new(env!("CARGO_BIN_EXE_symx")).args(["cluster", "status", &address]).output();
    let status = String::from_utf8(status.expect("it runs").stdout).expect("text");
    assert!(status.contains("0 campaigns") && status.contains("2 workers"), "{status}");
    for (more, why) in
        [(None, "choose another one with --port"), (Some(free_port()), "another folder with --store")]
    {
        let port = more.map_or_else(|| port.clone(), |port| port.to_string());
        let second = ["cluster", "up", "1", "--port", &port, "--store"];
        let second = Command::new(env!("CARGO_BIN_EXE_symx")).args(second).arg(store.path()).output();
        let second = second.expect("it runs");
        let said = String::from_utf8_lossy(&second.stderr);
        assert!(second.status.code() == Some(2) && said.contains(why), "{said}");
    }
    let process = rustix::process::Pid::from_raw(up.id() as i32).expect("a process");
    rustix::process::kill_process(process, rustix::process::Signal::TERM).expect("it is there");
    assert!(up.wait().expect("it ends").success());
    assert!(std::net::TcpStream::connect(("127.0.0.1", port.parse::<u16>().expect("a port"))).is_err());
}

#[test]
fn a_server_that_is_not_installed_is_named() {
    if Path::new("/usr/sbin/nats-server").exists() || Path::new("/usr/local/sbin/nats-server").exists() {
        println!("skipped: `nats-server` is where it is found without PATH");
        return;
    }
    let mut up = Command::new(env!("CARGO_BIN_EXE_symx"));
    let up = up.args(["cluster", "up", "--port", &free_port().to_string()]).env("PATH", "").output();
    let up = up.expect("it runs");
    let said = String::from_utf8_lossy(&up.stderr);
    assert!(up.status.code() == Some(2) && said.contains("`nats-server` was not found on PATH"), "{said}");
}
