"""Folders that live as long as the object that has them."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path


class Temporary:
    """A new folder, removed with this object or at the end of the process; a forked child does not remove it."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="wmtune-"))
        self.remove = weakref.finalize(self, _remove, self.path, os.getpid())


def _remove(path: Path, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(path, ignore_errors=True)
