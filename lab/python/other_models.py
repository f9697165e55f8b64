#!/usr/bin/env python3
"""Exports models that wmtune was not made with, to ONNX, with random weights and no download, for benchmarks.

    .peers/bin/pip install torch torchvision transformers onnx onnxscript
    .peers/bin/python lab/python/other_models.py --out other [--only yolo320,whisper_tiny]
    wmtune bench models other --threads 2 --rounds 3 --peers ort,openvino

Writes NAME.onnx and NAME.npz, with input in0 and torch's own output out0. The same versions of the packages write the
same weights.
"""
import argparse, os
import numpy as np
import torch
import torchvision
import transformers
from torch import nn
from torch.nn import functional as F

ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("--out", required=True)
ap.add_argument("--only", default="", help="names, separated by commas")


def image(*shape):
    return lambda: torch.randn(*shape)


def tokens(vocab, n):
    return lambda: torch.randint(0, vocab, (1, n))


class First(nn.Module):
    """A model as one tensor in, one tensor out."""

    def __init__(self, m, key=None, **kw):
        super().__init__()
        self.m, self.key, self.kw = m, key, kw

    def forward(self, x):
        y = self.m(**{self.key: x}, **self.kw) if self.key else self.m(x)
        for name in ("out", "pooler_output" if self.key == "pixel_values" else "last_hidden_state", "logits"):
            if isinstance(y, dict) and name in y:
                return y[name]
        return y


def vision(name, **kw):
    home = torchvision.models
    for part in name.split("/")[:-1]:
        home = getattr(home, part)
    return lambda: First(getattr(home, name.split("/")[-1])(weights=None, **kw))


def text(model, config, key="input_ids", call=None, **kw):
    def make():
        c = getattr(transformers, config)(**kw)
        c._attn_implementation = "eager"
        cls = getattr(transformers, model, None) or transformers.models.whisper.modeling_whisper.WhisperEncoder
        return First(cls(c), key, **({"use_cache": False} if call is None else call))
    return make


