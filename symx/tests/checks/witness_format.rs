//! What the formats of witnesses ask for, checked on parsed files: YAML 2.0 and 2.2, and GraphML 1.0.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The sole keys that a mapping may have, and whether each has to be there.
fn keys(of: &Value, known: &[(&str, bool)]) {
    let map = of.as_object().unwrap_or_else(|| panic!("no mapping: {of}"));
    for (key, _) in map {
        assert!(known.iter().any(|(name, _)| name == key), "unknown key `{key}`: {of}");
    }
    for (key, is_required) in known {
        assert!(!is_required || map.contains_key(*key), "no `{key}`: {of}");
    }
}

fn text<'v>(of: &'v Value, key: &str) -> &'v str {
    of[key].as_str().unwrap_or_else(|| panic!("`{key}` is no text: {of}"))
}

/// Checks a file in YAML about a source, and returns its waypoints by segment.
pub fn yaml(written: &str, source: &str) -> Vec<Vec<Value>> {
    let read: Value = serde_saphyr::from_str(written).unwrap_or_else(|error| panic!("{error}: {written}"));
    let [entry] = read.as_array().expect("a list of entries").as_slice() else {
        panic!("one entry: {written}")
    };
    keys(entry, &[("entry_type", true), ("metadata", true), ("content", true)]);
    let version = metadata(&entry["metadata"], source);
    let content = entry["content"].as_array().expect("a list");
    match text(entry, "entry_type") {
        "invariant_set" => {
            assert_eq!((version, content.len()), ("2.0", 0), "{written}");
            Vec::new()
        }
        "violation_sequence" => {
            let segments: Vec<_> = content.iter().map(|it| segment(it, source, version)).collect();
            let (last, normal) = segments.split_last().expect("a final segment");
            let is_target = |waypoint: &Value| waypoint["type"] == "target";
            assert!(last.iter().all(is_target), "{written}");
            assert!(!normal.iter().flatten().any(is_target), "{written}");
            segments
        }
        other => panic!("entry_type `{other}`"),
    }
}

fn metadata<'v>(of: &'v Value, source: &str) -> &'v str {
    let required = ["format_version", "uuid", "creation_time", "producer", "task"];
    keys(of, &required.map(|key| (key, true)));
    let uuid: Vec<usize> = text(of, "uuid").split('-').map(str::len).collect();
    assert_eq!(uuid, [8, 4, 4, 4, 12], "{of}");
    assert!(is_time(text(of, "creation_time")), "{of}");
    let producer = &of["producer"];
    let more = [("configuration", false), ("command_line", false), ("description", false)];
    keys(producer, &[&[("name", true), ("version", true)][..], &more].concat());
    assert!(!text(producer, "name").is_empty() && !text(producer, "version").is_empty());
    let task = &of["task"];
    let required = ["input_files", "input_file_hashes", "specification", "data_model", "language"];
    keys(task, &required.map(|key| (key, true)));
    assert_eq!(task["input_files"], serde_json::json!([source]));
    let hash = text(&task["input_file_hashes"], source);
    assert!(hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{hash}");
    assert!(text(task, "specification").starts_with("CHECK( init(main()), LTL("), "{task}");
    assert_eq!((text(task, "data_model"), text(task, "language")), ("LP64", "C"));
    let version = text(of, "format_version");
    assert!(["2.0", "2.2"].contains(&version), "{version}");
    version
}

/// `2026-11-26T03:00:00Z`.
fn is_time(text: &str) -> bool {
    let pattern = "0000-00-00T00:00:00Z";
    let fits = |(own, expected): (char, char)| match expected {
        '0' => own.is_ascii_digit(),
        other => own == other,
    };
    text.len() == pattern.len() && text.chars().zip(pattern.chars()).all(fits)
}

/// The waypoints of a segment: all are passed, in a final one that of each thread of a race.
fn segment(of: &Value, source: &str, version: &str) -> Vec<Value> {
    keys(of, &[("segment", true)]);
    let items = of["segment"].as_array().expect("a list");
    let waypoints: Vec<Value> = items
        .iter()
        .map(|item| {
            keys(item, &[("waypoint", true)]);
            item["waypoint"].clone()
        })
        .collect();
    assert!(waypoints.len() == 1 || version == "2.2" && waypoints.len() == 2, "{of}");
    waypoints.iter().for_each(|it| waypoint(it, source, version));
    waypoints
}

