"""Runs the kernels of a CUDA source that wmtune prints, once each, for NVIDIA's race checker to watch.

    wmtune show tuning.arrow --best --as cuda > kernel.cu
    check="compute-sanitizer --tool racecheck --error-exitcode 1"
    $check python lab/python/gpu_races.py kernel.cu
    $check python lab/python/gpu_races.py kernel.cu --without '__syncwarp();'

The second command plants a race, and must fail.

Buffers hold random numbers, whatever the kernels compute. It needs cupy with CUDA. A search that runs under the checker
shows nothing: its kernels are not watched.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

ELEMENTS = 16 << 20  # of each buffer

Dim = tuple[int, int, int]


def launches(source: str) -> list[tuple[str, Dim, Dim, list[str]]]:
    """Return the launches that the head of a source lists: kernel, blocks, threads, and arguments."""
    dim = r"dim3\((\d+), (\d+), (\d+)\)"
    return [
        (m[1], (int(m[2]), int(m[3]), int(m[4])), (int(m[5]), int(m[6]), int(m[7])), m[8].split(", "))
        for m in re.finditer(rf"^//\s+(\w+)<<<{dim}, {dim}>>>\(([^)]*)\)", source, re.MULTILINE)
    ]


def main() -> None:
    """Compile the source, and launch its kernels in their order."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("--without", default="", help="statement whose first occurrence is left out: plants a race")
    args = parser.parse_args()

    import cupy

    source = Path(args.source).read_text()
    if not launches(source):
        parser.error(f"{args.source} lists no launches: give what `wmtune show --as cuda` prints")
    if args.without not in source:
        parser.error(f"{args.source} has no {args.without}: name a statement that it has")
    if args.without:
        source = source.replace(args.without, ";", 1)
    module = cupy.RawModule(code=source, options=("-lineinfo",), backend="nvrtc")
    buffers: dict[str, Any] = {}
    for kernel, blocks, threads, names in launches(source):
        for name in names:
            if name not in buffers:
                buffers[name] = cupy.random.standard_normal(ELEMENTS, dtype=cupy.float32)
        module.get_function(kernel)(blocks, threads, tuple(buffers[name] for name in names))
    cupy.cuda.Device().synchronize()
    print(f"{args.source}: {len(launches(source))} kernels ran")


if __name__ == "__main__":
    main()
