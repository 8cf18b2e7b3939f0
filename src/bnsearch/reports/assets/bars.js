// Distributions as bars. A click on a state observes it, and a second click removes the observation.

/** Return the bars of a variable, one button for each state; `refresh` of the element shows the current marginals. */
function makeBars(v) {
  const states = variables[v].states ?? [];
  const rows = states.map((label, s) => {
    const bar = make("span", { class: "bar" });
    const percent = make("span", { class: "percent" });
    const row = make(
      "button",
      { type: "button", class: "state", onclick: () => toggleEvidence(v, s) },
      makeName(label),
      make("span", { class: "track", "aria-hidden": "true" }, bar),
      percent,
    );
    return { row, bar, percent };
  });
  const list = make("div", { class: "bars", role: "group", "aria-label": `Distribution of ${nameOf(v)}` });
  list.append(...rows.map(({ row }) => row));
  list.refresh = () => {
    rows.forEach(({ row, bar, percent }, s) => {
      const probability = state.marginals[v]?.[s] ?? 0;
      bar.style.width = `${100 * probability}%`;
      percent.textContent = formatPercent(probability);
      row.dataset.probability = probability;
      row.setAttribute("aria-pressed", state.evidence.get(v) === s);
      row.disabled = !state.tree;
    });
  };
  list.refresh();
  return list;
}

/** Return a sentence about the source of the distributions. */
function describeSource() {
  const known = state.evidence.size ? " given the evidence" : "";
  if (state.tree) return `Exact probabilities of the network${known}.`;
  if (!variables[0]?.states) return `Evidence cannot be set: ${state.obstacle}.`;
  const rows = contents.distributions === "data" ? `the ${formatCount(contents.rows, "row")} of the data` : "10,000 rows sampled from the network";
  return `Frequencies in ${rows}. Evidence cannot be set: ${state.obstacle}.`;
}

const MAX_LISTED = 200; // variables in the list of distributions

/** Show the distributions of all variables, or of those whose names contain a text. */
function fillBarsPanel(panel) {
  const filter = make("input", { type: "search", "aria-label": "Filter the variables", placeholder: "Filter" });
  const note = make("p", { class: "muted" });
  const list = make("div", { class: "all-bars" });
  let shown = [];
  const rebuild = () => {
    const text = filter.value.toLowerCase();
    const matching = [...variables.keys()].filter((v) => variables[v].states && nameOf(v).toLowerCase().includes(text));
    shown = matching.slice(0, MAX_LISTED).map((v) => {
      const bars = makeBars(v);
      const title = makeButton(makeName(nameOf(v)), () => selectVariable(v), { class: "link" });
      return { bars, card: make("article", {}, make("h3", {}, title), bars) };
    });
    list.replaceChildren(...shown.map(({ card }) => card));
    const more = matching.length > MAX_LISTED ? ` ${MAX_LISTED} of ${formatCount(matching.length, "variable")} are listed.` : "";
    note.textContent = describeSource() + more;
  };
  filter.addEventListener("input", rebuild);
  panel.replaceChildren(make("h2", {}, "Distributions"), note, filter, list);
  panel.refresh = () => {
    note.textContent = describeSource();
    shown.forEach(({ bars }) => bars.refresh());
  };
  rebuild();
}

/** Show the evidence above the graph, each observation with a button that removes it. */
function fillEvidence(container) {
  if (container.contains(document.activeElement)) container.focus(); // the button that has the focus is replaced
  if (!state.evidence.size) {
    const hint = state.tree ? "Evidence: select a variable and click on one of its states. All distributions are updated." : "";
    container.replaceChildren(make("span", { class: "muted hint" }, hint));
    return;
  }
  const chips = [...state.evidence].map(([v, s]) =>
    makeButton([makeName(nameOf(v), 24), " = ", makeName(variables[v].states[s], 24), " ×"], () => toggleEvidence(v, s), {
      class: "chip",
      "aria-label": `Remove the observation ${nameOf(v)} = ${variables[v].states[s]}`,
    }),
  );
  const probability = make("span", { class: "muted" }, `probability of the evidence ${state.probability.toPrecision(3)}`);
  container.replaceChildren("Evidence: ", ...chips, makeButton("Clear", clearEvidence, { id: "clear" }), probability);
}
