// What validating an upload against the contract costs the server: the same app with and without that step.
import { fileURLToPath } from 'node:url'
import { CHECKS_EACH, loadFleet } from '../lab/fleet.ts'
import { openLanes } from '../lab/lane.ts'
import { onStage, type Stage } from '../lab/stage.ts'
import { type Batch, batchMaker, sentNow, toRequest } from './support/batches.ts'
import { cpuPerUnit, printArms, printClaims, unitsPerSec } from './support/report.ts'
import { type Arm, interleave } from './support/rounds.ts'

const IN_FLIGHT = 4
const APP = fileURLToPath(new URL('./support/app.ts', import.meta.url))

await onStage(async (stage) => {
  const makeBatch = batchMaker(await loadFleet(stage))
  const arms = [await uploads('with', stage, makeBatch), await uploads('without', stage, makeBatch)]
  const measured = await interleave(arms, { ...stage.flags, inFlight: IN_FLIGHT })
  process.stdout.write(`\nvalidation: uploads of ${CHECKS_EACH} results, ${IN_FLIGHT} in flight\n\n`)
  const cpu = cpuPerUnit('server')
  printArms(measured, [
    { title: 'server us/upload', of: cpu, digits: 0, spread: true },
    { title: 'postgres us/upload', of: cpuPerUnit('postgres'), digits: 0 },
    { title: 'uploads/s', of: unitsPerSec, digits: 0 },
  ])
  printClaims(measured, [
    { what: 'with/without server CPU', top: 'with', bottom: 'without', of: cpu, target: { atMost: 1.25 } },
  ])
})

async function uploads(name: 'with' | 'without', stage: Stage, makeBatch: () => Batch): Promise<Arm> {
  const server = await stage.serve({ BENCH_VALIDATION: name }, APP)
  const lanes = await openLanes(server.port, IN_FLIGHT)
  const expected = JSON.stringify({ accepted: CHECKS_EACH })
  let ready: Buffer[] = []
  return {
    name,
    meters: [server.meter, stage.postgres],
    unitsPerStep: 1,
    prepare: (steps) => {
      ready = Array.from({ length: steps }, () => toRequest(makeBatch()))
    },
    step: async (index, lane) => {
      const body = await lanes[lane]?.send(sentNow(ready[index] as Buffer))
      if (body?.toString() !== expected) throw new Error(`an upload was answered ${body?.toString()}`)
    },
  }
}
