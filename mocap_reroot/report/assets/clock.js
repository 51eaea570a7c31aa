// The one time that the player and every plot share.

class Clock {
  constructor(duration, step) {
    Object.assign(this, { duration, step, time: 0, speed: 1, playing: false });
    this.listeners = [];
    this.last = 0;
  }

  onChange(listener) { this.listeners.push(listener); }

  tell() { for (const listener of this.listeners) listener(this); }

  set(time) {
    this.time = Math.min(Math.max(time, 0), this.duration);
    this.tell();
  }

  jump(frames) { this.pause(); this.set((Math.round(this.time / this.step) + frames) * this.step); }

  toggle() { if (this.playing) this.pause(); else this.play(); }

  pause() { this.playing = false; this.tell(); }

  play() {
    if (this.time >= this.duration - 1e-9) this.time = 0;
    this.playing = true;
    this.last = performance.now();
    this.tell();
    requestAnimationFrame((now) => this.advance(now));
  }

  advance(now) {
    if (!this.playing) return;
    const time = this.time + this.speed * Math.max(0, now - this.last) / 1000;
    this.last = now;
    this.set(time > this.duration ? 0 : time);
    requestAnimationFrame((next) => this.advance(next));
  }
}
