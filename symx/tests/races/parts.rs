//! What races are on: the parts of objects that the accesses touch, as every other report calls them.

use super::Place;

/// Two threads count and print a field of an element, in no order.
const FIELD: &str = r#"#include <pthread.h>
#include <stdio.h>
struct entry { int key, hits; };
struct { int size; struct entry entries[4]; } cache;
static void *hit(void *unused) {
    cache.entries[3].hits = 1;
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, hit, NULL);
    printf("%d\n", cache.entries[3].hits);
    pthread_join(thread, NULL);
    return 0;
}
"#;

#[test]
fn the_field_or_element_that_races_is_named() {
    let place = Place::new(FIELD);
    let (_, report) = place.races("");
    let races: Vec<_> = report["races"].as_array().unwrap().iter().map(|race| &race["object"]).collect();
    assert_eq!(races, ["cache.entries[3].hits"]);
    for command in ["races prog.c", "run --check race prog.c"] {
        let output = place.symx(command);
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(said.contains("`cache.entries[3].hits`") && !said.contains("of `cache`"), "{said}");
    }
    for (pattern, races) in [("^cache$", 0), ("^cache.entries[3].hits$", 0), ("^cache.size$", 1)] {
        place.write("races.supp", &format!("race:{pattern}\n"));
        let (_, report) = place.races("--suppressions races.supp");
        assert_eq!(report["races"].as_array().map(Vec::len), Some(races), "{pattern}: {report}");
    }
}
