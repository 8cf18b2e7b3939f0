// The network of the page, and the selection and the evidence of the reader.

const contents = JSON.parse(byId("contents").textContent);
const variables = contents.variables; // name, label, parents; states, distribution and table if known
// `compelled` is what compels the direction of an edge: the class, the knowledge, or nothing (an empty text).
const edges = contents.edges.map(([parent, child, compelled, loss], index) => ({ index, parent, child, compelled, loss }));
const childEdges = variables.map(() => []);
const parentEdges = variables.map(() => []);
for (const edge of edges) {
  childEdges[edge.parent].push(edge);
  parentEdges[edge.child].push(edge);
}

const state = {
  variable: null, // index of the selected variable
  edge: null, // the selected edge
  evidence: new Map(), // state of each observed variable
  marginals: variables.map((variable) => variable.distribution ?? null),
  tree: null, // junction tree
  obstacle: "", // why there is no junction tree
  probability: 1, // of the evidence
  minLoss: -Infinity, // edges with a smaller loss are hidden
};

function nameOf(v) {
  return variables[v].name;
}

/** Return whether an edge can be reversed, in a few words. */
function describeDirection(edge) {
  if (!edge.compelled) return "reversible";
  return edge.compelled === "knowledge" ? "compelled by the knowledge" : "compelled";
}

function listParents(v) {
  return variables[v].parents;
}

function listChildren(v) {
  return childEdges[v].map((edge) => edge.child);
}

/** Return the parents, the children and the other parents of the children of a variable. */
function listBlanket(v) {
  const found = new Set([...listParents(v), ...listChildren(v)]);
  for (const child of listChildren(v)) listParents(child).forEach((parent) => found.add(parent));
  found.delete(v);
  return [...found].sort((a, b) => a - b);
}

/** Return the other parents of the children of a variable. */
function listSpouses(v) {
  const near = new Set([...listParents(v), ...listChildren(v)]);
  return listBlanket(v).filter((other) => !near.has(other));
}

/** Return the variables within a number of edges of a variable. */
function listNeighbourhood(v, depth) {
  const found = new Set([v]);
  let border = [v];
  for (let step = 0; step < depth; step++) {
    const next = [];
    for (const u of border) {
      for (const other of [...listParents(u), ...listChildren(u)]) {
        if (!found.has(other)) {
          found.add(other);
          next.push(other);
        }
      }
    }
    border = next;
  }
  return [...found].sort((a, b) => a - b);
}

function isShown(edge) {
  return edge.loss === null || edge.loss >= state.minLoss;
}
