"""The same walk under other laboratories' labels, and with parts of the body missing."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.errors import FileError
from mocap_reroot.importers.c3d import read_c3d
from mocap_reroot.importers.trc import read_trc
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.skeletons import markersets
from mocap_reroot.skeletons.from_markers import markers_motion
from mocap_reroot.types import Markers, Motion, Recording

PLUG_IN_GAIT = markersets.load("plug-in-gait")
SIDES = ("L", "R")

CMU = {"{s}ASI": "{s}FWT", "{s}PSI": "{s}BWT", "{s}TIB": "{s}SHN", "{s}D5M": "{s}MT5"}
SAME = ("THI", "KNE", "ANK", "HEE", "TOE", "SHO", "ELB", "WRA", "WRB", "FIN", "FHD", "BHD")
CMU |= {f"{{s}}{x}": f"{{s}}{x}" for x in SAME}
CMU |= {x: x for x in ("C7", "T10", "CLAV", "STRN")} | {"RBAK": "RBAC"}
IOR = {"{s}ASI": "{s}IAS", "{s}PSI": "{s}IPS", "{s}KNE": "{s}FLE", "{s}KNM": "{s}FME"}
IOR |= {"{s}ANK": "{s}FAL", "{s}MED": "{s}TAM", "{s}HEE": "{s}FCC", "{s}TOE": "{s}FM2"}
IOR |= {"C7": "CV7", "T10": "TV10", "CLAV": "SJN", "STRN": "SXS", "{s}SHO": "{s}CAJ"}
CGM2 = {f"{{s}}{x}": f"{{s}}{x}" for x in ("ASI", "PSI", "THI", "KNE", "KNM", "TIB", "ANK", "MED")}
CGM2 |= {"{s}HEE": "{s}HEE", "{s}TOE": "{s}TOE", "{s}D5M": "{s}VMH"}
CGM2 |= {"{s}TUB": "{s}TIAP", "{s}SHN": "{s}TIAD"}
CGM2 |= {x: x for x in ("C7", "T10", "CLAV", "STRN", "LSHO", "RSHO")}
VICON = CMU | {"{s}KNM": "{s}KNI", "{s}HEE": "{s}HEL", "{s}TOE": "{s}TOE", "{s}D5M": "{s}MT5"}
LABORATORIES = {"cmu-41": CMU, "ior-gait": IOR, "cgm2": CGM2, "vicon-front-waist": VICON}


@pytest.fixture(scope="module")
def walk(shared_data: Path) -> Recording:
    """Return a child's walk with back-waist, medial knee and medial ankle markers added."""
    recording = read_c3d(shared_data / "c3d/plug_in_gait/HC030A/HC030A05.c3d")
    motion = markers_motion(recording, fitting="first")
    assert recording.markers is not None
    at = dict(zip(recording.markers.labels, recording.markers.position, strict=True))
    world = forward(motion).position * 1000
    across = at["RASI"] - at["LASI"]
    for side, sign in (("L", -0.15), ("R", 0.15)):
        at[f"{side}PSI"] = at["SACR"] + sign * across
        name = {"L": "left", "R": "right"}[side]
        for lateral, medial, body in (("KNE", "KNM", "shank"), ("ANK", "MED", "foot")):
            centre = world[motion.skeleton.index(f"{name}_{body}")]
            at[side + medial] = 2 * centre - at[side + lateral]
    return replace(recording, markers=Markers(tuple(at), np.array(list(at.values()))))


def relabelled(recording: Recording, names: dict[str, str]) -> Recording:
    """Return only the named markers, under other names."""
    assert recording.markers is not None
    at = dict(zip(recording.markers.labels, recording.markers.position, strict=True))
    pairs = {
        old.replace("{s}", side): new.replace("{s}", side)
        for old, new in names.items()
        for side in SIDES
    }
    kept = {new: at[old] for old, new in pairs.items() if old in at}
    return replace(
        recording, markers=Markers(tuple(kept), np.array(list(kept.values()))), subject={}
    )


