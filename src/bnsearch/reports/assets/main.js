// The page: views, tabs, selection, evidence and theme.

const NEIGHBOURHOODS = { "neighbours": 1, "2 steps": 2, "3 steps": 3 };
const PANELS = [
  { id: "variable-panel", title: "Variable", fill: fillVariablePanel },
  { id: "bars-panel", title: "Distributions", fill: fillBarsPanel },
  { id: "edges-panel", title: "Edges", fill: fillEdgesPanel },
  { id: "run-panel", title: "Run", fill: fillRunPanel },
];

const graph = new Graph(byId("graph"), {
  onVariable: (v) => selectVariable(v),
  onEdge: (edge) => selectEdge(edge),
  onState: (v, s) => toggleEvidence(v, s),
});

function selectVariable(v) {
  [state.variable, state.edge] = [v, null];
  if (byId("view").value !== "whole") drawView();
  showTab("variable-panel");
  graph.showSelection();
  if (v !== null) {
    graph.reveal(v);
    announce(`${describeVariable(v)} selected`);
  }
}

function selectEdge(edge) {
  [state.variable, state.edge] = [edge && byId("view").value !== "whole" ? state.variable : null, edge];
  showTab("edges-panel");
  graph.showSelection();
  if (edge) announce(`edge ${describeEdge(edge)} selected`);
}

/** Observe a state, or remove the observation; impossible evidence is refused. */
function toggleEvidence(v, s) {
  if (!state.tree) {
    selectVariable(v);
    return;
  }
  const before = new Map(state.evidence);
  if (state.evidence.get(v) === s) state.evidence.delete(v);
  else state.evidence.set(v, s);
  if (updateMarginals()) return;
  state.evidence = before;
  const text = `${nameOf(v)} = ${variables[v].states[s]} has probability zero given the other evidence.`;
  byId("evidence").append(make("strong", { class: "warning", role: "alert" }, text));
}

function clearEvidence() {
  state.evidence.clear();
  updateMarginals();
}

/** Compute and show the marginals given the evidence; return false if the evidence is impossible. */
function updateMarginals() {
  const found = computeMarginals(state.tree, state.evidence);
  if (!found) return false;
  state.marginals = found.marginals;
  state.probability = Math.exp(found.logProbability);
  refresh();
  announce(state.evidence.size ? `${formatCount(state.evidence.size, "observation")}; distributions updated` : "no evidence");
  return true;
}

function refresh() {
  graph.showDistributions();
  fillEvidence(byId("evidence"));
  for (const { id } of PANELS) byId(id).refresh?.();
}

/** Build the junction tree, which may take a moment, and show the exact distributions. */
function startInference() {
  if (!variables[0]?.states) state.obstacle = "the network has no probability tables";
  else if (!variables.every((variable) => variable.table)) state.obstacle = "some probability tables are too large for this page";
  else {
    const cards = variables.map((variable) => variable.states.length);
    state.tree = buildJunctionTree(cards, variables.map((variable) => variable.parents), variables.map((variable) => variable.table));
    state.obstacle = "exact computation in the page would need too much memory for this network";
  }
  if (state.tree) updateMarginals();
  else refresh();
}

/** Draw the whole graph or the neighbourhood of the selected variable. */
function drawView() {
  const view = byId("view").value;
  const bars = byId("bars").checked;
  const sizes = (v) => measureBox(v, bars);
  if (view === "whole" && !bars) {
    graph.draw(getWholeLayout(), false);
    return;
  }
  const centre = state.variable ?? state.edge?.child ?? 0;
  const members = view === "whole" ? [...variables.keys()] : listNeighbourhood(centre, NEIGHBOURHOODS[view]);
  graph.draw(computeLayout(members, sizes), bars);
}

function startViews() {
  const views = contents.layout ? [["whole", "whole graph"]] : [];
  for (const view of Object.keys(NEIGHBOURHOODS)) views.push([view, view]);
  byId("view").append(...views.map(([value, text]) => make("option", { value }, text)));
  const change = () => {
    const isLarge = byId("view").value === "whole" && variables.length > MAX_BARS_VARIABLES;
    byId("bars").disabled = isLarge || !variables[0]?.states;
    if (isLarge) byId("bars").checked = false;
    if (byId("view").value !== "whole" && state.variable === null) state.variable = state.edge?.child ?? 0;
    drawView();
    if (state.variable === null) return;
    showTab("variable-panel");
    if (byId("view").value !== "whole") graph.reveal(state.variable);
  };
  byId("view").addEventListener("change", change);
  byId("bars").addEventListener("change", change);
  byId("class").addEventListener("change", () => byId("graph").classList.toggle("class-view", byId("class").checked));
  byId("zoom-in").addEventListener("click", () => graph.viewport.zoom(1.25));
  byId("zoom-out").addEventListener("click", () => graph.viewport.zoom(0.8));
  byId("fit").addEventListener("click", () => graph.viewport.fit());
  change();
}

