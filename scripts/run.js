// Runs a script of this folder on the pinned Node: node scripts/run.js NAME [ARGUMENTS].
import { handOverToScript } from './handover.js'

const [name = ''] = process.argv.splice(2, 1)
// Benchmarks and proofs start programs.
await handOverToScript(name, { build: name === 'bench' || name === 'prove' })
