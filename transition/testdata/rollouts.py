"""Repeats the rollouts of rollouts.json with onnxruntime; fails if they differ."""
import json
import sys

import numpy
import onnxruntime

folder = sys.argv[1]
session = onnxruntime.InferenceSession(f"{folder}/transition.onnx", providers=["CPUExecutionProvider"])
widths = {i.name: i.shape[1] for i in session.get_inputs()}
names = [o.name for o in session.get_outputs()]
members = sum(n.startswith("state_") for n in widths)


def run(start, states, action):
    feed = {"start": start, "action": action}
    feed |= {f"state_{k}": states[k] for k in range(members)}
    feed = {n: numpy.asarray(v, dtype=numpy.float32).reshape(1, widths[n]) for n, v in feed.items()}
    return dict(zip(names, session.run(names, feed)))


worst = 0
rollouts = json.load(open(f"{folder}/rollouts.json"))
for r in rollouts:
    nothing = numpy.zeros(widths["action"])
    zeros = [numpy.zeros(widths[f"state_{k}"]) for k in range(members)]
    out = run(r["start"], zeros, nothing)
    states = [out[f"first_{k}"] for k in range(members)]
    for action in r["actions"] or []:
        out = run(r["start"], states, action)
        states = [out[f"next_{k}"] for k in range(members)]
    out = run(r["start"], states, nothing)
    value = sum(float(out[f"value_{k}"][0, 0]) for k in range(members)) / members
    worst = max(worst, abs(value - r["value"]), float(numpy.abs(states[0][0] - r["state"]).max()))
print(f"{len(rollouts)} rollouts, largest difference {worst:.2g}")
sys.exit(worst > 1e-4)
