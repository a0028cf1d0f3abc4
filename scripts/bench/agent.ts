// Measures what a probe costs the agent against Debian's blackbox_exporter, and how well one agent handles 10,000 checks a minute.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mint } from '../../packages/agent/test/support/certificates.ts'
import { onBareStage } from '../lab/stage.ts'
import { compareProbers } from './agent/probers.ts'
import { watchFleet } from './agent/fleet.ts'

await onBareStage(async (stage) => {
  const dir = await mkdtemp(join(tmpdir(), 'bench-dogwatch-agent-'))
  stage.undo(() => rm(dir, { recursive: true, force: true }))
  const ca = mint({ name: 'Bench CA', is_ca: true })
  const { cert, key } = mint({ name: 'target', for: ['127.0.0.1'], issuer: ca })
  await writeFile(join(dir, 'ca.pem'), ca.cert)
  await writeFile(join(dir, 'cert.pem'), cert)
  await writeFile(join(dir, 'key.pem'), key, { mode: 0o600 })
  await compareProbers(stage, dir)
  await watchFleet(stage, dir)
})
