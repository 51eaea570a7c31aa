"""The generated walk as other laboratories and programs would have labelled it.

``PLACES`` puts every landmark that anybody marks on the bodies of the walk, whose joint centres are
known; ``LABORATORIES`` says which labels go where, as read in the files or the documentation that
are named. Where a source says "by hearsay", no file of it was seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mocap_reroot.types import Markers, Recording
from sample_data import gait_model as model
from sample_data.balance import Truth
from sample_data.make_c3d import ANKLE_WIDTH, FPS, KNEE_WIDTH, MARKER_RADIUS, TO_LAB

_KNEE, _ANKLE = KNEE_WIDTH / 2 + MARKER_RADIUS, ANKLE_WIDTH / 2 + MARKER_RADIUS
_SOLE = -model.ANKLE_HEIGHT
_CROWN = 0.19

# m, in axes x outwards (middle: to the left), y up, z forward; {side} is Left or Right.
PLACES: dict[str, tuple[str, tuple[float, float, float]]] = {
    "asis": ("Hips", (0.1273, 0.0366, 0.0468)),
    "psis": ("Hips", (0.045, 0.0366, -0.095)),
    "iliac crest": ("Hips", (0.14, 0.09, 0.0)),
    "waist side": ("Hips", (0.15, 0.06, -0.02)),
    "hip": ("{side}UpLeg", (0, 0, 0)),
    "trochanter": ("{side}UpLeg", (0.09, -0.01, 0)),
    "thigh side": ("{side}UpLeg", (0.09, -0.5 * model.THIGH, 0)),
    "thigh front": ("{side}UpLeg", (0.03, -0.6 * model.THIGH, 0.08)),
    "thigh back": ("{side}UpLeg", (0.06, -0.7 * model.THIGH, -0.04)),
    "lateral knee": ("{side}UpLeg", (_KNEE, -model.THIGH, 0)),
    "medial knee": ("{side}UpLeg", (-_KNEE, -model.THIGH, 0)),
    "knee": ("{side}Leg", (0, 0, 0)),
    "shank side": ("{side}Leg", (0.06, -0.5 * model.SHANK, 0)),
    "shank front": ("{side}Leg", (0.01, -0.3 * model.SHANK, 0.05)),
    "shank back": ("{side}Leg", (0.05, -0.6 * model.SHANK, -0.02)),
    "lateral ankle": ("{side}Leg", (_ANKLE, -model.SHANK, 0)),
    "medial ankle": ("{side}Leg", (-_ANKLE, -model.SHANK, 0)),
    "ankle": ("{side}Foot", (0, 0, 0)),
    "heel": ("{side}Foot", (0, _SOLE + 0.035, -0.062)),
    "heel high": ("{side}Foot", (0, _SOLE + 0.06, -0.062)),
    "heel outside": ("{side}Foot", (0.03, _SOLE + 0.03, -0.03)),
    "second metatarsal": ("{side}Foot", (0, _SOLE + 0.045, 0.130)),
    "first metatarsal": ("{side}Foot", (-0.045, _SOLE + 0.03, 0.125)),
    "fifth metatarsal": ("{side}Foot", (0.045, _SOLE + 0.025, 0.095)),
    "midfoot": ("{side}Foot", (0, _SOLE + 0.06, 0.06)),
    "big toe": ("{side}ToeBase", (-0.02, 0.0, 0.065)),
    "small toe": ("{side}ToeBase", (0.04, 0.0, 0.01)),
    "acromion": ("{side}Shoulder", (0.155, 0.045, 0)),
    "shoulder": ("{side}Arm", (0, 0, 0)),
    "upper arm": ("{side}Arm", (0.15, 0.05, 0)),
    "lateral elbow": ("{side}Arm", (0.30, 0, -0.042)),
    "medial elbow": ("{side}Arm", (0.30, 0, 0.042)),
    "elbow": ("{side}ForeArm", (0, 0, 0)),
    "thumb's wrist": ("{side}ForeArm", (0.25, 0, 0.03)),
    "little finger's wrist": ("{side}ForeArm", (0.25, 0, -0.03)),
    "wrist": ("{side}Hand", (0, 0, 0)),
    "knuckle": ("{side}Hand", (0.09, 0, 0)),
    "front of head": ("Head", (0.07, 0.12, 0.09)),
    "back of head": ("Head", (0.07, 0.12, -0.09)),
    "ear": ("Head", (0.08, 0.06, 0.0)),
    "eye": ("Head", (0.03, 0.09, 0.09)),
    # of the middle
    "mid-hips": ("Hips", (0, -0.06, 0)),
    "sacrum": ("Hips", (0, 0.0366, -0.095)),
    "c7": ("Spine1", (0, 0.23, -0.06)),
    "t10": ("Spine1", (0, -0.02, -0.10)),
    "notch": ("Spine1", (0, 0.19, 0.07)),
    "sternum": ("Spine1", (0, 0.02, 0.11)),
    "neck": ("Spine1", (0, 0.19, 0)),
    "thorax": ("Spine1", (0, 0.0, 0)),
    "crown": ("Head", (0, _CROWN, 0)),
    "forehead": ("Head", (0, 0.12, 0.10)),
    "occiput": ("Head", (0, 0.12, -0.10)),
    "nose": ("Head", (0, 0.07, 0.11)),
}


@dataclass(frozen=True)
class Laboratory:
    """How somebody labels markers.

    Attributes:
        source: Where the labels were read.
        chosen: The marker set that must be found.
        labels: ``{label: place}``, the sides as ``{s}``.
        sides: What stands for left and right in the labels.
        leg: m, how far hips, knees and ankles may be from the truth.
        force: Of body weight, how far the vertical force may be (RMS, single support).
    """

    source: str
    chosen: str
    labels: dict[str, str]
    sides: tuple[str, str] = ("L", "R")
    leg: float = 0.02
    force: float = 0.03

    @property
    def pressure(self) -> float:
        """m, how far the centre of pressure may be: legs do not tell how the trunk sways."""
        trunk = {"c7", "t10", "notch", "sternum", "neck", "thorax", "acromion", "shoulder"}
        return 0.025 if trunk & set(self.labels.values()) else 0.035


def path_of(place: str, side: str, true: Truth) -> np.ndarray:
    """Return ``(3, F)`` m, laboratory axes, where a place of the body is."""
    body, (x, y, z) = PLACES[place]
    i = model.NAMES.index(body.format(side=side))
    at = np.array([-x if side == "Right" else x, y, z])
    return np.asarray(TO_LAB @ (true.position[i] + true.rotation[i] @ at).T)


def recording(
    laboratory: Laboratory, true: Truth, prefix: str = "", path: str = "walk.trc"
) -> Recording:
    """Return the walk with this laboratory's markers; metres, z up, nothing else said."""
    points: dict[str, np.ndarray] = {}
    for label, place in laboratory.labels.items():
        for side, letter in zip(("Left", "Right"), laboratory.sides, strict=True):
            points.setdefault(prefix + label.format(s=letter), path_of(place, side, true))
    return Recording(
        path=Path(path),
        format="trc",
        n_frames=true.position.shape[1],
        fps=FPS,
        markers=Markers(tuple(points), np.array(list(points.values()))),
        unit="m",
    )


