#!/usr/bin/env python3
"""Makes the plan of the collection that the shipped model of CPUs learns from: the tasks of many variants of models.

    make build deps
    .peers/bin/python models/plan/variants.py --wmtune ./wmtune --held-out MODELS \\
        --out models/plan/plan.jsonl.zst --held models/plan/held-out.jsonl

Each variant is a model of torchvision, of transformers or of this file, with random weights, in a width, depth,
resolution, length and batch of its own. It is exported to ONNX, and `wmtune workloads --model` lists its tasks. A task
is left out if it does more work than --most-gflop, or if its family (the extents of its reductions, whatever the batch)
is one of the suite paper22 or of a heavy task of the models in --held-out, a folder of ONNX files: what is learned is
judged on those. Of each structure at most --per-structure tasks are kept. The plan is JSON, a line a task, in an order
that mixes all variants, so that a collection that ends early has some of all.

--cache keeps the tasks of each variant, so that an interrupted run goes on.
"""
import argparse, collections, glob, hashlib, json, os, subprocess, sys, tempfile, time, warnings

import torch
from torch import nn
from torch.nn import functional as F

warnings.filterwarnings("ignore")

ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("--wmtune", default="wmtune", help="the command")
ap.add_argument("--held-out", default="", help="folder of ONNX models whose heavy tasks are left out")
ap.add_argument("--out", default="plan.jsonl.zst", help="the plan")
ap.add_argument("--held", default="held-out.jsonl", help="file for the tasks whose families are left out")
ap.add_argument("--cache", default="", help="folder of the tasks of variants that were exported before")
ap.add_argument("--only", default="", help="names of variants, separated by commas")
ap.add_argument("--most-gflop", type=float, default=1.0)
ap.add_argument("--most-mb", type=float, default=64, help="bytes of all tensors of a task")
ap.add_argument("--per-structure", type=int, default=40)

# ---- what is exported ------------------------------------------------------------------------------------------------


def image(size, batch=1, channels=3):
    return lambda: (torch.randn(batch, channels, size, size),)


def video(frames, size, batch=1):
    return lambda: (torch.randn(batch, 3, frames, size, size),)


def tokens(n, batch=1, vocab=1000):
    return lambda: (torch.randint(0, vocab, (batch, n)),)


def numbers(*shape):
    return lambda: (torch.randn(*shape),)


def vision(name, **kw):
    import torchvision
    home = torchvision.models
    for part in name.split("/")[:-1]:
        home = getattr(home, part)
    return lambda: getattr(home, name.split("/")[-1])(weights=None, **kw)


def vit(size, patch, layers, heads, hidden):
    import torchvision
    return lambda: torchvision.models.VisionTransformer(size, patch, layers, heads, hidden, 4 * hidden)


class First(nn.Module):
    """A model of transformers as tensors in, its first output out."""

    def __init__(self, m, key, **kw):
        super().__init__()
        self.m, self.key, self.kw = m, key, kw

    def forward(self, x):
        return self.m(**{self.key: x}, **self.kw)[0]


def text(name, key="input_ids", call=(), **kw):
    import transformers

    def make():
        c = getattr(transformers, name + "Config")(**kw)
        c._attn_implementation = "eager"
        return First(getattr(transformers, name + "Model")(c), key, **dict(call))
    return make


def bert(hidden, inner, heads, name="Bert", **kw):
    return text(name, hidden_size=hidden, intermediate_size=inner, num_attention_heads=heads, num_hidden_layers=1,
                vocab_size=1000, **kw)


def gpt(hidden, heads, **kw):
    return text("GPT2", n_embd=hidden, n_head=heads, n_layer=1, vocab_size=1000, call=[("use_cache", False)], **kw)


def llama(name, hidden, inner, heads, groups):
    return text(name, hidden_size=hidden, intermediate_size=inner, num_attention_heads=heads,
                num_key_value_heads=groups, num_hidden_layers=1, vocab_size=1000, call=[("use_cache", False)])


