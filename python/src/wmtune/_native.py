"""Where the program `wmtune` and the libraries that it loads are."""

from __future__ import annotations

import functools
import importlib.metadata
import os
import site
from pathlib import Path

from ._errors import Error

# The variable that names a library to the program, the package that brings it, and its file.
LIBRARIES = [
    ("WMTUNE_LLVM", "karellen-llvm-core", "libLLVM.so.19.1"),
    ("WMTUNE_XGBOOST", "xgboost-cpu", "libxgboost.so"),
    ("WMTUNE_XGBOOST", "xgboost", "libxgboost.so"),
]


def program() -> str:
    """Return the path of the program. Raises Error if the package has lost it."""
    path = Path(__file__).with_name("_bin") / "wmtune"
    if not path.is_file():
        raise Error(f"{path} is missing: install the wheel of wmtune again (make wheel builds it)")
    return str(path)


def environment() -> dict[str, str]:
    """Return the environment for the program: this one, and where its libraries are."""
    return {**_libraries(), **os.environ}


@functools.cache
def _libraries() -> dict[str, str]:
    found: dict[str, str] = {}
    for variable, package, name in LIBRARIES:
        path = _file_of(package, name)
        if path is not None:
            found.setdefault(variable, path)
    return found


def _folders() -> list[str]:
    """Return the folders of installed packages: that of this one, and the interpreter's.

    Not sys.path, whose first entry may be the working directory: a folder of data is no place for libraries.
    """
    own = str(Path(__file__).resolve().parents[1])
    user = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
    return [own, *site.getsitepackages(), *user]


def _file_of(package: str, name: str) -> str | None:
    """Return the path of a file with that name in an installed package, if there is one."""
    for found in importlib.metadata.distributions(name=package, path=_folders()):
        for file in found.files or ():
            path = os.path.realpath(str(file.locate()))
            if file.name == name and os.path.isfile(path):
                return path
    return None
