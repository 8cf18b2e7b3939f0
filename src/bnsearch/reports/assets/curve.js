// The anytime curve: the best score over time.

const CURVE = { width: 420, height: 220, left: 84, right: 12, top: 12, bottom: 34 };

/** Return up to six round numbers between two numbers. */
function listTicks(low, high) {
  const step = 10 ** Math.floor(Math.log10((high - low) / 4 || 1));
  const factor = [1, 2, 5, 10].find((f) => (high - low) / (f * step) <= 5) ?? 10;
  const ticks = [];
  for (let i = Math.ceil(low / (factor * step)); i * factor * step <= high; i++) ticks.push(i * factor * step);
  return ticks;
}

/** Return functions that map seconds and scores to the drawing. */
function makeScales(points, bound) {
  const scores = points.map(([, score]) => score);
  const low = Math.min(...scores);
  const high = Math.max(...scores);
  const reach = high - low || Math.abs(high) * 1e-6 || 1;
  const showsBound = bound !== null && bound - high <= 2 * reach;
  const top = (showsBound ? Math.max(bound, high) : high) + 0.05 * reach;
  const end = Math.max(...points.map(([seconds]) => seconds)) || 1;
  const { width, height, left, right, bottom } = CURVE;
  return {
    x: (seconds) => left + (seconds / end) * (width - left - right),
    y: (score) => CURVE.top + ((top - score) / (top - low + 0.05 * reach)) * (height - CURVE.top - bottom),
    low: low - 0.05 * reach,
    top,
    end,
    showsBound,
  };
}

/** Return the drawing of the anytime curve of a run. */
function makeCurve(run) {
  const points = run.curve;
  const scales = makeScales(points, run.bound);
  const { width, height, left, right, bottom } = CURVE;
  const floor = height - bottom;
  let path = `M${scales.x(points[0][0])},${scales.y(points[0][1])}`;
  for (const [seconds, score] of points.slice(1)) path += `H${scales.x(seconds)}V${scales.y(score)}`;
  const label = `Best score over time: ${formatNumber(points[0][1])} after ${formatNumber(points[0][0])} s, ${formatNumber(points.at(-1)[1])} after ${formatNumber(points.at(-1)[0])} s`;
  const svg = makeSvg("svg", { class: "curve", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  for (const tick of listTicks(scales.low, scales.top)) {
    const y = scales.y(tick);
    svg.append(makeSvg("path", { class: "tick", d: `M${left},${y}H${width - right}` }));
    svg.append(makeSvg("text", { x: left - 6, y: y + 4, class: "end" }, tick.toLocaleString("en", { maximumFractionDigits: 4 })));
  }
  for (const tick of listTicks(0, scales.end)) {
    svg.append(makeSvg("text", { x: scales.x(tick), y: floor + 16, class: "middle" }, `${formatNumber(tick)} s`));
  }
  svg.append(makeSvg("path", { class: "frame", d: `M${left},${CURVE.top}V${floor}H${width - right}` }));
  if (scales.showsBound) {
    svg.append(makeSvg("path", { class: "bound", d: `M${left},${scales.y(run.bound)}H${width - right}` }));
  }
  svg.append(makeSvg("path", { class: "score", d: path }));
  const last = points.at(-1);
  svg.append(makeSvg("circle", { class: "score-end", cx: scales.x(last[0]), cy: scales.y(last[1]), r: 3.5 }));
  const note = scales.showsBound ? "Best score over time (line) and upper bound (dashed)." : "Best score over time.";
  return make("figure", {}, svg, make("figcaption", { class: "muted" }, note));
}
