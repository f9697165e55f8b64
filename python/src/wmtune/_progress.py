"""Shows how far the program is, with tqdm if that is installed."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterator
from typing import Any

from ._command import Show

# "3/24  text" while a model is compiled, "task 2/9 name  12/64 trials  ..." while it is tuned, "round 1  12/64 trials"
# in a search.
_STEP = re.compile(r"^(\d+)/(\d+)  (.*)$")
_TRIALS = re.compile(r"^(.*?)(\d+)/(\d+) trials(.*)$")
_CLOCK = re.compile(r"  \d\S* elapsed")  # tqdm has its own


@contextlib.contextmanager
def bar(progress: bool | None, what: str) -> Iterator[Show | None]:
    """Yield what shows progress; nothing if progress is False, or None without tqdm or without a terminal.

    Raises ImportError if progress is True and tqdm is not installed.
    """
    if progress is False or (progress is None and not _watched()):
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        if progress:
            raise
        yield None
        return
    with tqdm(desc=what, leave=False) as shown:
        yield lambda line: _show(shown, line)


def _watched() -> bool:
    return "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())


def _show(shown: Any, line: str) -> None:
    """Set the bar to what a line says."""
    line = _CLOCK.sub("", line)
    if found := _STEP.match(line):
        done, of, text = int(found[1]) - 1, int(found[2]), found[3]
    elif found := _TRIALS.match(line):
        done, of, text = int(found[2]), int(found[3]), f"{found[1]}{found[4]}"
    else:  # before the first step nothing counts, and after the last one all are done
        done, of, text = shown.total or 0, shown.total, line
    shown.total, shown.n = of, done
    shown.bar_format = None if of else "{desc}: {elapsed}{postfix}"
    shown.set_postfix_str(text.strip(), refresh=False)
    shown.refresh()
