// Proves that hostile input does no harm. Hostile definitions of all kinds go through the configuration API, and an agent runs those that are
// accepted. Hostile answers, which are real ones with damage, go to an agent. No response of the server is a 5xx; no agent ends, crashes a run,
// loses a result or takes much memory; every run ends in time.
// npm run prove -- hostile [--only definitions|answers] [--count N] [--seed N]
import { readFlags, runProof, SEED, type Texts } from '../lab/proof.ts'
import { openWorld } from '../lab/world.ts'
import { proveAnswers, proveDefinitions } from './hostile/checks.ts'

const flags = readFlags({ only: { type: 'string' }, count: { type: 'string', default: '10000' }, seed: SEED })
const [seed, count] = [Number(flags.seed), Number(flags.count)]
const PARTS = { definitions: proveDefinitions, answers: proveAnswers }

await runProof('hostile', 900_000 + count * 180, async (undo) => {
  const world = await openWorld(undo)
  const [figures, faults]: [string[], Texts[number][]] = [[`seed ${seed}`], []]
  for (const [part, prove] of Object.entries(PARTS)) {
    if (flags.only !== undefined && flags.only !== part) continue
    const outcome = await prove(world, count, seed)
    figures.push(...outcome.figures)
    faults.push(...outcome.faults)
  }
  return { figures, faults: [...world.ends, ...faults, figures.length === 1 && `there is no part ${flags.only}`] }
})
