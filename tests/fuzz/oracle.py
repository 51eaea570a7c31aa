"""What must hold of every input: a result without silent nonsense, or one sentence."""

from pathlib import Path

import numpy as np

from mocap_reroot import config, schema
from mocap_reroot.analysis import Analysis, analyze
from mocap_reroot.config import Config, resolve, sections
from mocap_reroot.errors import MocapRerootError
from tests.fuzz.seeds import seeds
from tests.importers import smpl_files

TABLES = tuple(name for name, table in schema.TABLES.items() if not table.asked)


def outcome(kind: str, path: Path) -> str:
    """Put a file through everything; return ``"read"`` or ``"refused"``.

    Raises:
        AssertionError: Something wrong came out in silence.
        Exception: Anything outside the family of errors is a bug and passes through.
    """
    try:
        result = _through(kind, path)
    except MocapRerootError as error:
        sentence = str(error)
        assert sentence.strip() and len(sentence) < 20_000
        assert "Traceback" not in sentence
        return "refused"
    if isinstance(result, Analysis):
        nonsense = silent_nonsense(result) + impossible_body(result)
        assert not nonsense, "; ".join(nonsense[:8])
    else:
        assert isinstance(result, Config)
        assert resolve(**_flat(result)) == result
    return "read"


def _through(kind: str, path: Path) -> Analysis | Config:
    if kind == "toml":
        return resolve(path)
    if kind in ("mot", "walk_mot"):  # forces belong to a motion
        motion = path.with_name("motion.trc")
        motion.write_bytes(seeds("walk_trc")[0])
        return analyze(motion, plates=str(path))
    return analyze(_complete(kind, path), **_with(kind, path))


def _complete(kind: str, path: Path) -> Path:
    """Put beside a mutated file what belongs to it, and return the motion."""
    other = {"amc": "asf", "asf": "amc"}.get(kind)
    if other is None:
        return path
    beside = path.with_suffix(f".{other}")
    beside.write_bytes(seeds(other)[0])
    return path if kind == "amc" else beside


def _with(kind: str, path: Path) -> dict:
    """Return the options without which such a file is not read."""
    if kind != "npz":
        return {}
    model = path.with_name("model.npz")
    return {"smpl_model": smpl_files.save(model, smpl_files.model(24))}


def _flat(config: Config) -> dict:
    parts = [vars(getattr(config, stage.name)) for stage in sections()]
    options = {name: value for part in parts for name, value in part.items()}
    return options | {"parameters": config.parameters.changed()}


def impossible_body(analysis: Analysis) -> list[str]:
    """Return what is said of nobody though the body is no person's, and rates that are none."""
    body, said = analysis.body, analysis.summary["warnings"]
    beyond = config.size_beyond(body.total_mass, body.height) > 1
    found = ["rate"] if not config.is_rate(analysis.motion.fps) else []
    if beyond and not any("No person is of" in text for text in said):
        found.append(f"{body.total_mass:g} kg and {body.height:g} m are not told")
    return found


def silent_nonsense(analysis: Analysis) -> list[str]:
    """Return what is not finite in a row that no flag marks, and infinities anywhere."""
    found = []
    for name in TABLES:
        table = analysis.table(name)
        if table is None:
            continue
        numbers = table.select_dtypes("number")
        values = numbers.to_numpy(dtype=float)
        infinite = np.isinf(values).any(axis=0)
        found += [f"{name}: {column} is infinite" for column in numbers.columns[infinite]]
        if "flag" not in table:
            continue
        sound = (table["flag"] == "").to_numpy()
        # A centre of pressure is empty below 20 N, by definition.
        forces = name in ("grf", "plates", "predicted")
        may_be_empty = np.array([forces and c[-3:] in ("_px", "_py", "_pz") for c in numbers])
        silent = np.isnan(values[sound]).any(axis=0) & ~may_be_empty
        found += [f"{name}: {column} is empty in silence" for column in numbers.columns[silent]]
    return found
