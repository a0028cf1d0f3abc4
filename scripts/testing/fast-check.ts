// fast-check as tests import it: every run rolls the same values, so that a run is red for a reason and not by chance.
// SEED=... rolls others.
import fc from '../../node_modules/fast-check/lib/fast-check.js'

fc.configureGlobal({ seed: Number(process.env.SEED ?? 20_261_120) })

export default fc
