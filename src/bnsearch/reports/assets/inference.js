// Exact marginals by message passing in a junction tree. Each variable has the clique of its elimination, and the cliques
// form a tree: the parent of a clique is that of the next variable of its separator that is eliminated.

const MAX_CELLS = 4e6; // of all cliques together: a browser then needs less than a second for all marginals

function multiplyCards(cards, members) {
  return members.reduce((product, v) => product * cards[v], 1);
}

/** Return the neighbours of each variable in the moral graph. */
function moralise(parents) {
  const neighbours = parents.map(() => new Set());
  parents.forEach((its, v) => connect(neighbours, [...its, v]));
  return neighbours;
}

function connect(neighbours, members) {
  for (const a of members) for (const b of members) if (a !== b) neighbours[a].add(b);
}

function countMissingEdges(neighbours, v) {
  const members = [...neighbours[v]];
  let count = 0;
  for (let i = 0; i < members.length; i++) {
    for (let j = 0; j < i; j++) if (!neighbours[members[i]].has(members[j])) count++;
  }
  return count;
}

/**
 * Eliminate all variables, the one of least cost first. Return the variable and the separator of each clique in this
 * order, or null if the cliques have more than `limit` cells.
 */
function eliminate(cards, parents, computeCost, limit) {
  const neighbours = moralise(parents);
  const costs = cards.map((_, v) => computeCost(neighbours, v));
  const left = new Set(cards.keys());
  const cliques = [];
  let cells = 0;
  while (left.size) {
    let best = -1;
    for (const v of left) if (best < 0 || costs[v] < costs[best]) best = v;
    const separator = [...neighbours[best]];
    cells += multiplyCards(cards, separator) * cards[best];
    if (cells > limit) return null;
    cliques.push({ variable: best, separator });
    connect(neighbours, separator);
    left.delete(best);
    const changed = new Set(separator);
    for (const v of separator) {
      neighbours[v].delete(best);
      neighbours[v].forEach((u) => changed.add(u));
    }
    for (const v of changed) costs[v] = computeCost(neighbours, v);
  }
  return { cliques, cells };
}

/** Return the better elimination of two rules: few new edges, or few cells. */
function chooseElimination(cards, parents, limit) {
  const byEdges = eliminate(cards, parents, countMissingEdges, limit);
  const countCells = (neighbours, v) => multiplyCards(cards, [...neighbours[v]]);
  return eliminate(cards, parents, countCells, byEdges ? byEdges.cells : limit) ?? byEdges;
}

/** Return for each cell of a table of `members` the cell of a table of `target` with the same states. */
function mapCells(cards, members, target) {
  const map = new Int32Array(multiplyCards(cards, members));
  let filled = 1;
  for (const v of [...members].reverse()) {
    const place = target.indexOf(v);
    const stride = place < 0 ? 0 : multiplyCards(cards, target.slice(place + 1));
    for (let s = 1; s < cards[v]; s++) {
      for (let i = 0; i < filled; i++) map[s * filled + i] = map[i] + s * stride;
    }
    filled *= cards[v];
  }
  return map;
}

/** Return the junction tree of a network; null if it has more than `limit` cells. */
function buildJunctionTree(cards, parents, tables, limit = MAX_CELLS) {
  const found = chooseElimination(cards, parents, limit);
  if (!found) return null;
  const position = new Int32Array(cards.length);
  found.cliques.forEach((clique, i) => (position[clique.variable] = i));
  const later = (a, b) => position[b] - position[a];
  const cliques = found.cliques.map(({ variable, separator }) => {
    separator.sort(later); // the own variable is eliminated first, so it is last in the clique
    const members = [...separator, variable];
    const parent = separator.length ? position[separator.at(-1)] : -1;
    return { variable, separator, members, parent, base: new Float64Array(multiplyCards(cards, members)).fill(1) };
  });
  for (const clique of cliques) {
    if (clique.parent >= 0) clique.map = mapCells(cards, cliques[clique.parent].members, clique.separator);
  }
  parents.forEach((its, v) => {
    const family = [...its, v];
    const clique = cliques[Math.min(...family.map((u) => position[u]))];
    const map = mapCells(cards, clique.members, family);
    for (let i = 0; i < map.length; i++) clique.base[i] *= tables[v][map[i]];
  });
  return { cards, cliques, cells: found.cells };
}

/** Divide numbers by their sum, in place, and return the sum. */
function normalise(numbers) {
  let sum = 0;
  for (const number of numbers) sum += number;
  if (sum > 0) for (let i = 0; i < numbers.length; i++) numbers[i] /= sum;
  return sum;
}

/** Return the message of a clique to its parent: its potential, summed over its own variable. */
function sumOut(potential, card) {
  const message = new Float64Array(potential.length / card);
  for (let i = 0, k = 0; i < message.length; i++) {
    let sum = 0;
    for (let s = 0; s < card; s++) sum += potential[k++];
    message[i] = sum;
  }
  return message;
}

/** Multiply messages into the potentials from the leaves to the roots; return them, null if the evidence is impossible. */
function collect(tree, evidence, potentials) {
  const messages = [];
  let logProbability = 0;
  for (const [i, clique] of tree.cliques.entries()) {
    const card = tree.cards[clique.variable];
    const seen = evidence.get(clique.variable);
    if (seen !== undefined) {
      for (let k = 0; k < potentials[i].length; k++) if (k % card !== seen) potentials[i][k] = 0;
    }
    const message = sumOut(potentials[i], card);
    const sum = normalise(message);
    if (!(sum > 0)) return null;
    logProbability += Math.log(sum);
    messages.push(message);
    if (clique.parent >= 0) {
      const above = potentials[clique.parent];
      for (let k = 0; k < above.length; k++) above[k] *= message[clique.map[k]];
    }
  }
  return { messages, logProbability };
}

/** Multiply the message of the parent clique into a potential, divided by the message that went up. */
function distribute(clique, above, sent, potential, card) {
  const message = new Float64Array(sent.length);
  for (let k = 0; k < above.length; k++) message[clique.map[k]] += above[k];
  normalise(message);
  for (let i = 0, k = 0; i < message.length; i++) {
    const factor = sent[i] > 0 ? message[i] / sent[i] : 0;
    for (let s = 0; s < card; s++) potential[k++] *= factor;
  }
}

/** Return the marginal of each variable and the probability of the evidence; null if the evidence is impossible. */
function computeMarginals(tree, evidence) {
  const potentials = tree.cliques.map((clique) => clique.base.slice());
  const collected = collect(tree, evidence, potentials);
  if (!collected) return null;
  const marginals = new Array(tree.cards.length);
  for (let i = tree.cliques.length - 1; i >= 0; i--) {
    const clique = tree.cliques[i];
    const card = tree.cards[clique.variable];
    if (clique.parent >= 0) {
      distribute(clique, potentials[clique.parent], collected.messages[i], potentials[i], card);
    }
    const marginal = new Array(card).fill(0);
    for (let k = 0; k < potentials[i].length; k++) marginal[k % card] += potentials[i][k];
    normalise(marginal);
    marginals[clique.variable] = marginal;
  }
  return { marginals, logProbability: collected.logProbability };
}
