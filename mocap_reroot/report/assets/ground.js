// Ground reaction over time, and the centre of pressure from above.

class GroundPlots {
  constructor(data, charts) { Object.assign(this, { data, charts, unit: "bw" }); }

  draw() {
    const { data } = this, scale = this.unit === "bw" ? 1 / data.weight : 1, label = this.unit === "bw" ? "BW" : "N";
    const traces = [];
    data.directions.forEach((direction, k) => {
      const axis = k ? `y${k + 1}` : "y";
      for (const foot of data.feet) {
        const line = (force, name, style) => traces.push({
          x: this.charts.time, y: along(force, direction.vector).map((v) => v * scale), name, legendgroup: name, showlegend: k === 0, mode: "lines",
          line: { color: colour(foot.side), width: 2, ...style }, yaxis: axis, xaxis: "x", hovertemplate: `%{y:.3f} ${label}`,
        });
        line((foot.predicted || foot.used).force, plain(foot.name), {});
        if (foot.measured) line(loaded(foot.measured.force), `${plain(foot.name)}, plates`, { dash: "dot", color: tint(colour(foot.side), DARK.matches ? 0.55 : -0.45) });
      }
    });
    const axes = data.directions.map((d, k) => ({ title: k ? `${d.name}<br>(${label})` : `${d.name} (${label})`, share: k ? 1 : 2.2 }));
    const bw = data.weight * scale;
    const shapes = [{ type: "line", xref: "paper", x0: 0, x1: 1, yref: "y", y0: bw, y1: bw, line: { color: COLOURS.middle, width: 1, dash: "dash" } }];
    const annotations = [{ xref: "paper", x: 1, yref: "y", y: bw, text: "body weight", showarrow: false, xanchor: "right", yanchor: "bottom", bgcolor: faint(COLOURS.paper, 0.75), font: { size: 10, color: COLOURS.middle } }];
    this.charts.overTime(document.getElementById("ground-plot"), traces, axes, { title: "Ground reaction force", shapes, annotations });
    this.drawPressure();
  }

  drawPressure() {
    const [, forward, side] = this.data.directions, element = document.getElementById("pressure-plot"), traces = [];
    const add = (foot, cop, name, marker) => traces.push({
      x: along(cop, forward.vector), y: along(cop, side.vector), name, mode: "markers", marker: { color: colour(foot.side), size: 3.5, ...marker }, hovertemplate: "%{x:.3f}, %{y:.3f} m",
    });
    for (const foot of this.data.feet) {
      add(foot, (foot.predicted || foot.used).cop, plain(foot.name), {});
      if (foot.measured) add(foot, foot.measured.cop, `${plain(foot.name)}, plates`, { symbol: "circle-open", color: tint(colour(foot.side), DARK.matches ? 0.55 : -0.45) });
    }
    const layout = this.charts.layout({ hovermode: "closest" }, { title: "Centre of pressure from above" });
    layout.xaxis.title = { text: `${forward.name} (m)` };
    layout.yaxis = { ...layout.yaxis, title: { text: `${side.name} (m)` }, scaleanchor: "x" };
    this.charts.show(element, traces, layout);
  }
}

// Measured forces where a plate was loaded; a foot beside the plates has no measurement, not zero.
function loaded(force) {
  const n = force.shape[1], out = Float32Array.from(force);
  for (let f = 0; f < n; f++) {
    if (force[f] === 0 && force[n + f] === 0 && force[2 * n + f] === 0) out[f] = out[n + f] = out[2 * n + f] = NaN;
  }
  out.shape = force.shape;
  return out;
}