class Block(nn.Module):
    """Two convolutions of a U-Net, with a norm of choice."""

    def __init__(self, ci, co, norm):
        super().__init__()
        self.a, self.b = nn.Conv2d(ci, co, 3, padding=1), nn.Conv2d(co, co, 3, padding=1)
        self.n, self.m = norm(co), norm(co)

    def forward(self, x):
        return F.silu(self.m(self.b(F.silu(self.n(self.a(x))))))


class UNet(nn.Module):
    def __init__(self, widths, norm):
        super().__init__()
        self.down = nn.ModuleList(Block(a, b, norm) for a, b in zip([3] + widths, widths))
        self.up = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, stride=2) for a, b in zip(widths, widths[1:]))
        self.join = nn.ModuleList(Block(2 * a, a, norm) for a in widths[:-1])
        self.last = nn.Conv2d(widths[0], 2, 1)

    def forward(self, x):
        kept = []
        for i, block in enumerate(self.down):
            x = block(x if i == 0 else F.max_pool2d(x, 2))
            kept.append(x)
        for up, join, skip in list(zip(self.up, self.join, kept))[::-1]:
            x = join(torch.cat([up(x), skip], 1))
        return torch.sigmoid(self.last(x))


class Upscaler(nn.Module):
    """Super resolution: convolutions, then channels become pixels."""

    def __init__(self, width, by):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, width, 5, padding=2), nn.PReLU(), nn.Conv2d(width, width, 3, padding=1),
                                 nn.LeakyReLU(.1), nn.Conv2d(width, by * by, 3, padding=1), nn.PixelShuffle(by))

    def forward(self, x):
        return self.net(x)


class Mixer(nn.Module):
    """A layer of an MLP mixer."""

    def __init__(self, tokens, hidden):
        super().__init__()
        self.n, self.m = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.across = nn.Sequential(nn.Linear(tokens, 2 * tokens), nn.GELU(), nn.Linear(2 * tokens, tokens))
        self.along = nn.Sequential(nn.Linear(hidden, 4 * hidden), nn.GELU(), nn.Linear(4 * hidden, hidden))

    def forward(self, x):
        x = x + self.across(self.n(x).transpose(1, 2)).transpose(1, 2)
        return x + self.along(self.m(x))


