"""BVH of newer suits and services: quirks that other readers stumble over."""

import re
from pathlib import Path

import numpy as np
import pytest

from mocap_reroot import forward, read
from mocap_reroot.importers.bvh import read_bvh
from tests.inference.marching import Skeleton
from tests.inference.skeletons_newcomers import NEWCOMERS, NOITOM, SOMA


def moving_everywhere(skeleton: Skeleton, which: set[str] | None = None) -> str:
    """Return a file whose joints (or some) have position channels too, as some programs write."""
    text = skeleton.text(1.0)
    head, tail = text.split("MOTION")
    order = [skeleton.joints[k] for k in skeleton._depth_first(0)]
    chosen = {joint.name for joint in order[1:] if which is None or joint.name in which}
    for name in chosen:
        head = re.sub(
            rf"(JOINT {name}\n[^J]*?CHANNELS )3 ",
            r"\g<1>6 Xposition Yposition Zposition ",
            head,
        )
    lines = tail.strip().split("\n")
    rows = []
    for row in lines[2:]:
        numbers = row.split()
        out, at = numbers[:6], 6
        for joint in order[1:]:
            if joint.name in chosen:
                out += [f"{v:g}" for v in joint.offset]
            out += numbers[at : at + 3]
            at += 3
        rows.append(" ".join(out))
    return "\n".join([head + "MOTION", *lines[:2], *rows]) + "\n"


@pytest.mark.parametrize("skeleton", NEWCOMERS, ids=lambda s: s.name)
@pytest.mark.parametrize("which", [None, {"Hips", "LeftFoot"}], ids=["every joint", "some"])
def test_position_channels_on_joints_change_nothing(
    skeleton: Skeleton, which: set[str] | None, tmp_path: Path
) -> None:
    plain, moving = tmp_path / "plain.bvh", tmp_path / "moving.bvh"
    plain.write_text(skeleton.text(1.0))
    moving.write_text(moving_everywhere(skeleton, which))
    one, other = read(plain), read(moving)
    assert other.skeleton.names == one.skeleton.names
    np.testing.assert_allclose(
        forward(other).position, forward(one).position, atol=1e-9
    )  # m; the offsets are printed in full
    if one.skeleton.anatomy is not None and other.skeleton.anatomy is not None:
        assert other.skeleton.anatomy.segments == one.skeleton.anatomy.segments


def test_a_rest_rotation_behind_an_offset_is_passed_over_and_said(tmp_path: Path) -> None:
    path = tmp_path / "soma.bvh"
    text = SOMA.text(1.0)
    path.write_text(re.sub(r"(JOINT[^\n]*\n\s*{\n\s*OFFSET [^\n]*)", r"\1 0 0 90.5", text))
    found = read_bvh(path)
    path.write_text(text)
    assert found.hierarchy is not None
    expected = read_bvh(path).hierarchy
    assert expected is not None
    np.testing.assert_array_equal(found.hierarchy.offset, expected.offset)
    np.testing.assert_array_equal(found.hierarchy.values, expected.values)
    assert any("OFFSET has six numbers" in repair for repair in found.repairs)


def test_without_end_sites_and_with_a_frame_less_than_promised(tmp_path: Path) -> None:
    path = tmp_path / "rokoko.bvh"
    text = re.sub(r"\s*End Site\s*{[^}]*}", "", NOITOM.text(1.0))
    path.write_text(text.replace("Frames: 60", "Frames: 61"))
    found = read_bvh(path)
    assert found.n_frames == 60 and found.hierarchy is not None
    assert not len(found.hierarchy.site_body)
    assert any("61" in repair for repair in found.repairs)
