// How the root was moved and turned, over time.

class CorrectionPlot {
  constructor(data, charts) { Object.assign(this, { data, charts }); }

  draw() {
    const element = by("correction-plot"), { correction } = this.data;
    element.hidden = !correction;
    if (!correction) return;
    const inks = [COLOURS.accent, COLOURS.right, COLOURS.force], degrees = 180 / Math.PI;
    const traces = [0, 1, 2, 3, 4, 5].map((k) => ({
      x: this.charts.time, y: row(correction, k).map((v) => v * (k < 3 ? 1000 : degrees)), name: "xyz"[k % 3], legendgroup: "xyz"[k % 3], showlegend: k < 3,
      mode: "lines", line: { color: inks[k % 3], width: 1.8 }, yaxis: k < 3 ? "y" : "y2", xaxis: "x", hovertemplate: k < 3 ? "%{y:.1f} mm" : "%{y:.2f}°",
    }));
    const axes = [{ title: "moved (mm)", share: 1 }, { title: "turned (°)", share: 1 }];
    this.charts.overTime(element, traces, axes, { title: "Correction of the root, world axes" });
  }
}
