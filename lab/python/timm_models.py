#!/usr/bin/env python3
"""Exports the smallest model of each family of timm to ONNX, with random weights and no download, for benchmarks.

    .peers/bin/pip install torch torchvision transformers onnx onnxscript timm==1.0.31
    .peers/bin/python lab/python/timm_models.py --out timm [--only coat_tiny,pit_ti_224]
    wmtune bench models timm --threads 2 --rounds 3 --peers ort

Writes NAME.onnx and NAME.npz, with input in0 and torch's own output out0. A model that torch cannot export is named and
left out: hiera_tiny_224, nest_tiny and twins_svt_small of those below. Families with more than 60 million parameters
are not in the list.
"""
import os
import numpy as np
import timm
import torch

import other_models

NAMES = """
halonet_h1 mobileone_s1 cait_xxs24_224 coat_tiny convit_tiny convmixer_768_32 convnext_zepto_rms cpubone_nano
crossvit_tiny_240 csatv2 cs3darknet_focus_s cspnext_tiny davit_tiny deit_tiny_patch16_224 densenet121 dla46x_c dpn48b
edgenext_xx_small efficientformer_l1 efficientformerv2_s0 mobilenetv2_035 efficientvim_m1 efficientvit_b0
efficientvit_m0 vit_tiny_patch16_dinov3_qkvb fasternet_t0 fastvit_t8 focalnet_tiny_srf gcvit_xxtiny ghostnet_050
hardcorenas_b hgnetv2_b0 hiera_tiny_224 sam2_hiera_tiny hrnet_w18_small iformer_t inception_next_atto
inception_resnet_v2 inception_v3 inception_v4 lcnetv2_small levit_128s lowformer_b0 mambaout_femto maxvit_pico_rw_256
poolformerv2_s12 gmlp_ti16_224 mobilenetv3_small_050 mobilevit_xxs mvitv2_tiny nest_tiny nextvit_small nf_regnet_b0
pit_ti_224 pvt_v2_b0 rdnet_tiny regnetx_002 repghostnet_050 repvit_m1 res2next50 resnest14d resnet10t resnetv2_18
rexnet_100 selecsls42 legacy_seresnet18 sequencer2d_s shvit_s1 skresnet18 starnet_s050 swiftformer_xs
swin_tiny_patch4_window7_224 swinv2_tiny_window8_256 swinv2_cr_tiny_224 tiny_vit_5m_224 tnt_s_legacy_patch16_224
tresnet_m twins_svt_small visformer_tiny vit_tiny_patch16_224 vit_tiny_r_s16_p8_224 vit_srelpos_small_patch16_224
vitamin_small_224 volo_d1_224 ese_vovnet19b_slim_dw legacy_xception xception41p xcit_nano_12_p8_224
""".split()


def main():
    args = other_models.ap.parse_args()
    os.makedirs(args.out, exist_ok=True)
    for name in [n for n in args.only.split(",") if n] or NAMES:
        torch.manual_seed(0)
        m = other_models.unsettle(timm.create_model(name).eval())
        x = torch.randn(1, *m.default_cfg["input_size"])
        path = os.path.join(args.out, name)
        with torch.no_grad():
            y = m(x)
            try:
                torch.onnx.export(m, (x,), path + ".onnx", dynamo=True, opset_version=18, external_data=False,
                                  optimize=True, verbose=False)
            except torch.onnx.OnnxExporterError as e:
                print(f"{name}: torch does not export it: {str(e).splitlines()[0]}", flush=True)
                continue
        np.savez(path + ".npz", in0=x.numpy(), out0=y.numpy())
        print(name, flush=True)


if __name__ == "__main__":
    main()
