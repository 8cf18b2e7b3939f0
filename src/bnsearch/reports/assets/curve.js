// The anytime curve: the best score over time.

const CURVE = { width: 420, height: 220, left: 84, right: 12, top: 12, bottom: 34 };
// The first improvements are so large that they would hide all others: those of the first fifth of the time are not drawn
// until 95 % of the whole improvement is reached.
const START = { time: 0.2, gain: 0.95 };

/** Return up to six round numbers between two numbers. */
function listTicks(low, high) {
  const step = 10 ** Math.floor(Math.log10((high - low) / 4 || 1));
  const factor = [1, 2, 5, 10].find((f) => (high - low) / (f * step) <= 5) ?? 10;
  const ticks = [];
  for (let i = Math.ceil(low / (factor * step)); i * factor * step <= high; i++) ticks.push(i * factor * step);
  return ticks;
}

/** Return the points of a curve without the large improvements of the start. */
function skipStart(points, end) {
  const [low, high] = [points[0][1], points.at(-1)[1]];
  const isEarly = ([seconds, score]) => seconds <= START.time * end && score - low < START.gain * (high - low);
  return points.slice(points.findLastIndex(isEarly) + 1);
}

/** Return functions that map seconds and scores to the drawing. */
function makeScales(points, bound, end) {
  const scores = points.map(([, score]) => score);
  const low = Math.min(...scores);
  const high = Math.max(...scores);
  const reach = high - low || Math.abs(high) * 1e-6 || 1;
  const showsBound = bound !== null && bound - high <= 2 * reach;
  const top = (showsBound ? Math.max(bound, high) : high) + 0.05 * reach;
  const { width, height, left, right, bottom } = CURVE;
  return {
    x: (seconds) => left + (seconds / end) * (width - left - right),
    y: (score) => CURVE.top + ((top - score) / (top - low + 0.05 * reach)) * (height - CURVE.top - bottom),
    low: low - 0.05 * reach,
    top,
    showsBound,
  };
}

/** Return the drawing of the anytime curve of a run. */
function makeCurve(run) {
  const end = Math.max(run.seconds, run.curve.at(-1)[0]) || 1;
  const points = skipStart(run.curve, end);
  const scales = makeScales(points, run.bound, end);
  const { width, height, left, right, bottom } = CURVE;
  const floor = height - bottom;
  let path = `M${scales.x(points[0][0])},${scales.y(points[0][1])}`;
  for (const [seconds, score] of points.slice(1)) path += `H${scales.x(seconds)}V${scales.y(score)}`;
  path += `H${scales.x(end)}`;
  const steps = [run.curve[0], run.curve.at(-1)].map(([seconds, score]) => `${formatNumber(score)} after ${formatNumber(seconds)} s`);
  const label = `Best score over time: ${steps.join(", ")}`;
  const svg = makeSvg("svg", { class: "curve", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  for (const tick of listTicks(scales.low, scales.top)) {
    const y = scales.y(tick);
    svg.append(makeSvg("path", { class: "tick", d: `M${left},${y}H${width - right}` }));
    svg.append(makeSvg("text", { x: left - 6, y: y + 4, class: "end" }, tick.toLocaleString("en", { maximumFractionDigits: 4 })));
  }
  for (const tick of listTicks(0, end)) {
    svg.append(makeSvg("text", { x: scales.x(tick), y: floor + 16, class: "middle" }, `${formatNumber(tick)} s`));
  }
  svg.append(makeSvg("path", { class: "frame", d: `M${left},${CURVE.top}V${floor}H${width - right}` }));
  if (scales.showsBound) {
    svg.append(makeSvg("path", { class: "bound", d: `M${left},${scales.y(run.bound)}H${width - right}` }));
  }
  svg.append(makeSvg("path", { class: "score", d: path }));
  const last = points.at(-1);
  svg.append(makeSvg("circle", { class: "score-end", cx: scales.x(last[0]), cy: scales.y(last[1]), r: 3.5 }));
  return make("figure", {}, svg, make("figcaption", { class: "muted" }, describeCurve(run, points, scales.showsBound)));
}

function describeCurve(run, points, showsBound) {
  const note = showsBound ? "Best score over time (line) and upper bound (dashed)." : "Best score over time.";
  const skipped = run.curve.length - points.length;
  if (!skipped) return note;
  return `${note} Not drawn: ${formatCount(skipped, "improvement")} from ${formatNumber(run.curve[0][1])} in the first ${formatNumber(points[0][0])} s.`;
}
