// Replaces fast-check in tests, and uses the same values in every run, so that no failure is due to chance. With SEED=..., uses
// other values.
import fc from '../../node_modules/fast-check/lib/fast-check.js'

fc.configureGlobal({ seed: Number(process.env.SEED ?? 20_261_120) })

export default fc
