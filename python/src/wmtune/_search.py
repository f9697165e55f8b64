"""Searches for a fast kernel of one operator."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from os import PathLike
from typing import Any

from . import _command, _options
from ._progress import bar


class SearchResult:
    """What a search found. `data` holds what `wmtune search --json` prints."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        """Take what the command prints."""
        self.data = data

    def __getattr__(self, name: str) -> Any:
        if name == "data" or name.startswith("__"):  # what copy and pickle look for before there is data
            raise AttributeError(name)
        try:
            return self.data[name]
        except KeyError:
            raise AttributeError(f"a search has no {name}: it has {', '.join(self.data)}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.data]

    def __repr__(self) -> str:
        return f"<wmtune.SearchResult {json.dumps({k: v for k, v in self.data.items() if not isinstance(v, dict)})}>"


def search(
    workload: str | None = None,
    *,
    trials: int | None = None,
    time: float | str | timedelta | None = None,
    out: str | PathLike[str] | None = None,
    progress: bool | None = None,
    **options: _options.Value,
) -> SearchResult:
    """Search for a fast kernel of a workload, such as "matmul:m=512,n=512,k=512" or "paper22/r50-t3".

    trials is how many candidates are measured: 64 by default, and without a limit if there is a time.

    options are further flags of the command, such as scorer="gbt", seed=1, or workload_file=PATH instead of a workload.
    The kernel lies in the folder out, by default wmtune-out/NAME. Raises Error, or one of its kinds, with the sentence
    of `wmtune search`. Ctrl-C finishes the round under way and raises KeyboardInterrupt; the same call goes on from
    there.
    """
    flags: dict[str, _options.Value] = {"workload": workload, "trials": trials, "time": time, "out": out, **options}
    with bar(progress, workload or str(options.get("workload_file"))) as show:
        return SearchResult(json.loads(_command.run(["search", "--json", *_options.flags(flags)], show)))
