// The example that the monitor SDK hands out is copied into agents, so it is held to the protocol: as it comes out of the tarball.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Case } from '../../../agent/conformance/case.ts'
import { CASES } from '../../../agent/conformance/cases.ts'
import { wordsOfTemplate } from '../../../agent/conformance/command-line.ts'
import { type Outcome, runCases } from '../../../agent/conformance/run.ts'
import { NODES, packSdk, placeSdk } from './sdk-projects.ts'

const JOBS = 6
const LONGEST_MS = 600_000

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dogwatch-example-'))
  const installed = join(folder, 'node_modules/@dogwatch/monitor-sdk')
  await mkdir(join(folder, 'node_modules/@dogwatch'), { recursive: true })
  await placeSdk(await packSdk('monitor-sdk'), installed)
  await cp(join(installed, 'examples'), folder, { recursive: true })
  // Older Nodes take no types.
  for (const name of ['agent', 'probe']) {
    const text = stripTypeScriptTypes(await readFile(join(folder, `${name}.ts`), 'utf8'))
    await writeFile(join(folder, `${name}.mjs`), text.replace("'./probe.ts'", "'./probe.mjs'"))
  }
})

afterAll(() => rm(folder, { recursive: true, force: true }))

interface Run {
  jobs: number
  node?: string
  file?: string
}

function run(cases: readonly Case[], { jobs, node = process.execPath, file = 'agent.ts' }: Run): Promise<Outcome[]> {
  const settings = 'DOGWATCH_SERVER={server} DOGWATCH_AGENT_STATE_DIR={state_dir} DOGWATCH_AGENT_NAME={name}'
  const place = 'DOGWATCH_AGENT_REGION=eu-central DOGWATCH_AGENT_COUNTRY=DE DOGWATCH_AGENT_CITY=Frankfurt'
  const words = wordsOfTemplate(`env ${settings} ${place} '${node}' '${join(folder, file)}'`)
  return runCases(cases, { words, patience_ms: 90_000, restoring_ms: 15_000, jobs, onOutcome: () => {} })
}

const named = (names: readonly string[]) => CASES.filter(({ name }) => names.includes(name))
const failedOf = (outcomes: readonly Outcome[]) => outcomes.filter(({ outcome }) => outcome === 'FAIL')

test(
  'the example agent passes every case of the conformance kit but those of private definitions',
  async () => {
    const quick = CASES.filter(({ isSlow = false }) => !isSlow)
    const outcomes = await run(quick, { jobs: JOBS })
    const skipped = outcomes.filter(({ outcome }) => outcome === 'skipped').map(({ name }) => name)
    expect(skipped).toEqual(['private-run', 'private-undefined', 'private-secrets'])
    // Cases look at times: what failed beside others is tried once more, alone.
    const again = await run(named(failedOf(outcomes).map(({ name }) => name)), { jobs: 1 })
    expect(failedOf(again)).toEqual([])
  },
  LONGEST_MS,
)

test.each(NODES)(
  'compiled, the example enrolls, survives a kill and sets a refused result aside on %s',
  async (node) => {
    const cases = named(['enroll-once', 'upload-after-kill', 'upload-bad-record'])
    expect(failedOf(await run(cases, { jobs: 3, node, file: 'agent.mjs' }))).toEqual([])
  },
  LONGEST_MS,
)
