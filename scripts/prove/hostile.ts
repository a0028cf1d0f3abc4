// Proves that hostile input does no harm. Malformed requests go to a server as people run it. Hostile definitions of all kinds go through the
// configuration API, and an agent runs those that are accepted. Hostile answers, which are real ones with damage, go to an agent. No response
// of the server is a 5xx; no agent ends, crashes a run, loses a result or takes much memory; every run ends in time.
// npm run prove -- hostile [--only requests|definitions|answers] [--requests N] [--definitions N] [--answers N] [--seed N]
import { type Outcome, readFlags, runProof, SEED } from '../lab/proof.ts'
import { openWorld } from '../lab/world.ts'
import { proveAnswers } from './hostile/answered.ts'
import { proveDefinitions } from './hostile/definitions.ts'
import { proveRequests } from './hostile/requests.ts'

const COUNT = { type: 'string', default: '10000' } as const
const flags = readFlags({ only: { type: 'string' }, requests: COUNT, definitions: COUNT, answers: COUNT, seed: SEED })
const seed = Number(flags.seed)
const PARTS = [
  ['requests', proveRequests],
  ['definitions', proveDefinitions],
  ['answers', proveAnswers],
] as const
const LIMIT_MS = 900_000 + PARTS.reduce((sum, [part]) => sum + Number(flags[part]) * 60, 0)

await runProof('hostile', LIMIT_MS, async (undo) => {
  const world = await openWorld(undo)
  const outcome = { figures: [`seed ${seed}`], faults: [] as (string | false | undefined)[] }
  for (const [part, prove] of PARTS) {
    if (flags.only !== undefined && flags.only !== part) continue
    const began = Date.now()
    const { figures, faults }: Outcome = await prove(world, { count: Number(flags[part]), seed })
    const all = [figures, `${((Date.now() - began) / 1000).toFixed(0)} s`].flat()
    process.stdout.write(`hostile: ${all.join('; ')}\n`)
    outcome.figures.push(...all)
    outcome.faults.push(...faults)
  }
  return { ...outcome, faults: [...world.ends, ...outcome.faults] }
})
