// What a probe costs the agent, compared with Debian's blackbox_exporter, and how well one agent handles ten thousand
// checks a minute.

import { onBareStage } from '../lab/stage.ts'
import { compareProbers } from './agent/compare-probers.ts'
import { makeCertificates } from './agent/targets.ts'
import { watchFleet } from './agent/watch-fleet.ts'

await onBareStage(async (stage) => {
  const certified = await makeCertificates(stage)
  await compareProbers(stage, certified)
  await watchFleet(stage, certified)
})
