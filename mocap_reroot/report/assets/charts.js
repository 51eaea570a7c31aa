// Plotly figures that share one time: phase bar below, double support behind, a cursor, one zoom.

const MODES = ["single", "double", "multi", "flight"];

class Charts {
  constructor(data, clock) {
    Object.assign(this, { data, clock });
    this.time = Float64Array.from({ length: data.shown }, (_, i) => data.start + i * data.stride / data.fps);
    this.range = this.whole();
    this.timed = new Set();
    this.busy = false;
    clock.onChange(() => this.moveCursors());
    window.addEventListener("resize", () => this.moveCursors());
  }

  // Background of double support and flagged frames, for the axes `xref` by the whole height.
  bands(top, bottom) {
    const box = (a, b, fill) => ({
      type: "rect", xref: "x", yref: "paper", x0: a, x1: b, y0: bottom, y1: top, fillcolor: fill, line: { width: 0 }, layer: "below",
    });
    const out = merged(this.data.phases.filter((p) => p.mode === "double" || p.mode === "multi")).map(([a, b]) => box(a, b, "rgba(230,159,0,.10)"));
    return out.concat(merged(this.data.flagged).map(([a, b]) => box(a, b, "rgba(120,130,140,.13)")));
  }

  // The bar under a time axis: contact of each side's parts, and the phase.
  bar(axis) {
    this.made = this.made || this.makeBar(axis); // the same under every plot
    return this.made;
  }

  makeBar(axis) {
    const rows = [], names = [], words = [];
    const at = (spans, code, label) => {
      const z = new Array(this.data.shown).fill(null), text = new Array(this.data.shown).fill("");
      for (const [a, b] of spans) {
        for (let i = 0; i < this.time.length; i++) if (this.time[i] >= a - 1e-6 && this.time[i] < b - 1e-6) { z[i] = code; text[i] = label; }
      }
      return [z, text];
    };
    const add = (name, [z, text]) => { names.push(name); rows.push(z); words.push(text); };
    const mode = new Array(this.data.shown).fill(null), label = new Array(this.data.shown).fill("");
    for (const p of this.data.phases) {
      const code = 3 + MODES.indexOf(p.mode);
      if (code < 3) continue;
      const [z, text] = at([[p.start, p.stop]], code, `${p.mode}, root ${plain(p.root)}`);
      z.forEach((v, i) => { if (v !== null) { mode[i] = v; label[i] = text[i]; } });
    }
    add("phase", [mode, label]);
    const feet = this.data.feet.length ? this.data.feet : this.data.contacts;
    for (const foot of [...feet].reverse()) {
      const code = foot.side === "left" ? 0 : foot.side === "right" ? 1 : 2;
      add(plain(foot.name || foot.body), at(foot.spans, code, "in contact"));
    }
    const steps = [colour("left"), colour("right"), colour(""), ...MODES.map((m) => COLOURS[m])];
    const scale = steps.flatMap((c, i) => [[i / steps.length, c], [(i + 1) / steps.length, c]]);
    return {
      type: "heatmap", x: Array.from(this.time), y: names.map((_, i) => i), z: rows, text: words, zmin: -0.5, zmax: steps.length - 0.5,
      colorscale: scale, showscale: false, xaxis: "x", yaxis: axis, ygap: 1, hovertemplate: "%{text}<extra></extra>", hoverinfo: "skip", names,
    };
  }

  // Draw `traces` over time on stacked axes: [{title, share}], each trace naming its axis.
  overTime(element, traces, axes, options = {}) {
    const bar = this.bar("y9"), rows = bar.names.length, height = element.clientHeight || 300;
    const low = Math.min(0.3, (8 + 9 * rows) / (height - 90)), gap = 0.04;
    const total = axes.reduce((s, a) => s + a.share, 0);
    const layout = this.layout({ shapes: [] }, options);
    let top = 1;
    axes.forEach((axis, i) => {
      const size = (1 - low - gap * axes.length) * axis.share / total;
      const name = i ? `y${i + 1}` : "y";
      layout[name.replace("y", "yaxis")] = { ...layout.yaxis, title: { text: axis.title, standoff: 6 }, domain: [Math.max(0, top - size), top], anchor: "x", range: this.soundRange(traces.filter((t) => (t.yaxis || "y") === name)) };
      // What is nothing but rounding must not fill the axis.
      const shown = layout[name.replace("y", "yaxis")].range;
      if (axis.least && shown) shown[1] = Math.max(shown[1], axis.least);
      top -= size + gap;
    });
    layout.yaxis9 = { domain: [0, low], fixedrange: true, tickvals: options.small ? [] : bar.y, ticktext: options.small ? [] : bar.names, ticks: "", tickfont: { size: 9 }, showgrid: false, zeroline: false, range: [-0.5, rows - 0.5] };
    layout.xaxis = { ...layout.xaxis, title: { text: "Time (s)", standoff: 4 }, range: this.range.slice(), anchor: "y9" };
    layout.shapes = [...this.bands(1, low), ...(options.shapes || [])];
    layout.annotations = options.annotations || [];
    this.timed.add(element);
    return this.show(element, [...traces, bar], layout);
  }

