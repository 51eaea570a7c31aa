// How the root was moved and turned, and what that did to feet and residual, over time.

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
  // Feet before (dashed) and after: height, speed along the ground; what no contact explains.
  drawFeet() {
    const element = by("feet-plot"), feet = this.data.feet.filter((foot) => foot.paths), { residual } = this.data;
    element.hidden = !feet.length;
    if (!feet.length) return;
    const traces = [];
    for (const foot of feet) {
      for (const k of [0, 1]) {
        const line = { color: COLOURS[foot.side] || COLOURS.middle, width: k ? 1.8 : 1.3, dash: k ? "solid" : "dash" };
        const shared = { x: this.charts.time, mode: "lines", line, xaxis: "x", name: `${foot.name} ${k ? "corrected" : "captured"}`, legendgroup: `${foot.name}${k}` };
        traces.push({ ...shared, y: row(foot.paths.height, k).map((v) => 1000 * v), yaxis: "y", hovertemplate: "%{y:.1f} mm" });
        traces.push({ ...shared, y: row(foot.paths.speed, k).map((v) => 1000 * v), yaxis: "y2", showlegend: false, hovertemplate: "%{y:.0f} mm/s" });
      }
    }
    const axes = [{ title: "height (mm)", share: 1 }, { title: "speed (mm/s)", share: 1 }];
    if (residual) {
      traces.push({ x: this.charts.time, y: row(residual, 0).map((v) => 100 * v), yaxis: "y3", xaxis: "x", mode: "lines", name: "residual", line: { color: COLOURS.force, width: 1.8 }, hovertemplate: "%{y:.1f} %" });
      axes.push({ title: "residual (%)", share: 1, least: 1 });
    }
    this.charts.overTime(element, traces, axes, { title: "Feet, before and after" });
  }
}
