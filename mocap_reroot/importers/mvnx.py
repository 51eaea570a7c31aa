"""MVNX (Xsens) to Recording: segments with orientations and positions, as one stream.

The file may have hundreds of megabytes; of each frame only what is used is kept, as numbers. The
parser resolves no entities and fetches nothing.
"""

from __future__ import annotations

from pathlib import Path
from xml.parsers import expat

import numpy as np

from mocap_reroot.errors import FileError, printable
from mocap_reroot.importers.channels import flagged, hierarchy_of_rotations
from mocap_reroot.importers.frame_time import is_rate
from mocap_reroot.importers.mvnx_frames import Frames
from mocap_reroot.importers.mvnx_subject import Joined, Subject, joined
from mocap_reroot.importers.numbers import number
from mocap_reroot.numerics.vectors import product, turn
from mocap_reroot.types import Event, Hierarchy, Recording

_CHUNK = 1 << 16  # bytes given to the parser at a time
_DEEPEST = 100  # elements inside each other; the format has nine
_LONGEST = 1 << 22  # characters of one element that is used; a frame of 23 segments has 1,500
_STEADY = 1e-3
"""m; a segment whose joint moves less against its parent hangs there, the rest is in rounding."""
_INVERSE = np.array([[1.0], [-1.0], [-1.0], [-1.0]])
_TEXTS = {"pos_b", "connector1", "connector2", "orientation", "position", "footContacts"}
_PARTIAL = {
    "upper": ("an upper-body recording", "the legs", "ground forces and leg torques"),
    "lower": ("a lower-body recording", "trunk and arms", "ground forces and all that is above"),
}
"""What a configuration says, what it did not measure, and what is then doubtful."""


class _RefusedError(Exception):
    """Something that no MVNX file has; its text is a sentence."""


class _Reader:
    """Follows the elements of a file."""

    def __init__(self) -> None:
        self.subject, self.frames = Subject(), Frames()
        self.subjects = 0
        self.root = ""
        self.path: list[str] = []
        self.chunks: list[str] = []
        self.size = 0
        self.parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.EntityDeclHandler = self._entity
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end

    def _entity(self, *_: object) -> None:
        raise _RefusedError(
            "it declares entities; no MVNX file needs them, and they are not resolved."
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2] if ":" in tag else tag
        above = self.path[-1] if self.path else ""
        self.path.append(name)
        if name in _TEXTS:
            self.chunks, self.size = [], 0
            self.parser.CharacterDataHandler = self._text
        elif above != "frame":
            self._enter(name, above, attributes)

    def _enter(self, name: str, above: str, attributes: dict[str, str]) -> None:
        """Take in what an element says with its attributes."""
        if len(self.path) > _DEEPEST:
            raise _RefusedError(f"more than {_DEEPEST} elements stand inside each other.")
        if not above:
            self.root = name
        elif name == "subject":
            self.subjects += 1
        if self.subjects > 1:
            return
        if name == "frame":
            self.frames.begin(attributes, len(self.subject.labels))
        elif name == "subject":
            self.subject.attributes = attributes
        elif name == "segment" and above == "segments":
            self.subject.add_segment(attributes)
        elif name == "point" and "segments" in self.path:
            self.subject.add_point(attributes)
        elif name == "joint" and above == "joints":
            self.subject.joints.append(["", ""])
        elif name == "contactDefinition":
            self.subject.add_contact(attributes)

    def _text(self, chunk: str) -> None:
        self.chunks.append(chunk)
        self.size += len(chunk)
        if self.size > _LONGEST:
            raise _RefusedError(f"an element {self.path[-1]} has more than {_LONGEST} characters.")

    def _end(self, tag: str) -> None:
        name = self.path.pop()
        if name in _TEXTS:
            self.parser.CharacterDataHandler = None
            if self.subjects <= 1:
                self._take(name, "".join(self.chunks))
        elif name == "frame" and self.subjects <= 1:
            self.frames.end()

    def _take(self, name: str, text: str) -> None:
        above = self.path[-1] if self.path else ""
        if above == "frame":
            self.frames.take(name, text)
        elif name == "pos_b" and "segments" in self.path:
            self.subject.place(text)
        elif name in ("connector1", "connector2") and above == "joint" and self.subject.joints:
            self.subject.joints[-1][name == "connector2"] = text.strip()


def read_mvnx(path: str | Path) -> Recording:
    """Read an MVNX file, version 3 or 4.

    Args:
        path: The file.

    Returns:
        Recording: With a hierarchy of the segments that hang from the pelvis; metres, z up. Foot
        contacts of the file are its events; poses of calibration are not among the frames.

    Raises:
        FileError: The file cannot be understood; names the line.
    """
    path = Path(path)
    reader, repairs = _Reader(), []
    try:
        with path.open("rb") as file:
            while data := file.read(_CHUNK):
                reader.parser.Parse(data, False)
                if file.tell() - reader.parser.CurrentByteIndex > _LONGEST:
                    raise _RefusedError(f"a word of more than {_LONGEST} bytes is no XML to read.")
            reader.parser.Parse(b"", True)
    except OSError as error:
        raise FileError(path, f"the file cannot be read ({error.strerror}).") from None
    except _RefusedError as error:
        raise FileError(path, str(error), line=reader.parser.CurrentLineNumber) from None
    except (expat.ExpatError, ValueError, LookupError) as error:
        line = reader.parser.CurrentLineNumber
        reason = expat.errors.messages.get(getattr(error, "code", 0), "its encoding is unknown")
        if reader.root != "mvnx" or not reader.frames.count:
            raise FileError(
                path, f"it is no complete XML ({reason}).", line=line, todo=_EXPORT
            ) from None
        repairs.append(
            f"Line {line}: the file breaks off or is damaged here ({reason}); the frames before it "
            "were read."
        )
    if reader.root != "mvnx":
        found = f"its outermost element is {reader.root[:40]!r}; mvnx was expected."
        raise FileError(path, found, line=1, todo=_EXPORT)
    return _recording(path, reader, repairs)


