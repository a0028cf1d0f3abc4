// fast-check as tests import it: every run uses the same values, so that a failure has a cause other than chance.
// SEED=... uses others.
import fc from '../../node_modules/fast-check/lib/fast-check.js'

fc.configureGlobal({ seed: Number(process.env.SEED ?? 20_261_120) })

export default fc