def write_trc(
    path: Path, recorded: Recording, unit: str = "m", turn: np.ndarray | None = None
) -> None:
    """Write the markers as a TRC file.

    Args:
        path: Where to.
        recorded: With markers in m.
        unit: The word in the header.
        turn: ``(3, 3)`` to other axes and units.
    """
    assert recorded.markers is not None
    labels, points = recorded.markers.labels, recorded.markers.position
    if turn is not None:
        points = np.einsum("ij,mjf->mif", turn, points)
    rate, count = f"{recorded.fps:g}", str(recorded.n_frames)
    words = ("DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units", "OrigDataRate",
             "OrigDataStartFrame", "OrigNumFrames")  # fmt: skip
    lines = [
        ["PathFileType", "4", "(X/Y/Z)", path.name],
        words,
        [rate, rate, count, str(len(labels)), unit, rate, "1", count],
        ["Frame#", "Time", *(cell for label in labels for cell in (label, "", ""))],
        ["", "", *(f"{axis}{k + 1}" for k in range(len(labels)) for axis in "XYZ")],
    ]
    for frame, row in enumerate(points.reshape(-1, points.shape[2]).T):
        lines.append([str(frame + 1), f"{frame / recorded.fps:.5f}", *(f"{x:.6f}" for x in row)])
    path.write_text("\n".join("\t".join(line) for line in lines) + "\n")


