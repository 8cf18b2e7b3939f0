// Elements of the page. Texts become text nodes, so a name from the data is never interpreted as markup.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
const MAX_NAME = 80; // characters of a name that are shown

function byId(id) {
  return document.getElementById(id);
}

/** Set attributes; a function is the listener of the event "onclick" -> "click". */
function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === null || value === undefined) continue;
    else if (name.startsWith("aria-") || typeof value !== "boolean") element.setAttribute(name, value);
    else element.toggleAttribute(name, value);
  }
  return element;
}

/** Return a new HTML element; children are elements or texts. */
function make(tag, attributes = {}, ...children) {
  const element = setAttributes(document.createElement(tag), attributes);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** Return a new SVG element. */
function makeSvg(tag, attributes = {}, ...children) {
  const element = setAttributes(document.createElementNS(SVG_NAMESPACE, tag), attributes);
  element.append(...children);
  return element;
}

function makeButton(text, onclick, attributes = {}) {
  return make("button", { type: "button", onclick, ...attributes }, text);
}

/** Return a table from its headings and rows of texts or elements. */
function makeTable(headings, rows, attributes = {}) {
  const head = make("tr", {}, headings.map((heading) => make("th", { scope: "col" }, heading)));
  const body = rows.map((row) => make("tr", {}, row.map((cell) => make("td", {}, cell))));
  return make("table", attributes, make("thead", {}, head), make("tbody", {}, body));
}

/** Return a table of names and values. */
function makeFacts(pairs) {
  const rows = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  const body = rows.map(([name, value]) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, value)));
  return make("table", { class: "facts" }, make("tbody", {}, body));
}

/** Return a text, cut after a number of characters. */
function shorten(text, length) {
  return [...text].length > length ? `${[...text].slice(0, length - 1).join("")}…` : text;
}

/** Return a name as an element of its own direction of writing; its title is the whole name. */
function makeName(text, length = MAX_NAME) {
  return make("bdi", { class: "name", title: text }, text.trim() === "" ? "(blank)" : shorten(text, length));
}

function announce(text) {
  byId("status").textContent = text;
}

function formatPercent(probability) {
  const percent = 100 * probability;
  if (percent > 0 && percent < 0.1) return "<0.1%";
  if (percent < 100 && percent > 99.9) return ">99.9%";
  return `${percent.toFixed(1)}%`;
}

function formatNumber(number, digits = 2) {
  if (Number.isInteger(number)) return number.toLocaleString("en");
  const size = Math.abs(number);
  if (size < 0.001 || size >= 1e12) return number.toExponential(2);
  return number.toLocaleString("en", { maximumFractionDigits: size < 1 ? 4 : digits });
}

function formatCount(count, word) {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}
