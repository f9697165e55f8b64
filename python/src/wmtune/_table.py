"""Tables as text and as HTML."""

from __future__ import annotations

import html
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
