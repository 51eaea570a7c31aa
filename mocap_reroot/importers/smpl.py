"""AMASS files (SMPL, SMPL-H, SMPL-X poses in ``.npz``) to Recording.

A file holds rotations, where the body is, and coefficients of its shape. Where its joints are, only
the body model knows, which the user brings along.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mocap_reroot.errors import FileError
from mocap_reroot.importers.channels import flagged, hierarchy_of_rotations
from mocap_reroot.importers.frame_time import FALLBACK_FPS, is_rate
from mocap_reroot.importers.smpl_model import BODY, LAYOUTS, Arrays, BodyShape, read_model
from mocap_reroot.types import Recording

_EXPECTED = "an AMASS file with poses, trans and betas"
_RATES = ("mocap_frame_rate", "mocap_framerate", "frame_rate", "fps")
_PARTS = {
    "root_orient": 1, "pose_body": 21, "pose_jaw": 1, "pose_eye": 2, "pose_hand": 30,
}  # fmt: skip
"""Arrays that hold the same as ``poses``, and the joints in each; in SMPL-X's order."""
_GENDERS = ("female", "male", "neutral")
_FARTHEST = 1e5  # m
_MOST_TURN = 1e3  # rad; more is no rotation anybody stored


def read_smpl(path: str | Path, smpl_model: str | Path | None = None) -> Recording:
    """Read an AMASS file.

    Args:
        path: The file.
        smpl_model: The body model that places its joints, ``.npz``.

    Returns:
        Recording: With a hierarchy in metres, bodies aligned with the world in the T-pose.

    Raises:
        FileError: The file is none, or the model is missing or does not fit.
    """
    path = Path(path)
    with Arrays(path, _EXPECTED) as arrays:
        if "J_regressor" in arrays:
            raise FileError(
                path,
                "it is a body model, not a motion.",
                todo="Name a motion, and this file with --smpl-model.",
            )
        poses, trans = _poses(arrays), arrays.numbers("trans")
        betas = np.atleast_1d(arrays.numbers("betas")) if "betas" in arrays else np.zeros(0)
        fps, repairs = _rate(arrays)
        gender = _gender(arrays)
    if betas.ndim > 1:  # a row for each frame: the person does not change
        betas = betas.reshape(-1, betas.shape[-1])[0] if betas.size else np.zeros(0)
    if trans.ndim != 2 or trans.shape != (poses.shape[2], 3):
        raise FileError(
            path, f"trans has the shape {trans.shape}; ({poses.shape[2]}, 3) was expected."
        )
    if not np.isfinite(betas).all() or (np.abs(betas) > 100).any():
        raise FileError(path, "betas, the coefficients of shape, are no credible numbers.")
    if smpl_model is None:
        listed = f", of gender {gender}" if gender else ""
        raise FileError(
            path,
            f"it holds rotations of {len(poses)} joints, but not where these are: that is in the "
            f"body model it was made with{listed}, which cannot be shipped.",
            todo="Name it with --smpl-model FILE.npz; docs/reading.md, AMASS, says where it is to "
            "be had.",
        )
    model = read_model(smpl_model)
    turned, warnings = _fitted(poses, model)
    joints, ends = model.shaped(betas)
    offset = joints - joints[list(model.parents)]
    offset[0] = 0.0
    with np.errstate(invalid="ignore"):
        trans = np.where(np.abs(trans) < _FARTHEST, trans, np.nan)
        turned = np.where(np.abs(turned) < _MOST_TURN, turned, np.nan)
    hierarchy = hierarchy_of_rotations(
        model.names,
        model.parents,
        offset,
        _quaternions(turned),
        {0: joints[0][:, None] + trans.T},
        sites=[(b, at - joints[b]) for b, at in zip(model.end_body, ends, strict=True)],
    )
    flags = flagged(hierarchy, repairs)
    if flags.all():
        raise FileError(path, "there is no frame in which all numbers are finite.")
    return Recording(
        path=path,
        format="npz",
        n_frames=len(flags),
        fps=fps,
        hierarchy=hierarchy,
        unit="m",
        flags=flags,
        repairs=tuple(repairs),
        warnings=(*warnings, *_other_gender(gender, Path(smpl_model))),
        notes={"gender": gender, "smpl_model": str(smpl_model)},
    )


