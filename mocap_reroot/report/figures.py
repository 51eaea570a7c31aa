"""Plots: ``analysis.plot.torques("LeftLeg")`` and others in Plotly, gait cycles for papers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mocap_reroot.errors import MocapRerootError, UnknownNameError
from mocap_reroot.numerics.frames import runs
from mocap_reroot.report.clip_tables import ClipTables, clip_of
from mocap_reroot.report.joint_choice import Choice, choices, first_choice
from mocap_reroot.report.mannequin import mannequin
from mocap_reroot.report.payload import directions

if TYPE_CHECKING:
    from mocap_reroot.report.cycle_figure import SvgFigure

# Okabe and Ito's colours: told apart by everyone.
COLOURS = {"left": "#0072b2", "right": "#d55e00", "": "#6b7480"}
MODE_COLOURS = {"single": "#56b4e9", "double": "#e69f00", "multi": "#cc79a7", "flight": "#f0e442"}
_AXIS_DASH = {"x": "solid", "y": "dash", "z": "dot"}


class Plots:
    """The figures of one clip: ``plotly.graph_objects.Figure``, cycles a Matplotlib figure.

    Args:
        source: An analysis, or the tables of a result folder
            (``mocap_reroot.report.clip_tables.read_clip``).
    """

    def __init__(self, source: Any) -> None:
        self._clip = source if isinstance(source, ClipTables) else clip_of(source)

    def torques(self, *joints: str, normalise: bool = False) -> go.Figure:
        """Return the moments of joints over time, in the axes of their bodies.

        Args:
            *joints: Names of child bodies, e.g. ``"LeftLeg"``; by default hips, knees and ankles.
            normalise: Per kg of body mass.
        """
        clip, bodies = self._clip, self._bodies(joints)
        scale, unit = (1 / float(clip.summary["mass"]), "N·m/kg") if normalise else (1.0, "N·m")
        figure = _stacked(len(bodies), [_plain(b) for b in bodies])
        for row, body in enumerate(bodies, start=1):
            moment = scale * clip.vectors("torques", body, "m")
            for axis, values in zip("xyz", moment, strict=True):
                line = {"color": COLOURS[clip.sides.get(body, "")], "dash": _AXIS_DASH[axis]}
                figure.add_scatter(
                    x=self._time, y=values, name=f"about {axis}", legendgroup=axis,
                    showlegend=row == 1, line=line, row=row, col=1,
                )  # fmt: skip
            figure.update_yaxes(title_text=f"moment ({unit})", row=row, col=1)
        return self._finish(figure, f"Joint moments of {_plain(clip.name)}", len(bodies))

    def powers(self, *joints: str) -> go.Figure:
        """Return the power of joints over time, W."""
        bodies = self._bodies(joints)
        figure = go.Figure()
        for body in bodies:
            values = self._clip["torques"][f"{body}_power"]
            figure.add_scatter(x=self._time, y=values, name=_plain(body))
        figure.update_yaxes(title_text="power (W)")
        return self._finish(figure, f"Joint powers of {_plain(self._clip.name)}", 1)

    def grf(self, *, body_weights: bool = True) -> go.Figure:
        """Return the ground reaction of each foot over time; plates dotted where there are any."""
        clip = self._clip
        scale, unit = (1 / clip.weight, "BW") if body_weights else (1.0, "N")
        ways = directions(clip)
        figure = _stacked(len(ways), list(ways))
        tables = [("predicted" if "predicted" in clip else "grf", "", "solid")]
        tables += [("plates", ", plates", "dot")] if "plates" in clip else []
        for row, way in enumerate(ways.values(), start=1):
            for foot in clip.feet:
                for table, words, dash in tables:
                    line = {"color": COLOURS[clip.sides.get(foot, "")], "dash": dash}
                    name = f"{_plain(foot)}{words}"
                    figure.add_scatter(
                        x=self._time, y=scale * (way @ clip.vectors(table, foot, "f")), name=name,
                        legendgroup=name, showlegend=row == 1, line=line, row=row, col=1,
                    )  # fmt: skip
            figure.update_yaxes(title_text=f"force ({unit})", row=row, col=1)
        figure.add_hline(clip.weight * scale, line={"dash": "dash", "color": "#6b7480"}, row=1)
        return self._finish(figure, f"Ground reaction of {_plain(clip.name)}", len(ways))

    def phases(self) -> go.Figure:
        """Return what is in contact when: a bar a contact body, and one for the phases."""
        clip, figure = self._clip, go.Figure()
        contacts = clip["contacts"]
        for column in (c for c in contacts.columns if c.endswith("_contact")):
            body = column[: -len("_contact")]
            spans = runs(contacts[column].fillna(False).astype(bool).to_numpy())
            _bar(figure, clip, _plain(body), spans, COLOURS[clip.sides.get(body, "")], "")
        for mode, shade in MODE_COLOURS.items():
            rows = clip["phases"][clip["phases"]["mode"] == mode]
            spans = list(zip(rows["start_frame"], rows["stop_frame"], strict=True))
            if spans:
                _bar(figure, clip, "phase", spans, shade, mode)
        figure.update_layout(barmode="stack")
        figure.update_yaxes(autorange="reversed")
        return self._finish(figure, f"Support phases of {_plain(clip.name)}", 1, bands=False)

    def skeleton(self, frame: int = 0) -> go.Figure:
        """Return the body in one frame in three dimensions, with its ground reaction.

        Args:
            frame: Row of the file, counted from 0.
        """
        clip = self._clip
        if not 0 <= frame < clip.n_frames:
            raise MocapRerootError(
                f"There is no frame {frame}: the clip has frames 0 to {clip.n_frames - 1}."
            )
        made = mannequin(clip, slice(frame, frame + 1))
        if made is None:
            raise MocapRerootError("There is no skeleton to show: no kinematics were written.")
        figure, points = go.Figure(), made.points[:, :, 0]
        for side, shade in COLOURS.items():
            ends = [
                points[[c.start, c.stop]]
                for c in made.capsules
                if clip.sides.get(made.bodies[c.body], "") == side
            ]
            if ends:
                gap = np.full((1, 3), np.nan)
                line = np.concatenate([np.concatenate([pair, gap]) for pair in ends])
                figure.add_scatter3d(
                    x=line[:, 0], y=line[:, 1], z=line[:, 2], mode="lines",
                    name=side or "middle", line={"color": shade, "width": 9},
                )  # fmt: skip
        for foot in clip.feet:
            place = clip.vectors("grf", foot, "p")[:, frame]
            force = clip.vectors("grf", foot, "f")[:, frame]
            if np.isfinite(place).all():
                tip = place + force / clip.weight
                both = np.stack([place, tip])
                figure.add_scatter3d(
                    x=both[:, 0], y=both[:, 1], z=both[:, 2], mode="lines+markers",
                    marker={"size": [5, 2]}, line={"color": "#009e73", "width": 6},
                    name=f"{_plain(foot)} {np.linalg.norm(force):.0f} N",
                )  # fmt: skip
        eye, up = _eye(clip)
        figure.update_layout(
            title=f"{_plain(clip.name)}, frame {frame} ({clip.seconds(frame):.2f} s)",
            scene={
                "aspectmode": "data",
                "camera": {"up": up, "eye": eye, "projection": {"type": "perspective"}},
                **{f"{a}axis": {"title": {"text": f"{a} (m)"}} for a in "xyz"},
            },
            margin={"l": 0, "r": 0, "t": 40, "b": 0},
            height=560,
        )
        return figure

    def cycles(self, *what: str, by: str | None = "side") -> SvgFigure:
        """Return mean ± standard deviation by gait cycle, over sound strides, as in a paper.

        Args:
            *what: ``"hip"``, ``"knee"``, ``"ankle"``, ``"grf"`` or columns of ``cycles``; by
                default the three joints.
            by: ``"side"``, ``"stride"``, or None for all in one.
        """
        from mocap_reroot.report.cycle_figure import cycle_figure

        if "cycles" not in self._clip:
            raise MocapRerootError(
                "There are no gait cycles: no cycles were written, or it is no person."
            )
        return cycle_figure(self._clip["cycles"], what, by)

    @property
    def _time(self) -> np.ndarray:
        return self._clip.start_time + np.arange(self._clip.n_frames) / self._clip.fps

    def _choices(self, joints: Iterable[str]) -> list[Choice]:
        every = [c for c in choices(self._clip) if set(c.bodies.values()) <= set(self._clip.joints)]
        wanted = list(joints) or first_choice(every, self._clip)
        found = []
        for name in wanted:
            choice = next((c for c in every if name in (c.label, *c.bodies.values())), None)
            if choice is None:
                labels = [c.label for c in every]
                raise UnknownNameError("joint", name, [*labels, *self._clip.joints])
            if choice not in found:
                found.append(choice)
        return found

    def _bodies(self, joints: Iterable[str]) -> list[str]:
        wanted = list(joints)
        if not wanted:
            return [b for c in self._choices(()) for b in c.bodies.values()]
        bodies: list[str] = []
        for name in wanted:
            if name in self._clip.joints:
                bodies.append(name)
            else:
                bodies += [b for c in self._choices([name]) for b in c.bodies.values()]
        return bodies

    def _finish(self, figure: go.Figure, title: str, rows: int, bands: bool = True) -> go.Figure:
        clip = self._clip
        if bands and "phases" in clip:
            both = clip["phases"]["mode"].isin(["double", "multi"])
            for row in clip["phases"][both].itertuples():
                figure.add_vrect(
                    x0=row.start_time, x1=row.stop_time, fillcolor="#e69f00", opacity=0.1,
                    line_width=0, layer="below",
                )  # fmt: skip
        figure.update_xaxes(title_text="time (s)", row=rows if rows > 1 else None)
        return _styled(figure, title, 180 * rows + 160)


def _plain(name: str) -> str:
    """Return a name as text: Plotly would take ``<b>`` for markup."""
    return str(name).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _stacked(rows: int, titles: list[str]) -> go.Figure:
    return make_subplots(rows, 1, shared_xaxes=True, subplot_titles=titles, vertical_spacing=0.06)


def _styled(figure: go.Figure, title: str, height: int) -> go.Figure:
    figure.update_layout(
        title={"text": title}, template="plotly_white", height=height, hovermode="x unified"
    )
    return figure


def _bar(
    figure: go.Figure,
    clip: ClipTables,
    name: str,
    spans: list[tuple[int, int]],
    shade: str,
    words: str,
) -> None:
    figure.add_bar(
        orientation="h", y=[name] * len(spans), x=[(b - a) / clip.fps for a, b in spans],
        base=[clip.seconds(a) for a, _ in spans], marker={"color": shade, "line": {"width": 0}},
        name=words or name, showlegend=bool(words), hovertemplate="%{base:.3f} s<extra></extra>",
    )  # fmt: skip


def _eye(clip: ClipTables) -> tuple[dict[str, float], dict[str, float]]:
    """Return where to look from (ahead, to the side, a little above), and which way is up."""
    up, forward, side = directions(clip).values()
    eye = 1.9 * forward - 2.4 * side + 0.5 * up
    return dict(zip("xyz", map(float, eye), strict=True)), dict(
        zip("xyz", map(float, up), strict=True)
    )