  // Least and greatest of what is not flagged, with room: one bad frame must not flatten a curve.
  soundRange(traces) {
    if (!this.sound) {
      this.sound = Array.from(this.time, () => true);
      for (const [a, b] of merged(this.data.flagged)) this.time.forEach((t, i) => { if (t >= a - 1e-6 && t < b - 1e-6) this.sound[i] = false; });
      if (!this.sound.includes(true)) this.sound.fill(true);
    }
    let low = Infinity, high = -Infinity;
    for (const trace of traces) {
      for (let i = 0; i < trace.y.length; i++) {
        const v = trace.y[i];
        if (this.sound[i] && Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
      }
    }
    if (!(high >= low)) return undefined;
    const room = 0.06 * (high - low) || 0.06 * Math.abs(high) || 1;
    return [low - room, high + room];
  }

  layout(extra, options = {}) {
    const line = { gridcolor: COLOURS.hair, zerolinecolor: COLOURS.edge, linecolor: COLOURS.edge, automargin: true, tickfont: { size: 11 } };
    return {
      margin: { l: options.small ? 48 : 72, r: 12, t: options.small ? 26 : 30, b: 40 }, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: COLOURS.paper,
      modebar: { bgcolor: faint(COLOURS.paper, 0.9), color: COLOURS.middle, activecolor: COLOURS.accent },
      font: { family: "system-ui, Segoe UI, Roboto, sans-serif", size: 12, color: COLOURS.ink }, hovermode: "x unified",
      title: options.title ? { text: options.title, font: { size: 13 }, x: 0, xref: "paper", xanchor: "left", y: 0.99, yanchor: "top" } : undefined,
      showlegend: !options.small, legend: { orientation: "h", y: 1.0, yanchor: "bottom", x: 1, xanchor: "right", font: { size: 11 } },
      hoverlabel: { font: { size: 11, color: COLOURS.ink }, bgcolor: COLOURS.paper, bordercolor: COLOURS.edge }, xaxis: { ...line }, yaxis: { ...line }, ...extra,
    };
  }

  show(element, traces, layout) {
    if (!this.timedOnly(layout)) this.timed.delete(element);
    const config = { responsive: true, displaylogo: false, displayModeBar: matchMedia("(hover: none)").matches ? false : "hover", modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d"], toImageButtonOptions: { format: "svg" } };
    element.drawing = Plotly.react(element, traces, layout, config).then(() => { this.link(element); this.moveCursors(); });
    return element.drawing;
  }

  // Let go of a plot, once what it is drawing is drawn.
  drop(element) {
    this.timed.delete(element);
    Promise.resolve(element.drawing).finally(() => Plotly.purge(element));
  }

  timedOnly(layout) { return layout.xaxis && layout.xaxis.anchor === "y9"; }

  link(element) {
    if (element.dataset.linked) return;
    element.dataset.linked = "yes";
    const cursor = document.createElement("div");
    cursor.className = "cursor";
    element.append(cursor);
    element.on("plotly_relayout", (change) => {
      if (this.busy || !this.timed.has(element)) return;
      if ("xaxis.range[0]" in change) this.zoom([change["xaxis.range[0]"], change["xaxis.range[1]"]], element);
      else if ("xaxis.autorange" in change) this.zoom(null, null);
      else this.moveCursors();
    });
    element.addEventListener("mousemove", (event) => this.point(element, event, !this.clock.playing));
    element.addEventListener("click", (event) => this.point(element, event, true));
  }

  whole() { return [this.data.start, this.data.start + Math.max(this.data.frames / this.data.fps, 1e-3)]; }

  zoom(range, source) {
    this.range = range || this.whole();
    this.busy = true;
    const others = [...this.timed].filter((e) => e !== source && e.isConnected);
    Promise.all(others.map((e) => { e.drawing = Plotly.relayout(e, { "xaxis.range": this.range.slice() }); return e.drawing; })).finally(() => { this.busy = false; this.moveCursors(); });
  }

  // Time under the pointer becomes the time of everything.
  point(element, event, allowed) {
    if (!allowed || event.buttons || !this.timed.has(element) || !element._fullLayout) return;
    const axis = element._fullLayout.xaxis, x = event.clientX - element.getBoundingClientRect().left - axis._offset;
    const size = element._fullLayout._size, y = event.clientY - element.getBoundingClientRect().top - size.t;
    if (x >= 0 && x <= axis._length && y >= 0 && y <= size.h) this.clock.set(axis.p2d(x));
  }

  moveCursors() {
    for (const element of document.querySelectorAll(".plot[data-linked]")) {
      const cursor = element.querySelector(".cursor"), full = element._fullLayout;
      if (!cursor || !full) continue;
      const axis = full.xaxis, x = axis.d2p ? axis.d2p(this.clock.time) : NaN;
      const visible = this.timed.has(element) && x >= -0.5 && x <= axis._length + 0.5;
      cursor.style.display = visible ? "block" : "none";
      if (!visible) continue;
      cursor.style.left = `${axis._offset + x}px`;
      cursor.style.top = `${full._size.t}px`;
      cursor.style.height = `${full._size.h}px`;
    }
  }
}

// Intervals {start, stop} as [a, b], neighbours joined.
function merged(list) {
  const out = [];
  for (const { start, stop } of [...list].sort((a, b) => a.start - b.start)) {
    const last = out[out.length - 1];
    if (last && start <= last[1] + 1e-6) last[1] = Math.max(last[1], stop);
    else out.push([start, stop]);
  }
  return out;
}
