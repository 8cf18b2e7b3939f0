// Layered layout of a part of the graph, after Sugiyama, Tagawa & Toda (1981). The layout of the whole graph is part of
// the file; this one serves neighbourhoods and boxes with distributions.

const LAYER_GAP = 54;
const NODE_GAP = 22;
const BEND_WIDTH = 16; // horizontal space of an edge that passes a layer
const MIN_WIDTH_LIMIT = 8; // variables that fit into one layer of any graph
const SWEEPS = 24;
const ROUNDS = 30;
const STRAIGHT = 8; // weight of the distance between two bends, relative to boxes: long edges should be straight
const MAX_SHIFT = 9; // horizontal distance of a straightened edge from its bends; less than to the next box
const BISECTIONS = 20;

/** Return the layer of each member, a map: below its parents, and roots directly above their children. */
function assignLevels(members, inner) {
  const levels = new Map();
  const visit = (v) => {
    if (!levels.has(v)) levels.set(v, Math.max(-1, ...inner.above.get(v).map(visit)) + 1);
    return levels.get(v);
  };
  members.forEach(visit);
  for (const v of [...members].sort((a, b) => levels.get(b) - levels.get(a))) {
    const below = inner.below.get(v);
    if (below.length > inner.above.get(v).length) levels.set(v, Math.min(...below.map((u) => levels.get(u))) - 1);
  }
  return levels;
}

/** Divide layers that are too wide, in place; members with more parents than children come first. */
function splitLevels(members, inner, levels) {
  const widest = Math.max(MIN_WIDTH_LIMIT, Math.round(1.2 * Math.sqrt(members.length)));
  const layers = new Map();
  for (const v of members) layers.set(levels.get(v), [...(layers.get(levels.get(v)) ?? []), v]);
  const excess = (v) => inner.below.get(v).length - inner.above.get(v).length;
  let first = 0;
  for (const level of [...layers.keys()].sort((a, b) => a - b)) {
    const layer = layers.get(level).sort((a, b) => excess(a) - excess(b));
    const parts = Math.ceil(layer.length / widest);
    layer.forEach((v, i) => levels.set(v, first + Math.floor((i * parts) / layer.length)));
    first += parts;
  }
}

/** Return nodes in layers: one for each member, and a bend in each layer that an edge passes. */
function makeNodes(members, inside, levels, sizes) {
  const nodes = new Map(members.map((v) => [v, { v, level: levels.get(v), ...sizes(v), up: [], down: [], x: 0 }]));
  const all = [...nodes.values()];
  const paths = inside.map((edge, i) => {
    const path = [nodes.get(edge.parent)];
    for (let level = path[0].level + 1; level < levels.get(edge.child); level++) {
      path.push({ v: null, level, width: BEND_WIDTH, height: 0, up: [], down: [], x: 0, isLeft: i % 2 === 0 });
    }
    all.push(...path.slice(1));
    path.push(nodes.get(edge.child));
    for (let i = 1; i < path.length; i++) {
      path[i - 1].down.push(path[i]);
      path[i].up.push(path[i - 1]);
    }
    return { edge, path };
  });
  return { all, nodes, paths };
}

function sumOf(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function countCrossings(layers) {
  let count = 0;
  for (const layer of layers) {
    const ends = [];
    for (const node of layer) {
      const mine = node.down.map((other) => other.place);
      for (const end of mine) count += ends.filter((earlier) => earlier > end).length;
      ends.push(...mine);
    }
  }
  return count;
}

function setPlaces(layer) {
  layer.forEach((node, i) => (node.place = i));
}

/** Sort the nodes of all layers by the mean place of their neighbours, and keep the order with the fewest crossings. */
function orderLayers(layers) {
  layers.forEach(setPlaces);
  let best = layers.map((layer) => [...layer]);
  let fewest = countCrossings(layers);
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
    const side = sweep % 2 ? "down" : "up";
    for (const layer of sweep % 2 ? [...layers].reverse() : layers) {
      const mean = (node) => (node[side].length ? sumOf(node[side].map((u) => u.place)) / node[side].length : node.place);
      const means = new Map(layer.map((node) => [node, mean(node)]));
      layer.sort((a, b) => means.get(a) - means.get(b));
      setPlaces(layer);
    }
    const count = countCrossings(layers);
    if (count < fewest) [best, fewest] = [layers.map((layer) => [...layer]), count];
  }
  best.forEach(setPlaces);
  return best;
}

/** Return the ascending numbers closest to `wanted` in weighted least squares (pool adjacent violators). */
function fitAscending(wanted, weights) {
  const pools = [];
  wanted.forEach((value, i) => {
    let pool = { mean: value, weight: weights[i], size: 1 };
    while (pools.length && pools.at(-1).mean >= pool.mean) {
      const last = pools.pop();
      const weight = last.weight + pool.weight;
      pool = { mean: (last.mean * last.weight + pool.mean * pool.weight) / weight, weight, size: last.size + pool.size };
    }
    pools.push(pool);
  });
  return pools.flatMap((pool) => new Array(pool.size).fill(pool.mean));
}

