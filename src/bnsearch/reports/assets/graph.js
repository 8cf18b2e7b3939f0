// The drawing of the graph.

const MAX_BOX_STATES = 6; // rows of a box with a distribution
const MAX_BARS_VARIABLES = 300; // of a whole graph whose boxes have distributions
const BOX_HEIGHT = contents.layout ? contents.layout.box_height : 28;
const ROW_HEIGHT = 15;
const BARS_WIDTH = 168;
const ARROW_LENGTH = 8;
const BEND = 0.34; // share of the height of a piece of an edge at which its control points are

class Graph {
  /** onVariable, onEdge : called with what the reader selects; onState : called with a variable and its state */
  constructor(svg, { onVariable, onEdge, onState }) {
    this.handlers = { onVariable, onEdge, onState };
    this.svg = svg;
    this.edgeLayer = makeSvg("g", { class: "edges" });
    this.boxLayer = makeSvg("g", { class: "boxes" });
    this.content = makeSvg("g", {}, this.edgeLayer, this.boxLayer);
    svg.append(this.content);
    this.viewport = new Viewport(svg, this.content);
    this.boxes = new Map();
    this.lines = new Map();
    this.withBars = false;
    svg.addEventListener("keydown", (event) => this.onKey(event));
  }

  /** Draw a layout; the view then shows all of it. */
  draw(plan, withBars) {
    this.withBars = withBars;
    this.boxes.clear();
    this.lines.clear();
    this.viewport.size = { width: plan.width, height: plan.height };
    this.viewport.fit();
    const lines = plan.routes.map(({ edge, points }) => this.makeEdge(edge, points));
    const boxes = plan.boxes.map((box) => this.makeBox(box));
    this.showDistributions();
    this.showSelection();
    this.edgeLayer.replaceChildren(...lines); // last, so that the browser computes the positions only once
    this.boxLayer.replaceChildren(...boxes);
  }

  makeEdge(edge, points) {
    const [x, y] = points.slice(-2);
    const path = makePath([...points.slice(0, -1), y - ARROW_LENGTH / 2]);
    const arrow = `M${x - 3.5},${y - ARROW_LENGTH}L${x + 3.5},${y - ARROW_LENGTH}L${x},${y}Z`;
    const group = makeSvg(
      "g",
      { class: `edge ${edge.compelled ? "compelled" : "reversible"}`, onclick: () => this.handlers.onEdge(edge) },
      makeSvg("title", {}, describeEdge(edge)),
      makeSvg("path", { class: "hit", d: path }),
      makeSvg("path", { class: "line", d: path, "stroke-width": computeEdgeWidth(edge) }),
      makeSvg("path", { class: "arrow", d: arrow }),
    );
    this.lines.set(edge, group);
    return group;
  }

  makeBox({ v, x, y, width, height }) {
    const group = makeSvg("g", {
      class: "box",
      transform: `translate(${x - width / 2} ${y - height / 2})`,
      role: "button",
      tabindex: -1,
      "aria-label": describeVariable(v),
      onclick: () => this.handlers.onVariable(v),
    });
    group.append(
      makeSvg("title", {}, nameOf(v)),
      makeSvg("rect", { width, height, rx: 7 }),
      makeSvg("text", { class: "label", x: width / 2, y: 18 }, variables[v].label),
    );
    const fills = this.withBars ? this.addRows(group, v, width) : addStrip(group, v, width, height);
    this.boxes.set(v, { group, fills, x, y, width });
    return group;
  }

  /** Add a row for each state to a box, and return the functions that show probabilities in it. */
  addRows(group, v, width) {
    const states = (variables[v].states ?? []).slice(0, MAX_BOX_STATES);
    return states.map((label, s) => {
      const top = BOX_HEIGHT + s * ROW_HEIGHT;
      const bar = makeSvg("rect", { class: "bar", x: 74, y: top, width: 0, height: ROW_HEIGHT - 4 });
      const percent = makeSvg("text", { class: "percent", x: width - 8, y: top + 9 });
      const row = makeSvg(
        "g",
        { class: "row", onclick: (event) => (event.stopPropagation(), this.handlers.onState(v, s)) },
        makeSvg("title", {}, label),
        makeSvg("rect", { class: "space", x: 4, y: top - 2, width: width - 8, height: ROW_HEIGHT }),
        makeSvg("text", { x: 8, y: top + 9 }, shorten(label, 10)),
        bar,
        percent,
      );
      group.append(row);
      return (probability) => {
        bar.setAttribute("width", probability * (width - 74 - 52));
        percent.textContent = formatPercent(probability);
        row.classList.toggle("observed", state.evidence.get(v) === s);
      };
    });
  }

  /** Show the current marginals in all boxes. */
  showDistributions() {
    for (const [v, { fills, group }] of this.boxes) {
      const marginal = state.marginals[v];
      if (marginal) fills.forEach((fill, s) => fill(marginal[s], marginal, s));
      group.classList.toggle("observed", state.evidence.has(v));
    }
  }

