// Details of the selected variable.

const MAX_TABLE_ROWS = 100;
const MANY_VARIABLES = 150; // from here on, the labels of the whole graph are too small to read

/** Return links to variables. */
function makeLinks(members) {
  if (!members.length) return make("span", { class: "muted" }, "none");
  const links = members.map((v) => makeButton(makeName(nameOf(v)), () => selectVariable(v), { class: "link" }));
  return make("span", { class: "links" }, links);
}

/** Return the state of each parent in a row of a probability table; the last parent varies fastest. */
function decodeRow(row, cards) {
  const found = [];
  for (const card of [...cards].reverse()) {
    found.unshift(row % card);
    row = Math.floor(row / card);
  }
  return found;
}

/** Return the rows of the table of a variable that agree with the evidence on its parents. */
function listTableRows(v) {
  const parents = listParents(v);
  const cards = parents.map((p) => variables[p].states.length);
  const size = variables[v].table.length / variables[v].states.length;
  const rows = [];
  for (let row = 0; row < size; row++) {
    const configuration = decodeRow(row, cards);
    const agrees = configuration.every((s, i) => (state.evidence.get(parents[i]) ?? s) === s);
    if (agrees) rows.push({ row, configuration });
  }
  return { rows, size };
}

/** Return the probability table of a variable. */
function makeProbabilityTable(v) {
  const { states, table } = variables[v];
  if (!table) return make("p", { class: "muted" }, "The probability table is not part of this page.");
  const parents = listParents(v);
  const { rows, size } = listTableRows(v);
  const head = [...parents, v].map(nameOf);
  const lines = rows.slice(0, MAX_TABLE_ROWS).map(({ row, configuration }) => {
    const given = configuration.map((s, i) => make("th", { scope: "row" }, makeName(variables[parents[i]].states[s])));
    return make("tr", {}, given, states.map((_, s) => makeCell(table[row * states.length + s])));
  });
  const headings = [
    ...parents.map((p) => make("th", { scope: "col" }, makeName(nameOf(p)))),
    ...states.map((label) => make("th", { scope: "col", class: "number" }, makeName(label))),
  ];
  const caption = rows.length > MAX_TABLE_ROWS ? `${MAX_TABLE_ROWS} of ${rows.length.toLocaleString("en")} rows.` : "";
  const filtered = rows.length < size ? " Rows that disagree with the evidence are not shown." : "";
  return make(
    "div",
    {},
    make(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": `Probability table: ${head.join(", ")}` },
      make("table", { class: "grid" }, make("thead", {}, make("tr", {}, headings)), make("tbody", {}, lines)),
    ),
    make("p", { class: "muted" }, caption + filtered),
  );
}

function makeCell(probability) {
  const cell = make("td", { class: "number" }, formatPercent(probability));
  cell.style.setProperty("--share", `${Math.round(60 * probability)}%`);
  return cell;
}

/** Return a table of edges, each with what the score loses without it. */
function makeEdgeList(list) {
  if (!list.length) return make("p", { class: "muted" }, "No edges.");
  const rows = list.map((edge) => [
    makeButton([makeName(nameOf(edge.parent)), " → ", makeName(nameOf(edge.child))], () => selectEdge(edge), {
      class: "link",
    }),
    describeDirection(edge),
    edge.loss === null ? "" : formatNumber(edge.loss),
  ]);
  return makeTable(["edge", "direction", contents.score ? `loss of ${contents.score}` : ""], rows, { class: "grid" });
}

function fillVariablePanel(panel) {
  const v = state.variable;
  if (v === null) {
    fillOverview(panel);
    return;
  }
  const bars = variables[v].states ? makeBars(v) : make("p", { class: "muted" }, "The states are not known.");
  const source = make("p", { class: "muted" }, variables[v].states ? describeSource() : "");
  const table = make("div", {}, variables[v].states ? makeProbabilityTable(v) : "");
  const relatives = [
    ["parents", makeLinks(listParents(v))],
    ["children", makeLinks(listChildren(v))],
    ["Markov blanket", makeLinks(listBlanket(v))],
  ];
  panel.replaceChildren(
    make("h2", {}, makeName(nameOf(v))),
    makeFacts(relatives),
    make("h3", {}, "Distribution"),
    bars,
    source,
    make("h3", {}, listParents(v).length ? "Probabilities given the parents" : "Probabilities"),
    table,
    make("h3", {}, "Edges"),
    makeEdgeList([...parentEdges[v], ...childEdges[v]]),
  );
  panel.refresh = () => {
    bars.refresh?.();
    if (!variables[v].states) return;
    source.textContent = describeSource();
    table.replaceChildren(makeProbabilityTable(v));
  };
}

/** Describe the network while no variable is selected. */
function fillOverview(panel) {
  const degrees = [...variables.keys()].sort((a, b) => listBlanket(b).length - listBlanket(a).length);
  const reversible = edges.filter((edge) => !edge.compelled).length;
  panel.replaceChildren(
    make("h2", {}, "Network"),
    make("p", { class: "hint" }, "Select a variable in the graph, or search for it, to see its states, probabilities and neighbours."),
    variables.length > MANY_VARIABLES ? make("p", { class: "notice hint" }, "In a large graph, search for a variable and choose the view of its neighbours.") : "",
    makeFacts([
      ["variables", variables.length.toLocaleString("en")],
      ["edges", `${edges.length.toLocaleString("en")}, ${reversible.toLocaleString("en")} of them reversible`],
      ["rows of the data", contents.rows === null ? null : contents.rows.toLocaleString("en")],
      ["largest Markov blankets", makeLinks(degrees.slice(0, 8))],
    ]),
    ...contents.notes.map((note) => make("p", { class: "notice" }, note)),
    make("p", { class: "muted hint" }, "Keys: / finds a variable, arrows move in the graph, + and − zoom, 0 fits, Escape clears the selection."),
  );
  panel.refresh = () => {};
}
