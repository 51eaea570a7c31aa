"""Frames of an MVNX file: numbers are parsed by blocks, so that their text need not be kept."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mocap_reroot.importers.numbers import parse_lines

_BLOCK = 512  # frames whose text is held
_SPARSE = 0.1
"""Missing frames, as a share of those there, up to which they are left empty; above it the numbers
of the frames are not believed."""


class Frames:
    """Gathers what is used of the frames, in the order of the file.

    Attributes:
        count: Frames of the recording; poses of calibration are counted apart.
        first: Number that the file gives its first frame.
    """

    def __init__(self) -> None:
        self.count, self.first = 0, 0
        self._poses: list[str] = []
        self._segments = 0
        self._now: dict[str, str] | None = None
        self._index: list[int] = []
        self._lines: dict[str, list[bytes]] = {}
        self._blocks: dict[str, list[np.ndarray]] = {}
        self._rows: np.ndarray | None = None

    def begin(self, attributes: Mapping[str, str], segments: int) -> None:
        """Note a frame that begins; ``segments`` are as many as the file has named so far."""
        kind, self._segments = attributes.get("type", "normal"), segments
        self._now = None
        if kind.lower() != "normal":
            self._poses.append(kind[:20])
            return
        self._now = {}
        word = attributes.get("index", "")
        self._index.append(int(word) if word.isdecimal() and len(word) < 16 else -1)
        self.first = max(self._index[0], 0)

    def take(self, name: str, text: str) -> None:
        """Note what an element of the frame holds."""
        if self._now is not None:
            self._now[name] = text

    def end(self) -> None:
        """Note that the frame is complete."""
        if self._now is None:
            return
        for name in ("orientation", "position", "footContacts"):
            line = " ".join(self._now.get(name, "").split()).encode("ascii", "replace")
            self._lines.setdefault(name, []).append(line)
        self._now = None
        self.count += 1
        if self.count % _BLOCK == 0:
            self._parse()

    def _parse(self) -> None:
        widths = {"orientation": 4 * self._segments, "position": 3 * self._segments}
        for name, lines in self._lines.items():
            width = widths.get(name) or len(lines[0].split())
            if name in self._blocks:
                width = len(self._blocks[name][0])
            if width:
                self._blocks.setdefault(name, []).append(parse_lines(lines, width))
            else:
                self._blocks.setdefault(name, []).append(np.empty((0, len(lines))))
        self._lines = {}

    def _whole(self, name: str) -> np.ndarray:
        """Return ``(columns, F)`` of an element, empty rows where frames are missing."""
        if self._lines:
            self._parse()
        blocks = self._blocks.pop(name, [])
        values = np.concatenate(blocks, axis=1) if blocks else np.empty((0, self.count))
        if self._rows is not None:
            spread = np.full((len(values), int(self._rows[-1]) + 1), np.nan)
            spread[:, self._rows] = values
            values = spread
        return values

    def arrays(
        self, segments: int, repairs: list[str]
    ) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Return orientations ``(s, 4, F)``, unit quaternions, and positions ``(s, 3, F)``.

        None where no frame has any; NaN where a frame has none.
        """
        self._rows = self._places(repairs)
        turned, placed = self._whole("orientation"), self._whole("position")
        if not np.isfinite(turned).any() or not np.isfinite(placed).any():
            lacking = not np.isfinite(turned).any()
            return (None if lacking else turned), (None if not lacking else placed)
        turned, placed = turned.reshape(segments, 4, -1), placed.reshape(segments, 3, -1)
        size = np.sqrt((turned**2).sum(axis=1, keepdims=True))
        turned = np.where(np.abs(size - 1) < 0.1, turned / np.maximum(size, 0.5), np.nan)
        return turned, placed

    def _places(self, repairs: list[str]) -> np.ndarray | None:
        """Return the row of each frame where some are missing by their numbers, else None."""
        index = np.array(self._index[: self.count])
        steps = np.diff(index)
        if not len(steps) or (steps == 1).all() or (index < 0).any():
            return None
        missing = int(index[-1]) - int(index[0]) + 1 - len(index)
        if (steps < 1).any() or missing > max(1.0, _SPARSE * len(index)):
            repairs.append("Frames are not numbered in sequence; each was taken as the next one.")
            return None
        repairs.append(f"{missing} frames are missing by their numbers; they were left empty.")
        return np.asarray(index - index[0])

    def contacts(self) -> np.ndarray:
        """Return ``(k, F)`` the foot contacts of the file, 1 where there is one."""
        return self._whole("footContacts")

    def notes(self) -> dict[str, str]:
        """Return which poses of calibration stand before the recording."""
        return {"poses": ", ".join(self._poses[:20])} if self._poses else {}
