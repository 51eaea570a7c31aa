// The page: everything put together.

function buildTimeline(data, clock) {
  const box = by("timeline"), total = data.frames / data.fps || 1;
  const track = (name, spans) => {
    const bar = make("div", "track");
    for (const s of spans) {
      const span = make("div", "span");
      span.style.left = `${100 * (s.start - data.start) / total}%`;
      span.style.width = `${100 * (s.stop - s.start) / total}%`;
      span.style.background = s.colour;
      span.title = s.title;
      bar.append(span);
    }
    bar.addEventListener("pointerdown", (e) => {
      const r = bar.getBoundingClientRect();
      clock.set(data.start + (e.clientX - r.left) / r.width * total);
    });
    const label = make("div", "name", name);
    label.title = name;
    box.append(label, bar);
  };
  const seconds = (a, b) => `${a.toFixed(2)}–${b.toFixed(2)} s`;
  for (const c of data.contacts) {
    track(c.body, c.spans.map(([a, b]) => ({ start: a, stop: b, colour: colour(c.side), title: `${c.body} in contact, ${seconds(a, b)}` })));
  }
  track("phase", [
    ...data.phases.map((p) => ({ ...p, colour: COLOURS[p.mode] || COLOURS.edge, title: `${p.mode} support, root ${p.root}, ${seconds(p.start, p.stop)}` })),
    ...data.flagged.filter((g) => !phaseAt(data, g.start)).map((g) => ({ ...g, colour: COLOURS.edge, title: `${g.word}, ${seconds(g.start, g.stop)}` })),
  ]);
  if (data.repairs.length) track("repaired", data.repairs.map((r) => ({ ...r, colour: COLOURS.root, title: r.words })));
  const modes = make("div", "modes");
  for (const mode of MODES.filter((m) => data.phases.some((p) => p.mode === m))) {
    const item = make("span"), swatch = make("i");
    swatch.style.background = COLOURS[mode];
    item.append(swatch, mode === "flight" ? "flight" : `${mode} support`);
    modes.append(item);
  }
  const heads = make("div", "heads"), head = make("div", "head");
  heads.append(head);
  box.append(modes, heads);
  clock.onChange(() => {
    head.style.left = `${100 * (clock.time - data.start) / total}%`;
    heads.style.bottom = `${modes.offsetHeight}px`;
  });
}

function buildHud(data, clock) {
  const lines = data.feet.map((foot) => {
    const line = make("p");
    line.style.color = `var(--${foot.side || "middle"})`;
    by("hud-forces").append(line);
    return [foot, line];
  });
  clock.onChange(() => {
    const shown = Math.min(clock.frame, data.shown - 1), phase = phaseAt(data, clock.time);
    by("hud-time").textContent = `${clock.time.toFixed(2)} s`;
    by("hud-frame").textContent = `frame ${shown * data.stride}`;
    by("hud-phase").textContent = phase ? (phase.mode === "flight" ? "flight" : `${phase.mode} support, root ${phase.root}`) : "left out";
    for (const [foot, line] of lines) {
      const force = data.directions[0].vector.reduce((s, u, k) => s + u * row(foot.used.force, k)[shown], 0);
      line.textContent = `${foot.name} ${Number.isFinite(force) ? `${force.toFixed(0)} N (${(force / data.weight).toFixed(2)} BW)` : "–"}`;
    }
  });
}

function buildControls(data, clock, player) {
  const scrub = by("scrub"), speeds = [...by("speed").options].map((o) => Number(o.value));
  scrub.max = String(data.shown - 1);
  scrub.addEventListener("input", () => {
    const wanted = Number(scrub.value); // pausing tells the time, which sets the slider
    clock.pause();
    clock.show(wanted);
  });
  by("play").addEventListener("click", () => clock.toggle());
  by("speed").addEventListener("change", () => { clock.speed = Number(by("speed").value); });
  const faster = (by1) => {
    const at = Math.min(Math.max(speeds.indexOf(clock.speed) + by1, 0), speeds.length - 1);
    clock.speed = speeds[at];
    by("speed").value = String(speeds[at]);
  };
  clock.onChange(() => {
    scrub.value = String(clock.frame);
    scrub.setAttribute("aria-valuetext", `${clock.time.toFixed(2)} seconds`);
    by("play").textContent = clock.playing ? "❚❚" : "▶";
    by("play").setAttribute("aria-label", clock.playing ? "Pause" : "Play");
  });
  const look = (name) => { if (player) { player.camera.view(name); player.draw(); } };
  const follow = (on) => { if (player) { player.follow = on; player.draw(); } };
  for (const button of by("views").querySelectorAll("button")) button.addEventListener("click", () => look(button.dataset.view));
  by("follow").addEventListener("change", () => follow(by("follow").checked));
  by("solid").addEventListener("change", () => { if (player) { player.solid = by("solid").checked; player.draw(); } });
  by("ghost-label").hidden = !(player && data.correction);
  by("ghost").addEventListener("change", () => { by("legend-ghost").hidden = !by("ghost").checked; player.ghost = by("ghost").checked; player.draw(); });
  for (const id of ["views", "follow", "solid"]) if (!player) (by(id).closest("label") || by(id)).hidden = true;
  const keys = {
    " ": () => clock.toggle(), ArrowLeft: (e) => clock.jump(e.shiftKey ? -10 : -1), ArrowRight: (e) => clock.jump(e.shiftKey ? 10 : 1),
    Home: () => clock.set(clock.start), End: () => { clock.pause(); clock.set(clock.stop); }, "+": () => faster(1), "-": () => faster(-1),
    1: () => look("corner"), 2: () => look("side"), 3: () => look("front"), 4: () => look("top"),
    f: () => { by("follow").checked = !by("follow").checked; follow(by("follow").checked); },
  };
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || (/^(BUTTON|SUMMARY|A)$/.test(event.target.tagName) && event.key === " ");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key](event);
  });
}

