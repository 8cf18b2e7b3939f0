// The run that found the network, and how to repeat it.

/** Return the optimality or the gap, with the networks to which it refers; null if no bound is known. */
function describeQuality(run) {
  return run.optimal ? `proven ${run.quality}` : run.quality;
}

function makeCommand(text) {
  const code = make("code", {}, text);
  const button = makeButton("Copy", () => {
    navigator.clipboard?.writeText(text).then(
      () => announce("Copied."),
      () => announce("The browser does not permit copying."),
    );
  });
  return make("div", { class: "command" }, make("pre", { tabindex: 0 }, code), button);
}

function makeRunFacts(run) {
  return makeFacts([
    ["score", formatNumber(run.score, 6)],
    ["quality", describeQuality(run)],
    ["upper bound", run.bound === null ? null : formatNumber(run.bound, 6)],
    ["scope of the bound", run.bound === null ? null : run.scope],
    ["score without edges", run.empty_score === null ? null : formatNumber(run.empty_score, 6)],
    ["networks near the optimum", run.near_optimal],
    ["stopped by", run.stop],
    ["elapsed time", `${formatNumber(run.seconds)} s`],
    ["iterations", run.iterations.toLocaleString("en")],
    ["evaluations", run.evaluations.toLocaleString("en")],
  ]);
}

function makeSettingFacts(run) {
  const parameters = Object.entries(run.parameters).map(([name, value]) => `${name} = ${value}`);
  const budget = Object.entries(run.budget ?? {}).map(([name, value]) => [name, value === null ? null : String(value)]);
  return makeFacts([["method", run.method], ["parameters", parameters.join(", ")], ["seed", String(run.seed)], ...budget]);
}

function fillRunPanel(panel) {
  const run = contents.run;
  const parts = [make("h2", {}, "Run")];
  if (run) {
    parts.push(makeRunFacts(run));
    if (run.curve.length > 1) parts.push(make("h3", {}, "Score over time"), makeCurve(run));
    parts.push(make("h3", {}, "Method and budget"), makeSettingFacts(run));
    if (run.notes.length) {
      parts.push(make("h3", {}, "Notes"), make("ul", {}, run.notes.map((note) => make("li", {}, note))));
    }
    parts.push(make("h3", {}, "Repeat this run"));
    if (run.command) parts.push(makeCommand(run.command));
  } else {
    parts.push(make("p", { class: "muted" }, "The page was made from a network, not from a run."));
  }
  parts.push(make("h3", {}, "Versions"), makeFacts(Object.entries(contents.versions)));
  panel.replaceChildren(...parts);
}
