"""Draw what contact detection sees: height, speed and score of every foot, phases behind.

python benchmarks/contact_plots.py OUT FILE...
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.reading import read
from mocap_reroot.types import Contacts, Motion

COLOURS = {"flight": "#f4c7c3", "single": "#d9ead3", "double": "#cfe2f3", "multi": "#d9d2e9"}
COLOURS["none"] = "#dddddd"


def draw(motion: Motion, contacts: Contacts, path: Path) -> None:
    """Draw one clip: two rows a limb (height and speed; score), one column."""
    names = contacts.skeleton.names
    time = np.arange(len(contacts.flags)) / contacts.fps
    feet = contacts.feet
    width = float(np.clip(4 * time[-1], 12, 40))
    figure, axes = plt.subplots(2 * len(feet), 1, figsize=(width, 4.2 * len(feet)), sharex=True)
    for row, foot in enumerate(feet):
        above, below = axes[2 * row], axes[2 * row + 1]
        speeds = above.twinx()
        for k, sole in enumerate(contacts.soles):
            if sole.foot != foot:
                continue
            style = "-" if sole.body == foot else "--"
            above.plot(time, 100 * contacts.reasons["height"][k], f"C0{style}")
            speeds.plot(time, contacts.reasons["speed"][k], f"C1{style}")
            below.plot(time, contacts.score[k], f"C2{style}", label=names[sole.body])
            below.fill_between(time, 0, 0.1 * contacts.touching[k] * (2 - (sole.body == foot)))
            speeds.axhline(contacts.reasons["speed_limit"][k], color="C1", lw=0.5)
            above.axhline(100 * contacts.reasons["height_limit"][k], color="C0", lw=0.5)
        above.set_ylabel(f"{names[foot]}\nheight [cm]", color="C0")
        above.set_ylim(-2, 20)
        speeds.set_ylabel("speed [m/s]", color="C1")
        speeds.set_ylim(0, 3)
        below.set_ylabel("score")
        below.set_ylim(0, 1.05)
        below.legend(loc="upper right")
        for phase in contacts.phase_list:
            span = (phase.start - contacts.start) / contacts.fps
            end = (phase.stop - contacts.start) / contacts.fps
            for axis in (above, below):
                axis.axvspan(span, end, color=COLOURS[phase.mode], lw=0, zorder=-1)
    name = motion.source.path.name if motion.source.path else ""
    kind = f"{contacts.ground_kind}, {len(contacts.planes)} pieces of ground"
    figure.suptitle(f"{name}: {contacts!r}, {kind}")
    axes[-1].set_xlabel("time [s]   green single, blue double, red flight, violet multi")
    figure.tight_layout()
    figure.savefig(path, dpi=60)
    plt.close(figure)


def main(out: Path, files: list[Path]) -> None:
    """Draw every file into a folder."""
    out.mkdir(parents=True, exist_ok=True)
    for file in files:
        motion = read(file)
        contacts = detect_contacts(motion, contact_source="kinematics")
        draw(motion, contacts, out / f"{file.stem}.png")
        print(file.name, contacts, *contacts.warnings)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), [Path(f) for f in sys.argv[2:]])
