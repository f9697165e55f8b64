"""Arguments of functions as flags of the command."""

from __future__ import annotations

import numbers
import operator
import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from os import PathLike, fspath
from typing import Any, SupportsIndex

from ._errors import UsageError

Word = bool | int | float | str | PathLike[str] | SupportsIndex
Value = None | Word | timedelta | Sequence[Word]

MOST_THREADS = 256
"""What the library of a bundle runs with at most."""


def flags(options: Mapping[str, Value]) -> list[str]:
    """Return the flags for options: None is left out, and true_words become --true-words.

    Numbers of seconds and timedelta become durations where the option is time. A list is a flag for each of its items.
    """
    words: list[str] = []
    for name, value in options.items():
        if value is None:
            continue
        flag = "--" + name.replace("_", "-")
        if name in ("help", "h"):
            raise UsageError(f"{name} is no option: see help(wmtune.compile) and help(wmtune.search)")
        if isinstance(value, bool) and name != "time":
            words.append(flag if value else flag + "=false")
        elif name == "time":
            words += [flag, duration(value)]
        elif isinstance(value, (list, tuple)):
            for item in value:
                words += [flag, _word(name, item)]
        else:
            words += [flag, _word(name, value)]
    return words


def _word(name: str, value: Any) -> str:
    """Return the value of a flag."""
    if isinstance(value, (str, int, float)):
        return str(value)
    try:
        return str(operator.index(value)) if isinstance(value, SupportsIndex) else fspath(value)
    except TypeError:
        raise UsageError(f"{name} is a number, a text or a path, not {value!r}") from None


def number_of_threads(threads: Any) -> int:
    """Return a number of threads; 0 stands for one for each processor."""
    if isinstance(threads, SupportsIndex) and not isinstance(threads, bool):
        number = operator.index(threads)
        if 0 <= number <= MOST_THREADS:
            return number
    raise UsageError(
        f"threads is a number of threads up to {MOST_THREADS}, 0 for one for each processor, not {threads!r}"
    )


def duration(value: Value) -> str:
    """Return a duration as the command reads it: 90, timedelta(seconds=90) and "90s" are the same."""
    if isinstance(value, bool):
        raise UsageError(f"time is a number of seconds, or a text such as 10m, not {value}")
    if isinstance(value, timedelta):
        value = value.total_seconds()
    if isinstance(value, numbers.Real):
        return f"{float(value):f}s"
    return str(value)


def dimensions(dims: Mapping[str, int | str | Sequence[int]] | None) -> str | None:
    """Return the extents of open dimensions as --dim reads them."""
    if dims is None:
        return None
    lists = {}
    if isinstance(dims, Mapping):
        lists = {name: list(n) if isinstance(n, (list, tuple)) else [n] for name, n in dims.items()}
    if not isinstance(dims, Mapping) or not all(n and all(map(_is_extent, n)) for n in lists.values()):
        wanted = 'an extent for each name, a list of them, a range, or a sum: {"s": 1, "p": [16, 128], "t": "s+p"}'
        raise UsageError(f"dims has {wanted}, not {dims!r}")
    if not dims:
        return None
    return ",".join(f"{name}={','.join(map(str, extents))}" for name, extents in lists.items())


def _is_extent(n: Any) -> bool:
    if isinstance(n, str):
        return re.fullmatch(r"\d+\.\.\d+|[^=,+]+(\+[^=,+]+)+", n) is not None
    return isinstance(n, SupportsIndex) and not isinstance(n, bool) and operator.index(n) >= 0
