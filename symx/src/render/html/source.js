// The source beside the lanes, and all there is to say about the current step.
const WORDS = /(\/\/.*$|\/\*.*?(?:\*\/|$))|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\b(auto|bool|break|case|catch|char|class|const|constexpr|continue|default|delete|do|double|else|enum|extern|float|for|goto|if|inline|int|long|namespace|new|nullptr|private|public|return|short|signed|sizeof|static|struct|switch|template|this|throw|try|typedef|union|unsigned|using|virtual|void|volatile|while|_Atomic|_Thread_local)\b/g;
const shownSource = { file: -1, lines: new Map() };
const codeBox = document.getElementById("code");

function paint(content) {
  const parts = [];
  let end = 0;
  for (const found of content.matchAll(WORDS)) {
    parts.push(content.slice(end, found.index));
    parts.push(element("span", { class: found[1] ? "remark" : found[2] ? "text" : "word" }, found[0]));
    end = found.index + found[0].length;
  }
  parts.push(content.slice(end));
  return parts;
}

/** The folder that all files are in, which their names on the page go without; nothing if that is the root. */
const commonFolder = (() => {
  const names = data.files.map((file) => file.name);
  const above = (name) => name.slice(0, name.lastIndexOf("/") + 1);
  let folder = names.length ? above(names[0]) : "";
  while (!names.every((name) => name.startsWith(folder))) folder = above(folder.slice(0, -1));
  return folder === "/" ? "" : folder;
})();

function showFile(file) {
  if (shownSource.file === file) return;
  shownSource.file = file;
  shownSource.lines.clear();
  const it = data.files[file];
  document.getElementById("file").textContent = it ? it.name.slice(commonFolder.length) : "";
  document.getElementById("file").title = it ? it.name : "";
  const lines = element("div", { class: "lines" });
  const failing = data.executions[0].ends.filter((end) => end.kind === "fails" && end.file === file).map((end) => end.line);
  let next = 1;
  for (const part of it ? it.parts : []) {
    if (part.first > next) lines.append(element("div", { class: "gap" }, "⋯"));
    part.lines.forEach((content, offset) => {
      const number = part.first + offset;
      const at = element("span", { class: "at" }, String(number));
      const row = element("div", { class: failing.includes(number) ? "line failing" : "line" }, at, element("span", {}, ...paint(content)));
      shownSource.lines.set(number, row);
      lines.append(row);
    });
    next = part.first + part.lines.length;
  }
  if (it && it.parts.length === 0) lines.append(element("div", { class: "gap" }, "The source was not found where it was compiled (--source-root says where it is)."));
  codeBox.replaceChildren(lines);
}

function chip(side, thread) {
  return element("span", { class: "chip", style: `--lane-colour:${colour(thread)}` }, lane(side, thread).name);
}

// Where each thread is in the source once the steps up to `step` are taken: its last one.
function positions(side, step) {
  const steps = data.executions[side].steps;
  const found = new Map();
  const all = data.executions[side].lanes.length;
  for (let at = step; at >= 0 && found.size < all && step - at < 20000; at--) {
    if (!found.has(steps[at][THREAD])) found.set(steps[at][THREAD], steps[at]);
  }
  return found;
}

function showSource(side, step, end) {
  const it = step >= 0 ? data.executions[side].steps[step] : undefined;
  const [file, number] = it ? [it[FILE], it[LINE]] : end ? [end.file, end.line] : [-1, 0];
  if (file < 0) return;
  showFile(file);
  for (const old of codeBox.querySelectorAll(".here")) old.classList.remove("here");
  for (const old of codeBox.querySelectorAll(".chip")) old.remove();
  const last = step >= 0 ? step : data.executions[side].steps.length - 1;
  for (const [thread, where] of [...positions(side, last)].sort((one, other) => other[0] - one[0])) {
    const row = shownSource.lines.get(where[LINE]);
    if (row && where[FILE] === file) row.firstChild.prepend(chip(side, thread));
  }
  const row = shownSource.lines.get(number);
  if (!row) return;
  row.classList.add("here");
  const top = row.offsetTop;
  if (top < codeBox.scrollTop + 40 || top > codeBox.scrollTop + codeBox.clientHeight - 60) {
    codeBox.scrollTop = top - codeBox.clientHeight / 2;
  }
}

// The steps of a row that are on screen, or how a thread stands there in the end.
function describe(side, row) {
  const end = endAt(side, row);
  if (end) {
    return [element("h3", {}, chip(side, end.thread), ` ${end.text}`), element("dl", {}, ...field("At", [place(end.file, end.line)]))];
  }
  const step = row < rowCount ? stepAt[side][row] : -1;
  if (step < 0) return [];
  const it = data.executions[side].steps[step];
  const to = (other) => {
    const link = element("a", { href: `#step-${other + 1}`, "data-step": other, "data-side": side }, `step ${other + 1}`);
    return [link, ` (${lane(side, data.executions[side].steps[other][THREAD]).name})`];
  };
  const before = text(it[VERB]) === "read" || text(it[VERB]) === "update" ? ["the initial value"] : [];
  const read = readers(side, step);
  const more = read.length > 6 ? [` and ${read.length - 6} more`] : [];
  const title = data.executions.length > 1 ? `${data.executions[side].title}, step ${step + 1}` : `Step ${step + 1}`;
  const fields = [
    ...field("Value", [text(it[VALUE])]),
    ...field("Reads from", it[FROM] >= 0 ? to(it[FROM]) : before),
    ...field("Issued by", it[ISSUER] >= 0 ? to(it[ISSUER]) : []),
    ...field("Read by", read.slice(0, 6).flatMap((reader, index) => (index ? [", ", ...to(reader)] : to(reader))).concat(more)),
    ...field("Holds", [texts(it[LOCKS]).join(", ") || "no lock"]),
    ...field("In its buffer", [texts(it[BUFFERED]).join(", ")]),
    ...field("At", [place(it[FILE], it[LINE]) + (text(it[FUNCTION]) && ` in ${text(it[FUNCTION])}`)]),
  ];
  return [element("h3", {}, chip(side, it[THREAD]), ` ${title}: ${action(side, step)}`), element("dl", {}, ...fields)];
}

function field(name, content) {
  const said = content.filter((part) => part !== "");
  return said.length ? [element("div", {}, element("dt", {}, name), element("dd", {}, ...said))] : [];
}

function showDetails() {
  const item = view.items[view.current];
  const box = document.getElementById("details");
  if (item < 0) {
    box.replaceChildren(element("h3", {}, foldText(-item - 1)), element("p", {}, "Enter opens."));
    const first = data.folds[-item - 1][0];
    const side = stepAt[0][first] >= 0 ? 0 : 1;
    showSource(side, stepAt[side][first]);
    return;
  }
  box.replaceChildren(...sides().flatMap((side) => describe(side, item)));
  const side = sides().find((side) => endAt(side, item) || item < rowCount && stepAt[side][item] >= 0);
  showSource(side, item < rowCount ? stepAt[side][item] : -1, endAt(side, item));
}
