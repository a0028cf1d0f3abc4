// Proves that the figures of more histories than `npm test` looks at equal a recount of the raw results.
// npm run prove -- histories [--histories 20] [--seed N]
import { join } from 'node:path'
import { openFolder, readFlags, runProof, SEED } from '../lab/proof.ts'
import { lineOf, runSuites } from '../lab/suites.ts'

const flags = readFlags({ histories: { type: 'string', default: '20' }, seed: SEED })
const LIMIT_MS = 3_600_000

await runProof('histories', LIMIT_MS, async (undo) => {
  const folder = await openFolder(undo)
  const env = { HISTORIES: flags.histories, SEED: flags.seed }
  const { passed, failures } = await runSuites(['server/test/history/figures'], join(folder, 'all.json'), env, LIMIT_MS)
  return {
    faults: [...failures.map(lineOf), passed === 0 && 'no test ran'],
    figures: `seed ${flags.seed}: the figures of ${flags.histories} histories equal a recount`,
  }
})