/** Let the slider hide the edges with the smallest losses. */
function startThreshold() {
  const losses = edges.map((edge) => edge.loss).filter((loss) => loss !== null).sort((a, b) => a - b);
  byId("strength").hidden = losses.length < 2;
  byId("threshold").max = Math.max(0, losses.length - 1);
  const show = () => {
    const rank = Number(byId("threshold").value);
    state.minLoss = rank ? losses[rank] : -Infinity;
    const shown = edges.filter(isShown).length;
    byId("shown").textContent = rank ? `${shown} of ${edges.length}, loss ≥ ${formatNumber(losses[rank])}` : "all";
    byId("threshold").setAttribute("aria-valuetext", byId("shown").textContent);
    graph.showSelection();
  };
  byId("threshold").addEventListener("input", show);
  show();
}

/** Show a panel with its current contents; the focus stays in the details if its element is replaced. */
function showTab(id) {
  const hadFocus = byId("panel").contains(document.activeElement);
  for (const panel of PANELS) {
    const isShown = panel.id === id;
    byId(panel.id).hidden = !isShown;
    byId(`${panel.id}-tab`).setAttribute("aria-selected", isShown);
    byId(`${panel.id}-tab`).tabIndex = isShown ? 0 : -1;
    if (isShown) panel.fill(byId(id));
  }
  if (hadFocus && !byId("panel").contains(document.activeElement)) byId(id).focus({ preventScroll: true });
}

function startTabs() {
  const list = document.querySelector("[role=tablist]");
  for (const { id, title } of PANELS) {
    const attributes = { id: `${id}-tab`, role: "tab", "aria-controls": id };
    list.append(makeButton(title, () => (id === "edges-panel" ? selectEdge(null) : showTab(id)), attributes));
    byId(id).setAttribute("aria-labelledby", `${id}-tab`);
  }
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const place = PANELS.findIndex(({ id }) => byId(`${id}-tab`) === document.activeElement);
    const { id } = PANELS[(place + step + PANELS.length) % PANELS.length];
    showTab(id);
    byId(`${id}-tab`).focus();
  });
}

/** Follow the system's theme until the reader chooses one, which the browser remembers if it can. */
function startTheme() {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const show = () => {
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
    byId("theme").textContent = isDark ? "Light mode" : "Dark mode";
    return isDark;
  };
  try {
    const saved = localStorage.getItem("bnsearch-theme");
    if (saved) root.dataset.theme = saved;
  } catch { /* storage may be disabled */ }
  byId("theme").addEventListener("click", () => {
    root.dataset.theme = show() ? "light" : "dark";
    show();
    try {
      localStorage.setItem("bnsearch-theme", root.dataset.theme);
    } catch { /* storage may be disabled */ }
  });
  system.addEventListener("change", show);
  show();
}

function startKeys() {
  document.addEventListener("keydown", (event) => {
    const isTyping = ["INPUT", "SELECT", "TEXTAREA"].includes(document.activeElement.tagName);
    if (event.key === "/" && !isTyping) {
      event.preventDefault();
      byId("search").focus();
    } else if (event.key === "Escape" && byId("view").value === "whole") {
      selectVariable(null);
    }
  });
  addEventListener("beforeprint", () => {
    PANELS.forEach(({ id, fill }) => fill(byId(id)));
    graph.viewport.startPrint();
  });
  addEventListener("afterprint", () => graph.viewport.endPrint());
  addEventListener("resize", () => graph.viewport.fit());
}

function describeNetwork() {
  const parts = [formatCount(variables.length, "variable"), formatCount(edges.length, "edge")];
  if (contents.run) parts.push(`${contents.score ?? "score"} ${formatNumber(contents.run.score)}`, describeQuality(contents.run));
  return parts.filter(Boolean).join(" · ");
}

document.title = contents.title;
byId("title").textContent = contents.title;
byId("summary").textContent = describeNetwork();
startTheme();
startTabs();
startViews();
startThreshold();
startSearch(byId("search"), byId("results"), selectVariable);
startKeys();
fillEvidence(byId("evidence"));
showTab("variable-panel");
document.documentElement.dataset.drawn = Math.round(performance.now());
requestAnimationFrame(() => setTimeout(() => { // after the first frame, so that the reader sees the graph at once
  startInference();
  document.documentElement.dataset.ready = Math.round(performance.now());
}));
