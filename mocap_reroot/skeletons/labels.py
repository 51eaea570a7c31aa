"""Marker labels: how they are compared, and which part of them is the subject's name."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np

from mocap_reroot.errors import UnknownNameError
from mocap_reroot.types import Markers, Recording

_MARKS = "_.- "
_NO_MARKS = str.maketrans("", "", _MARKS)
_NAMELESS = re.compile(r"\W*(u|x|unlabell?ed|uname)?\W*_?\d*", re.IGNORECASE)
_MOST = 0.75  # of the labels, that bear a prefix which is none of theirs
_FEW = 8  # labels that are too few for a person
_SIDE_WORDS = ("l", "r", "left", "right")


def plain(label: str) -> str:
    """Return a label as it is compared: ``R_Knee``, ``r.knee`` and ``RKNEE`` are the same."""
    return label.lower().translate(_NO_MARKS)


def subject_labels(markers: Markers) -> dict[str, dict[str, int]]:
    """Return ``{subject: {label: row}}``, labels as they are compared and without their prefix.

    ``Subject:LASI`` names the subject, ``S1_LASI`` beside ``S2_LASI`` too; a prefix that nearly all
    labels share (``Skeleton_``) is dropped. Of two markers with the same label the one that is seen
    more counts.
    """
    groups: dict[str, dict[str, int]] = defaultdict(dict)
    for row, label in enumerate(markers.labels):
        subject, _, bare = label.strip().rpartition(":")
        bare = bare.strip() or label
        if bare not in groups[subject] or _seen_more(markers, row, groups[subject][bare]):
            groups[subject][bare] = row
    subjects: dict[str, dict[str, int]] = {}
    for subject, rows in groups.items():
        stem = _shared_prefix(list(rows))
        rests = {label: label.removeprefix(stem) for label in rows}
        prefixes = _subject_prefixes(list(rests.values()))
        for label, row in rows.items():
            head = next((p for p in prefixes if rests[label].startswith(p)), "")
            who = ":".join(filter(None, (subject, head.rstrip(_MARKS))))
            there = subjects.setdefault(who, {})
            name = plain(rests[label].removeprefix(head)) or label
            if name not in there or _seen_more(markers, row, there[name]):
                there[name] = row
    return subjects


def of_subject(recording: Recording, name: str) -> Recording:
    """Return a recording with the markers and events of one of its people only.

    Raises:
        UnknownNameError: Nobody of that name is in it.
    """
    markers = recording.markers
    if markers is None:
        return recording
    people = {who.casefold(): rows for who, rows in subject_labels(markers).items()}
    rows = people.get(name.casefold())
    if rows is None:
        raise UnknownNameError("subject", name, [who for who in subject_labels(markers) if who])
    mine = sorted(rows.values())
    alone = Markers(tuple(markers.labels[row] for row in mine), markers.position[mine])
    events = tuple(e for e in recording.events if e.subject.casefold() in ("", name.casefold()))
    return replace(recording, markers=alone, events=events)


def _seen_more(markers: Markers, row: int, other: int) -> bool:
    seen = np.isfinite(markers.position[[row, other]]).all(axis=1).sum(axis=1)
    return bool(seen[0] > seen[1])


def _shared_prefix(labels: list[str]) -> str:
    """Return the longest beginning up to a mark that nearly all labels have, unless it is a side.

    Points without a name (``*12``, ``U_12``) are not asked.
    """
    named = [label for label in labels if not _NAMELESS.fullmatch(label)]
    if len(named) < 4:
        return ""
    stems = Counter(label[: k + 1] for label in named for k, c in enumerate(label) if c in _MARKS)
    shared = [stem for stem, count in stems.items() if count >= _MOST * len(named)]
    stem = max(shared, key=len, default="")
    return "" if plain(stem) in _SIDE_WORDS else stem


def _subject_prefixes(labels: list[str]) -> list[str]:
    """Return prefixes, each of a person's worth of labels, behind which the same labels follow."""
    groups: dict[str, set[str]] = defaultdict(set)
    for label in labels:
        cut = next((k + 1 for k, c in enumerate(label) if c in _MARKS), 0)
        if cut and plain(label[:cut]) not in _SIDE_WORDS:
            groups[label[:cut]].add(plain(label[cut:]))
    large = {stem: names for stem, names in groups.items() if len(names) >= _FEW}
    shared = [
        stem for stem, names in large.items()
        if any(len(names & other) >= len(names) / 2 for s, other in large.items() if s != stem)
    ]  # fmt: skip
    return sorted(shared)
