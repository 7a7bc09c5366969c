//! An explanation for Graphviz: a cluster a thread, time downwards, flows and the cause as edges.

use crate::render::html::{Fold, Row, folds, rows};
use crate::render::sentences::{action, location_of, place};
use crate::text::shown as visible_character;
use std::collections::BTreeSet;
use std::fmt::Write;
use symx_trace::Explanation;
use symx_trace::explanation::{Execution, Flow};

/// Graphs of more steps than this no one can read: what matters least is left out.
const MOST_STEPS: usize = 400;

/// The graph: the failing execution, and the passing one beside it if there is one.
pub fn dot(explanation: &Explanation) -> String {
    let rows = rows(explanation);
    let folds = folds(explanation, &rows);
    let mut text = String::from(
        "digraph symx {\n  graph [newrank=true, fontname=\"sans-serif\", ranksep=0.25, nodesep=0.3];\n  \
         node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"monospace\", fontsize=10, height=0.2];\n  \
         edge [fontname=\"sans-serif\", fontsize=9];\n",
    );
    let title = match &explanation.failing.failure {
        Some(failure) => crate::render::sentences::failure(&explanation.failing, failure),
        None => String::new(),
    };
    let _ = writeln!(text, "  label={}; labelloc=t;", quoted(&title));
    let difference = &explanation.difference;
    let shown = shown(&rows, &folds, |row| row.failing);
    execution(
        &mut text,
        ("f", "failing"),
        &explanation.failing,
        &shown,
        &difference.failing_steps,
        &difference.failing_flows,
    );
    for (number, (earlier, later)) in explanation.cause.orders.iter().enumerate() {
        if shown.contains(earlier) && shown.contains(later) {
            let _ = writeln!(
                text,
                "  f{earlier} -> f{later} [color=red, penwidth=2, constraint=false, label=\"cause {}\"];",
                number + 1
            );
        }
    }
    if let Some(passing) = &explanation.passing {
        let shown = self::shown(&rows, &folds, |row| row.passing);
        execution(
            &mut text,
            ("a", "passing"),
            passing,
            &shown,
            &difference.passing_steps,
            &difference.passing_flows,
        );
    }
    text.push_str("}\n");
    text
}

/// The steps of one side that are not folded away, as many as can be read: the last ones.
fn shown(rows: &[Row], folds: &[Fold], side: impl Fn(&Row) -> Option<u32>) -> BTreeSet<u32> {
    let mut folds = folds.iter().peekable();
    let mut shown = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        while folds.next_if(|fold| (fold.last as usize) < at).is_some() {}
        let is_folded = folds.peek().is_some_and(|fold| fold.first as usize <= at);
        shown.extend(side(row).filter(|_| !is_folded));
    }
    shown.split_off(shown.len().saturating_sub(MOST_STEPS)).into_iter().collect()
}

fn execution(
    text: &mut String,
    (prefix, title): (&str, &str),
    execution: &Execution,
    shown: &BTreeSet<u32>,
    differing: &[u32],
    flows: &[Flow],
) {
    let _ = writeln!(text, "  subgraph cluster_{prefix} {{\n    label={title}; style=dashed; color=gray;");
    for (thread, lane) in execution.threads.iter().enumerate() {
        let of_lane: Vec<u32> = shown
            .iter()
            .copied()
            .filter(|step| execution.steps[*step as usize].thread as usize == thread)
            .collect();
        if of_lane.is_empty() {
            continue;
        }
        let label = lane.title();
        let _ = writeln!(
            text,
            "    subgraph cluster_{prefix}_{thread} {{\n      label={}; style=solid; color=lightgray;",
            quoted(&label)
        );
        for step in of_lane {
            let it = &execution.steps[step as usize];
            let place = place(location_of(execution, it));
            let differs = differing.binary_search(&step).is_ok();
            let sign = if differs { "≠ " } else { "" };
            let label = format!("{sign}{}. {}\n{place}", step + 1, action(it));
            let colour = if differs { ", fillcolor=\"#fff3d3\"" } else { "" };
            let _ = writeln!(
                text,
                "      {prefix}{step} [label={}, group={prefix}{thread}{colour}];",
                quoted(label.trim_end())
            );
        }
        text.push_str("    }\n");
    }
    text.push_str("  }\n");
    // Time goes downwards: each step is a rank below the one before.
    for (one, next) in shown.iter().zip(shown.iter().skip(1)) {
        let same = execution.steps[*one as usize].thread == execution.steps[*next as usize].thread;
        let look = if same { "color=gray, arrowhead=none" } else { "style=invis" };
        let _ = writeln!(text, "  {prefix}{one} -> {prefix}{next} [{look}];");
    }
    for (step, from) in
        shown.iter().filter_map(|step| Some((step, execution.steps[*step as usize].reads_from?)))
    {
        if !shown.contains(&from) {
            continue;
        }
        let changed = flows.contains(&Flow { from: Some(from), to: *step });
        let look = if changed { "color=darkorange, penwidth=2, style=dashed" } else { "color=steelblue" };
        let _ = writeln!(text, "  {prefix}{from} -> {prefix}{step} [{look}, constraint=false];");
    }
    if let Some(failure) = &execution.failure
        && let Some(last) = shown.last()
    {
        let message = format!("✖ {}", crate::text::one_line(&failure.message));
        let _ = writeln!(
            text,
            "  {prefix}_end [label={}, color=red, fontcolor=red];\n  {prefix}{last} -> {prefix}_end [color=red];",
            quoted(&message)
        );
    }
}

/// Text as Graphviz reads it.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push(' '),
            _ => quoted.push(visible_character(character)),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::example::lost_update;

    #[test]
    fn threads_are_clusters_and_flows_edges() {
        let graph = dot(&lost_update());
        for part in [
            "subgraph cluster_f_1 {",
            "label=\"T2 add\"",
            "f1 [label=\"≠ 2. read count: 0\\ncount.c:8\", group=f2, fillcolor=\"#fff3d3\"];",
            "f1 -> f2 [color=red",
            "f3 -> f4 [color=steelblue, constraint=false];",
            "a1 -> a2 [color=darkorange",
            "✖ assertion failed: count == 2",
        ] {
            assert!(graph.contains(part), "no `{part}` in {graph}");
        }
        assert_eq!(graph.matches('{').count(), graph.matches('}').count());
    }

    #[test]
    fn names_stay_names() {
        assert_eq!(quoted("a\"b\\c\n\u{1b}"), "\"a\\\"b\\\\c\\n\u{241b}\"");
    }
}
