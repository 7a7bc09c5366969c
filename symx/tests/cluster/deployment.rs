//! The files of `ci/cluster/`, by which a server and workers are deployed: their options are those of symx.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../ci/cluster").join(name)
}

/// The documents of a file in YAML.
fn read(name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(path(name)).expect("it is there");
    let document =
        |text: &str| serde_saphyr::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    text.split("\n---\n").map(document).collect()
}

/// Holds the command of a worker to what `symx worker` takes: the server, and options that it has.
fn hold_worker(command: &Value, server: &str) {
    let words: Vec<&str> = command.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert_eq!(words[..3], ["symx", "worker", server], "{words:?}");
    let help = Command::new(env!("CARGO_BIN_EXE_symx")).args(["worker", "--help"]).output();
    let help = String::from_utf8(help.expect("it runs").stdout).expect("text");
    for option in words.iter().filter(|word| word.starts_with("--")) {
        assert!(help.contains(&format!("{option} ")), "{option}: {help}");
    }
}

#[test]
fn compose_has_a_server_and_workers() {
    let [file] = read("compose.yaml").try_into().expect("one document");
    let services = &file["services"];
    assert!(
        services["server"]["command"].as_array().is_some_and(|words| words.contains(&"--jetstream".into()))
    );
    hold_worker(&services["worker"]["command"], "nats://server:4222");
    let volume = services["server"]["volumes"][0].as_str().and_then(|volume| volume.split(':').next());
    assert!(file["volumes"].get(volume.expect("a volume")).is_some(), "{file}");
    // One container is one job: more of them are what scales.
    assert_eq!(services["worker"]["command"][4], "1");
}

#[test]
fn kubernetes_has_a_server_and_workers() {
    let parts = read("kubernetes.yaml");
    let of =
        |kind: &str| parts.iter().find(|part| part["kind"] == kind).unwrap_or_else(|| panic!("no {kind}"));
    let (service, server, worker) = (of("Service"), of("StatefulSet"), of("Deployment"));
    assert_eq!(parts.len(), 3);
    let name = service["metadata"]["name"].as_str().expect("a name");
    assert_eq!(server["spec"]["serviceName"], name);
    for part in [server, worker] {
        let labels = &part["spec"]["template"]["metadata"]["labels"];
        assert_eq!(&part["spec"]["selector"]["matchLabels"], labels);
    }
    assert_eq!(service["spec"]["selector"], server["spec"]["selector"]["matchLabels"]);
    let container = |part: &Value| part["spec"]["template"]["spec"]["containers"][0].clone();
    assert_eq!(container(server)["ports"][0]["containerPort"], service["spec"]["ports"][0]["port"]);
    let exploring = container(worker);
    hold_worker(&exploring["command"], &format!("nats://{name}:4222"));
    // What a pod may have is not what symx sees: that is the node's memory, and its processors.
    let words: Vec<&str> =
        exploring["command"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    let value = |option: &str| {
        let place = words.iter().position(|word| *word == option).unwrap_or_else(|| panic!("no {option}"));
        words[place + 1].parse::<u64>().expect("a number")
    };
    assert_eq!(exploring["resources"]["limits"]["memory"], "8Gi");
    assert_eq!(value("--max-memory"), (8 << 10) / 4 * 3);
    assert_eq!(exploring["resources"]["requests"]["cpu"], value("--jobs").to_string());
}

#[test]
fn the_script_for_slurm_is_one() {
    let checked = Command::new("bash").arg("-n").arg(path("slurm.sh")).output().expect("bash runs");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}