class Temporal(nn.Module):
    """Dilated convolutions over time, with squeeze and excitation."""

    def __init__(self, ci, width, kernel):
        super().__init__()
        self.first = nn.Conv1d(ci, width, kernel, padding=kernel // 2)
        self.deep = nn.ModuleList(nn.Conv1d(width, width, 3, padding=2**i, dilation=2**i) for i in range(3))
        self.depth = nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=width)
        self.a, self.b = nn.Linear(width, width // 4), nn.Linear(width // 4, width)

    def forward(self, x):
        x = F.relu(self.first(x))
        for d in self.deep:
            x = x + torch.tanh(d(x))
        x = F.gelu(self.depth(x))
        return x * torch.sigmoid(self.b(F.relu(self.a(x.mean(2))))).unsqueeze(2)


class Recurrent(nn.Module):
    def __init__(self, cell, ci, hidden):
        super().__init__()
        self.cell, self.out = cell(ci, hidden, batch_first=True), nn.Linear(hidden, 10)

    def forward(self, x):
        return F.log_softmax(self.out(self.cell(x)[0]), -1)


class Tabular(nn.Module):
    """A perceptron with a batch norm, and a softmax over classes."""

    def __init__(self, *widths):
        super().__init__()
        layers = []
        for a, b in zip(widths[:-2], widths[1:-1]):
            layers += [nn.Linear(a, b), nn.BatchNorm1d(b), nn.ELU()]
        self.net = nn.Sequential(*layers, nn.Linear(widths[-2], widths[-1]))

    def forward(self, x):
        return torch.softmax(self.net(x), -1)


class Small(nn.Module):
    """What node cases are made of: reductions, norms, pools and elementwise operators on one tensor."""

    def forward(self, x):
        pooled = F.avg_pool2d(F.hardswish(x), 3, 2, 1)
        top = F.max_pool2d(x, 3, 2, 1)
        normed = F.instance_norm(top * pooled)
        y = F.softplus(normed).amax((2, 3)) + x.mean((2, 3)) * x.var((2, 3))
        return F.layer_norm(y, y.shape[-1:]), F.interpolate(pooled, scale_factor=2), x.argmax(1), torch.cumsum(y, 1)


def group(groups):
    return lambda channels: nn.GroupNorm(groups, channels)


def variants():
    """Yields names, makers and inputs."""
    for width, size, batch in [(.35, 96, 1), (.5, 160, 1), (.75, 128, 4), (1.4, 176, 1), (1.3, 112, 2)]:
        yield f"mobilenet_v2-{width}-{size}-{batch}", vision("mobilenet_v2", width_mult=width), image(size, batch)
    for name, size, batch in [
            ("resnet18", 160, 2), ("resnet34", 128, 1), ("resnet50", 96, 4), ("resnext50_32x4d", 128, 1),
            ("wide_resnet50_2", 96, 1), ("mobilenet_v3_small", 224, 1), ("mobilenet_v3_small", 128, 8),
            ("mobilenet_v3_large", 192, 1), ("mobilenet_v3_large", 160, 2), ("efficientnet_b0", 128, 2),
            ("efficientnet_b1", 240, 1), ("efficientnet_b2", 160, 1), ("efficientnet_b3", 192, 1),
            ("efficientnet_v2_s", 160, 1), ("mnasnet0_5", 160, 1), ("mnasnet1_3", 128, 2),
            ("shufflenet_v2_x0_5", 224, 1), ("shufflenet_v2_x1_5", 160, 2), ("squeezenet1_1", 192, 1),
            ("squeezenet1_0", 128, 2), ("densenet121", 128, 1), ("vgg11_bn", 96, 1), ("alexnet", 160, 1),
            ("alexnet", 224, 4), ("regnet_y_400mf", 192, 1), ("regnet_x_800mf", 160, 1), ("regnet_y_1_6gf", 128, 2),
            ("regnet_x_400mf", 96, 8),
            ("convnext_tiny", 128, 1), ("convnext_small", 96, 2), ("swin_t", 160, 1), ("swin_v2_t", 128, 1),
            ("maxvit_t", 224, 1)]:
        yield f"{name}-{size}-{batch}", vision(name), image(size, batch)
    yield "googlenet-160-1", vision("googlenet", aux_logits=False, init_weights=False), image(160)
    yield "inception_v3-171-1", vision("inception_v3", aux_logits=False, init_weights=False), image(171)
    yield "lraspp-192-1", vision("segmentation/lraspp_mobilenet_v3_large", weights_backbone=None), image(192)
    yield "fcn_resnet50-96-1", vision("segmentation/fcn_resnet50", weights_backbone=None), image(96)
    yield "deeplabv3-128-1", vision("segmentation/deeplabv3_mobilenet_v3_large", weights_backbone=None), image(128)
    for name, frames, size in [("r3d_18", 8, 56), ("mc3_18", 8, 80), ("r2plus1d_18", 8, 64)]:
        yield f"{name}-{frames}x{size}", vision("video/" + name), video(frames, size)
    for size, patch, heads, hidden, batch in [(160, 16, 3, 192, 1), (224, 32, 6, 384, 2), (128, 8, 4, 256, 1),
                                              (192, 16, 8, 512, 1), (96, 16, 12, 768, 4)]:
        yield f"vit-{size}-{patch}-{hidden}-{batch}", vit(size, patch, 1, heads, hidden), image(size, batch)
    for hidden, inner, heads, n, batch in [(128, 512, 2, 384, 1), (256, 1024, 4, 64, 4), (312, 1200, 12, 96, 1),
                                           (384, 1536, 12, 256, 1), (512, 2048, 8, 32, 8), (1024, 4096, 16, 48, 1),
                                           (640, 2560, 10, 200, 1), (768, 3072, 12, 20, 2)]:
        yield f"bert-{hidden}-{n}-{batch}", bert(hidden, inner, heads), tokens(n, batch)
    for name, hidden, n in [("Roberta", 320, 100), ("Electra", 256, 160), ("DistilBert", 384, 80), ("Albert", 448, 112),
                            ("MobileBert", 512, 64), ("ConvBert", 384, 72)]:
        kw = dict(vocab_size=1000)
        if name == "DistilBert":
            kw.update(dim=hidden, hidden_dim=4 * hidden, n_heads=6, n_layers=1)
        elif name == "MobileBert":
            kw.update(num_hidden_layers=1)
        else:
            kw.update(hidden_size=hidden, intermediate_size=4 * hidden, num_attention_heads=hidden // 64,
                      num_hidden_layers=1)
        yield f"{name.lower()}-{hidden}-{n}", text(name, **kw), tokens(n)
    for hidden, heads, n, batch in [(256, 4, 96, 1), (512, 8, 64, 2), (1024, 16, 32, 1), (640, 10, 160, 1)]:
        yield f"gpt2-{hidden}-{n}-{batch}", gpt(hidden, heads), tokens(n, batch)
    for name, hidden, inner, heads, groups, n in [("Llama", 512, 1376, 8, 8, 64), ("Mistral", 768, 2048, 12, 4, 48),
                                                  ("Qwen2", 448, 1216, 7, 1, 100), ("Gemma", 512, 2048, 4, 1, 40)]:
        yield f"{name.lower()}-{hidden}-{n}", llama(name, hidden, inner, heads, groups), tokens(n)
    yield "opt-512-48", text("OPT", hidden_size=512, ffn_dim=2048, num_attention_heads=8, num_hidden_layers=1,
                             word_embed_proj_dim=512, vocab_size=1000, call=[("use_cache", False)]), tokens(48)
    yield "bert-416-80-1", bert(416, 1664, 13), tokens(80)
    yield "wav2vec2-4000", text("Wav2Vec2", "input_values", hidden_size=256, intermediate_size=1024,
                                num_attention_heads=4, num_hidden_layers=1, conv_dim=[128] * 7), numbers(1, 4000)
    yield "segformer-128", text("Segformer", "pixel_values"), image(128)
    yield "mobilevit-128", text("MobileViT", "pixel_values", image_size=128), image(128)
    yield "clip-160", text("CLIPVision", "pixel_values", hidden_size=320, intermediate_size=1280, num_hidden_layers=1,
                           num_attention_heads=5, image_size=160, patch_size=20), image(160)
    yield "unet-96", lambda: UNet([16, 32, 64, 128], nn.BatchNorm2d), image(96)
    yield "unet-group-64-2", lambda: UNet([32, 64, 96], group(8)), image(64, 2)
    yield "unet-instance-80", lambda: UNet([24, 48, 96], nn.InstanceNorm2d), image(80)
    yield "upscale-2", lambda: Upscaler(48, 2), image(96, 1, 1)
    yield "upscale-3", lambda: Upscaler(32, 3), image(64, 4, 1)
    for n, hidden, batch in [(196, 256, 1), (64, 512, 2), (100, 128, 4)]:
        yield f"mixer-{n}-{hidden}-{batch}", lambda n=n, h=hidden: Mixer(n, h), numbers(batch, n, hidden)
    for ci, width, kernel, n, batch in [(1, 64, 9, 1000, 1), (40, 128, 5, 200, 2), (80, 256, 3, 300, 1)]:
        yield (f"temporal-{ci}-{width}-{n}-{batch}", lambda a=ci, b=width, k=kernel: Temporal(a, b, k),
               numbers(batch, ci, n))
    yield "lstm-64-128", lambda: Recurrent(nn.LSTM, 64, 128), numbers(2, 20, 64)
    yield "gru-40-96", lambda: Recurrent(nn.GRU, 40, 96), numbers(4, 16, 40)
    for widths, batch in [((30, 64, 32, 2), 64), ((784, 256, 128, 10), 8), ((128, 512, 512, 100), 1),
                          ((2048, 1024, 5), 16)]:
        yield f"tabular-{widths[0]}-{batch}", lambda w=widths: Tabular(*w), numbers(batch, widths[0])
    for channels, size, batch in [(16, 56, 1), (64, 28, 1), (24, 40, 4), (96, 14, 2), (8, 112, 1), (200, 9, 8)]:
        yield f"small-{channels}-{size}-{batch}", Small, numbers(batch, channels, size, size)


# ---- the plan --------------------------------------------------------------------------------------------------------


def tasks(wmtune, model):
    """Returns what `wmtune workloads` says of an ONNX file, or of a suite."""
    args = ["--model", model] if model.endswith(".onnx") else [model]
    r = subprocess.run([wmtune, "workloads", *args, "--json"], capture_output=True, text=True)
    if r.returncode:
        raise RuntimeError(r.stderr.strip())
    return [json.loads(line) for line in r.stdout.splitlines()]


def export(make, inputs, path):
    torch.manual_seed(0)
    with torch.no_grad():
        torch.onnx.export(make().eval(), inputs(), path, dynamo=True, opset_version=18, external_data=False,
                          optimize=True, verbose=False)


def of_variant(args, name, make, inputs, folder):
    """Returns the tasks of a variant, which are kept in args.cache."""
    kept = os.path.join(args.cache, name + ".json") if args.cache else ""
    if kept and os.path.exists(kept):
        return json.load(open(kept))
    path = os.path.join(folder, "model.onnx")
    export(make, inputs, path)
    list = tasks(args.wmtune, path)
    os.remove(path)
    if kept:
        os.makedirs(args.cache, exist_ok=True)
        with open(kept + ".new", "w") as f:
            json.dump(list, f)
        os.rename(kept + ".new", kept)
    return list


def held_out(args):
    """Returns the tasks that are learned from by nobody: of paper22, and those with a hundredth of a model's work."""
    held = [dict(t, model="paper22") for t in tasks(args.wmtune, "paper22")]
    for path in sorted(glob.glob(os.path.join(args.held_out, "*.onnx"))):
        list = tasks(args.wmtune, path)
        work = sum(t["flop"] * t["count"] for t in list)
        name = os.path.splitext(os.path.basename(path))[0]
        held += [dict(t, model=name) for t in list if t["flop"] * t["count"] >= .01 * work]
    return held


def mixed(t):
    return hashlib.sha256(t["text"].encode()).hexdigest()


def choose(args, found, held):
    """Returns the tasks of the plan, and how many were left out for which reason."""
    families = {f for t in held for f in t["families"]}
    out, kept, per = collections.Counter(), [], collections.Counter()
    for t in sorted(found.values(), key=mixed):
        why = ("held out" if families & set(t["families"]) else
               "too much work" if t["flop"] > args.most_gflop * 1e9 else
               "too large" if t["bytes"] > args.most_mb * 1e6 else
               "many of its structure" if per[t["structure"]] >= args.per_structure else "")
        if why:
            out[why] += 1
            continue
        per[t["structure"]] += 1
        kept.append(t)
    return kept, out


def write(path, list, keys):
    """Writes a line of JSON for each task; zstd compresses the file if its name ends so."""
    text = "".join(json.dumps({k: t[k] for k in keys}) + "\n" for t in list)
    if path.endswith(".zst"):
        subprocess.run(["zstd", "-q", "-f", "-19", "-o", path], input=text.encode(), check=True)
        return
    with open(path, "w") as f:
        f.write(text)


def main():
    args = ap.parse_args()
    held, found, failed = held_out(args), {}, []
    list = [v for v in variants() if not args.only or v[0] in args.only.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        for i, (name, make, inputs) in enumerate(list):
            start = time.time()
            try:
                of = of_variant(args, name, make, inputs, folder)
            except Exception as e:  # a variant that cannot be exported costs that variant
                failed.append(name)
                print(f"{name}: {str(e)[:300]}", file=sys.stderr, flush=True)
                continue
            new = [t for t in of if t["text"] not in found]
            for t in new:
                found[t["text"]] = dict(t, model=name)
            print(f"{i + 1}/{len(list)} {name}: {len(of)} tasks, {len(new)} new, {time.time() - start:.0f} s",
                  file=sys.stderr, flush=True)
    kept, out = choose(args, found, held)
    write(args.out, kept, ("name", "model", "count", "flop", "families", "structure", "text"))
    write(args.held, held, ("name", "model", "families"))
    print(f"{len(kept)} tasks of {len({t['structure'] for t in kept})} structures; left out: {dict(out)}; "
          f"failed: {failed}", file=sys.stderr)


if __name__ == "__main__":
    main()