_EXPORT = "Export it again from MVN Analyze as MVNX."


def _recording(path: Path, reader: _Reader, repairs: list[str]) -> Recording:
    subject, frames = reader.subject, reader.frames
    if not subject.labels:
        raise FileError(path, "the file names no segments.", todo=_EXPORT)
    if not frames.count:
        raise FileError(path, "there are no frames of type normal in it.", todo=_EXPORT)
    orientation, position = frames.arrays(len(subject.labels), repairs)
    if orientation is None or position is None:
        absent = "orientation" if orientation is None else "position"
        raise FileError(
            path,
            f"its frames have no {absent} of the segments.",
            todo="Export it again with segment orientations and positions.",
        )
    fps = _rate(path, subject)
    tree = joined(path, subject)
    hierarchy, more = _hierarchy(tree, subject, orientation, position)
    flags = flagged(hierarchy, repairs)
    if flags.all():
        raise FileError(path, "in no frame do all segments have a pose.", todo=_EXPORT)
    unmeasured, said = _configuration(subject)
    warnings = [*tree.warnings, *more, *said]
    if reader.subjects > 1:
        warnings.append(f"The file holds {reader.subjects} people; the first one was read.")
    return Recording(
        path=path,
        format="mvnx",
        n_frames=len(flags),
        fps=fps,
        hierarchy=hierarchy,
        events=_events(subject, frames, fps),
        events_complete=True,
        unit="m",
        up="+z",
        first_frame=frames.first,
        flags=flags,
        repairs=tuple(repairs),
        warnings=tuple(warnings),
        notes={**unmeasured, **frames.notes()},
    )


def _rate(path: Path, subject: Subject) -> float:
    stated = subject.attributes.get("frameRate", "")
    fps = number(stated.encode())
    if not is_rate(fps):
        raise FileError(
            path, f"frameRate is {stated[:40]!r}; frames per second were expected.", todo=_EXPORT
        )
    return fps


def _configuration(subject: Subject) -> tuple[dict[str, str], list[str]]:
    """Return a note and a sentence if the suit covered only a part of the body."""
    stated = printable(subject.attributes.get("configuration", "")[:40])
    for word, (what, unmeasured, doubtful) in _PARTIAL.items():
        if stated.lower().startswith(word):
            return {"unmeasured": unmeasured}, [
                f"This is {what} (configuration {stated}): {unmeasured} bore no sensors and are "
                f"where the software put them, so {doubtful} are not to be trusted."
            ]
    return {}, []


def _hierarchy(
    tree: Joined, subject: Subject, orientation: np.ndarray, position: np.ndarray
) -> tuple[Hierarchy, list[str]]:
    """Return the tree of segments; a segment without a steady joint slides."""
    names = [subject.labels[k] for k in tree.kept]
    n, frames = len(names), orientation.shape[2]
    turned = np.empty((n, 4, frames))
    moving: dict[int, np.ndarray] = {0: position[tree.kept[0]]}
    offset, slides = np.zeros((n, 3)), []
    for body, (segment, parent) in enumerate(zip(tree.kept, tree.parents, strict=True)):
        q = orientation[segment]
        if parent < 0:
            turned[body] = q
        else:
            above = tree.kept[parent]
            turned[body] = product(orientation[above] * _INVERSE, q)
            place = turn(orientation[above], position[segment] - position[above], back=True)
            sound = place[:, np.isfinite(place).all(axis=0)]
            if not sound.size:
                continue
            offset[body] = np.median(sound, axis=1)
            if np.abs(sound - offset[body][:, None]).max() > _STEADY:
                moving[body] = place
                slides.append(names[body])
    warnings = []
    if slides:
        listed = ", ".join(slides[:10])
        warnings.append(f"Segments that move against their parent by more than 1 mm: {listed}.")
    sites = [(body, at) for body, k in enumerate(tree.kept) for at in subject.ends(k)]
    return hierarchy_of_rotations(
        names, tree.parents, offset, turned, moving, sites=sites
    ), warnings


def _events(subject: Subject, frames: Frames, fps: float) -> tuple[Event, ...]:
    """Return when feet touch and leave: a foot touches while its heel or its toes do.

    A foot that touches in the first frame strikes there.
    """
    contacts = frames.contacts()
    events = []
    for side, columns in subject.contact_columns().items():
        columns = [k for k in columns if k < len(contacts)]
        if not columns:
            continue
        on = np.asarray((contacts[columns] > 0.5).any(axis=0))
        known = np.asarray(np.isfinite(contacts[columns]).all(axis=0))
        change = np.flatnonzero(np.diff(on.astype(int), prepend=0))
        events += [
            Event("strike" if on[k] else "off", side, k / fps) for k in change.tolist() if known[k]
        ]
    return tuple(sorted(events, key=lambda event: event.time))
