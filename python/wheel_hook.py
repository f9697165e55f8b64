"""What hatchling has to know of the wheel: its tag, and the program that it holds.

The tag is any Python 3, because nothing is compiled against it, on Linux x86-64.
"""

from __future__ import annotations

import struct
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The program needs no versioned symbol of glibc; 2.17 is the oldest for which its library libLLVM is made.
TAG = "py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64"

PROGRAM = Path(__file__).parents[1] / "bin" / "wmtune"

_HEADER = struct.Struct("<IIQQQQIIQQ")  # of a section of an ELF file
_PROGBITS = 1


class WheelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the program to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it builds the wheel."""
        if not PROGRAM.is_file():
            raise FileNotFoundError(f"{PROGRAM} is missing: make wheel builds it first")
        self._folder = tempfile.TemporaryDirectory()
        program = Path(self._folder.name) / "wmtune"
        program.write_bytes(without_versions(PROGRAM.read_bytes()))
        program.chmod(0o755)
        build_data["pure_python"] = False
        build_data["tag"] = TAG
        build_data["force_include"][str(program)] = "wmtune/_bin/wmtune"


def without_versions(program: bytes) -> bytes:
    """Return a program whose section .gnu.version_r has no name.

    Go's linker leaves it empty and without a type where no symbol has a version, and auditwheel, which looks for it by
    its name, fails. Nothing else reads the names of sections.
    """
    data = bytearray(program)
    (at,) = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    texts = _HEADER.unpack_from(data, at + names * size)[4]
    for i in range(count):
        header = at + i * size
        name, kind, *_ = _HEADER.unpack_from(data, header)
        if kind == _PROGBITS and data.startswith(b".gnu.version_r\0", texts + name):
            struct.pack_into("<I", data, header, 0)
    return bytes(data)
