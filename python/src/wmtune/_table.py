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
    return f"{us:.3g} us" if us < 1e3 else f"{us / 1e3:.3g} ms" if us < 1e6 else f"{us / 1e6:.3g} s"


def size(n: int) -> str:
    """Return a number of bytes in three digits."""
    return f"{n} bytes" if n < 1e3 else f"{n / 1e3:.3g} kB" if n < 1e6 else f"{n / 1e6:.3g} MB"
