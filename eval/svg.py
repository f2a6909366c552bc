"""Charts as SVG text, written by hand: lines, dots with whiskers, bars. Everything that comes in as text is escaped.

Models differ in grey value, dash and marker as well as in colour, so a grey print still tells them apart."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, isfinite, log2, log10

INK, FAINT, GRID = "#24292f", "#6a737d", "#e3e6ea"
LINES_SHOWN = 240  # points of a line; more cannot be seen


@dataclass(frozen=True, slots=True)
class Look:
    """How one series is drawn."""

    colour: str
    dash: str
    marker: str  # circle, square, diamond, triangle


@dataclass(frozen=True, slots=True)
class Series:
    """One line: its name, its look and its points in order of x."""

    name: str
    look: Look
    points: tuple[tuple[float, float], ...]
    faint: bool = False


@dataclass(frozen=True, slots=True)
class Dot:
    """One value with its interval."""

    look: Look
    value: float
    low: float
    high: float
    title: str


def line_chart(series: Sequence[Series], *, title: str, x_name: str, by_k: bool = False) -> str:
    """A small chart of lines over a common x axis; `by_k`: x in powers of two, y in percent, markers at all points."""
    width, height, left, right, top, bottom = 340, 220, 48, 14, 30, 36
    points = [point for one in series for point in one.points if isfinite(point[1])]
    if not points:
        return ""
    across = [log2(x) if by_k else x for x, _ in points]
    x0, x1 = min(across), max(max(across), min(across) + 1e-9)
    ticks = nice_ticks(min(y for _, y in points), max(y for _, y in points))
    y0, y1 = ticks[0], ticks[-1]

    def place(x: float, y: float) -> tuple[float, float]:
        x = log2(x) if by_k else x
        return (
            left + (x - x0) / (x1 - x0) * (width - left - right),
            height - bottom - (y - y0) / (y1 - y0) * (height - top - bottom),
        )

    parts = [_text(left, 16, title, size=12, weight="600")]
    for tick in ticks:
        _, y = place(2**x0 if by_k else x0, tick)
        parts.append(f'<line x1="{left}" x2="{width - right}" y1="{y:.1f}" y2="{y:.1f}" stroke="{GRID}"/>')
        parts.append(_text(left - 5, y + 4, _percent(tick) if by_k else short(tick), anchor="end", colour=FAINT))
    values = sorted({x for x, _ in points}) if by_k else nice_ticks(x0, x1, count=4)
    for value in values:
        x, _ = place(value, y0)
        if left - 1 <= x <= width - right + 1:
            parts.append(_text(x, height - bottom + 15, short(value), anchor="middle", colour=FAINT))
    parts.append(_text((left + width - right) / 2, height - 4, x_name, anchor="middle", colour=FAINT))
    for one in series:
        placed = [place(x, y) for x, y in thinned(one.points)]
        parts.append(_polyline(placed, one.look, faint=one.faint))
        if by_k:
            parts += [_marker(x, y, one.look, one.name) for x, y in placed]
    return _svg(width, height, parts, title)


def dot_chart(rows: Sequence[tuple[str, str, Sequence[Dot]]], *, title: str) -> str:
    """Rows of (name, note, dots with whiskers) over a common axis in percent from 0 to 100."""
    width, left, right, top, row_height = 860, 250, 90, 30, 30
    height = top + row_height * len(rows) + 30

    def x_of(share: float) -> float:
        return left + share * (width - left - right)

    parts = []
    for tick in range(0, 101, 20):
        x = x_of(tick / 100)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top - 6}" y2="{height - 26}" stroke="{GRID}"/>')
        parts.append(_text(x, height - 10, f"{tick}%", anchor="middle", colour=FAINT))
    for number, (name, note, dots) in enumerate(rows):
        middle = top + row_height * (number + 0.5)
        parts.append(_text(left - 12, middle + 4, name, anchor="end", size=12))
        parts.append(_text(width - right + 12, middle + 4, note, colour=FAINT))
        for place, dot in enumerate(dots):
            y = middle + (place - (len(dots) - 1) / 2) * 6
            parts.append(
                f'<line x1="{x_of(dot.low):.1f}" x2="{x_of(dot.high):.1f}" y1="{y:.1f}" y2="{y:.1f}" '
                f'stroke="{dot.look.colour}" stroke-width="1.6"/>'
            )
            parts.append(_marker(x_of(dot.value), y, dot.look, dot.title))
    return _svg(width, height, parts, title)


def bar_chart(rows: Sequence[tuple[str, float, str]], *, title: str, look: Look) -> str:
    """Horizontal bars of (name, value, what stands beside it), the largest as wide as the chart."""
    width, left, right, row_height = 860, 250, 210, 26
    height = row_height * len(rows) + 12
    largest = max((value for _, value, _ in rows), default=1) or 1
    parts = []
    for number, (name, value, note) in enumerate(rows):
        y = 6 + row_height * number
        long = max(1.0, value / largest * (width - left - right))
        parts.append(_text(left - 12, y + 16, name, anchor="end", size=12))
        parts.append(
            f'<rect x="{left}" y="{y + 3}" width="{long:.1f}" height="{row_height - 8}" fill="{look.colour}"/>'
        )
        parts.append(_text(left + long + 8, y + 16, note, colour=FAINT))
    return _svg(width, height, parts, title)


def legend(entries: Iterable[tuple[str, Look]]) -> str:
    """Names beside a piece of their line and marker."""
    parts, x = [], 4.0
    for name, look in entries:
        parts.append(_polyline([(x, 10), (x + 30, 10)], look, faint=False))
        parts.append(_marker(x + 15, 10, look, name))
        parts.append(_text(x + 37, 14, name, size=12))
        x += 60 + 7.2 * len(name)
    return _svg(x, 20, parts, "legend")


def smoothed(points: Sequence[tuple[float, float]], window: int) -> tuple[tuple[float, float], ...]:
    """Mean of y over the `window` points around each: shows the trend without a lag."""
    half = window // 2
    near = [points[max(0, place - half) : place + half + 1] for place in range(len(points))]
    return tuple((x, sum(y for _, y in some) / len(some)) for (x, _), some in zip(points, near, strict=True))


def thinned(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """At most LINES_SHOWN of the points, evenly, with the last."""
    finite = [point for point in points if isfinite(point[1])]
    step = max(1, ceil(len(finite) / LINES_SHOWN))
    return finite[::step] + (finite[-1:] if finite and (len(finite) - 1) % step else [])


def nice_ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Round values that enclose low and high, about `count` of them."""
    span = high - low if high > low else abs(high) or 1.0
    rough = span / max(1, count - 1)
    magnitude = 10 ** floor(log10(rough))
    step = next(factor * magnitude for factor in (1, 2, 2.5, 5, 10) if factor * magnitude >= rough * 0.999)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return [round(step * number, 10) for number in range(first, max(last, first + 1) + 1)]