function buildJointChoice(data, joints) {
  const chips = by("chips"), more = by("more"), few = data.joints.filter((j) => j.known || joints.picked.has(j.label)).slice(0, 14);
  const pick = (label, button) => {
    if (joints.picked.has(label)) joints.picked.delete(label); else joints.picked.add(label);
    button.setAttribute("aria-pressed", String(joints.picked.has(label)));
    joints.draw();
  };
  const chip = (joint) => {
    const button = make("button", "", joint.label);
    button.type = "button";
    button.title = joint.members.map((m) => m.body).join(", ");
    button.setAttribute("aria-pressed", String(joints.picked.has(joint.label)));
    button.addEventListener("click", () => pick(joint.label, button));
    chips.append(button);
    return button;
  };
  few.forEach(chip);
  const rest = data.joints.filter((j) => !few.includes(j));
  by("more-label").hidden = !rest.length;
  more.append(new Option("other joints …", ""), ...rest.map((j) => new Option(j.label, j.label)));
  more.addEventListener("change", () => {
    const joint = rest.find((j) => j.label === more.value);
    more.value = "";
    if (!joint) return;
    [...more.options].find((o) => o.value === joint.label).remove();
    pick(joint.label, chip(joint));
  });
  const component = by("component");
  component.append(...Object.entries(joints.options()).map(([key, words]) => new Option(words, key)));
  component.value = joints.component;
  component.addEventListener("change", () => { joints.component = component.value; joints.draw(); });
  by("against").addEventListener("change", () => { joints.against = by("against").value; joints.draw(); });
  by("moment-unit").addEventListener("change", () => { joints.unit = by("moment-unit").value; joints.draw(); });
  const words = joints.anatomical
    ? "Angles and moments about anatomical axes, positive in the sense of their name; moments are internal. Blue is left, vermilion right. "
    : "No anatomical axes are known here: rotation vectors against the parent and moments in the body's own axes, whose signs may differ between left and right. Blue is left, vermilion right. ";
  by("joint-words").textContent = `${words}Orange background: double support. By gait cycle: mean and one standard deviation over strides, dotted line foot off; joints without a side go by the left foot.${data.joints.some((j) => j.members.some((m) => m.band)) ? " Shaded, for axes of the body: least and greatest moment over all ways to share the load." : ""}`;
  if (data.expected.joints) by("joint-words").append(make("strong", "expected", ` ${data.expected.joints}`));
}

async function main() {
  const data = await unpack(JSON.parse(by("data").textContent));
  await loadPlotly();
  const step = data.stride / data.fps, clock = new Clock(data.start, (data.shown - 1) * step, step);
  const player = data.figure ? new Player(by("stage"), data, clock) : null;
  by("player").hidden = !player;
  by("no-player").hidden = Boolean(player);
  const measured = data.feet.some((f) => f.measured);
  by("legend-measured").hidden = !measured;
  if (measured) by("legend-force").textContent = "predicted force";
  const used = data.forces === "measured" ? "Torques use the plates wherever they cover every loaded foot." : "Torques use the prediction.";
  by("ground-words").textContent = measured
    ? `Solid: predicted from the motion alone. Dotted: measured, where a plate was loaded. ${used} How well they agree is under Quality.`
    : "Predicted from the motion alone. Orange background: double support, where the feet may push against each other unseen; the total shows in the motion.";
  if (data.flagged.length) by("ground-words").textContent += " Grey background: flagged frames, listed under File.";
  if (data.expected.ground) by("ground-words").append(make("strong", "expected", ` ${data.expected.ground}`));
  buildTimeline(data, clock);
  buildHud(data, clock);
  buildControls(data, clock, player);
  const charts = new Charts(data, clock), ground = new GroundPlots(data, charts), joints = new JointPlots(data, charts), correction = new CorrectionPlot(data, charts);
  if (data.feet.length) ground.draw(); else by("ground-plot").hidden = by("pressure-plot").hidden = true;
  by("force-unit").addEventListener("change", () => { ground.unit = by("force-unit").value; ground.draw(); });
  buildJointChoice(data, joints);
  joints.draw();
  correction.draw(); correction.drawFeet();
  const first = data.phases.find((p) => p.mode !== "none");
  clock.set(first ? first.start : clock.start);
  const redraw = () => { readTheme(); if (player) player.draw(); if (data.feet.length) ground.draw(); joints.draw(); correction.draw(); correction.drawFeet(); };
  DARK.addEventListener("change", redraw);
  // Paper is light, whatever the screen is.
  matchMedia("print").addEventListener("change", redraw);
  const plots = () => [...document.querySelectorAll(".plot")].filter((e) => e.clientWidth);
  // A4 within its margins, px; plots must fit before the browser lays the page out on paper.
  window.addEventListener("beforeprint", () => {
    const paper = 680 / by("main").clientWidth;
    plots().forEach((e) => Plotly.relayout(e, { autosize: false, width: e.clientWidth * paper }));
  });
  window.addEventListener("afterprint", () => plots().forEach((e) => Plotly.relayout(e, { autosize: true, width: null })));
  window.report = { data, clock, player, charts, ground, joints };
  document.body.dataset.ready = "yes";
}

main().catch((error) => {
  by("trouble").hidden = false;
  by("trouble").textContent = `This page could not be drawn (${error.message}). A browser of 2023 or later is needed; the tables below are complete.`;
  console.error(error);
});
