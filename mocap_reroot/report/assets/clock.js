// The one time that the player and every plot share.

class Clock {
  constructor(start, duration, step) {
    Object.assign(this, { start, stop: start + duration, step, time: start, speed: 1, playing: false });
    this.listeners = [];
    this.last = 0;
  }

  onChange(listener) { this.listeners.push(listener); }

  tell() { for (const listener of this.listeners) listener(this); }

  set(time) {
    this.time = Math.min(Math.max(time, this.start), this.stop);
    this.tell();
  }

  get frame() { return Math.round((this.time - this.start) / this.step); }

  show(frame) { this.set(this.start + frame * this.step); }

  jump(frames) { this.pause(); this.show(this.frame + frames); }

  toggle() { if (this.playing) this.pause(); else this.play(); }

  pause() { this.playing = false; this.tell(); }

  play() {
    if (this.time >= this.stop - 1e-9) this.time = this.start;
    this.playing = true;
    this.last = performance.now();
    this.tell();
    requestAnimationFrame((now) => this.advance(now));
  }

  advance(now) {
    if (!this.playing) return;
    const time = this.time + this.speed * Math.max(0, now - this.last) / 1000;
    this.last = now;
    this.set(time > this.stop ? this.start : time);
    requestAnimationFrame((next) => this.advance(next));
  }
}
