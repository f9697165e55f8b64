"""Tables as text and as HTML."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

Row = Sequence[str]


def text(head: Row, rows: Sequence[Row]) -> str:
    """Return a table with columns as wide as they need to be."""
    lines = [head, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in lines)


def page(title: str, head: Row, rows: Sequence[Row], notes: Sequence[str]) -> str:
    """Return a table as HTML for a notebook, with its title above and notes below."""

    def cells(tag: str, row: Row) -> str:
        style = ' style="text-align:left"'
        return "<tr>" + "".join(f"<{tag}{style}>{html.escape(c)}</{tag}>" for c in row) + "</tr>"

    body = "".join(cells("td", row) for row in rows)
    below = "".join(f"<div>{html.escape(note)}</div>" for note in notes)
    return f"<b>{html.escape(title)}</b><table>{cells('th', head)}{body}</table>{below}"


def steps(values: Sequence[float], what: str) -> str:
    """Return values that change in steps as a chart in SVG, with the first finite one and the last; nan is left out."""
    finite = [v for v in values if math.isfinite(v)]
    if not finite:
        return ""
    width, height, top = 480, 120, max(finite)
    across = width / len(values)
    points = [
        f"{(i + side) * across:.1f},{height - height * v / top:.1f}"
        for i, v in enumerate(values)
        if math.isfinite(v)
        for side in (0, 1)
    ]
    return (
        f'<div>{html.escape(what)}: {finite[0]:.4g} to {finite[-1]:.4g}, {len(values)} values</div>'
        f'<svg width="{width}" height="{height + 4}" viewBox="0 -2 {width} {height + 4}">'
        f'<polyline fill="none" stroke="#2a6fb0" stroke-width="2" points="{" ".join(points)}"/>'
        f'<line x1="0" y1="{height}" x2="{width}" y2="{height}" stroke="#888"/></svg>'
    )


def time(us: float) -> str:
    """Return a time in three digits."""
    return _scaled(us, ("us", 1e3), ("ms", 1e3), ("s", 60), ("min", 1e3))


def size(n: int) -> str:
    """Return a number of bytes in three digits."""
    return f"{n} bytes" if n < 1e3 else _scaled(n / 1e3, ("kB", 1e3), ("MB", 1e3), ("GB", 1e3))


def _scaled(value: float, *units: tuple[str, float]) -> str:
    """Return a value in the unit that fits; each has the number of them that makes one of the next."""
    for unit, many in units[:-1]:
        if float(f"{value:.3g}") < many:
            return f"{value:.3g} {unit}"
        value /= many
    return f"{value:.3g} {units[-1][0]}"
