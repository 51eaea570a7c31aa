"""Draw raw against smoothed against analytic: one joint of a known motion with 0.1° of noise.

    python -m docs.figures.smoothing [smoothing.png]

Left the last second and a half of the clip, right the error of the angular acceleration.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from mocap_reroot.signals.smoothing import smooth
from tests.signals.waves import plain_butterworth, wavy_motion, with_noise

FPS, CUTOFF, NOISE = 120.0, 6.0, 0.1
BODY, AXIS = 4, 0


def main(path: Path) -> None:
    """Draw the figure into a file."""
    rng = np.random.default_rng(21)
    truth = wavy_motion(rng, n=8, frames=600, fps=FPS, hertz=[0.6, 1.3, 2.4], degrees=40.0)
    noisy = with_noise(rng, truth.captured, NOISE)
    raw = smooth(noisy, None)
    curves = {
        "Butterworth, 6 Hz": smooth(noisy, CUTOFF),
        "spline, 6 Hz": smooth(noisy, CUTOFF, "spline"),
    }
    time = truth.motion.time
    shown = slice(600 - 180, 600)
    figure, axes = plt.subplots(2, 2, figsize=(12, 7), sharex="col", layout="constrained")
    exact = truth.arrays
    names = ("angular velocity, rad/s", "angular acceleration, rad/s²")
    for row, (name, key) in enumerate(
        zip(names, ("angular_velocity", "angular_acceleration"), strict=True)
    ):
        left, right = axes[row]
        known = exact[row][BODY, AXIS]
        left.plot(
            time[shown], getattr(raw, key)[BODY, AXIS, shown], color="0.8", lw=0.8, label="raw"
        )
        left.plot(time[shown], known[shown], "k", lw=3, alpha=0.35, label="analytic")
        for label, motion in curves.items():
            value = getattr(motion, key)[BODY, AXIS]
            left.plot(time[shown], value[shown], lw=1.2, label=label)
            right.plot(time[shown], (value - known)[shown], lw=1.2, label=label)
        if row == 1:
            plain = plain_butterworth(noisy, CUTOFF, corrected=True)[BODY, AXIS]
            right.plot(time[shown], (plain - known)[shown], "k:", lw=1.2, label="plain script")
        reach = 1.3 * np.abs(known[shown]).max()
        left.set(ylim=(-reach, reach), ylabel=name)
        right.set(ylabel="error")
        right.axhline(0, color="0.7", lw=0.8)
        left.legend(loc="lower left", fontsize=8)
        right.legend(loc="lower left", fontsize=8)
    axes[0, 0].set_title(f"{NOISE}° of noise at {FPS:g} Hz, the last 1.5 s of a clip")
    axes[0, 1].set_title("smoothed minus analytic")
    for bottom in axes[1]:
        bottom.set(xlabel="time, s")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    here = Path(__file__).with_suffix(".png")
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else here)
