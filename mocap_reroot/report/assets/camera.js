// An orbiting camera with perspective. World axes are the file's; `up` and `forward` orient it.

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const plus = (a, b, s) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const unit = (a) => { const n = Math.hypot(...a) || 1; return [a[0] / n, a[1] / n, a[2] / n]; };

const VIEWS = { corner: [-0.9, 0.17], side: [-Math.PI / 2, 0.06], front: [0, 0.08], top: [-Math.PI / 2, 1.5] };

const FOCAL = 1.45; // picture heights

class Camera {
  // size: usual height of the body; span: from its lowest to its highest point in the clip.
  constructor(up, forward, size, span) {
    this.up = unit(up);
    this.forward = unit(plus(forward, this.up, -dot(forward, this.up)));
    this.side = cross(this.up, this.forward);
    this.target = [0, 0, 0];
    this.distance = Math.max(2.25 * size, FOCAL * 1.3 * span);
    this.size = size;
    this.view("corner");
  }

  view(name) { [this.yaw, this.pitch] = VIEWS[name]; }

  orbit(dx, dy) {
    this.yaw -= dx;
    this.pitch = Math.min(1.55, Math.max(-0.15, this.pitch + dy));
  }

  zoom(factor) { this.distance = Math.min(20 * this.size, Math.max(0.4 * this.size, this.distance * factor)); }

  // Fix the frame's axes; called once a picture.
  place(width, height) {
    const c = Math.cos(this.pitch), s = Math.sin(this.pitch);
    const flat = plus(plus([0, 0, 0], this.forward, Math.cos(this.yaw)), this.side, Math.sin(this.yaw));
    const back = plus(plus([0, 0, 0], flat, c), this.up, s);
    this.eye = plus(this.target, back, this.distance);
    this.ahead = [-back[0], -back[1], -back[2]];
    this.right = unit(cross(this.ahead, plus(plus([0, 0, 0], this.up, c), flat, -s)));
    this.high = cross(this.right, this.ahead);
    // narrow screens: a body is about as wide as it is high
    this.focal = FOCAL * Math.min(height, 1.25 * width);
    this.cx = width / 2;
    this.cy = height * 0.5;
  }

  // Screen x, y, pixels a metre, and depth; null behind the eye.
  project(p) {
    const d = [p[0] - this.eye[0], p[1] - this.eye[1], p[2] - this.eye[2]];
    const depth = dot(d, this.ahead);
    if (!(depth > 0.05 * this.size)) return null;
    const scale = this.focal / depth;
    return { x: this.cx + scale * dot(d, this.right), y: this.cy - scale * dot(d, this.high), scale, depth };
  }
}
