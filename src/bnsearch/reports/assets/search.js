// The search field: a combobox with the variables whose names contain the text.

const MAX_RESULTS = 12;

/** Return the variables whose names contain a text, those that begin with it first. */
function findVariables(text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const found = [];
  variables.forEach((variable, v) => {
    const place = variable.name.toLowerCase().indexOf(wanted);
    if (place >= 0) found.push({ v, rank: place === 0 ? 0 : 1, length: variable.name.length });
  });
  return found.sort((a, b) => a.rank - b.rank || a.length - b.length || a.v - b.v).map(({ v }) => v);
}

/** Connect the search field with its list of results. */
function startSearch(input, list, onChoose) {
  let found = [];
  let active = -1;

  const show = () => {
    list.replaceChildren(
      ...found.slice(0, MAX_RESULTS).map((v, i) =>
        make("li", { role: "option", id: `result-${i}`, "aria-selected": i === active, onclick: () => choose(i) }, makeName(nameOf(v))),
      ),
    );
    const isVain = found.length === 0 && input.value.trim() !== "";
    if (isVain) list.append(make("li", { role: "option", "aria-disabled": "true", class: "muted" }, "no variable found"));
    list.hidden = found.length === 0 && !isVain;
    input.setAttribute("aria-expanded", !list.hidden);
    if (active >= 0) input.setAttribute("aria-activedescendant", `result-${active}`);
    else input.removeAttribute("aria-activedescendant");
  };
  const choose = (i) => {
    const v = found[i];
    found = [];
    active = -1;
    input.value = "";
    show();
    if (v !== undefined) onChoose(v);
  };

  input.addEventListener("input", () => {
    found = findVariables(input.value);
    active = found.length ? 0 : -1;
    show();
    if (input.value.trim()) announce(`${formatCount(found.length, "variable")} found`);
  });
  input.addEventListener("keydown", (event) => {
    const count = Math.min(found.length, MAX_RESULTS);
    if (event.key === "ArrowDown" && count) active = (active + 1) % count;
    else if (event.key === "ArrowUp" && count) active = (active + count - 1) % count;
    else if (event.key === "Enter" && active >= 0) choose(active);
    else if (event.key === "Escape") choose(-1);
    else return;
    event.preventDefault();
    event.stopPropagation();
    show();
  });
  list.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus until the click
  input.addEventListener("blur", () => choose(-1));
}