def conv(a, b, k=1, stride=1):
    return nn.Sequential(nn.Conv2d(a, b, k, stride, k // 2, bias=False), nn.BatchNorm2d(b), nn.SiLU())


class Stage(nn.Module):
    """A stage of YOLOv8's backbone."""

    def __init__(self, a, b, n, add=True):
        super().__init__()
        h = b // 2
        self.i, self.o, self.add = conv(a, b), conv((2 + n) * h, b), add
        self.m = nn.ModuleList([nn.Sequential(conv(h, h, 3), conv(h, h, 3)) for _ in range(n)])

    def forward(self, x):
        y = list(self.i(x).chunk(2, 1))
        for m in self.m:
            y.append(y[-1] + m(y[-1]) if self.add else m(y[-1]))
        return self.o(torch.cat(y, 1))


class Pyramid(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.a, self.b, self.p = conv(c, c // 2), conv(2 * c, c), nn.MaxPool2d(5, 1, 2)

    def forward(self, x):
        x = self.a(x)
        y = self.p(x)
        z = self.p(y)
        return self.b(torch.cat([x, y, z, self.p(z)], 1))


class Yolo(nn.Module):
    """A detector like YOLOv8n."""

    def __init__(self):
        super().__init__()
        self.a = nn.Sequential(conv(3, 16, 3, 2), conv(16, 32, 3, 2), Stage(32, 32, 1), conv(32, 64, 3, 2),
                               Stage(64, 64, 2))
        self.b = nn.Sequential(conv(64, 128, 3, 2), Stage(128, 128, 2))
        self.c = nn.Sequential(conv(128, 256, 3, 2), Stage(256, 256, 1), Pyramid(256))
        self.u, self.d, self.e = nn.Upsample(scale_factor=2), Stage(384, 128, 1, False), Stage(192, 64, 1, False)
        self.f, self.g = conv(64, 64, 3, 2), Stage(192, 128, 1, False)
        self.h, self.i = conv(128, 128, 3, 2), Stage(384, 256, 1, False)
        head = lambda n: nn.ModuleList([nn.Sequential(conv(c, n, 3), conv(n, n, 3), nn.Conv2d(n, n, 1))
                                        for c in (64, 128, 256)])
        self.box, self.cls = head(64), head(80)

    def forward(self, x):
        p3 = self.a(x)
        p4 = self.b(p3)
        p5 = self.c(p4)
        q4 = self.d(torch.cat([self.u(p5), p4], 1))
        q3 = self.e(torch.cat([self.u(q4), p3], 1))
        r4 = self.g(torch.cat([self.f(q3), q4], 1))
        r5 = self.i(torch.cat([self.h(r4), p5], 1))
        y = torch.cat([torch.cat([b(f), c(f)], 1).flatten(2) for f, b, c in zip((q3, r4, r5), self.box, self.cls)], 2)
        box, cls = y.split((64, 80), 1)
        place = (box.view(1, 4, 16, -1).softmax(2) * torch.arange(16.).view(1, 1, 16, 1)).sum(2)
        return torch.cat([place, cls.sigmoid()], 1)


class UNet(nn.Module):
    def __init__(self, c=32):
        super().__init__()
        two = lambda a, b: nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(),
                                         nn.Conv2d(b, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU())
        n = [c, 2 * c, 4 * c, 8 * c]
        self.d = nn.ModuleList([two(a, b) for a, b in zip([3] + n, n)])
        self.u = nn.ModuleList([nn.ConvTranspose2d(b, a, 2, 2) for a, b in zip(n[2::-1], n[:0:-1])])
        self.e = nn.ModuleList([two(b, a) for a, b in zip(n[2::-1], n[:0:-1])])
        self.o = nn.Conv2d(c, 2, 1)

    def forward(self, x):
        kept = []
        for i, d in enumerate(self.d):
            x = d(x)
            if i < 3:
                kept.append(x)
                x = F.max_pool2d(x, 2)
        for u, e in zip(self.u, self.e):
            x = e(torch.cat([u(x), kept.pop()], 1))
        return self.o(x)


def style():
    norm = lambda c: [nn.InstanceNorm2d(c, affine=True), nn.ReLU()]
    return nn.Sequential(nn.Conv2d(3, 32, 9, 1, 4), *norm(32), nn.Conv2d(32, 64, 3, 2, 1), *norm(64),
                         nn.Conv2d(64, 64, 3, 1, 1), *norm(64), nn.Upsample(scale_factor=2),
                         nn.Conv2d(64, 32, 3, 1, 1), *norm(32), nn.ReflectionPad2d(4), nn.Conv2d(32, 3, 9))


def superresolution():
    return nn.Sequential(nn.Conv2d(1, 64, 5, 1, 2), nn.Tanh(), nn.Conv2d(64, 32, 3, 1, 1), nn.Tanh(),
                         nn.Conv2d(32, 9, 3, 1, 1), nn.PixelShuffle(3))


class Mixer(nn.Module):
    def __init__(self, d=256, n=196, layers=8):
        super().__init__()
        self.e = nn.Conv2d(3, d, 16, 16)
        mlp = lambda n, m: nn.Sequential(nn.Linear(n, m), nn.GELU(), nn.Linear(m, n))
        self.a = nn.ModuleList([nn.LayerNorm(d) for _ in range(layers)])
        self.b = nn.ModuleList([mlp(n, 2 * n) for _ in range(layers)])
        self.c = nn.ModuleList([nn.Sequential(nn.LayerNorm(d), mlp(d, 4 * d)) for _ in range(layers)])

    def forward(self, x):
        x = self.e(x).flatten(2).transpose(1, 2)
        for a, b, c in zip(self.a, self.b, self.c):
            x = x + b(a(x).transpose(1, 2)).transpose(1, 2)
            x = x + c(x)
        return x.mean(1)


class TCN(nn.Module):
    def __init__(self, c=64, layers=8):
        super().__init__()
        self.i, self.o = nn.Conv1d(16, c, 1), nn.Linear(c, 4)
        self.m = nn.ModuleList([nn.Conv1d(c, c, 3, dilation=2 ** k) for k in range(layers)])

    def forward(self, x):
        x = self.i(x)
        for k, m in enumerate(self.m):
            x = x + torch.relu(m(F.pad(x, (2 * 2 ** k, 0))))
        return self.o(x[:, :, -1])


class TDNN(nn.Module):
    def __init__(self):
        super().__init__()
        layers, c = [], 80
        for k, d in ((5, 1), (3, 2), (3, 3), (1, 1)):
            layers += [nn.Conv1d(c, 512, k, dilation=d), nn.ReLU(), nn.BatchNorm1d(512)]
            c = 512
        self.f, self.o = nn.Sequential(*layers), nn.Linear(1024, 192)

    def forward(self, x):
        x = self.f(x)
        return self.o(torch.cat([x.mean(2), x.std(2)], 1))


class Recurrent(nn.Module):
    def __init__(self, cell, out):
        super().__init__()
        self.g, self.o = cell, nn.Linear(out, 40)

    def forward(self, x):
        return self.o(self.g(x)[0])


def perceptron():
    return nn.Sequential(nn.Linear(512, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 256),
                         nn.ReLU(), nn.Linear(256, 1))


plain = image(1, 3, 224, 224)
MODELS = {
    "albert200": (text("AlbertModel", "AlbertConfig", call={}, hidden_size=768, num_attention_heads=12,
                       intermediate_size=3072), tokens(30000, 200)),
    "bert_mini32": (text("BertModel", "BertConfig", hidden_size=256, num_hidden_layers=4, num_attention_heads=4,
                         intermediate_size=1024), tokens(30522, 32)),
    "clipv": (text("CLIPVisionModel", "CLIPVisionConfig", "pixel_values", {}, hidden_size=512, num_hidden_layers=6,
                   num_attention_heads=8, intermediate_size=2048, patch_size=32), plain),
    "convnext_tiny": (vision("convnext_tiny"), plain),
    "deeplab": (vision("segmentation/deeplabv3_mobilenet_v3_large", weights_backbone=None, aux_loss=False), plain),
    "densenet121": (vision("densenet121"), plain),
    "distilbert77": (text("DistilBertModel", "DistilBertConfig", call={}), tokens(30522, 77)),
    "efficientnet_v2_s": (vision("efficientnet_v2_s"), plain),
    "electra_s": (text("ElectraModel", "ElectraConfig"), tokens(30522, 64)),
    "falcon": (text("FalconModel", "FalconConfig", hidden_size=512, num_hidden_layers=4, num_attention_heads=8,
                    vocab_size=8000), tokens(8000, 50)),
    "fcn": (vision("segmentation/fcn_resnet50", weights_backbone=None, aux_loss=False), image(1, 3, 160, 160)),
    "googlenet": (vision("googlenet", aux_logits=False, init_weights=False), plain),
    "gru": (lambda: Recurrent(nn.GRU(80, 256, 2, batch_first=True), 256), image(1, 60, 80)),
    "inception_v3": (vision("inception_v3", aux_logits=False, init_weights=False), image(1, 3, 299, 299)),
    "llama_s": (text("LlamaModel", "LlamaConfig", hidden_size=512, num_hidden_layers=6, num_attention_heads=8,
                     num_key_value_heads=4, intermediate_size=1376, vocab_size=8000), tokens(8000, 64)),
    "lraspp": (vision("segmentation/lraspp_mobilenet_v3_large", weights_backbone=None), image(1, 3, 320, 320)),
    "lstm": (lambda: Recurrent(nn.LSTM(128, 256, 1, batch_first=True, bidirectional=True), 512), image(1, 50, 128)),
    "maxvit": (vision("maxvit_t"), plain),
    "mc3": (vision("video/mc3_18"), image(1, 3, 8, 112, 112)),
    "mixer": (Mixer, plain),
    "mlp": (perceptron, image(16, 512)),
    "mnasnet": (vision("mnasnet1_0"), plain),
    "mobilebert": (text("MobileBertModel", "MobileBertConfig", call={}, num_hidden_layers=6), tokens(30522, 128)),
    "mobilenet_v2_b4": (vision("mobilenet_v2"), image(4, 3, 160, 160)),
    "mobilenet_v3": (vision("mobilenet_v3_large"), plain),
    "qwen1": (text("Qwen2Model", "Qwen2Config", hidden_size=896, num_hidden_layers=6, num_attention_heads=14,
                   num_key_value_heads=2, intermediate_size=4864, vocab_size=8000), tokens(8000, 1)),
    "r2plus1d": (vision("video/r2plus1d_18"), image(1, 3, 8, 112, 112)),
    "regnet_x_1_6gf": (vision("regnet_x_1_6gf"), plain),
    "regnet_y_400mf": (vision("regnet_y_400mf"), plain),
    "resnet18_192": (vision("resnet18"), image(2, 3, 192, 256)),
    "resnext50": (vision("resnext50_32x4d"), plain),
    "roberta512": (text("RobertaModel", "RobertaConfig", num_hidden_layers=3, max_position_embeddings=600),
                   tokens(50265, 512)),
    "shufflenet_v2": (vision("shufflenet_v2_x1_0"), plain),
    "squeezenet": (vision("squeezenet1_1"), plain),
    "sr": (superresolution, image(1, 1, 112, 112)),
    "style": (style, image(1, 3, 128, 128)),
    "swin_t": (vision("swin_t"), plain),
    "swin_v2": (vision("swin_v2_t"), image(1, 3, 256, 256)),
    "t5enc": (text("T5EncoderModel", "T5Config", call={}, d_model=512, num_layers=6, num_heads=8, d_ff=2048),
              tokens(32000, 64)),
    "tcn": (TCN, image(1, 16, 400)),
    "tdnn": (TDNN, image(1, 80, 300)),
    "unet": (UNet, image(1, 3, 128, 128)),
    "vgg11": (vision("vgg11"), plain),
    "vit_s384": (lambda: torchvision.models.VisionTransformer(384, 16, 4, 6, 384, 1536), image(1, 3, 384, 384)),
    "whisper_tiny": (text("WhisperEncoder", "WhisperConfig", "input_features", {}, d_model=384, encoder_layers=4,
                          encoder_attention_heads=6, encoder_ffn_dim=1536), image(1, 80, 3000)),
    "wide_resnet": (vision("wide_resnet50_2"), image(1, 3, 96, 96)),
    "yolo320": (Yolo, image(1, 3, 320, 320)),
}


def unsettle(m):
    """Draws anew what fresh weights leave at 0, at 1 or close to 0, so that all of it matters to the output."""
    for b in m.modules():
        if isinstance(b, nn.modules.batchnorm._BatchNorm):
            b.running_mean.normal_(0, .1)
            b.running_var.uniform_(.5, 1.5)
    with torch.no_grad():
        for p in m.parameters():
            if bool((p == 1).all()):
                p.uniform_(.8, 1.2)
            elif bool((p == 0).all()):
                p.normal_(0, .1 if p.ndim == 1 else .02)
            elif float(p.abs().max()) < 1e-3:
                p.uniform_(.1, .3)
    return m


def main():
    args = ap.parse_args()
    os.makedirs(args.out, exist_ok=True)
    for name in [n for n in args.only.split(",") if n] or MODELS:
        make, draw = MODELS[name]
        torch.manual_seed(0)
        m, x = unsettle(make().eval()), draw()
        with torch.no_grad():
            y = m(x)
            torch.onnx.export(m, (x,), os.path.join(args.out, name + ".onnx"), dynamo=True, opset_version=18,
                              external_data=False, optimize=True, verbose=False)
        np.savez(os.path.join(args.out, name + ".npz"), in0=x.numpy(), out0=y.numpy())
        print(name, flush=True)


if __name__ == "__main__":
    main()
