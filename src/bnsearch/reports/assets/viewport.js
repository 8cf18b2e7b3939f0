// Zoom and pan of the graph, by wheel, pointer, buttons and keys.

const MARGIN = 24;
const MAX_SCALE = 4;
const MAX_CLICK_MOVE = 5; // pixels that a pointer may move in a click
const SMALL_SCALE = 0.5; // below this scale a variable that is searched for is shown at READING_SCALE
const READING_SCALE = 0.8;
const FAR_SCALE = 0.3; // below this scale labels are not readable, and are not drawn

class Viewport {
  /** svg : the element; content : the group in it that is moved and scaled */
  constructor(svg, content) {
    this.svg = svg;
    this.content = content;
    this.pointers = new Map();
    this.moved = 0; // pixels since the pointer went down
    this.size = { width: 1, height: 1 };
    this.place = { x: 0, y: 0, scale: 1 };
    svg.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    svg.addEventListener("pointerdown", (event) => this.onDown(event));
    svg.addEventListener("pointermove", (event) => this.onMove(event));
    svg.addEventListener("click", (event) => this.onClick(event), { capture: true });
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
      svg.addEventListener(end, (event) => this.pointers.delete(event.pointerId));
    }
  }

  get box() {
    return this.svg.getBoundingClientRect();
  }

  apply() {
    const { x, y, scale } = this.place;
    this.content.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
    this.content.classList.toggle("far", scale < FAR_SCALE);
  }

  /** Show the whole drawing, not enlarged beyond its natural size by more than a quarter. */
  fit() {
    const { width, height } = this.box;
    const scale = Math.min((width - 2 * MARGIN) / this.size.width, (height - 2 * MARGIN) / this.size.height, 1.25);
    const shown = Math.max(scale, 0.01);
    this.place = {
      x: (width - shown * this.size.width) / 2,
      y: (height - shown * this.size.height) / 2,
      scale: shown,
    };
    this.apply();
  }

  /** Change the scale by a factor; a point of the element, by default its centre, stays where it is. */
  zoom(factor, x = this.box.width / 2, y = this.box.height / 2) {
    const scale = Math.min(MAX_SCALE, Math.max(0.01, this.place.scale * factor));
    const ratio = scale / this.place.scale;
    this.place = { x: x - ratio * (x - this.place.x), y: y - ratio * (y - this.place.y), scale };
    this.apply();
  }

  pan(dx, dy) {
    this.place = { ...this.place, x: this.place.x + dx, y: this.place.y + dy };
    this.apply();
  }

  /** Move a point of the drawing into the view if it is outside, at a scale at which labels are readable. */
  reveal(x, y) {
    const { width, height } = this.box;
    const scale = this.place.scale < SMALL_SCALE ? READING_SCALE : this.place.scale;
    const [left, top] = [this.place.x + scale * x, this.place.y + scale * y];
    const isInside = left > 80 && left < width - 80 && top > 40 && top < height - 40;
    if (isInside && scale === this.place.scale) return;
    this.place = { x: width / 2 - scale * x, y: height / 2 - scale * y, scale };
    this.apply();
  }

  /** Let the paper decide the scale: the drawing fills its space. */
  startPrint() {
    this.svg.setAttribute("viewBox", `-2 -2 ${this.size.width + 4} ${this.size.height + 4}`);
    this.content.setAttribute("transform", "");
    this.content.classList.remove("far");
  }

  endPrint() {
    this.svg.removeAttribute("viewBox");
    this.apply();
  }

  onWheel(event) {
    event.preventDefault();
    const { left, top } = this.box;
    this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), event.clientX - left, event.clientY - top);
  }

  onDown(event) {
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.moved = 0;
  }

  /** Ignore the click at the end of a pan. */
  onClick(event) {
    if (this.moved > MAX_CLICK_MOVE) event.stopPropagation();
    this.moved = 0;
  }

  /** Pan with one pointer; zoom with two. */
  onMove(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before || (event.pointerType === "mouse" && event.buttons === 0)) return;
    const now = { x: event.clientX, y: event.clientY };
    this.pointers.set(event.pointerId, now);
    this.moved += Math.hypot(now.x - before.x, now.y - before.y);
    if (this.pointers.size === 1) {
      this.pan(now.x - before.x, now.y - before.y);
    } else if (this.pointers.size === 2) {
      const [other] = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
      const length = (point) => Math.hypot(point.x - other.x, point.y - other.y) || 1;
      const { left, top } = this.box;
      this.zoom(length(now) / length(before), (now.x + other.x) / 2 - left, (now.y + other.y) / 2 - top);
    }
  }
}
