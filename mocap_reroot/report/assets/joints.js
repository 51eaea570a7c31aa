// The joints: angle, moment and power, by time or by gait cycle.

const PLANES = {
  sagittal: { words: "Sagittal plane (flexion)", fits: /flexion|tilt/ },
  frontal: { words: "Frontal plane (adduction, inversion)", fits: /adduction|abduction|inversion|bending|obliquity|lateral|list/ },
  transverse: { words: "Transverse plane (rotation)", fits: /rotation|pronation/ },
};
const AXES = { main: "Main axis of each joint", x: "Body axis x", y: "Body axis y", z: "Body axis z", length: "Length of the vector" };

class JointPlots {
  constructor(data, charts) {
    Object.assign(this, { data, charts, picked: new Set(data.first), against: "time", unit: "kg" });
    this.anatomical = data.joints.some((j) => j.motions.length);
    this.component = this.anatomical ? "sagittal" : "main";
  }

  options() { return { ...(this.anatomical ? Object.fromEntries(Object.entries(PLANES).map(([k, v]) => [k, v.words])) : {}), ...AXES }; }

  // What the component means for one joint: a motion of the anatomy table, or an axis of the body.
  meaning(joint) {
    const plane = PLANES[this.component];
    if (plane) {
      const motion = joint.motions.find((m) => plane.fits.test(m));
      if (motion) return { motion, words: motion.replace(/_/g, " ") };
      return { axis: this.mainAxis(joint) };
    }
    if (this.component === "length") return { axis: -1 };
    return { axis: this.component === "main" ? this.mainAxis(joint) : "xyz".indexOf(this.component) };
  }

  mainAxis(joint) {
    const energy = [0, 1, 2].map((k) => joint.members.reduce((sum, m) => sum + (m.moment ? row(m.moment, k) : []).reduce((s, v) => s + (Number.isFinite(v) ? v * v : 0), 0), 0));
    return energy.indexOf(Math.max(...energy));
  }

  draw() {
    const holder = document.getElementById("joint-rows"), wanted = this.data.joints.filter((j) => this.picked.has(j.label));
    for (const old of [...holder.children]) {
      if (this.picked.has(old.dataset.joint)) continue;
      old.querySelectorAll(".plot").forEach((e) => this.charts.drop(e));
      old.remove();
    }
    for (const joint of wanted) {
      let element = [...holder.children].find((e) => e.dataset.joint === joint.label);
      if (!element) element = this.makeRow(joint);
      holder.append(element);
      this.drawRow(element, joint);
    }
  }

  makeRow(joint) {
    const element = document.createElement("div"), title = document.createElement("h3"), names = document.createElement("span"), three = document.createElement("div");
    element.className = "joint";
    element.dataset.joint = joint.label;
    names.className = "quiet";
    title.append(joint.label, " ", names);
    names.textContent = joint.members.map((m) => m.body).join(" · ");
    three.className = "three";
    for (const what of ["angle", "moment", "power"]) {
      const plot = document.createElement("div");
      plot.className = "plot";
      plot.dataset.what = what;
      three.append(plot);
    }
    element.append(title, three);
    return element;
  }

  drawRow(element, joint) {
    const meaning = this.meaning(joint), scale = this.unit === "kg" ? 1 / this.data.mass : 1, per = this.unit === "kg" ? "/kg" : "";
    const about = meaning.words || (meaning.axis < 0 ? "length" : `about body ${"xyz"[meaning.axis]}`);
    const kinds = {
      angle: { title: `Angle: ${about} (°)`, unit: "°", of: (m) => this.angle(m, meaning) },
      moment: { title: `Moment: ${about} (N·m${per})`, unit: `N·m${per}`, of: (m) => m.moment && this.moment(m, meaning).map((v) => v * scale) },
      power: { title: `Power of the whole joint (W${per})`, unit: `W${per}`, of: (m) => m.power && m.power.map((v) => v * scale) },
    };
    for (const plot of element.querySelectorAll(".plot")) {
      const kind = kinds[plot.dataset.what];
      const series = joint.members.map((m) => ({ side: m.side, name: plain(m.body), values: kind.of(m), band: this.band(plot, m, meaning, scale) })).filter((s) => s.values);
      if (!series.length) this.sayNothing(plot, kind.title, plot.dataset.what === "angle" ? "no kinematics.parquet in this folder" : "the capture root hangs from no joint");
      else if (this.against === "time") this.overTime(plot, series, kind);
      else this.overCycle(plot, series, kind);
    }
  }

