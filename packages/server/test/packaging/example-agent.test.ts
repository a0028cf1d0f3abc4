// The example that the monitor SDK hands out is copied into agents, so it is held to the protocol: as it comes out of the tarball.
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Case } from '../../../agent/conformance/case.ts'
import { CASES } from '../../../agent/conformance/cases.ts'
import { wordsOfTemplate } from '../../../agent/conformance/command-line.ts'
import { type Outcome, runCases } from '../../../agent/conformance/run.ts'
import { packSdk, placeSdk } from './sdk-projects.ts'

const JOBS = 6
const LONGEST_MS = 600_000

let folder: string
let agent: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dogwatch-example-'))
  const installed = join(folder, 'node_modules/@dogwatch/monitor-sdk')
  await mkdir(join(folder, 'node_modules/@dogwatch'), { recursive: true })
  await placeSdk(await packSdk('monitor-sdk', folder), installed)
  await cp(join(installed, 'examples'), folder, { recursive: true })
  const settings = 'DOGWATCH_SERVER={server} DOGWATCH_AGENT_STATE_DIR={state_dir} DOGWATCH_AGENT_NAME={name}'
  const place = 'DOGWATCH_AGENT_REGION=eu-central DOGWATCH_AGENT_COUNTRY=DE DOGWATCH_AGENT_CITY=Frankfurt'
  agent = `env ${settings} ${place} '${process.execPath}' '${join(folder, 'agent.ts')}'`
}, 120_000)

afterAll(() => rm(folder, { recursive: true, force: true }))

function run(cases: readonly Case[], jobs: number): Promise<Outcome[]> {
  return runCases(cases, {
    words: wordsOfTemplate(agent),
    patience_ms: 90_000,
    restoring_ms: 15_000,
    jobs,
    onOutcome: () => {},
  })
}

test(
  'the example agent passes every case of the conformance kit but those of private definitions',
  async () => {
    const quick = CASES.filter(({ isSlow = false }) => !isSlow)
    const outcomes = await run(quick, JOBS)
    const skipped = outcomes.filter(({ outcome }) => outcome === 'skipped').map(({ name }) => name)
    expect(skipped).toEqual(['private-run', 'private-undefined', 'private-secrets'])
    // Cases look at times: what failed beside others is tried once more, alone.
    const failed = outcomes.filter(({ outcome }) => outcome === 'FAIL').map(({ name }) => name)
    const again = await run(
      quick.filter(({ name }) => failed.includes(name)),
      1,
    )
    expect(again.filter(({ outcome }) => outcome === 'FAIL')).toEqual([])
  },
  LONGEST_MS,
)
