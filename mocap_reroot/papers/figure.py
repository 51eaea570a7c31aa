"""A small line figure as SVG: axes, curves, marks and labels; readable without any script."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

import numpy as np

COLOURS = ("#1f5fa8", "#c4452d", "#2f8f4e", "#8556a5", "#c08a1e", "#4a4a4a")
_LEFT, _RIGHT, _TOP, _BOTTOM = 74, 18, 34, 52


@dataclass
class Curve:
    """Points to draw: ``x, y`` of equal length; NaN breaks the line.

    Attributes:
        x, y: Data.
        name: For the legend; empty: not listed.
        colour: CSS colour.
        width: Line width in pixels, 0 for no line.
        dash: SVG dash pattern.
        mark: Radius of a dot at every point, 0 for none.
    """

    x: np.ndarray
    y: np.ndarray
    name: str = ""
    colour: str = ""
    width: float = 1.6
    dash: str = ""
    mark: float = 0.0


@dataclass
class Figure:
    """Curves between two labelled axes.

    Attributes:
        x_label, y_label: With units.
        equal: One unit is as long along both axes.
        log_y: Logarithmic y axis; values that are not positive are left out.
        width, height: Pixels.
    """

    x_label: str
    y_label: str
    equal: bool = False
    log_y: bool = False
    width: int = 640
    height: int = 420
    curves: list[Curve] = field(default_factory=list)
    notes: list[tuple[float, float, str]] = field(default_factory=list)

    def line(self, x, y, name: str = "", **style) -> Figure:
        """Add a curve; returns the figure."""
        colour = style.pop("colour", "") or COLOURS[len(self.curves) % len(COLOURS)]
        x, y = np.asarray(x, float), np.asarray(y, float)
        self.curves.append(Curve(x, y, name, colour, **style))
        return self

    def note(self, x: float, y: float, text: str) -> Figure:
        """Add a word at a place; returns the figure."""
        self.notes.append((float(x), float(y), text))
        return self

    def svg(self) -> str:
        """Return the figure as an SVG element."""
        place = _Placement(self)
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" font-family="sans-serif" font-size="13">',
            f'<rect width="{self.width}" height="{self.height}" fill="white"/>',
            *self._axes(place),
        ]
        for curve in self.curves:
            parts += _drawn(curve, place)
        for x, y, text in self.notes:
            px, py = place(x, y)
            parts.append(
                f'<text x="{px + 6:.1f}" y="{py - 6:.1f}" fill="#222">{escape(text)}</text>'
            )
        parts += self._legend()
        return "\n".join([*parts, "</svg>"])

    def _axes(self, place: _Placement) -> list[str]:
        right, bottom = self.width - _RIGHT, self.height - _BOTTOM
        box = f'x="{_LEFT}" y="{_TOP}" width="{right - _LEFT}" height="{bottom - _TOP}"'
        parts = [f'<rect {box} fill="none" stroke="#888"/>']
        for value in place.x_ticks:
            x = place(value, 0 if not self.log_y else 1)[0]
            parts.append(
                f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{bottom}" stroke="#eee"/>'
            )
            parts.append(
                f'<text x="{x:.1f}" y="{bottom + 17}" text-anchor="middle">{value:.6g}</text>'
            )
        for value in place.y_ticks:
            y = place(0, value)[1]
            parts.append(
                f'<line x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#eee"/>'
            )
            parts.append(
                f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:.6g}</text>'
            )
        middle = (_TOP + bottom) / 2
        parts.append(
            f'<text x="{(_LEFT + right) / 2}" y="{self.height - 12}" text-anchor="middle">'
            f"{escape(self.x_label)}</text>"
        )
        parts.append(
            f'<text transform="translate(16 {middle}) rotate(-90)" text-anchor="middle">'
            f"{escape(self.y_label)}</text>"
        )
        return parts

    def _legend(self) -> list[str]:
        """Name the curves in one row above the axes, where nothing is hidden."""
        parts: list[str] = []
        x, y = float(_LEFT), 18
        for curve in self.curves:
            if not curve.name:
                continue
            parts.append(
                f'<line x1="{x:.0f}" x2="{x + 22:.0f}" y1="{y}" y2="{y}" stroke="{curve.colour}" '
                f'stroke-width="2.5" stroke-dasharray="{curve.dash}"/>'
                f'<text x="{x + 28:.0f}" y="{y + 4}">{escape(curve.name)}</text>'
            )
            x += 48 + 7.0 * len(curve.name)
        return parts


class _Placement:
    """From data to pixels."""

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        x = np.concatenate([curve.x for curve in figure.curves])
        y = np.concatenate([curve.y for curve in figure.curves])
        x, y = x[np.isfinite(x)], y[np.isfinite(y)]
        if figure.log_y:
            y = np.log10(y[y > 0])
        spans = [_padded(x), _padded(y)]
        size = (figure.width - _LEFT - _RIGHT, figure.height - _TOP - _BOTTOM)
        if figure.equal:
            unit = max((b - a) / pixels for (a, b), pixels in zip(spans, size, strict=True))
            middles = [(a + b) / 2 for a, b in spans]
            spans = [
                (m - unit * pixels / 2, m + unit * pixels / 2)
                for m, pixels in zip(middles, size, strict=True)
            ]
        self.spans, self.size = spans, size
        self.x_ticks = _ticks(*spans[0], 8)
        if figure.log_y:
            whole = np.arange(np.ceil(spans[1][0]), np.floor(spans[1][1]) + 1)
            self.y_ticks = [10.0**e for e in whole[:: max(1, len(whole) // 8)]]
        else:
            self.y_ticks = _ticks(*spans[1], 7)

    def __call__(self, x: float, y: float) -> tuple[float, float]:
        if self.figure.log_y:
            y = np.log10(y) if y > 0 else np.nan
        (x0, x1), (y0, y1) = self.spans
        px = _LEFT + (x - x0) / (x1 - x0) * self.size[0]
        return px, _TOP + (y1 - y) / (y1 - y0) * self.size[1]


def _padded(values: np.ndarray) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    pad = 0.05 * (high - low) or 0.5 * abs(high) or 1.0
    return low - pad, high + pad


def _ticks(low: float, high: float, most: int) -> list[float]:
    """Return round numbers between two values, at most so many."""
    rough = (high - low) / most
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough)
    first = np.ceil(low / step)
    return [float(k * step) + 0.0 for k in np.arange(first, np.floor(high / step) + 1)]


def _drawn(curve: Curve, place: _Placement) -> list[str]:
    parts: list[str] = []
    run: list[str] = []
    pixels = [place(float(x), float(y)) for x, y in zip(curve.x, curve.y, strict=True)]
    for px, py in [*pixels, (np.nan, np.nan)]:
        if np.isfinite(px) and np.isfinite(py):
            run.append(f"{px:.1f},{py:.1f}")
            if curve.mark:
                dot = f'cx="{px:.1f}" cy="{py:.1f}" r="{curve.mark}"'
                parts.append(f'<circle {dot} fill="{curve.colour}"/>')
        elif run:
            if curve.width and len(run) > 1:
                style = f'stroke-width="{curve.width}" stroke-dasharray="{curve.dash}"'
                points = " ".join(run)
                parts.append(
                    f'<polyline points="{points}" fill="none" stroke="{curve.colour}" {style}/>'
                )
            run = []
    return parts
