// Lines between rows: who runs, flows of values, the cause, blocks that should be atomic.
function line(name, attributes) {
  const made = document.createElementNS(document.querySelector("svg").namespaceURI, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

const y = (index) => index * ROW - board.offset + ROW / 2;

function drawWires(first, last) {
  const height = Math.max(last - first, 1) * ROW;
  const sheet = (name) => line("svg", { class: `wires ${name}`, width: windowBox.clientWidth, height, "aria-hidden": "true" });
  // Lanes pass behind the words, arrows before them.
  const [below, above] = [sheet("below"), sheet("above")];
  for (const panel of board.panels) {
    const at = { transform: `translate(${panel.left} 0)` };
    const [group, arrows] = [line("g", at), line("g", at)];
    if (panel.left > 0) group.append(line("path", { class: "track", d: `M0 0V${height}` }));
    const lanes = data.executions[panel.side].lanes;
    lanes.forEach((_, thread) => group.append(line("path", { class: "track", d: `M${panel.x(thread)} 0V${height}` })));
    drawRun(group, panel, first, last);
    if (panel.side === 0) {
      for (const block of data.blocks) drawBlock(group, panel, block, first, last);
    }
    drawFlows(arrows, panel, first, last);
    if (panel.side === 0) {
      for (const order of data.orders) drawArrow(arrows, panel, order[0], order[1], "order", first, last);
    }
    drawDots(group, panel, first, last);
    below.append(group);
    above.append(arrows);
  }
  return [below, above];
}

const isCommit = (step) => step[ISSUER] >= 0;

// The threads' steps of a panel in rows from `first` to `last` and a few around, with where they are.
function* stepsIn(panel, first, last) {
  const steps = data.executions[panel.side].steps;
  for (let index = Math.max(0, first - 40); index < Math.min(view.items.length, last + 40); index++) {
    const row = view.items[index];
    const end = row >= rowCount ? endAt(panel.side, row) : undefined;
    const number = row >= 0 && row < rowCount ? stepAt[panel.side][row] : -1;
    if (end) yield { index, thread: end.thread, end };
    else if (number >= 0) yield { index, thread: steps[number][THREAD], step: steps[number], number };
    else if (row < 0) {
      const inside = stepAt[panel.side][data.folds[-row - 1][0]];
      if (inside >= 0) yield { index, thread: steps[inside][THREAD], folded: true };
    }
  }
}

// One line that follows whoever runs.
function drawRun(group, panel, first, last) {
  let before;
  for (const at of stepsIn(panel, first, last)) {
    if (at.step && (isCommit(at.step) || !at.step[TAKEN]) || at.end && at.end.kind === "waits") continue;
    const [x, here] = [panel.x(at.thread), y(at.index)];
    if (before) {
      const d = before.x === x ? `M${x} ${before.y}V${here}` : `M${before.x} ${before.y}V${here - ROW / 2}H${x}V${here}`;
      const run = line("path", { class: "run", d });
      run.style.stroke = before.x === x ? colour(at.thread) : "";
      group.append(run);
    }
    before = { x, y: here };
  }
}

function drawDots(group, panel, first, last) {
  for (const at of stepsIn(panel, first, last)) {
    if (at.index < first || at.index >= last) continue;
    const [x, here] = [panel.x(at.thread), y(at.index)];
    if (at.end) {
      const size = 4.5;
      const cross = { fails: `M${x - size} ${here - size}l9 9m0-9l-9 9`, waits: `M${x - 3} ${here - 5}v10m6-10v10`, fine: `M${x - 5} ${here}l4 4 6-8` }[at.end.kind];
      const mark = line("path", { d: cross, fill: "none", "stroke-width": 2.6 });
      mark.style.stroke = { fails: "var(--fail)", waits: "var(--mark)", fine: "var(--fine)" }[at.end.kind];
      group.append(mark);
      continue;
    }
    if (at.folded) continue;
    if (!at.step[TAKEN]) {
      const mark = line("path", { d: `M${x - 3} ${here - 5}v10m6-10v10`, fill: "none", "stroke-width": 2.6 });
      mark.style.stroke = "var(--mark)";
      group.append(mark);
      continue;
    }
    const commit = isCommit(at.step);
    const dot = line("circle", { class: `dot${commit ? " commit" : ""}`, cx: x, cy: here, r: differs[panel.side][at.number] ? 5.5 : 4.5 });
    dot.style[commit ? "stroke" : "fill"] = colour(at.thread);
    group.append(dot);
  }
}

function drawArrow(group, panel, from, to, kind, first, last) {
  const steps = data.executions[panel.side].steps;
  const [start, end] = [view.itemOf[rowOf[panel.side][from]], view.itemOf[rowOf[panel.side][to]]];
  if (start === end || Math.max(start, end) < first || Math.min(start, end) >= last) return;
  const [x1, y1, x2, y2] = [panel.x(steps[from][THREAD]), y(start), panel.x(steps[to][THREAD]), y(end)];
  // Within a lane the arrow bends to the left, where no text is.
  const bend = x1 === x2 ? Math.min(30, 12 + (y2 - y1) / 8) : 0;
  const middle = (y1 + y2) / 2;
  const slope = x1 < x2 ? 6 : -6;
  const d = bend
    ? `M${x1 - 5} ${y1}C${x1 - bend} ${y1 + 6} ${x2 - bend} ${y2 - 6} ${x2 - 6} ${y2}`
    : `M${x1 + slope} ${y1 + 3}C${x1 + 3 * slope} ${middle} ${x2 - 3 * slope} ${middle} ${x2 - slope} ${y2 - 3}`;
  group.append(line("path", { class: kind, d, "marker-end": "url(#head)" }));
}

function drawFlows(group, panel, first, last) {
  const execution = data.executions[panel.side];
  for (const [from, to] of execution.flows) {
    if (from >= 0) { drawArrow(group, panel, from, to, "flow changed", first, last); continue; }
    // It reads what was there before all steps.
    const index = view.itemOf[rowOf[panel.side][to]];
    if (index < first || index >= last) continue;
    const x = panel.x(execution.steps[to][THREAD]);
    group.append(line("path", { class: "flow changed", d: `M${x - 17} ${y(index) - 9}L${x - 6} ${y(index) - 2}`, "marker-end": "url(#head)" }));
  }
  const drawn = new Set(execution.flows.map(([, to]) => to));
  const flow = (from, to) => {
    if (from < 0 || drawn.has(to)) return;
    drawn.add(to);
    drawArrow(group, panel, from, to, "flow", first, last);
  };
  const selected = currentStep(panel.side);
  if (selected >= 0) {
    flow(execution.steps[selected][FROM], selected);
    flow(execution.steps[selected][ISSUER], selected);
    for (const reader of readers(panel.side, selected).slice(0, 50)) flow(selected, reader);
  }
  if (!view.flows) return;
  for (const at of stepsIn(panel, first, last)) {
    if (at.step) flow(at.step[FROM], at.number);
  }
}

function drawBlock(group, panel, [from, to], first, last) {
  const [start, end] = [view.itemOf[rowOf[0][from]], view.itemOf[rowOf[0][to]]];
  if (end < first || start >= last) return;
  const x = panel.x(data.executions[0].steps[from][THREAD]) - 9;
  group.append(line("path", { class: "block", d: `M${x + 4} ${y(start) - 9}H${x - 1}V${y(end) + 9}H${x + 4}` }));
}
