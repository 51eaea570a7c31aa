// The body in three dimensions on a canvas: capsules, ground, contacts, forces, centre of pressure.

class Player {
  constructor(canvas, data, clock) {
    Object.assign(this, { canvas, data, clock });
    this.context = canvas.getContext("2d");
    this.figure = data.figure;
    this.frames = data.shown;
    this.size = this.bodySize();
    this.camera = new Camera(data.up, data.directions[1].vector, this.size, this.span);
    this.follow = true;
    this.solid = true;
    this.middle = this.pathMiddle();
    this.contacts = new Map(data.contacts.map((c) => [c.body, c.spans]));
    const [plane = { point: this.lowest(), normal: data.up }, ...steps] = this.figure.ground;
    this.steps = steps;
    this.ghost = false;
    this.ground = { point: plane.point, normal: unit(plane.normal) };
    this.ground.a = unit(plus(this.camera.forward, this.ground.normal, -dot(this.camera.forward, this.ground.normal)));
    this.ground.b = cross(this.ground.normal, this.ground.a);
    this.listen();
  }

  // Fractional display frame of the clock's time.
  frame() { return Math.min((this.clock.time - this.data.start) * this.data.fps / this.data.stride, this.frames - 1); }

  vector(array, index, f) {
    const n = this.frames, a = Math.floor(f), b = Math.min(a + 1, n - 1), t = f - a, base = 3 * n * index;
    const out = [0, 0, 0];
    for (let k = 0; k < 3; k++) {
      const u = array[base + k * n + a], v = array[base + k * n + b];
      out[k] = Number.isFinite(v) ? u + t * (v - u) : u;
    }
    return out;
  }

  point(index, f) { return this.vector(this.figure.points, index, f); }

  // Usual height of the body, and from its lowest to its highest point in the whole clip.
  bodySize() {
    const up = unit(this.data.up), sizes = [];
    let lowest = Infinity, highest = -Infinity;
    for (let f = 0; f < this.frames; f += Math.max(1, Math.floor(this.frames / 100))) {
      let low = Infinity, high = -Infinity;
      for (let i = 0; i < this.figure.points.shape[0]; i++) {
        const h = dot(this.point(i, f), up);
        if (Number.isFinite(h)) { low = Math.min(low, h); high = Math.max(high, h); }
      }
      if (high > low) { sizes.push(high - low); lowest = Math.min(lowest, low); highest = Math.max(highest, high); }
    }
    sizes.sort((a, b) => a - b);
    const size = sizes[Math.floor(0.9 * sizes.length)] || 1.7;
    this.span = highest > lowest ? highest - lowest : size;
    this.level = highest > lowest ? (highest + lowest) / 2 : null;
    return size;
  }

  lowest() {
    const up = unit(this.data.up);
    let best = this.point(0, 0);
    for (let i = 0; i < this.figure.points.shape[0]; i++) {
      const p = this.point(i, 0);
      if (dot(p, up) < dot(best, up)) best = p;
    }
    return best;
  }

  pathMiddle() {
    const sum = [0, 0, 0];
    let n = 0;
    for (let f = 0; f < this.frames; f++) {
      const c = this.vector(this.figure.com, 0, f);
      if (Number.isFinite(c[0])) { for (let k = 0; k < 3; k++) sum[k] += c[k]; n++; }
    }
    return sum.map((s) => s / Math.max(n, 1));
  }

