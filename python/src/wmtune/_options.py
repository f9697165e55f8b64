"""Arguments of functions as flags of the command."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from datetime import timedelta
from os import PathLike, fspath
from typing import Any, SupportsIndex

from ._errors import UsageError

Value = None | bool | int | float | str | PathLike[str] | timedelta


def flags(options: Mapping[str, Value]) -> list[str]:
    """Return the flags for options: None and False are left out, and true_words become --true-words.

    Numbers of seconds and timedelta become durations where the option is time.
    """
    words: list[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif name == "time":
            words += [flag, duration(value)]
        elif isinstance(value, (str, int, float)):
            words += [flag, str(value)]
        elif isinstance(value, timedelta):
            raise UsageError(f"{name} is no duration")
        else:
            words += [flag, fspath(value)]
    return words


def number_of_threads(threads: Any) -> int:
    """Return a number of threads; 0 stands for one for each processor."""
    if isinstance(threads, SupportsIndex) and not isinstance(threads, bool):
        number = operator.index(threads)
        if 0 <= number < 1 << 31:
            return number
    raise UsageError(f"threads is a number of threads, 0 for one for each processor, not {threads!r}")


def duration(value: Value) -> str:
    """Return a duration as the command reads it: 90, timedelta(seconds=90) and "90s" are the same."""
    if isinstance(value, timedelta):
        value = value.total_seconds()
    if isinstance(value, (int, float)):
        return f"{value:f}s"
    return str(value)


def dimensions(dims: Mapping[str, int] | None) -> str | None:
    """Return the extents of open dimensions as --dim reads them."""
    if not dims:
        return None
    return ",".join(f"{name}={extent}" for name, extent in dims.items())