fn waypoint(of: &Value, source: &str, version: &str) {
    let has_thread = version == "2.2";
    let optional = [("constraint", false), ("thread_id", has_thread)];
    let allowed = if has_thread { &optional[..] } else { &optional[..1] };
    keys(of, &[&[("type", true), ("action", true), ("location", true)][..], allowed].concat());
    assert_eq!(text(of, "action"), "follow", "{of}");
    let constraint = &of["constraint"];
    match text(of, "type") {
        "target" => assert!(constraint.is_null(), "{of}"),
        "assumption" => {
            keys(constraint, &[("value", true), ("format", true)]);
            assert_eq!(text(constraint, "format"), "c_expression");
        }
        "function_return" => {
            keys(constraint, &[("value", true), ("format", true)]);
            assert_eq!(text(constraint, "format"), "acsl_expression");
            let value = text(constraint, "value").strip_prefix("\\result == ");
            assert!(value.is_some_and(|value| value.parse::<f64>().is_ok_and(f64::is_finite)), "{of}");
        }
        other => panic!("a waypoint of type `{other}`"),
    }
    let location = &of["location"];
    keys(location, &[("file_name", true), ("line", true), ("column", false), ("function", false)]);
    assert_eq!(text(location, "file_name"), source);
    let is_position = |key: &str| location[key].is_null() || location[key].as_u64().is_some_and(|at| at > 0);
    assert!(!location["line"].is_null() && is_position("line") && is_position("column"), "{of}");
}

/// The attributes of an element that stands on a line of its own.
fn attributes(line: &str) -> BTreeMap<&str, &str> {
    let inside = line.split_once('<').map_or("", |(_, rest)| rest.split('>').next().unwrap_or_default());
    let words = inside.split(' ').filter_map(|word| word.split_once("=\""));
    words.map(|(name, value)| (name, value.trim_end_matches(['"', '/']).trim_end_matches('"'))).collect()
}

/// Checks a file in GraphML: keys are declared for what they are on, a line of nodes leads to the violation.
pub fn graphml(written: &str) {
    let (mut declared, mut nodes, mut edges) = (BTreeMap::new(), BTreeSet::new(), Vec::new());
    let (mut within, mut used) = ("", Vec::new());
    for line in written.lines().map(str::trim) {
        let element = line.trim_start_matches("</").trim_start_matches('<');
        let element = element.split([' ', '>', '/']).next().unwrap_or_default();
        let given = attributes(line);
        match element {
            "key" => assert!(declared.insert(given["id"], given["for"]).is_none(), "{line}"),
            "graph" | "node" | "edge" => {
                let ends = line.starts_with("</") || line.ends_with("/>");
                within = if ends { "graph" } else { element };
                if element == "node" && !line.starts_with("</") {
                    assert!(nodes.insert(given["id"]), "{line}");
                }
                if element == "edge" && !line.starts_with("</") {
                    edges.push((given["source"], given["target"]));
                }
            }
            "data" => {
                assert!(!line.contains("></data>"), "an empty value: {line}");
                assert_eq!(declared.get(given["key"]), Some(&within), "{line}");
                let value = line.split_once('>').and_then(|(_, rest)| rest.strip_suffix("</data>"));
                used.push((given["key"], value.unwrap_or_else(|| panic!("{line}"))));
            }
            "graphml" | "?xml" => {}
            other => panic!("element `{other}`: {line}"),
        }
    }
    let once = ["witness-type", "sourcecodelang", "producer", "programfile", "programhash", "architecture"];
    for key in once.iter().chain(&["creationtime", "entry"]) {
        assert_eq!(used.iter().filter(|(name, _)| name == key).count(), 1, "{key}: {written}");
    }
    assert!(edges.iter().all(|(from, to)| nodes.contains(from) && nodes.contains(to)), "{written}");
    let results =
        used.iter().filter(|(key, value)| *key == "assumption" && value.contains("\\result")).count();
    let functions = used.iter().filter(|(key, _)| *key == "assumption.resultfunction").count();
    assert_eq!(results, functions, "{written}");
    let is_violation = used.contains(&("witness-type", "violation_witness"));
    let violations = used.iter().filter(|(key, _)| *key == "violation").count();
    assert_eq!(violations, usize::from(is_violation), "{written}");
}