  listen() {
    const canvas = this.canvas, held = new Map();
    canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); held.set(e.pointerId, e); });
    const drop = (e) => held.delete(e.pointerId);
    canvas.addEventListener("pointerup", drop);
    canvas.addEventListener("pointercancel", drop);
    canvas.addEventListener("pointermove", (e) => {
      const before = held.get(e.pointerId);
      if (!before) return;
      const others = [...held.values()].filter((o) => o.pointerId !== e.pointerId);
      if (others.length) {
        const gap = (p) => Math.hypot(p.clientX - others[0].clientX, p.clientY - others[0].clientY) || 1;
        this.camera.zoom(gap(before) / gap(e));
      } else {
        this.camera.orbit((e.clientX - before.clientX) * 0.008, (e.clientY - before.clientY) * 0.008);
      }
      held.set(e.pointerId, e);
      this.draw();
    });
    canvas.addEventListener("wheel", (e) => {
      // With the page's own scrolling left alone unless the picture has the focus.
      if (document.activeElement !== canvas && !e.ctrlKey) return;
      e.preventDefault();
      this.camera.zoom(Math.exp(e.deltaY * 0.001));
      this.draw();
    }, { passive: false });
    new ResizeObserver(() => this.draw()).observe(canvas);
    this.clock.onChange(() => this.draw());
  }

  carrying(body) {
    const t = this.clock.time + 1e-6;
    return (this.contacts.get(body) || []).some(([a, b]) => t >= a && t < b);
  }

  draw() {
    const ratio = window.devicePixelRatio || 1, box = this.canvas.getBoundingClientRect();
    if (!box.width) return;
    const w = Math.round(box.width * ratio), h = Math.round(box.height * ratio);
    if (this.canvas.width !== w || this.canvas.height !== h) { this.canvas.width = w; this.canvas.height = h; }
    const c = this.context;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const sky = c.createLinearGradient(0, 0, 0, box.height);
    sky.addColorStop(0, COLOURS.sky);
    sky.addColorStop(1, COLOURS.haze);
    c.fillStyle = sky;
    c.fillRect(0, 0, box.width, box.height);
    const f = this.frame(), centre = this.vector(this.figure.com, 0, f);
    const known = Number.isFinite(centre[0]);
    // Follow along the ground only: a body that bobs with its own camera would look still.
    const focus = known && this.follow ? centre : this.middle;
    const lift = (this.level === null ? dot(this.middle, this.camera.up) : this.level) - dot(focus, this.camera.up);
    this.camera.target = plus(focus, this.camera.up, lift);
    this.camera.place(box.width, box.height);
    this.drawShadow(f);
    this.drawGrid();
    this.drawSteps();
    this.drawPressureTrail(f);
    if (known) this.drawBody(f); else this.say("This frame was left out of the analysis.");
    if (known && this.ghost) this.drawGhost(f);
    this.drawForces(f);
    if (known) this.drawRoot(f);
  }

  say(words) {
    const c = this.context;
    c.fillStyle = COLOURS.soft;
    c.font = "15px system-ui, sans-serif";
    c.textAlign = "center";
    c.fillText(words, this.camera.cx, this.camera.cy);
  }

  onGround(p) { return plus(p, this.ground.normal, dot(plus(this.ground.point, p, -1), this.ground.normal)); }

  drawGrid() {
    const cell = this.size > 3 ? Math.pow(10, Math.floor(Math.log10(this.size))) : 0.5, reach = 10, c = this.context;
    const { a, b } = this.ground, p = this.onGround(this.camera.target);
    const d = plus(p, this.ground.point, -1);
    const i0 = Math.round(dot(d, a) / cell), j0 = Math.round(dot(d, b) / cell);
    const at = (i, j) => plus(plus(this.ground.point, a, i * cell), b, j * cell);
    const bins = [[], [], [], [], []];
    const piece = (i, j, di, dj) => {
      const far = Math.hypot(i - i0 + di / 2, j - j0 + dj / 2) / reach;
      if (far >= 1) return;
      const u = this.camera.project(at(i, j)), v = this.camera.project(at(i + di, j + dj));
      if (u && v) bins[Math.min(4, Math.floor(5 * far))].push(u, v);
    };
    for (let i = i0 - reach; i <= i0 + reach; i++) {
      for (let j = j0 - reach; j < j0 + reach; j++) { piece(i, j, 0, 1); piece(j - j0 + i0, i - i0 + j0, 1, 0); }
    }
    c.lineWidth = 1;
    bins.forEach((lines, k) => {
      c.strokeStyle = faint(COLOURS.grid, 0.42 * (1 - (k + 0.5) / 5));
      c.beginPath();
      for (let n = 0; n < lines.length; n += 2) { c.moveTo(lines[n].x, lines[n].y); c.lineTo(lines[n + 1].x, lines[n + 1].y); }
      c.stroke();
    });
  }

  // Ground at other heights, where it was stood on: stairs, boxes.
  drawSteps() {
    const c = this.context;
    for (const { corners } of this.steps) {
      const seen = corners.map((p) => this.camera.project(p));
      if (seen.some((p) => !p)) continue;
      c.beginPath();
      seen.forEach((p, k) => (k ? c.lineTo(p.x, p.y) : c.moveTo(p.x, p.y)));
      c.closePath();
      c.fillStyle = faint(COLOURS.grid, 0.16);
      c.fill();
      c.lineWidth = 1.5;
      c.strokeStyle = faint(COLOURS.grid, 0.6);
      c.stroke();
    }
  }

  // The body as it was captured: where it is now, less how the root was moved and turned.
  drawGhost(f) {
    const moved = this.data.correction, at = Math.round(f), n = this.frames, c = this.context;
    const [x, y, z, a, b, g] = [0, 1, 2, 3, 4, 5].map((k) => moved[k * n + at]);
    if (!Number.isFinite(x + a)) return;
    const root = this.point(0, at), angle = Math.hypot(a, b, g), axis = angle > 1e-9 ? [a / angle, b / angle, g / angle] : [0, 0, 1];
    const cos = Math.cos(angle), sin = -Math.sin(angle);
    const back = (p) => {
      const d = plus(p, root, -1), along = dot(d, axis) * (1 - cos), turned = cross(axis, d);
      return [0, 1, 2].map((k) => root[k] - [x, y, z][k] + d[k] * cos + turned[k] * sin + axis[k] * along);
    };
    c.strokeStyle = COLOURS.ghost;
    c.lineWidth = 1.5;
    c.setLineDash([5, 4]);
    for (const [i, j] of this.figure.capsules) {
      const u = this.camera.project(back(this.point(i, at))), v = this.camera.project(back(this.point(j, at)));
      if (!u || !v || !Number.isFinite(u.x + v.x)) continue;
      c.beginPath();
      c.moveTo(u.x, u.y);
      c.lineTo(v.x, v.y);
      c.stroke();
    }
    c.setLineDash([]);
  }

  drawShadow(f) {
    const c = this.context;
    c.strokeStyle = COLOURS.shadow; // opaque: overlapping limbs must not darken each other
    c.lineCap = "round";
    for (const [a, b, , radius] of this.figure.capsules) {
      const u = this.camera.project(this.onGround(this.point(a, f))), v = this.camera.project(this.onGround(this.point(b, f)));
      if (!u || !v || !Number.isFinite(u.x + v.x)) continue;
      c.lineWidth = Math.max(2, 1.6 * radius * u.scale * Math.max(0.25, Math.sin(Math.abs(this.camera.pitch))));
      c.beginPath();
      c.moveTo(u.x, u.y);
      c.lineTo(v.x, v.y);
      c.stroke();
    }
  }

  drawBody(f) {
    const pieces = [];
    for (const [a, b, body, radius] of this.figure.capsules) {
      const u = this.camera.project(this.point(a, f)), v = this.camera.project(this.point(b, f));
      if (u && v && Number.isFinite(u.x + v.x)) pieces.push({ u, v, body, radius: this.solid ? radius : 0.012 * this.size });
    }
    pieces.sort((p, q) => q.u.depth + q.v.depth - p.u.depth - p.v.depth);
    for (const piece of pieces) this.drawCapsule(piece);
  }

  drawCapsule({ u, v, body, radius }) {
    const c = this.context, who = this.figure.bodies[body], lit = this.carrying(who.name);
    const ru = Math.max(1.5, radius * u.scale), rv = Math.max(1.5, radius * v.scale);
    const angle = Math.atan2(v.y - u.y, v.x - u.x), nx = -Math.sin(angle), ny = Math.cos(angle), r = Math.max(ru, rv);
    const mx = (u.x + v.x) / 2, my = (u.y + v.y) / 2;
    const base = lit ? COLOURS.lit : colour(who.side);
    const shade = c.createLinearGradient(mx - nx * r, my - ny * r, mx + nx * r, my + ny * r);
    shade.addColorStop(0, tint(base, -0.28));
    shade.addColorStop(0.35, tint(base, 0.28));
    shade.addColorStop(1, tint(base, -0.22));
    c.beginPath();
    c.arc(u.x, u.y, ru, angle + Math.PI / 2, angle - Math.PI / 2);
    c.arc(v.x, v.y, rv, angle - Math.PI / 2, angle + Math.PI / 2);
    c.closePath();
    if (lit) { c.shadowColor = "#ffb000"; c.shadowBlur = 18; }
    c.fillStyle = shade;
    c.fill();
    c.shadowBlur = 0;
    c.lineWidth = 1;
    c.strokeStyle = lit ? "#b87900" : "rgba(255,255,255,.75)";
    c.stroke();
  }

  drawPressureTrail(f) {
    const c = this.context, back = Math.ceil(0.7 * this.data.fps / this.data.stride);
    for (const foot of this.data.feet) {
      c.fillStyle = colour(foot.side);
      for (let g = Math.max(0, Math.floor(f) - back); g <= f; g++) {
        const p = this.camera.project(this.vector(foot.used.cop, 0, g));
        if (!p || !Number.isFinite(p.x)) continue;
        c.globalAlpha = 0.15 + 0.45 * (1 - (f - g) / (back + 1));
        c.beginPath();
        c.arc(p.x, p.y, 2, 0, 7);
        c.fill();
      }
    }
    c.globalAlpha = 1;
  }

  drawForces(f) {
    for (const foot of this.data.feet) {
      const guess = foot.predicted || foot.used;
      this.drawForce(guess.cop, guess.force, f, COLOURS.force);
      if (foot.measured) this.drawForce(foot.measured.cop, foot.measured.force, f, COLOURS.plates);
    }
  }

  drawForce(cops, forces, f, ink) {
    const at = Math.round(f), p = this.vector(cops, 0, at), force = this.vector(forces, 0, at);
    if (!Number.isFinite(p[0] + force[0]) || !(Math.hypot(...force) > 1)) return;
    const tip = plus(p, force, 0.45 * this.size / this.data.weight);
    const u = this.camera.project(p), v = this.camera.project(tip);
    if (!u || !v) return;
    const c = this.context, angle = Math.atan2(v.y - u.y, v.x - u.x), length = Math.hypot(v.x - u.x, v.y - u.y);
    const head = Math.min(14, 0.5 * length);
    c.strokeStyle = c.fillStyle = ink;
    c.lineWidth = 4;
    c.lineCap = "butt";
    c.beginPath();
    c.moveTo(u.x, u.y);
    c.lineTo(v.x - 0.8 * head * Math.cos(angle), v.y - 0.8 * head * Math.sin(angle));
    c.stroke();
    c.beginPath();
    c.moveTo(v.x, v.y);
    c.lineTo(v.x - head * Math.cos(angle - 0.45), v.y - head * Math.sin(angle - 0.45));
    c.lineTo(v.x - head * Math.cos(angle + 0.45), v.y - head * Math.sin(angle + 0.45));
    c.fill();
    c.beginPath();
    c.arc(u.x, u.y, 4.5, 0, 7);
    c.fill();
    c.lineWidth = 1.5;
    c.strokeStyle = COLOURS.halo;
    c.stroke();
  }

  drawRoot(f) {
    const phase = phaseAt(this.data, this.clock.time);
    const index = phase ? this.figure.bodies.findIndex((b) => b.name === phase.root) : -1;
    if (index < 0) return;
    const p = this.camera.project(this.point(index, f)), c = this.context;
    if (!p || !Number.isFinite(p.x)) return;
    c.beginPath();
    c.arc(p.x, p.y, Math.max(7, 0.035 * this.size * p.scale), 0, 7);
    c.lineWidth = 5;
    c.strokeStyle = COLOURS.halo;
    c.stroke();
    c.lineWidth = 3;
    c.strokeStyle = COLOURS.root;
    c.stroke();
  }
}

// A colour moved towards white (amount > 0) or black.
function tint(hex, amount) {
  const goal = amount > 0 ? 255 : 0, t = Math.abs(amount);
  const part = (k) => Math.round(parseInt(hex.slice(k, k + 2), 16) * (1 - t) + goal * t);
  return `rgb(${part(1)},${part(3)},${part(5)})`;
}

function phaseAt(data, time) {
  return data.phases.find((p) => time >= p.start - 1e-6 && time < p.stop - 1e-6) || null;
}