  angle(member, meaning) {
    if (meaning.motion) return member.anatomy[`${meaning.motion}_deg`] || null;
    if (!member.turn) return null;
    return meaning.axis < 0 ? lengths(member.turn) : row(member.turn, meaning.axis);
  }

  moment(member, meaning) {
    if (meaning.motion && member.anatomy[`${meaning.motion}_moment`]) return member.anatomy[`${meaning.motion}_moment`];
    return meaning.axis < 0 ? lengths(member.moment) : row(member.moment, meaning.axis || 0);
  }

  // Least and greatest moment over all ways to share the load, for an axis of the body.
  band(plot, member, meaning, scale) {
    if (plot.dataset.what !== "moment" || !member.band || meaning.motion || meaning.axis < 0) return null;
    return ["lo", "hi"].map((edge) => row(member.band[edge], meaning.axis).map((v) => v * scale));
  }

  overTime(plot, series, kind) {
    const edge = { x: this.charts.time, mode: "lines", line: { width: 0 }, hoverinfo: "skip", showlegend: false };
    const bands = series.filter((s) => s.band).flatMap((s) => [{ ...edge, y: s.band[0] }, { ...edge, y: s.band[1], fill: "tonexty", fillcolor: faint(colour(s.side), 0.2) }]);
    const traces = series.map((s) => ({ x: this.charts.time, y: s.values, name: s.name, mode: "lines", line: { color: colour(s.side), width: 1.8 }, hovertemplate: `%{y:.2f} ${kind.unit}` }));
    this.charts.overTime(plot, [...bands, ...traces], [{ title: "", share: 1 }], { small: true, title: kind.title });
  }

  overCycle(plot, series, kind) {
    const traces = [], shapes = [], percent = Array.from({ length: 101 }, (_, i) => i);
    for (const s of series) {
      const strides = this.data.cycles[s.side || "left"];
      const rows = strides.map((c) => resample(s.values, this.data, c.start, c.stop)).filter((r) => r.every(Number.isFinite));
      if (!rows.length) continue;
      const mean = percent.map((i) => rows.reduce((t, r) => t + r[i], 0) / rows.length);
      if (rows.length > 1) {
        const sd = percent.map((i) => Math.sqrt(rows.reduce((t, r) => t + (r[i] - mean[i]) ** 2, 0) / (rows.length - 1)));
        const edge = { mode: "lines", line: { width: 0 }, hoverinfo: "skip", showlegend: false, legendgroup: s.name };
        traces.push({ x: percent, y: mean.map((v, i) => v - sd[i]), ...edge });
        traces.push({ x: percent, y: mean.map((v, i) => v + sd[i]), ...edge, fill: "tonexty", fillcolor: faint(colour(s.side), 0.18) });
      }
      traces.push({ x: percent, y: mean, name: `${s.name}, ${rows.length} stride${rows.length > 1 ? "s" : ""}`, mode: "lines", line: { color: colour(s.side), width: 2 }, hovertemplate: `%{y:.2f} ${kind.unit}` });
      const off = strides.reduce((t, c) => t + (c.off - c.start) / (c.stop - c.start), 0) / strides.length * 100;
      shapes.push({ type: "line", xref: "x", x0: off, x1: off, yref: "paper", y0: 0, y1: 1, line: { color: colour(s.side), width: 1, dash: "dot" } });
    }
    if (!traces.length) { this.sayNothing(plot, kind.title, "no complete gait cycle in this clip"); return; }
    const layout = this.charts.layout({ shapes }, { small: true, title: kind.title });
    layout.xaxis = { ...layout.xaxis, title: { text: "Gait cycle (%)", standoff: 4 }, range: [0, 100] };
    this.charts.show(plot, traces, layout);
  }

  sayNothing(plot, title, words) {
    const layout = this.charts.layout({ annotations: [{ text: words, showarrow: false, xref: "paper", yref: "paper", x: 0.5, y: 0.5, font: { color: COLOURS.soft } }] }, { small: true, title });
    layout.xaxis = { visible: false };
    layout.yaxis = { visible: false };
    this.charts.show(plot, [], layout);
  }
}

// 101 values between two times, linear between frames.
function resample(values, data, start, stop) {
  return Array.from({ length: 101 }, (_, i) => {
    const f = (start + (stop - start) * i / 100) * data.fps / data.stride, a = Math.floor(f), t = f - a;
    return t < 1e-9 ? values[a] : values[a] + t * (values[Math.min(a + 1, values.length - 1)] - values[a]);
  });
}
