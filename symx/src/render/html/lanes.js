// The lanes: only the rows in view are in the document.
const ROW = 26;
const NUMBERS = 52;
const LABEL = 230;
const board = { first: 0, last: 0, panels: [] };
const lanesBox = document.getElementById("lanes");
const windowBox = document.getElementById("window");

// Where each execution's lanes are: lanes move together where there are many, labels reach over those to the right.
function measure() {
  const shown = sides();
  const width = windowBox.clientWidth / shown.length;
  board.panels = shown.map((side, index) => {
    const count = data.executions[side].lanes.length;
    const gap = Math.max(12, Math.min(150, (width - NUMBERS - 18 - LABEL) / Math.max(count - 1, 1)));
    return { side, left: index * width, width, gap, x: (thread) => NUMBERS + 16 + thread * gap };
  });
  drawHeads();
}

function drawHeads() {
  const heads = document.getElementById("heads");
  const narrow = board.panels.some((panel) => panel.gap < 44);
  heads.style.height = narrow ? "4.6rem" : "3.2rem";
  heads.replaceChildren(...board.panels.map((panel) => {
    const execution = data.executions[panel.side];
    const kind = execution.ends.at(-1).kind;
    const box = element("div", { class: "panel", style: `left:${panel.left}px;width:${panel.width}px` });
    const switches = `${execution.switches} context switch${execution.switches === 1 ? "" : "es"}, ${execution.preemptions} preemption${execution.preemptions === 1 ? "" : "s"}`;
    box.append(element("div", { class: `title ${kind}` }, (kind === "fine" ? "✓ " : "✖ ") + execution.title, element("small", {}, `   ${switches}`)));
    execution.lanes.forEach((it, thread) => {
      const last = thread === execution.lanes.length - 1;
      const room = last ? panel.width - panel.x(thread) : panel.gap - 8;
      const style = narrow
        ? `left:${panel.x(thread) - 8}px;writing-mode:vertical-rl;transform:rotate(180deg);color:${colour(thread)}`
        : `left:${panel.x(thread) - 6}px;max-width:${room}px;color:${colour(thread)}`;
      box.append(element("div", { class: "lane", style, title: it.function }, element("b", {}, it.name), narrow || !it.function ? "" : ` ${it.function}`));
    });
    return box;
  }));
}

function label(side, step) {
  const it = data.executions[side].steps[step];
  const box = element("div", { class: "label" });
  const object = text(it[OBJECT]);
  if (it[CALL]) {
    box.append(text(it[VERB]).replace(/^pthread_/, ""), element("span", { class: "verb" }, "("), object, element("span", { class: "verb" }, ")"));
  } else {
    box.append(element("span", { class: "verb" }, text(it[VERB]) + " "), object);
  }
  if (text(it[VALUE])) box.append(element("span", { class: "verb" }, ": "), element("span", { class: "value" }, text(it[VALUE])));
  if (it[MORE]) box.append(element("span", { class: "verb" }, ` ×${it[MORE] + 1}`));
  if (it[BUFFERED] && it[ISSUER] < 0) box.append(element("span", { class: "held", title: "stores in the store buffer" }, `buffered: ${texts(it[BUFFERED]).join(", ")}`));
  return box;
}

function cell(panel, row) {
  const box = element("div", { class: "cell", style: `left:${panel.left}px;width:${panel.width}px` });
  const end = endAt(panel.side, row);
  const step = row < rowCount ? stepAt[panel.side][row] : -1;
  if (!end && step < 0) return box;
  const thread = end ? end.thread : data.executions[panel.side].steps[step][THREAD];
  if (end) {
    box.append(element("span", { class: "number" }, { fails: "✖", waits: "", fine: "✓" }[end.kind]));
  } else {
    const number = element("span", { class: "number" });
    if (differs[panel.side][step]) number.append(element("span", { class: "sign" }, "≠"));
    number.append(String(step + 1));
    number.classList.toggle("long", step >= 99_999);
    box.append(number);
  }
  const words = end ? element("div", { class: `label ${end.kind}` }, end.text) : label(panel.side, step);
  words.style.left = `${panel.x(thread) + 8}px`;
  words.style.maxWidth = `${panel.width - panel.x(thread) - 10}px`;
  box.append(words);
  return box;
}

// What a screen reader says about a row.
function spoken(row) {
  return sides().map((side) => {
    const end = endAt(side, row);
    const title = data.executions[side].title;
    if (end) return `${title}: ${called(side, end.thread)} ${end.text}`;
    const step = row < rowCount ? stepAt[side][row] : -1;
    if (step < 0) return "";
    const it = data.executions[side].steps[step];
    const note = differs[side][step] ? "; differs" : "";
    return `${title}: step ${step + 1}, ${called(side, it[THREAD])}: ${action(side, step)}, ${place(it[FILE], it[LINE])}${note}`;
  }).filter(Boolean).join(". ");
}

function rowElement(index) {
  const item = view.items[index];
  const current = index === view.current;
  const top = `top:${index * ROW - board.offset}px`;
  const option = { id: `item-${index}`, role: "option", "aria-selected": String(current), "aria-posinset": index + 1, "aria-setsize": view.items.length };
  if (item < 0) {
    const words = foldText(-item - 1);
    return element("div", { class: `fold${current ? " current" : ""}`, style: top, ...option, "aria-label": `${words}; Enter opens` }, element("span", {}, words));
  }
  const marked = board.panels.some(({ side }) => item < rowCount && stepAt[side][item] >= 0 && differs[side][stepAt[side][item]]);
  const box = element("div", { class: `row${marked ? " differs" : ""}${current ? " current" : ""}`, style: top, ...option, "aria-label": spoken(item) });
  box.append(...board.panels.map((panel) => cell(panel, item)));
  return box;
}

// Draws the rows from `first` to `last`.
function drawRows(first, last) {
  board.first = first;
  board.last = last;
  // Rows lie near the window's own top: browsers are inexact millions of pixels down.
  board.offset = first * ROW;
  windowBox.style.top = `${board.offset}px`;
  const rows = document.createDocumentFragment();
  for (let index = first; index < last; index++) rows.append(rowElement(index));
  windowBox.replaceChildren(rows, ...drawWires(first, last));
}

function draw() {
  const first = Math.max(0, Math.floor(lanesBox.scrollTop / ROW) - 12);
  const last = Math.min(view.items.length, Math.ceil((lanesBox.scrollTop + lanesBox.clientHeight) / ROW) + 12);
  drawRows(first, last);
}

function scrollTo(index) {
  document.getElementById("space").style.height = `${view.items.length * ROW}px`;
  const [top, room, at] = [index * ROW, lanesBox.clientHeight, lanesBox.scrollTop];
  const isFar = top < at - ROW || top > at + room;
  if (isFar) lanesBox.scrollTop = Math.max(0, top - room / 3);
  else if (top < at + 2 * ROW) lanesBox.scrollTop = Math.max(0, top - 3 * ROW);
  else if (top > at + room - 3 * ROW) lanesBox.scrollTop = top - room + 5 * ROW;
}
