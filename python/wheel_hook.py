"""What hatchling has to know of the wheel: its tag, and the programs that it holds.

The tag is any Python 3, because nothing is compiled against it, on Linux x86-64. The wheel for x86-64 also holds the
program for aarch64, whose workers check what is compiled for that. With GOARCH=arm64 the wheel is for Linux on aarch64.
"""

from __future__ import annotations

import os
import struct
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The program needs no versioned symbol of glibc; 2.17 is the oldest for which its library libLLVM is made.
ARM = os.environ.get("GOARCH") == "arm64"
SYSTEM = "aarch64" if ARM else "x86_64"
TAG = f"py3-none-manylinux2014_{SYSTEM}.manylinux_2_17_{SYSTEM}"

BUILT = Path(__file__).parents[1] / "bin"
PROGRAMS = {"wmtune-arm64": "wmtune"} if ARM else {"wmtune": "wmtune", "wmtune-arm64": "wmtune-arm64"}  # by built file

_HEADER = struct.Struct("<IIQQQQIIQQ")  # of a section of an ELF file
_PROGBITS = 1


class WheelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the programs to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it builds the wheel."""
        self._folder = tempfile.TemporaryDirectory()
        for built, name in PROGRAMS.items():
            if not (BUILT / built).is_file():
                raise FileNotFoundError(f"{BUILT / built} is missing: make wheel builds it first")
            program = Path(self._folder.name) / name
            program.write_bytes(without_versions((BUILT / built).read_bytes()))
            program.chmod(0o755)
            build_data["force_include"][str(program)] = f"wmtune/_bin/{name}"
        build_data["pure_python"] = False
        build_data["tag"] = TAG


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
