"""The critical-difference diagram of Demsar (2006) as SVG."""

from __future__ import annotations

from html import escape

from bnsearch.experiments.statistics.friedman import FriedmanResult

WIDTH, MARGIN = 760, 210  # of the drawing; room for labels on each side
AXIS, LINE, BAR = 62, 24, 11  # height of the axis, of a label, and of a bar


def draw_rank_diagram(result: FriedmanResult) -> str:
    """Return the diagram: mean ranks on an axis, and bars that join methods which the test does not separate."""
    k = len(result.methods)
    order = sorted(range(k), key=lambda method: (result.mean_ranks[method], method))
    groups, half = result.groups, (k + 1) // 2
    first_label = AXIS + 18 + BAR * len(groups) + 8
    height = first_label + LINE * half + 4
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" '
        'aria-label="critical-difference diagram">'
    ]
    parts += _draw_axis(k, result.critical_difference)
    for place, method in enumerate(order):
        is_left = place < half
        row = place if is_left else k - 1 - place
        y, x = first_label + LINE * row + LINE / 2, _place(result.mean_ranks[method], k)
        end, anchor = (MARGIN - 16, "end") if is_left else (WIDTH - MARGIN + 16, "start")
        text = f"{result.methods[method]}  {result.mean_ranks[method]:.2f}"
        parts.append(f'<path class="ink" d="M{x:.1f} {AXIS}V{y:.1f}H{end}"/>')
        parts.append(
            f'<text x="{end + (-6 if is_left else 6)}" y="{y + 4:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
        )
    for number, group in enumerate(groups):
        y = AXIS + 16 + BAR * number
        ranks = [result.mean_ranks[method] for method in group]
        left, right = _place(min(ranks), k) - 5, _place(max(ranks), k) + 5
        parts.append(f'<path class="ink" stroke-width="5" d="M{left:.1f} {y}H{right:.1f}"/>')
    return "".join([*parts, "</svg>"])


def _place(rank: float, k: int) -> float:
    """Return the horizontal position of a rank; 1, the best, is on the left."""
    return MARGIN + (rank - 1) / (k - 1) * (WIDTH - 2 * MARGIN)


def _draw_axis(k: int, difference: float) -> list[str]:
    """Return the axis with one tick for each rank, and the critical difference above it."""
    parts = [f'<path class="axis" d="M{_place(1, k)} {AXIS}H{_place(k, k)}"/>']
    for rank in range(1, k + 1):
        x = _place(rank, k)
        parts.append(f'<path class="axis" d="M{x:.1f} {AXIS}v-7"/>')
        parts.append(f'<text x="{x:.1f}" y="{AXIS - 12}" text-anchor="middle">{rank}</text>')
    left, right = _place(1, k), min(_place(1 + difference, k), WIDTH - 8)
    parts.append(f'<path class="ink" d="M{left:.1f} 16v8M{left:.1f} 20H{right:.1f}M{right:.1f} 16v8"/>')
    label = f"critical difference {difference:.2f}"
    parts.append(f'<text class="soft" x="{left:.1f}" y="11">{label}</text>')
    return parts