def fit_error(motion: Motion) -> float:
    return float(next(i.value for i in motion.source.inferred if i.what == "marker_fit"))


@pytest.mark.parametrize("name", LABORATORIES)
def test_other_labels_tell_the_same_walk(walk: Recording, name: str) -> None:
    plain = markers_motion(walk)
    motion = markers_motion(relabelled(walk, LABORATORIES[name]))
    chosen = next(i.value for i in motion.source.inferred if i.what == "marker_set")
    assert chosen == name
    print(f"{name}: {fit_error(motion):.1f} mm RMS")
    assert fit_error(motion) < 8
    for side in ("left", "right"):
        for body in ("shank", "foot"):
            ours = forward(motion).position[motion.skeleton.index(f"{side}_{body}")]
            theirs = forward(plain).position[plain.skeleton.index(f"{side}_{body}")]
            assert np.median(np.linalg.norm(ours - theirs, axis=0)) < 0.02


def test_labels_of_clusters_count_when_a_set_is_chosen() -> None:
    thigh = markersets.load("cgm2")
    labels = ["lasi", "lthap", "unknown"]
    assert thigh.used(labels) == {"lasi", "lthap"}
    assert PLUG_IN_GAIT.used(labels) == {"lasi"}


@pytest.mark.parametrize("side", ["left", "right"])
def test_one_leg_gives_one_leg(walk: Recording, side: str) -> None:
    gone = {"left": "R", "right": "L"}[side]
    assert walk.markers is not None
    keep = [
        label for label in walk.markers.labels
        if not (label.startswith(gone) and label[1:] in ("THI", "KNE", "KNM", "TIB", "ANK", "MED",
                "HEE", "TOE", "D1M", "D5M", "HLX"))
    ]  # fmt: skip
    rows = [walk.markers.labels.index(label) for label in keep]
    part = replace(walk, markers=Markers(tuple(keep), walk.markers.position[rows]))
    motion = markers_motion(part, markerset="plug-in-gait-lower-body")
    assert set(motion.skeleton.names) == {
        "pelvis", f"{side}_thigh", f"{side}_shank", f"{side}_foot",
    }  # fmt: skip
    assert fit_error(motion) < 8
    whole = markers_motion(walk)
    ankle = forward(motion).position[motion.skeleton.index(f"{side}_foot")]
    expected = forward(whole).position[whole.skeleton.index(f"{side}_foot")]
    assert np.median(np.linalg.norm(ankle - expected, axis=0)) < 0.02
    contacts = detect_contacts(motion)
    assert {motion.skeleton.names[foot] for foot in contacts.feet} == {f"{side}_foot"}


def test_a_pelvis_is_always_needed(walk: Recording) -> None:
    names: dict[str, str] = {k: v for k, v in CMU.items() if "ASI" not in k}
    with pytest.raises(FileError, match="asis"):
        markers_motion(relabelled(walk, names))


def test_a_walk_without_its_static_trial_says_what_to_do(shared_data: Path) -> None:
    recording = read_trc(shared_data / "gold/opensim_subject01_walk/subject01_walk1.trc")
    with pytest.raises(FileError, match="--static"):
        markers_motion(recording)


UNUSUAL: dict[str, Callable[[Path], Recording]] = {
    "c3d/btk/mocap36.c3d": read_c3d,
    "c3d/optitrack/walkingOptiTrack.c3d": read_c3d,
    "c3d/processor_types/pc_real.c3d": read_c3d,
}


@pytest.mark.parametrize("name", UNUSUAL)
def test_unknown_sets_are_refused_in_a_sentence(shared_data: Path, name: str) -> None:
    with pytest.raises(FileError, match=r"No marker set fits the labels .* --markerset FILE"):
        markers_motion(UNUSUAL[name](shared_data / name))
