"""The hierarchy at the top of a BVH file: joints, offsets, channels, End Sites.

Read word by word with one stack, so that layout does not matter and depth has no limit. What other
programs get slightly wrong is repaired with a sentence; what leaves the tree in doubt is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from mocap_reroot.errors import FileError, printable
from mocap_reroot.importers.files import unique
from mocap_reroot.importers.numbers import FARTHEST

CHANNELS = {
    f"{axis}{kind}".lower(): f"{axis}{kind}" for axis in "XYZ" for kind in ("position", "rotation")
}
"""Lower-case spelling to the spelling of the format."""

_TOKEN = re.compile(
    r"(?P<comment>(?:\#|//)[^\n]*)"
    r"|(?P<brace>[{}])"
    r"|(?P<joint>ROOT|JOINT)(?![^\s{])[ \t]*(?P<name>[^\n{]*)"
    r"|(?P<end>End[ \t]*Site|End(?![^\s{]))[^\n{]*"
    r"|(?P<word>[^\s{}]+)",
    re.IGNORECASE,
)
_TRAILING = re.compile(r"\s(?://|# ).*")  # a comment behind a joint's name, which may hold spaces
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_KEYWORDS = ("HIERARCHY", "ROOT", "JOINT", "END SITE", "OFFSET", "CHANNELS", "MOTION")


@dataclass
class Header:
    """The tree as it is read; lists grow with every joint, parents first.

    Attributes:
        names, parents, offset, channels: One entry a joint, as in ``types.Hierarchy``.
        lines: The line each joint starts on.
        sites: Body and offset of every End Site.
        second_root: Index of the first joint of a second tree, or None.
        long_offsets: Lines on which OFFSET has six numbers (SOMA's: place and rest rotation).
        repairs, warnings: Sentences.
    """

    names: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    offset: list[tuple[float, ...] | None] = field(default_factory=list)
    channels: list[tuple[str, ...] | None] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    sites: list[tuple[int, tuple[float, ...]]] = field(default_factory=list)
    second_root: int | None = None
    long_offsets: list[int] = field(default_factory=list)
    repairs: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def n_bodies(self) -> int:
        """Number of joints of the first tree."""
        return len(self.names) if self.second_root is None else self.second_root


class _Token(NamedTuple):
    kind: str  # comment, brace, joint, end, token, or stop behind the last
    text: str
    line: int
    name: str = ""


class _Tokens:
    """The tokens of a header with their lines, one ahead; comments are taken out."""

    def __init__(self, text: str) -> None:
        self.comments: list[int] = []
        self._found: list[_Token] = []
        line, at = 1, 0
        for match in _TOKEN.finditer(text):
            start, kind = match.start(), match.lastgroup or ""
            line += text.count("\n", at, start)
            at = start
            if kind == "name":  # the last group of a joint, even if it is empty
                name = _TRAILING.sub("", match["name"]).strip()
                self._found.append(_Token("joint", match.group(), line, name))
            elif kind == "comment":
                self.comments.append(line)
            else:
                self._found.append(_Token(kind, match.group(), line))
        line += text.rstrip().count("\n", at)
        self._found.append(_Token("stop", "", line))
        self._at = 0
        self.next = self._found[0]

    def take(self) -> _Token:
        """Return the next word and move on; the last one stays."""
        token = self.next
        if token.kind != "stop":
            self._at += 1
            self.next = self._found[self._at]
        return token


def parse_header(path: Path, text: str, *, has_motion: bool) -> Header:
    """Read the part of a BVH file before ``MOTION``.

    Args:
        path: The file, for messages.
        text: Its first part, with ``\\n`` for line breaks.
        has_motion: Whether a motion part follows.

    Raises:
        FileError: The tree is in doubt; names the line.
    """
    tokens, header = _Tokens(text), Header()
    keyword_lines: list[int] = []
    same_line: list[int] = []
    open_joints: list[int] = []  # indices, from the root down
    closed_early: list[int] = []

    def refuse(token: _Token, found: str, todo: str = "") -> FileError:
        return FileError(path, found, line=token.line, todo=todo)

    if tokens.next.text.upper() == "HIERARCHY":
        _note_case(tokens.take(), keyword_lines)
    elif tokens.next.kind == "joint":
        header.repairs.append(f"Line {tokens.next.line}: HIERARCHY is missing before the root.")
    else:
        shown = _shown(tokens.next)
        raise refuse(tokens.next, f"a BVH file begins with HIERARCHY; found {shown}.")

    while tokens.next.kind != "stop":
        token = tokens.take()
        if token.kind == "joint":
            _note_case(token, keyword_lines)
            is_root = token.text[:4].upper() == "ROOT"
            if is_root and open_joints:
                raise refuse(token, f"ROOT {token.name!r} stands inside another joint.")
            if not is_root and not open_joints:
                found = f"JOINT {token.name!r} stands outside the tree: a brace closed too early."
                raise refuse(token, found, "Check the braces above this line.")
            if is_root and header.names and header.second_root is None:
                header.second_root = len(header.names)
                _say_second_root(header, token)
            header.names.append(token.name)
            header.parents.append(open_joints[-1] if open_joints else -1)
            header.offset.append(None)
            header.channels.append(None)
            header.lines.append(token.line)
            _expect_brace(path, tokens, token, same_line)
            open_joints.append(len(header.names) - 1)
        elif token.kind == "end" and open_joints:
            _note_case(token, keyword_lines)
            _expect_brace(path, tokens, token, same_line)
            header.sites.append((open_joints[-1], _end_site(path, tokens, header)))
        elif token.text == "}":
            if open_joints:
                open_joints.pop()
            else:
                closed_early.append(token.line)
        elif token.text.upper() == "OFFSET" and open_joints:
            _note_case(token, keyword_lines)
            if header.offset[open_joints[-1]] is not None:
                raise refuse(token, f"a second OFFSET in joint {_name(header, open_joints[-1])}.")
            header.offset[open_joints[-1]] = _offset(path, tokens, header)
        elif token.text.upper() == "CHANNELS" and open_joints:
            _note_case(token, keyword_lines)
            if header.channels[open_joints[-1]] is not None:
                raise refuse(token, f"a second CHANNELS in joint {_name(header, open_joints[-1])}.")
            channels = _channels(path, tokens, token, header, keyword_lines)
            header.channels[open_joints[-1]] = channels
        else:
            if token.text.upper() == "HIERARCHY" and header.names and not open_joints:
                todo = "One file holds one skeleton: write each into a file of its own."
                raise refuse(token, "found a second HIERARCHY where MOTION was expected.", todo)
            expected = "JOINT, End Site, OFFSET, CHANNELS or a brace" if open_joints else "MOTION"
            if not header.names:
                expected = "ROOT"
            raise refuse(token, f"found {_shown(token)} where {expected} was expected.")

    if not header.names:
        raise refuse(tokens.next, "the file ends before its ROOT.", "It seems to be cut off.")
    if open_joints and not has_motion:
        inside = _name(header, open_joints[-1])
        found = f"the file ends inside joint {inside}, before the hierarchy is complete."
        raise refuse(tokens.next, found, "It is cut off; get the whole file.")
    _say_layout(header, keyword_lines, same_line, tokens.comments)
    if open_joints:
        missing = f"{len(open_joints)} closing brace{'s are' if len(open_joints) > 1 else ' is'}"
        header.repairs.append(f"Line {tokens.next.line}: {missing} missing before MOTION.")
    if closed_early:
        many = f"{len(closed_early)} closing brace{'s' if len(closed_early) > 1 else ''} too many"
        header.repairs.append(f"Line {closed_early[0]}: {many} passed over.")
    _complete(header)
    return header


def _expect_brace(path: Path, tokens: _Tokens, owner: _Token, same_line: list[int]) -> None:
    if tokens.next.text != "{":
        what = owner.name or owner.text.split("\n")[0].strip()
        found = f"expected '{{' after {what!r}; found {_shown(tokens.next)}."
        raise FileError(path, found, line=tokens.next.line)
    if tokens.take().line == owner.line:
        same_line.append(owner.line)


def _end_site(path: Path, tokens: _Tokens, header: Header) -> tuple[float, ...]:
    """Read an End Site from behind its opening brace to its closing one."""
    offset: tuple[float, ...] | None = None
    while tokens.next.text != "}":
        token = tokens.take()
        if token.text.upper() == "OFFSET" and offset is None:
            offset = _offset(path, tokens, header)
        elif token.text.upper() == "CHANNELS" and tokens.next.text == "0":
            tokens.take()
            header.repairs.append(f"Line {token.line}: CHANNELS 0 in an End Site was passed over.")
        else:
            found = f"found {_shown(token)} in an End Site; expected OFFSET and a closing brace."
            raise FileError(path, found, line=token.line)
    line = tokens.take().line
    if offset is None:
        header.repairs.append(f"Line {line}: the End Site has no OFFSET; zero was taken.")
        return (0.0, 0.0, 0.0)
    return offset


def _offset(path: Path, tokens: _Tokens, header: Header) -> tuple[float, ...]:
    values: list[float] = []
    while len(values) < 3:
        token = tokens.next
        try:
            value = float(token.text) if token.kind == "word" else float("nan")
        except ValueError:
            value = float("nan")
        if not isfinite(value):
            found = (
                f"OFFSET needs three numbers; found {_shown(token)} as number {len(values) + 1}."
            )
            raise FileError(path, found, line=token.line)
        if abs(value) > FARTHEST:
            found = f"OFFSET is {value:g}; no skeleton reaches farther than {FARTHEST:g} units."
            raise FileError(path, found, line=token.line)
        values.append(value)
        line = tokens.take().line
    behind = 0
    while behind < 4 and tokens.next.line == line and _NUMBER.fullmatch(tokens.next.text):
        odd = tokens.take()
        behind += 1
    if behind == 3:
        header.long_offsets.append(line)
    elif behind:
        found = f"OFFSET has three numbers, or six with a rest rotation; found {_shown(odd)}, too."
        raise FileError(path, found, line=line)
    return tuple(values)


def _channels(
    path: Path, tokens: _Tokens, owner: _Token, header: Header, keyword_lines: list[int]
) -> tuple[str, ...]:
    count = None
    if tokens.next.text.isdecimal():
        count = int(tokens.take().text)
    found: list[str] = []
    while tokens.next.kind == "word":
        token = tokens.next
        spelling = CHANNELS.get(token.text.lower())
        if spelling is None:
            if token.line != owner.line or token.text.upper() in _KEYWORDS:
                break
            valid = ", ".join(CHANNELS.values())
            text = f"{token.text!r} is no channel; channels are {valid}."
            raise FileError(path, text, line=token.line)
        if token.text != spelling:
            keyword_lines.append(token.line)
        found.append(spelling)
        tokens.take()
    positions = [channel for channel in found if channel.endswith("position")]
    if len(set(positions)) < len(positions) or len(found) - len(positions) > 3:
        text = f"the channels {' '.join(found)} repeat themselves; a joint has at most six."
        raise FileError(path, text, line=owner.line)
    if count != len(found):
        says = f"says {count}" if count is not None else "gives no number"
        header.repairs.append(
            f"Line {owner.line}: CHANNELS {says} but names {len(found)}; the names count."
        )
    return tuple(found)


def _complete(header: Header) -> None:
    """Fill what is missing in joints, and make names unique."""
    leaves = set(range(header.n_bodies)) - set(header.parents) - {body for body, _ in header.sites}
    stated = [printable(name) or f"joint_{body}" for body, name in enumerate(header.names)]
    first = dict(zip(reversed(stated), reversed(header.lines), strict=True))
    for body, (name, line) in enumerate(zip(unique(stated), header.lines, strict=True)):
        if not header.names[body]:
            header.repairs.append(f"Line {line}: a joint without a name was called {name!r}.")
        if name != stated[body]:
            header.repairs.append(
                f"Line {line}: a joint is named {stated[body]!r} like that of line "
                f"{first[stated[body]]}; it was called {name!r}."
            )
        header.names[body] = name
        if header.offset[body] is None:
            header.offset[body] = (0.0, 0.0, 0.0)
            header.repairs.append(f"Line {line}: joint {name!r} has no OFFSET; zero was taken.")
        if header.channels[body] is None:
            header.channels[body] = ()
            header.repairs.append(
                f"Line {line}: joint {name!r} has no CHANNELS; it was taken as fixed."
            )
    if leaves:
        names = [repr(header.names[body]) for body in sorted(leaves)]
        shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        header.repairs.append(f"No End Site below {shown}: the length of the last body is unknown.")


def _say_second_root(header: Header, token: _Token) -> None:
    text = f"Line {token.line}: a second ROOT, {token.name!r}; only the first tree was read."
    header.repairs.append(text)
    header.warnings.append(text)


def _say_layout(
    header: Header, keyword_lines: list[int], same_line: list[int], comments: list[int]
) -> None:
    for lines, what in (
        (keyword_lines, "words in unusual case were read as the format spells them"),
        (same_line, "'{' stands on the line of its joint"),
        (comments, "comments were passed over"),
        (
            header.long_offsets,
            "OFFSET has six numbers; the rest rotation in the last three was passed over",
        ),
    ):
        if lines:
            more = f" and {len(set(lines)) - 1} more" if len(set(lines)) > 1 else ""
            header.repairs.append(f"Line {min(lines)}{more}: {what}.")


def _note_case(token: _Token, lines: list[int]) -> None:
    """Remember the line of a keyword that the format spells otherwise."""
    if token.kind == "joint":
        sound = token.text.startswith(("ROOT", "JOINT"))
    elif token.kind == "end":
        sound = token.text.startswith("End")
    else:
        sound = token.text == token.text.upper()
    if not sound:
        lines.append(token.line)


def _name(header: Header, body: int) -> str:
    return repr(header.names[body])


def _shown(token: _Token) -> str:
    if token.kind == "stop":
        return "the end of the file's first part"
    text = token.text.strip()
    return repr(text if len(text) <= 40 else text[:40] + "…")