def _join(*parts: dict[str, str]) -> dict[str, str]:
    return {label: place for part in parts for label, place in part.items()}


_HALPE_LEGS = {
    "Hip": "mid-hips", "{s}Hip": "hip", "{s}Knee": "knee", "{s}Ankle": "ankle",
    "{s}BigToe": "big toe", "{s}SmallToe": "small toe", "{s}Heel": "heel",
}  # fmt: skip
_KEYPOINT_ARMS = {"{s}Shoulder": "shoulder", "{s}Elbow": "elbow", "{s}Wrist": "wrist"}
_SPELT_OUT = {
    "{s}_hip": "hip", "{s}_knee": "knee", "{s}_ankle": "ankle", "{s}_shoulder": "shoulder",
    "{s}_elbow": "elbow", "{s}_wrist": "wrist",
}  # fmt: skip
_FACE = {"Nose": "nose", "{s}Eye": "eye", "{s}Ear": "ear"}
_STUDY_LEGS = {
    "{s}.ASIS": "asis", "{s}.PSIS": "psis", "{s}_knee": "lateral knee",
    "{s}_ankle": "lateral ankle", "{s}_calc": "heel", "{s}_toe": "second metatarsal",
    "{s}_5meta": "fifth metatarsal",
    "{s}_thigh1": "thigh side", "{s}_thigh2": "thigh front", "{s}_thigh3": "thigh back",
    "{s}_sh1": "shank side", "{s}_sh2": "shank front", "{s}_sh3": "shank back",
}  # fmt: skip
_STUDY_MEDIAL = {"{s}_mknee": "medial knee", "{s}_mankle": "medial ankle"}
_CAMARGO = {
    "{s}_ASIS": "asis", "{s}_PSIS": "psis", "{s}_Knee_Lat": "lateral knee",
    "{s}_Ankle_Lat": "lateral ankle", "{s}_Heel": "heel", "{s}_Toe_Lat": "fifth metatarsal",
    "{s}_Toe_Med": "first metatarsal", "{s}_Toe_Tip": "big toe", "{s}_Thigh_Upper": "thigh side",
    "{s}_Thigh_Front": "thigh front", "{s}_Thigh_Rear": "thigh back",
    "{s}_Shank_Upper": "shank side", "{s}_Shank_Front": "shank front",
    "{s}_Shank_Rear": "shank back",
}  # fmt: skip
_RAJAGOPAL_LEGS = {
    "{s}.ASIS": "asis", "{s}.PSIS": "psis", "S2": "sacrum", "{s}.TH1": "thigh side",
    "{s}.TH2": "thigh front", "{s}.TH3": "thigh back", "{s}.Knee": "lateral knee",
    "{s}.SH1": "shank side", "{s}.SH2": "shank front", "{s}.SH3": "shank back",
    "{s}.Ankle": "lateral ankle", "{s}.Heel": "heel", "{s}.Toe": "second metatarsal",
    "{s}.MT5": "fifth metatarsal",
}  # fmt: skip
_QUALISYS = {
    "Head{s}": "ear", "HeadFront": "forehead", "Chest": "sternum", "SpineThoracic2": "c7",
    "SpineThoracic12": "t10", "Waist{s}Front": "asis", "{s}ShoulderTop": "acromion",
    "{s}Arm": "upper arm", "{s}ElbowOut": "lateral elbow", "{s}ElbowIn": "medial elbow",
    "{s}WristIn": "thumb's wrist", "{s}WristOut": "little finger's wrist", "{s}Hand2": "knuckle",
    "{s}KneeOut": "lateral knee", "{s}AnkleOut": "lateral ankle", "{s}HeelBack": "heel",
}  # fmt: skip
LABORATORIES = {
    "Pose2Sim HALPE_26": Laboratory(
        "Pose2Sim, skeletons and demo TRC",
        "keypoints",
        _join(_HALPE_LEGS, _KEYPOINT_ARMS, {"Neck": "neck", "Head": "crown", "Nose": "nose"}),
    ),
    "Pose2Sim lower body": Laboratory("Pose2Sim, HALPE_26_LOWER", "keypoints", _HALPE_LEGS),
    "Pose2Sim COCO_17": Laboratory(
        "Pose2Sim, COCO_17: no feet",
        "keypoints",
        _join({k: v for k, v in _HALPE_LEGS.items() if "Toe" not in k and "Heel" not in k},
              _KEYPOINT_ARMS, {"Neck": "neck", "Nose": "nose"}),
    ),
    "OpenPose BODY_25": Laboratory(
        "OpenCap and Pose2Sim, BODY_25",
        "keypoints",
        _join({("CHip" if k == "Hip" else k): v for k, v in _HALPE_LEGS.items()}, _KEYPOINT_ARMS,
              {"Neck": "neck"}, _FACE),
    ),
    "OpenCap midHip": Laboratory(
        "OpenCap, keypoints before augmentation",
        "keypoints",
        _join({("midHip" if k == "Hip" else k): v for k, v in _HALPE_LEGS.items()}, _KEYPOINT_ARMS,
              {"Neck": "neck"}, _FACE),
    ),
    "MediaPipe": Laboratory(
        "FreeMoCap's list of tracked points",
        "keypoints",
        _join(_SPELT_OUT, {"{s}_heel": "heel", "{s}_foot_index": "big toe", "nose": "nose",
                           "{s}_ear": "ear", "{s}_eye": "eye", "{s}_index": "knuckle"}),
        sides=("left", "right"),
    ),
    "COCO, spelt out": Laboratory("COCO_17 as many tools write it", "keypoints",
        _join(_SPELT_OUT, {"nose": "nose"}), sides=("left", "right")),
    "Human3.6M": Laboratory(
        "Human3.6M's 17 joints, by hearsay",
        "keypoints",
        {"Hip": "mid-hips", "{s}Hip": "hip", "{s}Knee": "knee", "{s}Foot": "ankle",
         "Spine": "thorax", "Thorax": "neck", "Neck/Nose": "nose", "Head": "crown",
         "{s}Shoulder": "shoulder", "{s}Elbow": "elbow", "{s}Wrist": "wrist"},
    ),
    "OpenCap augmented": Laboratory(
        "OpenCap and Pose2Sim, markers of the LSTM",
        "opencap",
        {f"{label}_study": place for label, place in _join(_STUDY_LEGS, _STUDY_MEDIAL, {
            "C7": "c7", "{s}_shoulder": "acromion", "{s}_lelbow": "lateral elbow",
            "{s}_melbow": "medial elbow", "{s}_lwrist": "thumb's wrist",
            "{s}_mwrist": "little finger's wrist"}).items()} | {"{s}HJC_study": "hip"},
        sides=("L", "r"),
    ),
    "OpenCap's laboratory": Laboratory(
        "Uhlrich 2023, marker files in nimblephysics",
        "opencap",
        _join(_STUDY_LEGS, {"{s}_HJC_reg": "hip", "{s}_HJC": "hip", "C7": "c7",
              "{s}_Shoulder": "acromion", "{s}_elbow_lat": "lateral elbow",
              "{s}_elbow_med": "medial elbow", "{s}_wrist_radius": "thumb's wrist",
              "{s}_wrist_ulna": "little finger's wrist"}),
        sides=("L", "r"),
    ),
    "Camargo 2021": Laboratory("Marker files in nimblephysics", "opensim-gait", _CAMARGO),
    "OpenSim 2392": Laboratory(
        "Marker set of gait2392 in opensim-models, as worn in its static trial",
        "opensim-gait",
        {"Sternum": "notch", "{s}.Acromium": "acromion", "Top.Head": "crown", "{s}.Elbow":
         "lateral elbow", "{s}.Wrist.Med": "little finger's wrist", "{s}.Wrist.Lat":
         "thumb's wrist", "{s}.ASIS": "asis", "V.Sacral": "sacrum", "{s}.Thigh.Upper":
         "thigh side", "{s}.Thigh.Front": "thigh front", "{s}.Thigh.Rear": "thigh back",
         "{s}.Knee.Lat": "lateral knee", "{s}.Knee.Med": "medial knee", "{s}.Shank.Upper":
         "shank side", "{s}.Shank.Front": "shank front", "{s}.Shank.Rear": "shank back",
         "{s}.Ankle.Lat": "lateral ankle", "{s}.Ankle.Med": "medial ankle", "{s}.Heel": "heel",
         "{s}.Midfoot.Sup": "midfoot", "{s}.Toe.Lat": "fifth metatarsal",
         "{s}.Toe.Med": "first metatarsal", "{s}.Toe.Tip": "big toe"},
    ),
    "OpenSim 2354, lower body": Laboratory(
        "The same without arms and head",
        "opensim-gait",
        {"{s}.ASIS": "asis", "V.Sacral": "sacrum", "{s}.Knee.Lat": "lateral knee",
         "{s}.Ankle.Lat": "lateral ankle", "{s}.Thigh.Upper": "thigh side", "{s}.Shank.Upper":
         "shank side", "{s}.Heel": "heel", "{s}.Toe.Lat": "fifth metatarsal",
         "{s}.Toe.Med": "first metatarsal"},
    ),
    "OpenSim, Rajagopal's examples": Laboratory(
        "Weights of markers in scripts that track exp_markers.trc",
        "opensim-gait",
        _RAJAGOPAL_LEGS | {"{s}.Shoulder": "acromion", "{s}.Clavicle": "notch",
                           "{s}.Elbow": "lateral elbow", "{s}.Wrist": "wrist"},
    ),
    "OpenSim, Rajagopal's legs": Laboratory(
        "The same, lower body", "opensim-gait", _RAJAGOPAL_LEGS
    ),
    "Hamner, static": Laboratory(
        "Static trial of Hamner 2013",
        "condyles-and-clusters",
        {"{s}ASI": "asis", "{s}PSI": "psis", "{s}TH1": "thigh side", "{s}TH2": "thigh front",
         "{s}TH3": "thigh back", "{s}LFC": "lateral knee", "{s}MFC": "medial knee",
         "{s}TB1": "shank side", "{s}TB2": "shank front", "{s}TB3": "shank back",
         "{s}LMAL": "lateral ankle", "{s}MMAL": "medial ankle", "{s}CAL": "heel",
         "{s}TOE": "second metatarsal", "{s}MT5": "fifth metatarsal", "{s}ACR": "acromion",
         "CLAV": "notch", "C7": "c7", "{s}UA1": "upper arm", "{s}LEL": "lateral elbow",
         "{s}MEL": "medial elbow", "{s}FAradius": "thumb's wrist",
         "{s}FAulna": "little finger's wrist"},
    ),
    "LaiUhlrich, lower body": Laboratory(
        "Markers of the model in OpenCap's files, legs only", "opencap",
        _STUDY_LEGS | _STUDY_MEDIAL, sides=("L", "r"),
    ),
    "BTS, Davis": Laboratory(
        "Columns of BTS' text files; fibula (knee 2) and trochanter (thigh) by hearsay",
        "bts-davis",
        {"c7": "c7", "{s} should": "acromion", "sacrum": "sacrum", "{s} asis": "asis",
         "{s} thigh": "trochanter", "{s} bar 1": "thigh side", "{s} knee 1": "lateral knee",
         "{s} bar 2": "shank side", "{s} mall": "lateral ankle", "{s} met": "fifth metatarsal",
         "{s} heel": "heel"},
        sides=("l", "r"),
    ),
    "IORgait": Laboratory(
        "Leardini 2007, the protocol's abbreviations, by hearsay",
        "ior-gait",
        {"C7": "c7", "{s}ASIS": "asis", "{s}PSIS": "psis", "{s}GT": "trochanter",
         "{s}LE": "lateral knee", "{s}ME": "medial knee", "{s}HF": "shank side",
         "{s}TT": "shank front", "{s}LM": "lateral ankle", "{s}MM": "medial ankle",
         "{s}CA": "heel", "{s}FM": "first metatarsal", "{s}SM": "second metatarsal",
         "{s}VM": "fifth metatarsal"},
    ),
    "Fukuchi 2018, walking": Laboratory(
        "Fukuchi 2018, columns of its text files",
        "fukuchi",
        {"{s}.ASIS": "asis", "{s}.PSIS": "psis", "{s}.Iliac.Crest": "iliac crest",
         "{s}.GTR": "trochanter", "{s}.Knee": "lateral knee", "{s}.HF": "shank side",
         "{s}.TT": "shank front", "{s}.Ankle": "lateral ankle", "{s}.Heel": "heel",
         "{s}.MT1": "first metatarsal", "{s}.MT5": "fifth metatarsal"},
    ),
    "Sprinter": Laboratory(
        "Lai's runner, marker files in nimblephysics",
        "condyles-and-clusters",
        {"C7": "c7", "{s}SH": "acromion", "MAN": "notch", "T7": "t10", "{s}ELB": "lateral elbow",
         "{s}WR": "wrist", "{s}ASI": "asis", "SACR": "sacrum", "{s}THLP": "thigh side",
         "{s}THAP": "thigh front", "{s}LEPI": "lateral knee", "{s}TIAP": "shank front",
         "{s}TILAT": "shank side", "{s}LMAL": "lateral ankle", "{s}HEEL": "heel",
         "{s}MFS": "midfoot", "{s}P1MT": "first metatarsal", "{s}TOE": "second metatarsal",
         "{s}P5MT": "fifth metatarsal"},
    ),
    "Visual3D": Laboratory(
        "Scripts that scale models by RLK and RMK; pelvis of a Qualisys user; LA, MA by hearsay",
        "condyles-and-clusters",
        {"{s}IC": "iliac crest", "{s}ASIS": "asis", "{s}PSIS": "psis", "{s}GT": "trochanter",
         "{s}LK": "lateral knee", "{s}MK": "medial knee", "{s}LA": "lateral ankle",
         "{s}MA": "medial ankle", "{s}HEEL": "heel", "{s}MT1": "first metatarsal",
         "{s}MT5": "fifth metatarsal"},
    ),
    "Helen Hayes, walking": Laboratory(
        "Kadaba 1990, labels of BTK's sample; heels are taken off after the static trial",
        "helen-hayes",
        {"{s}ASI": "asis", "VSAC": "sacrum", "{s}THI": "thigh side", "{s}KNE": "lateral knee",
         "{s}SHA": "shank side", "{s}ANK": "lateral ankle", "{s}TOE": "second metatarsal",
         "{s}SHO": "acromion", "{s}ELB": "lateral elbow", "{s}WRI": "wrist"},
    ),
    "RRIS40": Laboratory(
        "Marker list of the RRIS40 data set",
        "ior-gait",
        {"{s}ACR": "acromion", "{s}HLE": "lateral elbow", "{s}HME": "medial elbow",
         "{s}RSP": "thumb's wrist", "{s}USP": "little finger's wrist", "{s}HMC2": "knuckle",
         "{s}FLE": "lateral knee", "{s}FME": "medial knee", "{s}TAM": "medial ankle",
         "{s}FAL": "lateral ankle", "{s}FCC": "heel", "{s}FMT1": "first metatarsal",
         "{s}FMT5": "fifth metatarsal", "STER": "notch", "XPRO": "sternum", "C7": "c7",
         "T10": "t10", "{s}ASIS": "asis", "{s}PSIS": "psis"},
    ),
    "Human Body Model": Laboratory(
        "Moore 2015, marker list in AddBiomechanics",
        "human-body-model",
        {"{s}HEAD": "ear", "THEAD": "crown", "FHEAD": "forehead", "C7": "c7", "T10": "t10",
         "SACR": "sacrum", "XYPH": "sternum", "STRN": "notch", "{s}SHO": "acromion",
         "{s}LEE": "lateral elbow", "{s}MEE": "medial elbow", "{s}MW": "thumb's wrist",
         "{s}LW": "little finger's wrist", "{s}FIN": "knuckle", "{s}ASIS": "asis",
         "{s}PSIS": "psis", "{s}GTRO": "trochanter", "F{s}THI": "thigh side",
         "{s}LEK": "lateral knee", "{s}ATI": "shank side", "{s}LM": "lateral ankle",
         "{s}HEE": "heel", "{s}TOE": "big toe", "{s}MT5": "fifth metatarsal"},
    ),
    "Schreiber 2019": Laboratory(
        "ISB landmarks with an underscore, by hearsay",
        "ior-gait",
        {"{s}_IAS": "asis", "{s}_IPS": "psis", "{s}_FTC": "trochanter", "{s}_FLE": "lateral knee",
         "{s}_FME": "medial knee", "{s}_FAX": "shank side", "{s}_TTC": "shank front",
         "{s}_FAL": "lateral ankle", "{s}_TAM": "medial ankle", "{s}_FCC": "heel",
         "{s}_FM1": "first metatarsal", "{s}_FM2": "second metatarsal",
         "{s}_FM5": "fifth metatarsal", "{s}_SAE": "acromion", "{s}_HLE": "lateral elbow",
         "{s}_HME": "medial elbow", "{s}_USP": "little finger's wrist",
         "{s}_RSP": "thumb's wrist", "CV7": "c7", "TV10": "t10", "SJN": "notch", "SXS": "sternum"},
    ),
    "OptiTrack Biomech 57": Laboratory(
        "Marker list of the Visual3D wiki",
        "ior-gait",
        {"{s}AH": "front of head", "{s}PH": "back of head", "SJN": "notch", "SXS": "sternum",
         "CV7": "c7", "TV7": "t10", "{s}IAS": "asis", "{s}IPS": "psis", "{s}CAJ": "acromion",
         "{s}HLE": "lateral elbow", "{s}HME": "medial elbow", "{s}UA": "upper arm",
         "{s}HM2": "knuckle", "{s}USP": "little finger's wrist", "{s}RSP": "thumb's wrist",
         "{s}FTC": "trochanter", "{s}FLE": "lateral knee", "{s}FME": "medial knee",
         "{s}TH": "thigh side", "{s}SK": "thigh front", "{s}TTC": "shank front",
         "{s}FAX": "shank side", "{s}FAL": "lateral ankle", "{s}TAM": "medial ankle",
         "{s}FM5": "fifth metatarsal", "{s}FM1": "first metatarsal", "{s}FM2": "second metatarsal",
         "{s}FCC": "heel"},
    ),
    "Qualisys sports": Laboratory(
        "Scripts for QTM with the sports marker set",
        "qualisys-optitrack",
        _join(_QUALISYS, {"Waist{s}": "waist side", "WaistBack": "sacrum",
              "{s}ThighFrontLow": "thigh front", "{s}KneeIn": "medial knee",
              "{s}ShinFrontHigh": "shank front", "{s}Forefoot2": "second metatarsal",
              "{s}Forefoot5": "fifth metatarsal"}),
    ),
    "Qualisys animation": Laboratory(
        "Scripts for QTM with the animation marker set",
        "qualisys-optitrack",
        _join({k: v for k, v in _QUALISYS.items() if "ElbowIn" not in k and "Hand2" not in k},
              {"HeadTop": "crown", "SpineTop": "c7", "Waist{s}Back": "psis",
               "{s}Thigh": "thigh side", "{s}Shin": "shank side",
               "{s}ForefootIn": "first metatarsal", "{s}ForefootOut": "fifth metatarsal",
               "{s}ToeTip": "big toe", "{s}HandOut": "knuckle"}),
    ),
    "OptiTrack baseline": Laboratory(
        "Documentation of Motive and scripts for its exports",
        "qualisys-optitrack",
        {"HeadTop": "crown", "HeadFront": "forehead", "BackTop": "c7", "Chest": "notch",
         "Waist{s}Front": "asis", "Waist{s}Back": "psis", "{s}ShoulderTop": "acromion",
         "{s}UArmHigh": "upper arm", "{s}ElbowOut": "lateral elbow",
         "{s}WristOut": "little finger's wrist", "{s}WristIn": "thumb's wrist",
         "{s}HandOut": "knuckle", "{s}Thigh": "thigh side", "{s}KneeOut": "lateral knee",
         "{s}Shin": "shank side", "{s}AnkleOut": "lateral ankle", "{s}Heel": "heel",
         "{s}ToeIn": "first metatarsal", "{s}ToeOut": "fifth metatarsal", "{s}ToeTip": "big toe"},
    ),
}  # fmt: skip
