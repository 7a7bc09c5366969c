// Keys, buttons and the pointer.
const work = document.getElementById("work");
const byId = (id) => document.getElementById(id);

function currentStep(side) {
  const item = view.items[view.current];
  return item >= 0 && item < rowCount ? stepAt[side][item] : -1;
}

function select(index) {
  view.current = Math.max(0, Math.min(view.items.length - 1, index));
  scrollTo(view.current);
  draw();
  showDetails();
  const row = document.getElementById(`item-${view.current}`);
  lanesBox.setAttribute("aria-activedescendant", `item-${view.current}`);
  // Of the list that has the focus, a screen reader says itself what is current.
  byId("said").textContent = document.activeElement === lanesBox ? "" : row?.getAttribute("aria-label") ?? "";
  byId("position").textContent = `${(view.current + 1).toLocaleString("en")} of ${view.items.length.toLocaleString("en")}`;
}

// The fold that hides a row.
const foldOf = (row) => data.folds.findIndex(([first, last]) => first <= row && row <= last);

function goToRow(row) {
  const fold = foldOf(row);
  if (view.folded && fold >= 0 && !view.open.has(fold)) {
    view.open.add(fold);
    arrange();
  }
  select(view.itemOf[row]);
}

// The row the current item stands for.
const currentRow = () => {
  const item = view.items[view.current];
  return item < 0 ? data.folds[-item - 1][0] : item;
};

function goToLandmark(forwards) {
  const row = currentRow();
  const visible = landmarks.filter((mark) => view.items[view.itemOf[mark]] === mark || view.itemOf[mark] !== view.current);
  const found = forwards ? visible.find((mark) => mark > row) : visible.findLast((mark) => mark < row);
  if (found !== undefined) select(view.itemOf[found]);
}

function toggleFold(index) {
  const item = view.items[index];
  const fold = item < 0 ? -item - 1 : foldOf(item);
  if (fold < 0 || !view.folded) return;
  if (!view.open.delete(fold)) view.open.add(fold);
  arrange();
  select(view.itemOf[data.folds[fold][0]]);
}

// Few rows need no high board; many have as much as the window.
function fit() {
  work.style.setProperty("--rows", `${view.items.length * ROW + 130}px`);
}

function refresh(row = currentRow()) {
  arrange();
  fit();
  measure();
  select(view.itemOf[row]);
}

function toggleFolding() {
  view.folded = !view.folded;
  view.open.clear();
  byId("folding").setAttribute("aria-pressed", String(view.folded));
  refresh();
}

function toggleFlows() {
  view.flows = !view.flows;
  byId("flows").setAttribute("aria-pressed", String(view.flows));
  draw();
}

function toggleHelp() {
  byId("keys").hidden = !byId("keys").hidden;
  byId("help").setAttribute("aria-expanded", String(!byId("keys").hidden));
  draw();
}

// The system's colours, until the reader chooses others.
function toggleTheme() {
  const root = document.documentElement;
  const shown = root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  root.dataset.theme = shown === "dark" ? "light" : "dark";
}

function closeHelp() {
  if (!byId("keys").hidden) toggleHelp();
}

function showSide(side) {
  const row = currentRow();
  view.side = side;
  for (const button of byId("shown").children) button.setAttribute("aria-pressed", String(Number(button.dataset.shown) === side));
  refresh(row);
}

const page = () => Math.max(1, Math.floor(lanesBox.clientHeight / ROW) - 2);
const KEYS = {
  ArrowDown: () => select(view.current + 1), ArrowRight: () => select(view.current + 1), j: () => select(view.current + 1),
  ArrowUp: () => select(view.current - 1), ArrowLeft: () => select(view.current - 1), k: () => select(view.current - 1),
  PageDown: () => select(view.current + page()), PageUp: () => select(view.current - page()),
  Home: () => select(0), End: () => select(view.items.length - 1),
  n: () => goToLandmark(true), N: () => goToLandmark(false), p: () => goToLandmark(false),
  Enter: () => toggleFold(view.current), " ": () => toggleFold(view.current),
  f: toggleFlows, z: toggleFolding, t: toggleTheme, "?": toggleHelp, Escape: closeHelp,
};

work.addEventListener("keydown", (event) => {
  const inControl = event.target.closest("button, a, .code, summary");
  const moves = event.key.length > 1 && event.key !== "Escape" || event.key === " ";
  if (event.ctrlKey || event.metaKey || event.altKey || inControl && moves || !Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  byId("peek").hidden = true;
  KEYS[event.key]();
});

byId("previous").onclick = KEYS.k;
byId("next").onclick = KEYS.j;
byId("difference").onclick = KEYS.n;
byId("flows").onclick = toggleFlows;
byId("folding").onclick = toggleFolding;
byId("theme").onclick = toggleTheme;
byId("help").onclick = toggleHelp;
byId("shown").onclick = (event) => event.target.dataset.shown && showSide(Number(event.target.dataset.shown));

const indexAt = (event) => {
  const row = event.target.closest(".row, .fold");
  return row ? Number(row.id.slice("item-".length)) : -1;
};
windowBox.addEventListener("click", (event) => {
  const index = indexAt(event);
  if (index < 0) return;
  if (view.items[index] < 0) toggleFold(index);
  else select(index);
});
windowBox.addEventListener("mousemove", (event) => {
  const [peek, index] = [byId("peek"), indexAt(event)];
  const item = view.items[index];
  const under = board.panels.findLast((panel) => panel.left <= event.clientX - windowBox.getBoundingClientRect().left);
  const said = index >= 0 && item >= 0 && under ? describe(under.side, item) : [];
  peek.hidden = said.length === 0;
  if (peek.hidden) return;
  peek.replaceChildren(...said);
  peek.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - peek.offsetWidth - 8))}px`;
  const below = event.clientY + 18;
  peek.style.top = `${below + peek.offsetHeight > innerHeight ? event.clientY - peek.offsetHeight - 12 : below}px`;
});
windowBox.addEventListener("mouseleave", () => { byId("peek").hidden = true; });

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-step]");
  if (!link) return;
  event.preventDefault();
  const side = Number(link.dataset.side || 0);
  if (!view.shows(side)) showSide(side);
  goToRow(rowOf[side][Number(link.dataset.step)]);
  work.scrollIntoView({ block: "nearest" });
  lanesBox.focus({ preventScroll: true });
});

lanesBox.addEventListener("scroll", () => requestAnimationFrame(draw));
addEventListener("resize", () => { measure(); draw(); });

// On paper all that is not folded stands below each other, up to a length that somebody might read.
const MOST_PRINTED = 3000;
addEventListener("beforeprint", () => {
  lanesBox.scrollTop = 0;
  drawRows(0, Math.min(view.items.length, MOST_PRINTED));
});
addEventListener("afterprint", draw);

work.hidden = false;
byId("shown").hidden = data.executions.length < 2;
if (data.executions.length < 2) byId("difference").textContent = "Next switch";
arrange();
showSide(data.executions.length > 1 && innerWidth < 900 ? 0 : 2);
const fragment = /^#step-(\d+)$/.exec(location.hash);
const wanted = fragment ? Number(fragment[1]) - 1 : -1;
goToRow(wanted >= 0 && wanted < rowOf[0].length ? rowOf[0][wanted] : landmarks.length > 1 && data.executions.length > 1 ? landmarks[0] : 0);
lanesBox.focus({ preventScroll: true });