  /** Mark the selection and its neighbours, and hide weak edges. */
  showSelection() {
    const { variable: v, edge: chosen } = state;
    const roles = new Map();
    if (v !== null) {
      listSpouses(v).forEach((u) => roles.set(u, "spouse"));
      listParents(v).forEach((u) => roles.set(u, "parent"));
      listChildren(v).forEach((u) => roles.set(u, "child"));
      roles.set(v, "selected");
    } else if (chosen) {
      roles.set(chosen.parent, "parent").set(chosen.child, "child");
    }
    this.content.classList.toggle("focused", roles.size > 0);
    for (const [u, { group }] of this.boxes) {
      group.classList.remove("selected", "parent", "child", "spouse");
      if (roles.has(u)) group.classList.add(roles.get(u));
      if (u === v) group.setAttribute("aria-current", "true");
      else group.removeAttribute("aria-current");
    }
    for (const [edge, line] of this.lines) {
      line.classList.toggle("chosen", edge === chosen || (v !== null && (edge.parent === v || edge.child === v)));
      line.classList.toggle("weak", !isShown(edge));
    }
    this.setTabStop(v ?? chosen?.child ?? this.boxes.keys().next().value);
  }

  /** Let the tab key reach one box only; the arrow keys reach the others. */
  setTabStop(v) {
    this.tabStop?.setAttribute("tabindex", -1);
    this.tabStop = this.boxes.get(v)?.group;
    this.tabStop?.setAttribute("tabindex", 0);
  }

  reveal(v) {
    const box = this.boxes.get(v);
    if (box) this.viewport.reveal(box.x, box.y);
  }

  onKey(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const actions = { "+": () => this.viewport.zoom(1.25), "=": () => this.viewport.zoom(1.25) };
    Object.assign(actions, { "-": () => this.viewport.zoom(0.8), 0: () => this.viewport.fit() });
    if (event.key in steps) this.moveFocus(...steps[event.key]);
    else if (event.key === "Enter" || event.key === " ") document.activeElement.dispatchEvent(new Event("click"));
    else if (event.key in actions) actions[event.key]();
    else return;
    event.preventDefault();
  }

  /** Select the nearest box in a direction, and give it the focus. */
  moveFocus(dx, dy) {
    const start = [...this.boxes].find(([, box]) => box.group === this.tabStop)?.[1];
    if (!start) return;
    let best = null;
    for (const [v, box] of this.boxes) {
      const [across, down] = [box.x - start.x, box.y - start.y];
      const along = across * dx + down * dy;
      const cost = along + 3 * Math.abs(across * dy + down * dx);
      if (along > 1 && (!best || cost < best.cost)) best = { v, cost };
    }
    if (!best) return;
    this.handlers.onVariable(best.v);
    this.boxes.get(best.v).group.focus({ preventScroll: true });
  }
}

/** Add a strip with the probabilities of all states to a box, and return the functions that show them. */
function addStrip(group, v, width, height) {
  return (variables[v].states ?? []).map((_, s) => {
    const part = makeSvg("rect", { class: `strip shade${s % 4}`, y: height - 6, height: 4 });
    group.append(part);
    return (probability, marginal) => {
      const before = sumOf(marginal.slice(0, s));
      part.setAttribute("x", 6 + before * (width - 12));
      part.setAttribute("width", probability * (width - 12));
    };
  });
}

/** Return the curve through the points x0, y0, x1, y1, ...; each piece starts and ends vertically. */
function makePath(points) {
  let path = `M${points[0]},${points[1]}`;
  for (let i = 2; i < points.length; i += 2) {
    const [x0, y0, x1, y1] = points.slice(i - 2, i + 2);
    const bend = BEND * (y1 - y0);
    path += `C${x0},${y0 + bend} ${x1},${y1 - bend} ${x1},${y1}`;
  }
  return path;
}

function computeEdgeWidth(edge) {
  if (edge.loss === null) return 1.4;
  return (1 + Math.min(2, Math.log10(1 + Math.max(0, edge.loss)) / 1.5)).toFixed(2);
}

function describeEdge(edge) {
  return `${nameOf(edge.parent)} → ${nameOf(edge.child)} (${describeDirection(edge)})`;
}

function describeVariable(v) {
  const children = listChildren(v).length;
  return `${nameOf(v)}, ${formatCount(listParents(v).length, "parent")}, ${children} ${children === 1 ? "child" : "children"}`;
}

/** Return the layout that is part of the file, as boxes and routes. */
function getWholeLayout() {
  const { width, height, boxes, routes } = contents.layout;
  return {
    width,
    height,
    boxes: boxes.map(([x, y, boxWidth], v) => ({ v, x, y, width: boxWidth, height: BOX_HEIGHT })),
    routes: routes.map((points, i) => ({ edge: edges[i], points })),
  };
}

/** Return the size of a box whose layout is computed in the page. */
function measureBox(v, withBars) {
  const textWidth = Math.max(30, 7.6 * [...variables[v].label].length + 22);
  const width = contents.layout ? contents.layout.boxes[v][2] : textWidth;
  if (!withBars) return { width, height: BOX_HEIGHT };
  const rows = Math.min(MAX_BOX_STATES, (variables[v].states ?? []).length);
  return { width: Math.max(BARS_WIDTH, width), height: BOX_HEIGHT + rows * ROW_HEIGHT + 2 };
}
