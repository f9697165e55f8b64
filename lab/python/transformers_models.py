#!/usr/bin/env python3
"""Exports small models of many families of transformers to ONNX, with random weights and no download, for benchmarks.

    .peers/bin/pip install torch torchvision transformers onnx onnxscript
    .peers/bin/python lab/python/transformers_models.py --out hf [--only segformer,cvt]
    wmtune bench models hf --threads 2 --rounds 3 --peers ort,openvino

Writes NAME.onnx and NAME.npz, with inputs in0, in1 and torch's own output out0. Configurations are the libraries' own,
but for what the table says: most have two layers of 128, so that what is between the products counts.
"""
import os
import numpy as np
import torch
import transformers

import other_models

OUTPUTS = "logits", "last_hidden_state", "predicted_depth", "prediction_outputs"


class Pick(torch.nn.Module):
    """A model with inputs by position, and its first tensor as its output."""

    def __init__(self, model, names, **more):
        super().__init__()
        self.model, self.names, self.more = model, names, more

    def forward(self, *inputs):
        y = self.model(**dict(zip(self.names, inputs)), **self.more, return_dict=True)
        y = next((y[k] for k in OUTPUTS if y.get(k) is not None), next(iter(y.values())))
        return y[0] if isinstance(y, tuple) else y


def tokens(n, second=0):
    lengths = {"input_ids": n, "decoder_input_ids": second}
    return lambda: {k: torch.randint(0, 1000, (1, v)) for k, v in lengths.items() if v}


def numbers(name, *shape):
    return lambda: {name: torch.randn(1, *shape)}


def image(*shape):
    return numbers("pixel_values", 3, *shape)


SMALL = dict(hidden_size=128, num_hidden_layers=2, num_attention_heads=4, intermediate_size=256, vocab_size=1000)
GROUPED = dict(SMALL, num_key_value_heads=2)
SEQ2SEQ = dict(d_model=128, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4,
               encoder_ffn_dim=256, decoder_ffn_dim=256, vocab_size=1000)
SOUND = dict(SMALL, conv_dim=(64, 64, 64), conv_stride=(5, 2, 2), conv_kernel=(10, 3, 3), num_conv_pos_embeddings=16,
             num_conv_pos_embedding_groups=4)