def _poses(arrays: Arrays) -> np.ndarray:
    """Return ``(joints, 3, F)`` rotation vectors, rad, in the order of one of the layouts."""
    if "poses" in arrays:
        found = arrays.numbers("poses")
    elif "pose_body" in arrays and "root_orient" in arrays:
        parts = {name: arrays.numbers(name) for name in _PARTS if name in arrays}
        frames = len(parts["pose_body"])
        whole = all(
            part.ndim >= 2 and len(part) == frames and part[:1].size == 3 * _PARTS[name]
            for name, part in parts.items()
        )
        if not frames or not whole:
            shown = ", ".join(f"{name} {part.shape}" for name, part in parts.items())
            raise FileError(arrays.path, f"the parts of the pose do not fit together: {shown}.")
        if "pose_hand" not in parts:  # a face without hands has no layout
            parts = {name: parts[name] for name in ("root_orient", "pose_body")}
        elif "pose_jaw" not in parts or "pose_eye" not in parts:
            parts = {name: parts[name] for name in ("root_orient", "pose_body", "pose_hand")}
        found = np.concatenate([part.reshape(frames, -1) for part in parts.values()], axis=1)
    else:
        arrays.get("poses")  # says what was found instead
        raise AssertionError
    found = found.reshape(len(found), -1) if found.ndim > 1 and found.size else found
    if found.ndim != 2 or not len(found) or found.shape[1] not in (3 * n for n in LAYOUTS):
        valid = ", ".join(str(3 * n) for n in LAYOUTS)
        raise FileError(
            arrays.path,
            f"poses has the shape {found.shape}; frames of {valid} numbers were expected.",
        )
    return np.ascontiguousarray(found.T).reshape(-1, 3, len(found))


def _rate(arrays: Arrays) -> tuple[float, list[str]]:
    for name in _RATES:
        if name in arrays:
            found = np.ravel(arrays.numbers(name))
            if len(found) == 1 and is_rate(found[0]):
                return float(found[0]), []
    return FALLBACK_FPS, [
        f"No frame rate is stated (mocap_frame_rate); {FALLBACK_FPS:g} frames per second were "
        "assumed."
    ]


def _gender(arrays: Arrays) -> str:
    if "gender" not in arrays:
        return ""
    found = np.ravel(arrays.get("gender"))
    word = found[0] if len(found) else ""
    text = word.decode("latin-1") if isinstance(word, bytes) else str(word)
    text = text.lower().strip("b'\" ")
    return next((gender for gender in _GENDERS if text == gender or text[:1] == gender[0]), "")


def _other_gender(gender: str, model: Path) -> list[str]:
    """Say so if the model's name, or its folder's, is that of another gender."""
    for place in (model.stem.lower(), model.parent.name.lower()):
        for other in _GENDERS:  # "female" before "male", which it holds
            if other in place:
                if not gender or other == gender:
                    return []
                return [f"The file is of a {gender} body, but the model seems to be {other}."]
    return []


def _fitted(poses: np.ndarray, model: BodyShape) -> tuple[np.ndarray, list[str]]:
    """Return ``(n, 3, F)`` the rotation vectors of the model's joints.

    Joints that the file does not turn keep still; those the model does not have are left out.
    """
    stated = {name: k for k, name in enumerate(LAYOUTS[len(poses)])}
    turned = np.zeros((len(model.names), 3, poses.shape[2]))
    for body, name in enumerate(model.names):
        if name in stated:
            turned[body] = poses[stated[name]]
    if len(poses) == len(model.names):
        return turned, []
    left_out = [name for name in stated if name not in model.names and name not in BODY]
    still = [name for name in model.names if name not in stated]
    said = []
    if still:
        said.append(f"{len(still)} of the model's keep still")
    if left_out:
        said.append(f"{len(left_out)} of the file's are left out")
    return turned, [
        f"The file turns {len(poses)} joints, the model has {len(model.names)}: {', '.join(said)}."
    ]


def _quaternions(vectors: np.ndarray) -> np.ndarray:
    """Return the quaternions ``(n, 4, F)`` of rotation vectors ``(n, 3, F)``."""
    angle = np.sqrt((vectors**2).sum(axis=1))
    half = 0.5 * angle
    with np.errstate(invalid="ignore"):
        share = 0.5 * np.sinc(half / np.pi)  # sin(half) / angle, 1/2 at no angle
    return np.concatenate([np.cos(half)[:, None], vectors * share[:, None]], axis=1)
