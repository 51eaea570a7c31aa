"""Draw walk and run over ranges of published peaks: ``python -m sample_data.plot``."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

from sample_data.fit import SAMPLES, curves
from sample_data.gait import stored
from sample_data.generate import person
from sample_data.norms import CURVES, RANGES, mean_curve, peak

PANELS = (
    ("hip", "hip flexion, °"), ("knee", "knee flexion, °"), ("ankle", "dorsiflexion, °"),
    ("hip_moment", "hip extension, N·m/kg"), ("knee_moment", "knee extension, N·m/kg"),
    ("ankle_moment", "plantarflexion, N·m/kg"),
    ("hip_power", "hip power, W/kg"), ("knee_power", "knee power, W/kg"),
    ("ankle_power", "ankle power, W/kg"),
    ("vertical", "vertical force, weights"), ("forward", "forward force, weights"),
)  # fmt: skip


def main() -> None:
    """Draw both gaits side by side, a curve a row."""
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(4, 6, figsize=(15, 9), layout="constrained")
    masses, phase = person(), np.arange(SAMPLES) / SAMPLES
    for half, name in enumerate(("walk", "run")):
        gait = stored(name)
        found = curves(gait, masses, phase * gait.period).values
        for k, (curve, title) in enumerate(PANELS):
            ax = axes[k // 3, 3 * half + k % 3]
            for known in (r for r in RANGES[name] if r.curve == curve):
                first, last = known.between
                ax.fill_between([first, last], known.low, known.high, color="tab:green", alpha=0.2)
                at = phase[np.argmin(np.abs(found[curve] - peak(known, phase, found[curve])))]
                ax.plot(100 * at, peak(known, phase, found[curve]), "k.", ms=4)
            if curve in CURVES[name]:
                ax.plot(100 * phase, mean_curve(name, curve, phase), "k--", lw=0.7)
            ax.plot(100 * phase, found[curve], color="tab:blue")
            ax.set_title(f"{name}: {title}", fontsize=9)
            ax.tick_params(labelsize=7)
        axes[3, 3 * half + 2].axis("off")
        axes[3, 3 * half + 2].text(
            0, 0.5, f"{name}, {gait.speed} m/s\n% of the stride\n— generated\n- - mean of people\n"
            "green: published peaks", fontsize=9)  # fmt: skip
    figure.savefig(Path(__file__).with_name("norms.png"), dpi=70)


if __name__ == "__main__":
    main()
