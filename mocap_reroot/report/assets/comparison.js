// Both runs' curves of the joint that was picked.

function drawCurves(data, curve) {
  const unit = curve.what === "torque" ? "N·m" : "N", traces = [];
  [["a", COLOURS.left, "solid"], ["b", COLOURS.right, "dash"]].forEach(([key, ink, dash]) => {
    for (let k = 0; k < 3; k++) {
      traces.push({
        x: data.time, y: row(curve[key], k), name: `run ${key.toUpperCase()}`, legendgroup: key, showlegend: k === 0, mode: "lines",
        line: { color: ink, width: 2, dash }, yaxis: k ? `y${k + 1}` : "y", hovertemplate: `%{y:.3f} ${unit}`,
      });
    }
  });
  const line = { gridcolor: COLOURS.hair, zerolinecolor: COLOURS.edge, automargin: true };
  const layout = {
    title: { text: `${plain(curve.name)}: ${curve.what} (${unit})`, font: { size: 14 }, x: 0, xref: "paper", xanchor: "left" },
    margin: { l: 60, r: 12, t: 40, b: 44 }, hovermode: "x unified", legend: { orientation: "h", y: 1, yanchor: "bottom", x: 1, xanchor: "right" },
    font: { family: "system-ui, Segoe UI, Roboto, sans-serif", size: 12, color: COLOURS.ink }, xaxis: { ...line, title: { text: "Time (s)" }, anchor: "y3" },
  };
  ["x", "y", "z"].forEach((axis, k) => {
    layout[k ? `yaxis${k + 1}` : "yaxis"] = { ...line, title: { text: `${axis} (${unit})` }, domain: [0.69 - 0.345 * k, 1 - 0.345 * k], anchor: "x" };
  });
  return Plotly.react(by("curves"), traces, layout, { responsive: true, displaylogo: false });
}

async function main() {
  const data = await unpack(JSON.parse(by("data").textContent)), which = by("which");
  await loadPlotly();
  which.append(...data.curves.map((c, i) => new Option(`${c.name}, ${c.what}`, String(i))));
  which.addEventListener("change", () => drawCurves(data, data.curves[Number(which.value)]));
  await drawCurves(data, data.curves[0]);
  document.body.dataset.ready = "yes";
}

main();
