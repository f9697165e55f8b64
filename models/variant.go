package models

import "github.com/wmtune/wmtune/ranker"

// The ablations of the paper (arXiv 2606.09312, section 4.6) and a rival, as variants of
// a trained model. A variant is trained like the whole and looks at less.
const (
	VariantInitial    = "z0"      // the embedding of the program without steps instead of the predicted state
	VariantNoFeatures = "nofeat"  // the predicted state alone
	VariantNoState    = "nostate" // features alone
	VariantRegression = "reg"     // trees for least squares instead of a ranking
	VariantTiling     = "l1p"     // trees over action and tiling features, and nothing else: the rival to beat
)

// Variants lists the names of the variants.
func Variants() []string {
	return []string{VariantInitial, VariantNoFeatures, VariantNoState, VariantRegression, VariantTiling}
}

// ablate takes from rows what a variant does not look at.
func (m *Manifest) ablate(rows []row, z0 []float32) {
	for i := range rows {
		r := &rows[i]
		if r.err != nil {
			continue
		}
		switch m.Variant {
		case VariantInitial:
			clear(r.latent)
			copy(r.latent, z0)
			r.value = 0
		case VariantNoFeatures:
			clear(r.features)
		case VariantTiling:
			OnlyTiling(r.features)
		}
	}
}

// OnlyTiling sets the features of a candidate to 0 that VariantTiling does not look at.
func OnlyTiling(features []float32) { clear(features[ranker.ActionColumns+ranker.TilingColumns:]) }