/** Move the nodes of a layer towards their neighbours, keeping their order and distances. */
function settleLayer(layer) {
  const offsets = [];
  layer.forEach((node, i) => {
    const gap = i ? (layer[i - 1].width + node.width) / 2 + NODE_GAP : 0;
    offsets.push(i ? offsets[i - 1] + gap : 0);
  });
  const pulls = layer.map((node) => {
    const near = [...node.up, ...node.down].map((other) => [other.x, node.v === null && other.v === null ? STRAIGHT : 1]);
    const weight = sumOf(near.map(([, w]) => w));
    return { weight: weight || 0.1, x: weight ? sumOf(near.map(([x, w]) => x * w)) / weight : node.x };
  });
  const wanted = pulls.map(({ x }, i) => x - offsets[i]);
  fitAscending(wanted, pulls.map(({ weight }) => weight)).forEach((shift, i) => (layer[i].x = shift + offsets[i]));
}

/** Set the vertical centre of each node, and return the height of the drawing. */
function placeLayers(layers) {
  let y = 0;
  for (const layer of layers) {
    const height = Math.max(...layer.map((node) => node.height));
    layer.forEach((node) => Object.assign(node, { y: y + height / 2, top: y, bottom: y + height }));
    y += height + LAYER_GAP;
  }
  return y - LAYER_GAP;
}

/** Return the points of an edge from box to box; the edge passes other layers vertically, or as a part of a long curve. */
function traceRoute(path) {
  const [first, last] = [path[0], path.at(-1)];
  const points = [[findPort(first, path[1], "down"), first.y + first.height / 2]];
  for (const bend of path.slice(1, -1)) points.push([bend.x, bend.top], [bend.x, bend.bottom]);
  points.push([findPort(last, path.at(-2), "up"), last.y - last.height / 2]);
  return straightenRoute(points).flat();
}

/** Return the points of an edge without those that its curve passes closely anyway (Douglas & Peucker 1973). */
function straightenRoute(points) {
  const [[x0, y0], [x1, y1]] = [points[0], points.at(-1)];
  const shifts = points.map(([x, y]) => Math.abs(x - x0 - (x1 - x0) * findCurveShare((y - y0) / (y1 - y0))));
  const farthest = shifts.indexOf(Math.max(...shifts.slice(1, -1)));
  if (farthest < 1 || shifts[farthest] <= MAX_SHIFT) return [points[0], points.at(-1)];
  return [...straightenRoute(points.slice(0, farthest + 1)).slice(0, -1), ...straightenRoute(points.slice(farthest))];
}

/** Return the share of the horizontal way of a piece of `makePath` at a share of its height. */
function findCurveShare(height) {
  let [low, high] = [0, 1];
  for (let i = 0; i < BISECTIONS; i++) {
    const t = (low + high) / 2;
    if (3 * t * (1 - t) * ((1 - t) * BEND + t * (1 - BEND)) + t ** 3 < height) low = t;
    else high = t;
  }
  return 3 * low ** 2 - 2 * low ** 3;
}

/** Return the x coordinate at which an edge meets a box; the edges of a box do not cross there. */
function findPort(node, other, side) {
  const others = [...node[side]].sort((a, b) => a.x - b.x);
  const spread = Math.min(0.8 * node.width, 11 * others.length);
  return node.x + spread * ((others.indexOf(other) + 0.5) / others.length - 0.5);
}

/** Return the layout of some variables: boxes and the routes of their edges; `sizes` gives width and height of a box. */
function computeLayout(members, sizes) {
  const chosen = new Set(members);
  const inside = edges.filter((edge) => chosen.has(edge.parent) && chosen.has(edge.child));
  const inner = { above: new Map(members.map((v) => [v, []])), below: new Map(members.map((v) => [v, []])) };
  for (const edge of inside) {
    inner.above.get(edge.child).push(edge.parent);
    inner.below.get(edge.parent).push(edge.child);
  }
  const levels = assignLevels(members, inner);
  splitLevels(members, inner, levels);
  const { all, nodes, paths } = makeNodes(members, inside, levels, sizes);
  let layers = Array.from({ length: Math.max(...levels.values()) + 1 }, () => []);
  for (const node of all) { // bends begin on both sides of the boxes
    if (node.isLeft) layers[node.level].unshift(node);
    else layers[node.level].push(node);
  }
  layers = orderLayers(layers);
  for (let round = 0; round < ROUNDS; round++) {
    for (const layer of round % 2 ? [...layers].reverse() : layers) settleLayer(layer);
  }
  const height = placeLayers(layers);
  const left = Math.min(...all.map((node) => node.x - node.width / 2));
  all.forEach((node) => (node.x -= left));
  return {
    width: Math.max(...all.map((node) => node.x + node.width / 2)),
    height,
    boxes: members.map((v) => ({ v, x: nodes.get(v).x, y: nodes.get(v).y, ...sizes(v) })),
    routes: paths.map(({ edge, path }) => ({ edge, points: traceRoute(path) })),
  };
}