# Name: class, class of its configuration, what is set, inputs. A decoder keeps no cache.
MODELS = {
    "ast": ("ASTModel", "ASTConfig", dict(SMALL, max_length=128), numbers("input_values", 128, 128)),
    "bart": ("BartModel", "BartConfig", dict(SEQ2SEQ, max_position_embeddings=128), tokens(24, 12)),
    "beit": ("BeitModel", "BeitConfig", dict(SMALL, image_size=64, use_relative_position_bias=True), image(64, 64)),
    "bigbird": ("BigBirdModel", "BigBirdConfig", dict(SMALL, attention_type="original_full"), tokens(64)),
    "bloom": ("BloomForCausalLM", "BloomConfig", dict(hidden_size=128, n_layer=2, n_head=4, vocab_size=1000),
              tokens(37)),
    "cliptext": ("CLIPTextModel", "CLIPTextConfig", SMALL, tokens(20)),
    "convbert": ("ConvBertModel", "ConvBertConfig", SMALL, tokens(32)),
    "cvt": ("CvtModel", "CvtConfig", {}, image(64, 64)),
    "deberta": ("DebertaV2Model", "DebertaV2Config", SMALL, tokens(32)),
    "dinov2": ("Dinov2Model", "Dinov2Config", dict(SMALL, image_size=112), image(112, 112)),
    "dpt": ("DPTForDepthEstimation", "DPTConfig",
            dict(SMALL, num_hidden_layers=4, image_size=96, backbone_out_indices=[0, 1, 2, 3],
                 neck_hidden_sizes=[32, 64, 96, 96], fusion_hidden_size=32), image(96, 96)),
    "fnet": ("FNetModel", "FNetConfig", SMALL, tokens(32)),
    "focal": ("FocalNetModel", "FocalNetConfig", dict(image_size=64), image(64, 64)),
    "funnel": ("FunnelBaseModel", "FunnelConfig",
               dict(d_model=128, n_head=4, d_head=32, d_inner=256, block_sizes=[1, 1], vocab_size=1000), tokens(32)),
    "gemma": ("GemmaForCausalLM", "GemmaConfig", dict(GROUPED, head_dim=32), tokens(31)),
    "gemma2": ("Gemma2ForCausalLM", "Gemma2Config", dict(GROUPED, head_dim=32), tokens(31)),
    "glpn": ("GLPNForDepthEstimation", "GLPNConfig", {}, image(64, 64)),
    "gptj": ("GPTJForCausalLM", "GPTJConfig",
             dict(n_embd=128, n_layer=2, n_head=4, vocab_size=1000, rotary_dim=16, n_positions=128), tokens(40)),
    "hubert": ("HubertModel", "HubertConfig", SOUND, numbers("input_values", 8000)),
    "mamba": ("MambaForCausalLM", "MambaConfig",
              dict(hidden_size=64, num_hidden_layers=2, state_size=8, vocab_size=1000), tokens(12)),
    "mistral": ("MistralForCausalLM", "MistralConfig", GROUPED, tokens(33)),
    "mobilevit_seg": ("MobileViTForSemanticSegmentation", "MobileViTConfig", {}, image(128, 128)),
    "mpnet": ("MPNetModel", "MPNetConfig", SMALL, tokens(32)),
    "neox": ("GPTNeoXForCausalLM", "GPTNeoXConfig", SMALL, tokens(32)),
    "patchtst": ("PatchTSTModel", "PatchTSTConfig",
                 dict(num_input_channels=3, context_length=64, patch_length=8, patch_stride=8, d_model=32, ffn_dim=64,
                      num_hidden_layers=2, num_attention_heads=4), numbers("past_values", 64, 3)),
    "pegasus": ("PegasusModel", "PegasusConfig", SEQ2SEQ, tokens(24, 12)),
    "perceiver": ("PerceiverModel", "PerceiverConfig",
                  dict(num_latents=16, d_latents=64, d_model=64, num_self_attends_per_block=2,
                       num_self_attention_heads=4, num_cross_attention_heads=4), numbers("inputs", 50, 64)),
    "phi": ("PhiForCausalLM", "PhiConfig", SMALL, tokens(48)),
    "phi3": ("Phi3ForCausalLM", "Phi3Config", dict(GROUPED, pad_token_id=0), tokens(48)),
    "qwen3": ("Qwen3ForCausalLM", "Qwen3Config", dict(GROUPED, head_dim=32), tokens(29)),
    "rwkv": ("RwkvForCausalLM", "RwkvConfig",
             dict(hidden_size=64, num_hidden_layers=2, vocab_size=1000, context_length=32), tokens(8)),
    "sam": ("SamVisionModel", "SamVisionConfig",
            dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, image_size=128, output_channels=32,
                 global_attn_indexes=[1], window_size=4), image(128, 128)),
    "segformer": ("SegformerForSemanticSegmentation", "SegformerConfig", {}, image(128, 128)),
    "squeezebert": ("SqueezeBertModel", "SqueezeBertConfig", dict(SMALL, embedding_size=128), tokens(32)),
    "stablelm": ("StableLmForCausalLM", "StableLmConfig", GROUPED, tokens(32)),
    "swin2sr": ("Swin2SRForImageSuperResolution", "Swin2SRConfig",
                dict(image_size=32, embed_dim=32, depths=[2, 2], num_heads=[2, 2], window_size=8), image(32, 32)),
    "t5": ("T5Model", "T5Config", dict(d_model=128, num_layers=2, num_heads=4, d_kv=32, d_ff=256, vocab_size=1000),
           tokens(24, 12)),
    "vit": ("ViTModel", "ViTConfig", dict(SMALL, image_size=96), image(96, 96)),
    "vitpose": ("VitPoseBackbone", "VitPoseBackboneConfig",
                dict(hidden_size=128, num_hidden_layers=2, num_attention_heads=4, image_size=[64, 48]),
                image(64, 48)),
    "wav2vec2": ("Wav2Vec2Model", "Wav2Vec2Config", SOUND, numbers("input_values", 8000)),
    "xlnet": ("XLNetModel", "XLNetConfig", dict(d_model=128, n_layer=2, n_head=4, d_inner=256, vocab_size=1000),
              tokens(32)),
    "yolos": ("YolosModel", "YolosConfig", dict(SMALL, image_size=[64, 96], num_detection_tokens=10), image(64, 96)),
}
CACHE = "CausalLM", "Bart", "T5", "Pegasus"


def main():
    other_models.ap.description = __doc__
    args = other_models.ap.parse_args()
    os.makedirs(args.out, exist_ok=True)
    for name in [n for n in args.only.split(",") if n] or MODELS:
        kind, config, set_, draw = MODELS[name]
        torch.manual_seed(0)
        made = getattr(transformers, config)(**set_)
        made._attn_implementation = "eager"
        m = other_models.unsettle(getattr(transformers, kind)(made).eval())
        inputs = draw()
        more = {"use_cache": False} if any(c in kind for c in CACHE) else {}
        model, x = Pick(m, list(inputs), **more).eval(), tuple(inputs.values())
        file = os.path.join(args.out, name)
        with torch.no_grad():
            y = model(*x)
            try:
                torch.onnx.export(model, x, file + ".onnx", dynamo=True, opset_version=18, external_data=False,
                                  verbose=False)
            except torch.onnx.OnnxExporterError as e:
                print(f"{name}: torch does not export it: {str(e).splitlines()[0]}", flush=True)
                continue
        arrays = {f"in{i}": v.numpy() for i, v in enumerate(x)}
        np.savez(file + ".npz", **arrays, out0=y.numpy())
        print(name, tuple(y.shape), flush=True)


if __name__ == "__main__":
    main()
