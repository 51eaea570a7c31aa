"""Accuracy and speed of ``smooth()``: the tables of the README.

    python -m benchmarks.smoothing

Accuracy on sums of sinusoids on every joint of branching trees, whose derivatives are known; ends
on cut-outs of a walk; speed against one ``scipy.signal.sosfiltfilt`` over the same quaternions.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from scipy import signal

from mocap_reroot.signals import filters
from mocap_reroot.signals.cleaning import clean
from mocap_reroot.signals.smoothing import smooth
from tests.signals.waves import (
    Truth,
    cut_out_errors,
    error,
    plain_butterworth,
    wavy_motion,
    with_noise,
)

CUTOFF = 6.0


def main() -> None:
    accuracy()
    noise()
    ends()
    speed()


def table(head: list[str], rows: list[list[str]]) -> None:
    print()
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def percent(value: float) -> str:
    return f"{100 * value:.3f} %"


def accuracy() -> None:
    """RMS error of interior frames, 100 Hz, cut-off 6 Hz, 12 joints, 10 s."""
    slow = wavy_motion(np.random.default_rng(1), hertz=[0.3, 0.6, 1.0], degrees=60.0)
    half = wavy_motion(np.random.default_rng(2), hertz=[CUTOFF / 2], degrees=20.0, axes=1)
    rows = []
    for label, truth, waves in (
        ("0.3 + 0.6 + 1 Hz, about three axes, against the truth", slow, None),
        ("3 Hz, one axis, against the filter's known gain", half, CUTOFF / 2),
    ):
        for method in filters.METHODS:
            gain = 1.0 if waves is None else float(filters.gain(waves, CUTOFF, 100.0, method))
            rows.append([label, method, f"{gain:.4f}", *_errors(truth, method, gain)])
    head = ["content", "method", "gain", "angular velocity", "angular acceleration"]
    table([*head, "root velocity", "root acceleration"], rows)


def _errors(truth: Truth, method: str, gain: float) -> list[str]:
    found = smooth(truth.captured, CUTOFF, method)
    rates = (found.angular_velocity, found.angular_acceleration)
    rates += (found.linear_velocity, found.linear_acceleration)
    pairs = zip(rates, truth.arrays, strict=True)
    return [percent(error(rate, gain * exact, inner=50)) for rate, exact in pairs]


def noise() -> None:
    """RMS error of the angular acceleration with 0.1° RMS noise, 120 Hz, rad/s²."""
    rows = []
    for hertz in ([0.5, 1.0], [0.5, 1.0, 2.0], [0.7, 1.4, 2.8]):
        rng = np.random.default_rng(5)
        truth = wavy_motion(rng, hertz=hertz, degrees=30.0, fps=120.0, frames=2400)
        noisy, exact = with_noise(rng, truth.captured, 0.1), truth.arrays[1]
        size = float(np.sqrt(np.mean(exact**2)))
        found = {
            "plain, 6 Hz each pass": plain_butterworth(noisy, CUTOFF, corrected=False),
            "plain, 6 Hz in all": plain_butterworth(noisy, CUTOFF, corrected=True),
        }
        for method in filters.METHODS:
            found[method] = smooth(noisy, CUTOFF, method).angular_acceleration
        errors = [f"{size * error(value, exact, 60):.3f}" for value in found.values()]
        rows.append([" + ".join(f"{f:g}" for f in hertz) + " Hz", f"{size:.1f}", *errors])
    table(["content", "RMS", *found], rows)


def ends() -> None:
    """Acceleration at the first and last frame of a cut-out, against the uncut motion."""
    rows = [
        [method, *(percent(e) for e in cut_out_errors(CUTOFF, method))]
        for method in (*filters.METHODS, "butterworth, odd reflection")
    ]
    table(["method", "first and last frame", "5th", "15th"], rows)


def speed(frames: int = 10_000, bodies: int = 31) -> None:
    motion = wavy_motion(np.random.default_rng(3), n=bodies, frames=frames, hertz=[0.5, 1.7])
    motion = motion.captured
    rows = np.array(motion.rotation).reshape(4 * bodies, frames)
    section = signal.butter(2, CUTOFF, fs=motion.fps, output="sos")
    runs: dict[str, Callable[[], object]] = {
        "one sosfiltfilt": lambda: signal.sosfiltfilt(section, rows),
        "smooth, butterworth": lambda: smooth(motion, CUTOFF),
        "smooth, spline": lambda: smooth(motion, CUTOFF, "spline"),
        "smooth, automatic cut-off": lambda: smooth(motion),
        "of which cleaning": lambda: clean(motion),
    }
    times = {name: _best(run) for name, run in runs.items()}
    reference = times["one sosfiltfilt"]
    table(
        [f"{frames} frames x {bodies} joints", "ms", "times sosfiltfilt"],
        [[name, f"{1e3 * t:.1f}", f"{t / reference:.2f}"] for name, t in times.items()],
    )


def _best(run: Callable[[], object], repeats: int = 7) -> float:
    run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    main()
