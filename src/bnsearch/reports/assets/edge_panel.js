// Explanation of the selected edge, and the list of all edges.

const MAX_EDGES = 500;
const UNKNOWN_LOSS = "The loss of score without an edge is not known: it needs the data and the score.";

/** Return sentences about the direction of an edge. */
function explainDirection(edge) {
  if (edge.compelled === "knowledge") {
    return "Compelled by the knowledge: the data cannot tell this direction from the other one, but the background knowledge allows only this one.";
  }
  return edge.compelled
    ? "Compelled: all networks of the equivalence class have this edge in this direction. This does not prove that the parent is a cause."
    : "Reversible: another network of the equivalence class has this edge in the other direction. The data cannot tell the two apart.";
}

/** Return a sentence about the loss as a ratio of probabilities, for the scores that approximate one. */
function explainFactor(loss) {
  const kinds = { BIC: "about a Bayes factor of", BDeu: "a Bayes factor of", K2: "a Bayes factor of" };
  if (!Object.hasOwn(kinds, contents.score) || loss <= 0) return "";
  const digits = loss / Math.LN10;
  const factor = digits > 6 ? `10^${formatNumber(Math.round(digits))}` : formatNumber(Number(Math.exp(loss).toPrecision(2)));
  return ` This is ${kinds[contents.score]} ${factor} in favour of the edge.`;
}

/** Return sentences about the loss of score without an edge. */
function explainLoss(edge) {
  if (edge.loss === null) return UNKNOWN_LOSS;
  const others = listParents(edge.child).length - 1;
  const rest = others ? `its other ${formatCount(others, "parent")}` : "no parents";
  const change = `${formatNumber(Math.abs(edge.loss))} ${edge.loss >= 0 ? "lower" : "higher"}`;
  return (
    `Without this edge, the ${contents.score} score of the network is ${change}. ` +
    `This is the change of the local score of the child, which then has ${rest}.${explainFactor(edge.loss)}`
  );
}

function fillEdge(panel, edge) {
  panel.replaceChildren(
    make("h2", {}, makeName(nameOf(edge.parent)), " → ", makeName(nameOf(edge.child))),
    make("p", {}, explainLoss(edge)),
    make("p", {}, explainDirection(edge)),
    makeFacts([
      ["parent", makeLinks([edge.parent])],
      ["child", makeLinks([edge.child])],
      ["other parents of the child", makeLinks(listParents(edge.child).filter((p) => p !== edge.parent))],
    ]),
    makeButton("All edges", () => selectEdge(null)),
  );
}

/** Show the selected edge, or all edges, the strongest first. */
function fillEdgesPanel(panel) {
  if (state.edge) {
    fillEdge(panel, state.edge);
    return;
  }
  const sorted = [...edges].sort((a, b) => (b.loss ?? 0) - (a.loss ?? 0) || a.index - b.index);
  const explanation = contents.score
    ? `The loss is the decrease of the ${contents.score} score of the network if only this edge is removed.`
    : UNKNOWN_LOSS;
  const cut = sorted.length > MAX_EDGES ? ` ${MAX_EDGES} of ${formatCount(sorted.length, "edge")} are listed.` : "";
  panel.replaceChildren(
    make("h2", {}, "Edges"),
    make("p", { class: "muted" }, explanation + cut),
    makeEdgeList(sorted.slice(0, MAX_EDGES)),
  );
}
