"""Continues a text: reads the tokens of a prompt from a file, and prints the tokens that a decoder thinks likeliest.

    wmtune compile MODEL.onnx --dim seq=1..16 --state 'present.*=past.*,max=1024' --out bundle
    python decoder.py bundle prompt.txt 20

The file has numbers with spaces between. The model has one input, of tokens, and one output.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import wmtune


def main(folder: str, prompt: str, more: int) -> None:
    """Print more tokens after those of a file."""
    model = wmtune.load(folder)
    chunk = model.inputs[0].shape[1]  # that one run takes at most
    tokens = np.array([Path(prompt).read_text().split()], np.int64)
    while tokens.shape[1] > chunk:  # a prompt runs in parts
        model(tokens[:, :chunk])
        tokens = tokens[:, chunk:]
    for _ in range(more):
        logits = model(tokens)
        token = int(logits[0, -1].argmax())
        print(token)
        tokens = np.array([[token]])  # the model knows those before


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
