// Proves that the figures of more histories than `npm test` looks at equal a recount of the raw results.
// npm run prove -- histories [--histories 20] [--seed N]
import { readFlags, runProof, SEED } from '../lab/proof.ts'
import { runSuites } from '../lab/suites.ts'

const flags = readFlags({ histories: { type: 'string', default: '20' }, seed: SEED })

await runProof('histories', 3_600_000, async () => {
  const env = { HISTORIES: flags.histories, SEED: flags.seed }
  const { passed, failures } = await runSuites(['server/test/history/figures'], env)
  return {
    faults: [...failures, passed === 0 && 'no test ran'],
    figures: `seed ${flags.seed}: the figures of ${flags.histories} histories equal a recount`,
  }
})
