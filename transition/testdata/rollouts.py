"""Repeats the rollouts of rollouts.json with onnxruntime; fails if they differ."""
import json
import sys

import numpy
import onnxruntime

folder = sys.argv[1]
session = onnxruntime.InferenceSession(f"{folder}/transition.onnx", providers=["CPUExecutionProvider"])
widths = {i.name: i.shape[1] for i in session.get_inputs()}
names = [o.name for o in session.get_outputs()]


def run(start, state, action):
    feed = {"start": start, "action": action, "state_0": state}
    feed = {n: numpy.asarray(v, dtype=numpy.float32).reshape(1, widths[n]) for n, v in feed.items()}
    return dict(zip(names, session.run(names, feed)))


worst = 0
rollouts = json.load(open(f"{folder}/rollouts.json"))
for r in rollouts:
    nothing = numpy.zeros(widths["action"])
    state = run(r["start"], numpy.zeros(widths["state_0"]), nothing)["first_0"]
    for action in r["actions"] or []:
        state = run(r["start"], state, action)["next_0"]
    value = float(run(r["start"], state, nothing)["value_0"][0, 0])
    worst = max(worst, abs(value - r["value"]), float(numpy.abs(state[0] - r["state"]).max()))
print(f"{len(rollouts)} rollouts, largest difference {worst:.2g}")
sys.exit(worst > 1e-4)
