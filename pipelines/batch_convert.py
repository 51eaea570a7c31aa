"""Convert everything in some folders to BVH, re-rooted at a body."""

from __future__ import annotations

import logging
from pathlib import Path

import mocap_reroot as mr
from mocap_reroot.config import resolve
from mocap_reroot.conversion import Conversion, convert_clip
from mocap_reroot.resources.clips import find_clips
from pipelines.recipe import recipe


def main() -> None:
    """Convert; a file that cannot be converted is told and left out."""
    plan = recipe(__file__)
    for clip in find_clips(plan["inputs"], tuple(plan["suffixes"])):
        try:
            config = resolve(**plan["options"])
            task = Conversion(clip, Path(plan["out"]), config, root=plan["root"])
            written = convert_clip(task, logging.getLogger(__name__).debug).files
        except mr.MocapRerootError as error:
            print(f"left out: {error}")
            continue
        again = mr.read(written[0])
        print(f"{clip.path.name} -> {written[0]}, rooted at {again.skeleton.names[0]}")


if __name__ == "__main__":
    main()