def short(value: float) -> str:
    """A number for an axis: 1200 as 1.2k, 0.05 as it is."""
    for limit, letter in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= limit:
            return f"{value / limit:.3g}{letter}"
    return f"{value:.3g}"


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"


def _svg(width: float, height: float, parts: Iterable[str], title: str) -> str:
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" role="img" aria-label="{escape(title)}">'
        f"{''.join(parts)}</svg>"
    )


def _text(
    x: float, y: float, text: str, *, anchor: str = "start", size: int = 11, colour: str = INK, weight: str = "400"
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}" '
        f'fill="{colour}">{escape(text)}</text>'
    )


def _polyline(points: Sequence[tuple[float, float]], look: Look, *, faint: bool) -> str:
    along = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    style = 'stroke-width="1" opacity="0.35"' if faint else f'stroke-width="1.8" stroke-dasharray="{look.dash}"'
    return f'<polyline points="{along}" fill="none" stroke="{look.colour}" {style}/>'


def _marker(x: float, y: float, look: Look, title: str) -> str:
    shapes = {
        "circle": f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"',
        "square": f'<rect x="{x - 3.6:.1f}" y="{y - 3.6:.1f}" width="7.2" height="7.2"',
        "diamond": f'<path d="M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5-5z"',
        "triangle": f'<path d="M{x:.1f} {y - 5:.1f}l5 9h-10z"',
    }
    tag = {"circle": "circle", "square": "rect"}.get(look.marker, "path")
    style = f'fill="{look.colour}" stroke="#fff" stroke-width="0.8"'
    return f"{shapes[look.marker]} {style}><title>{escape(title)}</title></{tag}>"
