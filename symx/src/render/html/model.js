// What the report holds. `data.rs` says the same from the other side.
const data = JSON.parse(document.getElementById("data").textContent);
const [THREAD, VERB, CALL, OBJECT, VALUE, FROM, ISSUER, LOCKS, BUFFERED, FILE, LINE, COLUMN, FUNCTION, MORE, TAKEN] = Array(15).keys();
const text = (number) => data.texts[number];
const texts = (list) => data.lists[list].map(text);

// By row and execution, the step; by execution and step, the row.
const rowCount = data.rows.reduce((sum, run) => sum + run[2], 0);
const stepAt = data.executions.map(() => new Int32Array(rowCount).fill(-1));
const rowOf = data.executions.map((execution) => new Int32Array(execution.steps.length));
{
  let row = 0;
  for (const [failing, passing, count] of data.rows) {
    for (let i = 0; i < count; i++, row++) {
      [failing, passing].forEach((first, side) => {
        if (first < 0) return;
        stepAt[side][row] = first + i;
        rowOf[side][first + i] = row;
      });
    }
  }
}
const differs = data.executions.map((execution) => {
  const marks = new Uint8Array(execution.steps.length);
  for (const step of execution.differing) marks[step] = 1;
  for (const [, to] of execution.flows) marks[to] = 1;
  return marks;
});
// After the steps, each execution says how its threads stand; these rows are shared, too.
const endCount = Math.max(...data.executions.map((execution) => execution.ends.length));
const allRows = rowCount + endCount;
const endAt = (side, row) => {
  const ends = data.executions[side].ends;
  // The last of them all stands in the last row.
  return row < rowCount ? undefined : ends[row - rowCount - (endCount - ends.length)];
};

// Rows at which something differs; without a passing execution, rows at which another thread goes on.
const landmarks = [];
{
  const steps = data.executions[0].steps;
  for (let row = 0; row < rowCount; row++) {
    const marked = data.executions.some((_, side) => stepAt[side][row] >= 0 && differs[side][stepAt[side][row]]);
    const switches = row === 0 || steps[row] && steps[row][THREAD] !== steps[row - 1][THREAD];
    if (data.executions.length > 1 ? marked : marked || switches) landmarks.push(row);
  }
  landmarks.push(allRows - 1);
}

// The steps that read from a step.
function readers(side, step) {
  const found = [];
  const steps = data.executions[side].steps;
  for (let reader = step + 1; reader < steps.length; reader++) {
    if (steps[reader][FROM] === step) found.push(reader);
  }
  return found;
}

// What is on screen: rows that are not folded away, and folds. Rows are numbers from 0, the fold n is -(n + 1).
const view = {
  items: [], itemOf: new Int32Array(allRows), open: new Set(), folded: true,
  side: 2, current: 0, flows: false,
  shows(side) { return side < data.executions.length && (this.side === 2 || this.side === side); },
};
const sides = () => data.executions.map((_, side) => side).filter((side) => view.shows(side));

function arrange() {
  view.items = [];
  let fold = 0;
  for (let row = 0; row < allRows; row++) {
    while (fold < data.folds.length && data.folds[fold][1] < row) fold++;
    if (view.folded && fold < data.folds.length && data.folds[fold][0] === row && !view.open.has(fold)) {
      const last = data.folds[fold][1];
      view.itemOf.fill(view.items.length, row, last + 1);
      view.items.push(-(fold + 1));
      row = last;
      continue;
    }
    const isEmpty = !sides().some((side) => (row < rowCount ? stepAt[side][row] >= 0 : endAt(side, row)));
    view.itemOf[row] = isEmpty ? Math.max(view.items.length - 1, 0) : view.items.length;
    if (!isEmpty) view.items.push(row);
  }
}

// In words, what a step does.
function action(side, step) {
  const it = data.executions[side].steps[step];
  const object = text(it[OBJECT]);
  const subject = it[CALL] ? `${text(it[VERB])}(${object})` : `${text(it[VERB])}${object && " " + object}`;
  return subject + (text(it[VALUE]) && `: ${text(it[VALUE])}`) + (it[MORE] ? ` (and ${it[MORE]} more times)` : "");
}
const place = (file, line) => (file < 0 ? "" : data.files[file].name.split("/").pop() + (line ? `:${line}` : ""));
const lane = (side, thread) => data.executions[side].lanes[thread];
const called = (side, thread) => `${lane(side, thread).name} ${lane(side, thread).function}`.trimEnd();
const colour = (thread) => `var(--t${thread % 8})`;

const foldTexts = [];

// `⋯ 120 steps of threads 0.1 and 0.2, from a.c:7 on`.
function stretchText(first, last) {
  const side = stepAt[0][first] >= 0 ? 0 : 1;
  const steps = data.executions[side].steps;
  const threads = new Set();
  for (let row = first; row <= last; row++) {
    if (stepAt[side][row] >= 0) threads.add(steps[stepAt[side][row]][THREAD]);
  }
  const names = [...threads].sort((one, other) => one - other).map((thread) => lane(side, thread).name);
  const who = names.length === 1 ? `thread ${names[0]}` : names.length > 4 ? `${names.length} threads`
    : `threads ${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  const step = steps[stepAt[side][first]];
  const from = place(step[FILE], step[LINE]);
  return `⋯ ${(last - first + 1).toLocaleString("en")} steps of ${who}${from && `, from ${from} on`}`;
}

function foldText(number) {
  const [first, last, round] = data.folds[number];
  if (round > 0) {
    const times = (last - first + 1) / round;
    return `↻ the ${round === 1 ? "step" : `${round} steps`} above, ${times.toLocaleString("en")} more times`;
  }
  return foldTexts[number] ??= stretchText(first, last);
}

// An element with attributes and children; text is text, never markup.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
