"""Anytime curves as SVG, on logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from bnsearch.experiments.statistics.curves import Curve

COLOURS = 8
DASHES = ("", "7 4", "2 3", "10 3 2 3")  # distinguish the lines without colours, and further methods
FLOOR = 1e-5  # smallest distance in percent that is drawn
LEFT, RIGHT, TOP, BOTTOM = 62, 16, 14, 44
LEGEND_LINE = 20


def draw_curves(curves: Mapping[str, Curve], unit: str, *, width: int = 760, height: int = 330) -> str:
    """
    Return curves of the distance to the best score, with bands for their intervals.

    Parameters
    ----------
    curves : curve of each method
    unit : what the horizontal axis counts, such as "seconds"
    width, height : size without the legend
    """
    places = np.concatenate([curve.places for curve in curves.values()])
    values = np.concatenate([curve.high for curve in curves.values()])
    x_range = _get_range(places.min(), places.max())
    y_range = _get_range(max(FLOOR, min(_floored(curve.means).min() for curve in curves.values())), values.max())
    scale = _Scale(x_range, y_range, width, height)
    legend, legend_height = _draw_legend(list(curves), width, height)
    total = height + legend_height
    parts = [
        f'<svg viewBox="0 0 {width} {total}" width="{width}" height="{total}" role="img" aria-label="anytime curves">'
    ]
    parts += scale.draw_axes(unit)
    for number, curve in enumerate(curves.values()):
        parts += _draw_curve(curve, number, scale)
    return "".join([*parts, *legend, "</svg>"])


class _Scale:
    """Logarithmic axes of a plot."""

    def __init__(self, x: tuple[float, float], y: tuple[float, float], width: int, height: int) -> None:
        self._x, self._y, self._width, self._height = x, y, width, height

    def x(self, value: float) -> float:
        return LEFT + _share(value, *self._x) * (self._width - LEFT - RIGHT)

    def y(self, value: float) -> float:
        return TOP + (1 - _share(max(value, self._y[0]), *self._y)) * (self._height - TOP - BOTTOM)

    def draw_axes(self, unit: str) -> list[str]:
        bottom, right = self._height - BOTTOM, self._width - RIGHT
        parts = [f'<path class="axis" d="M{LEFT} {TOP}V{bottom}H{right}"/>']
        for value in choose_ticks(*self._y):
            y = self.y(value)
            parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{right}"/>')
            parts.append(f'<text x="{LEFT - 7}" y="{y + 4:.1f}" text-anchor="end">{format_tick(value)}</text>')
        for value in choose_ticks(*self._x):
            x = self.x(value)
            parts.append(f'<path class="grid" d="M{x:.1f} {TOP}V{bottom}"/>')
            parts.append(f'<text x="{x:.1f}" y="{bottom + 17}" text-anchor="middle">{format_tick(value)}</text>')
        middle = (LEFT + right) / 2
        parts.append(
            f'<text class="soft" x="{middle:.0f}" y="{bottom + 36}" text-anchor="middle">{escape(unit)}</text>'
        )
        y = (TOP + bottom) / 2
        parts.append(
            f'<text class="soft" transform="translate(13 {y:.0f}) rotate(-90)" text-anchor="middle">'
            "distance to the best score (%)</text>"
        )
        return parts


def _draw_curve(curve: Curve, number: int, scale: _Scale) -> list[str]:
    """Return the band and the line of a curve; scores change in steps, but means are drawn as lines."""
    colour = f"var(--c{number % COLOURS})"
    xs = [scale.x(place) for place in curve.places]
    high, low, means = ([scale.y(v) for v in values] for values in (curve.high, curve.low, curve.means))
    band = [*zip(xs, high, strict=True), *reversed(list(zip(xs, low, strict=True)))]
    return [
        f'<path d="{_path(band)}Z" fill="{colour}" fill-opacity="0.1" stroke="none"/>',
        f'<path d="{_path(list(zip(xs, means, strict=True)))}" fill="none" stroke="{colour}" stroke-width="2" '
        f'stroke-dasharray="{_dash(number)}"/>',
        f'<circle cx="{xs[-1]:.1f}" cy="{means[-1]:.1f}" r="3" fill="{colour}"/>',
    ]


def _draw_legend(names: Sequence[str], width: int, top: int) -> tuple[list[str], int]:
    """Return the legend below a plot, in as many lines as it needs, and its height."""
    parts, x, y = [], LEFT, top + 8
    for number, name in enumerate(names):
        needed = 46 + round(6.8 * len(name))
        if x + needed > width and x > LEFT:
            x, y = LEFT, y + LEGEND_LINE
        parts.append(
            f'<path d="M{x} {y}h26" stroke="var(--c{number % COLOURS})" stroke-width="2.5" fill="none" '
            f'stroke-dasharray="{_dash(number)}"/><text x="{x + 32}" y="{y + 4}">{escape(name)}</text>'
        )
        x += needed
    return parts, y - top + 14


def _dash(number: int) -> str:
    """Return the dashes of a line: neighbours in the legend differ, and so do lines of the same colour."""
    return DASHES[(number + number // COLOURS) % len(DASHES)]


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _floored(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.maximum(values, FLOOR)


def _get_range(low: float, high: float) -> tuple[float, float]:
    """Return the limits of a logarithmic axis; the upper one is larger."""
    low = max(low, 1e-12)
    return low, high if high > 1.05 * low else 10 * low


def _share(value: float, low: float, high: float) -> float:
    """Return the position of a value on a logarithmic axis, from 0 to 1."""
    return (math.log(max(value, low)) - math.log(low)) / (math.log(high) - math.log(low))


def choose_ticks(low: float, high: float) -> list[float]:
    """Return powers of ten within a range, with 2 and 5 times these if there are few."""
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    tens = [10.0**e for e in exponents if low <= 10.0**e <= high]
    if len(tens) >= 3:
        return tens[:: math.ceil(len(tens) / 7)]
    return [factor * 10.0**e for e in exponents for factor in (1, 2, 5) if low <= factor * 10.0**e <= high]


def format_tick(value: float) -> str:
    """Return the label of a tick."""
    if value >= 1_000_000:
        return f"{value / 1e6:g}M"
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"
