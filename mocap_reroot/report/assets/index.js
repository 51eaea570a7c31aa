// A table of clips to sort and filter.

const GRADES = { A: "good", B: "fair", C: "poor", D: "poor" };

function spark(values) {
  const ns = "http://www.w3.org/2000/svg", svg = document.createElementNS(ns, "svg"), top = Math.max(1.2, ...values);
  svg.setAttribute("class", "spark");
  svg.setAttribute("viewBox", "0 0 130 28");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `vertical force over time, largest ${Math.max(0, ...values).toFixed(2)} body weights`);
  const y = (v) => (27 - 26 * v / top).toFixed(1), one = document.createElementNS(ns, "line"), line = document.createElementNS(ns, "polyline");
  Object.entries({ x1: 0, x2: 130, y1: y(1), y2: y(1) }).forEach(([k, v]) => one.setAttribute(k, v));
  line.setAttribute("points", values.map((v, i) => `${(130 * i / Math.max(values.length - 1, 1)).toFixed(1)},${y(v)}`).join(" "));
  svg.append(one, line);
  return svg;
}

function main() {
  const data = JSON.parse(by("data").textContent), table = by("clips"), head = make("tr"), body = table.tBodies[0];
  const at = Object.fromEntries(data.columns.map((c, i) => [c.name, i]));
  const state = { sort: 0, down: false, words: "", grades: new Set(), all: false };

  data.columns.forEach((column, k) => {
    const th = make("th"), button = make("button", "", column.unit ? `${column.title} (${column.unit})` : column.title);
    th.scope = "col";
    button.type = "button";
    button.addEventListener("click", () => { state.down = state.sort === k ? !state.down : column.digits !== null; state.sort = k; draw(); });
    th.append(button);
    head.append(th);
    if (k === 0 && data.sparks.some((s) => s.length)) head.append(make("th", "", "Vertical force"));
  });
  table.tHead.append(head);

  const letters = "grade" in at ? [...new Set(data.rows.map((r) => r[at.grade]))].sort() : [];
  for (const letter of letters) {
    const button = make("button", "", letter);
    button.type = "button";
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      if (state.grades.has(letter)) state.grades.delete(letter); else state.grades.add(letter);
      button.setAttribute("aria-pressed", String(state.grades.has(letter)));
      draw();
    });
    by("grades").append(button);
  }
  by("filter").addEventListener("input", () => { state.words = by("filter").value.toLowerCase(); draw(); });
  by("all").addEventListener("click", () => { state.all = true; draw(); });

  function fits(i) {
    const row = data.rows[i];
    if (state.grades.size && !state.grades.has(row[at.grade])) return false;
    const text = `${row.filter((v) => typeof v === "string").join(" ")} ${data.reasons[i]}`.toLowerCase();
    return state.words.split(/\s+/).every((word) => text.includes(word));
  }

  function order(i, j) {
    const a = data.rows[i][state.sort], b = data.rows[j][state.sort];
    if (a === null || b === null) return (a === null) - (b === null);
    const sign = state.down ? -1 : 1;
    return sign * (typeof a === "string" ? a.localeCompare(b, undefined, { numeric: true }) : a - b);
  }

  function cell(column, value, i) {
    if (column.name === "clip") {
      const th = make("th"), link = make(data.links[i] ? "a" : "span", "", value);
      th.scope = "row";
      th.title = data.links[i] ? value : `${value}: no report yet; mocap-reroot report builds it`;
      if (data.links[i]) link.href = data.links[i];
      th.append(link);
      return th;
    }
    if (column.name === "grade") {
      const td = make("td"), lamp = make("span", `lamp ${GRADES[value] || "unknown"}`, value);
      lamp.title = data.reasons[i] || "plausible";
      td.append(lamp);
      return td;
    }
    if (column.digits === null) return make("td", "", value === null ? "–" : value);
    return make("td", "number", value === null ? "–" : value.toFixed(column.digits).replace("-", "−"));
  }

  function draw() {
    const found = data.rows.map((_, i) => i).filter(fits).sort(order), shown = state.all ? found : found.slice(0, 500);
    body.replaceChildren(...shown.map((i) => {
      const tr = make("tr");
      data.columns.forEach((column, k) => {
        tr.append(cell(column, data.rows[i][k], i));
        if (k === 0 && data.sparks.some((s) => s.length)) {
          const td = make("td");
          if ((data.sparks[i] || []).length) td.append(spark(data.sparks[i]));
          tr.append(td);
        }
      });
      return tr;
    }));
    [...head.children].filter((th) => th.querySelector("button")).forEach((th, k) => th.setAttribute("aria-sort", k !== state.sort ? "none" : state.down ? "descending" : "ascending"));
    by("count").textContent = `${found.length} of ${data.rows.length} clips`;
    by("all").hidden = shown.length === found.length;
    by("all").textContent = `Show all ${found.length}`;
  }

  draw();
  document.body.dataset.ready = "yes";
}

main();
