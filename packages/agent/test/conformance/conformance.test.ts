// The conformance kit over two agents that are sound, ours and a minimal one, and over one for each fault it can find.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json, text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { AGENT_FLAGS } from '../../bin/node-flags.js'
import { CASES } from '../../conformance/cases.ts'
import { wordsOfTemplate } from '../../conformance/command-line.ts'
import { templateOf } from '../../conformance/options.ts'
import { type Outcome, runCases } from '../../conformance/run.ts'
import { FAULTS } from './support/faults.ts'
import { putShippedAgent } from './support/shipped-agent.ts'

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const KIT = pathOf('../../conformance/main.ts')
/** A case that no fault touches but those that are about it. */
const CONTROL = 'enroll-refused'
const FAULTS_AT_A_TIME = 3
const SOUND = { patience_ms: 60_000, restoring_ms: 15_000, jobs: 4 }
const BROKEN = { patience_ms: 10_000, restoring_ms: 10_000, jobs: 4 }
const LONGEST_MS = 180_000

/** The path of the minimal agent. */
let minimalAgent: string

const ending: (() => void)[] = []
afterAll(() => ending.forEach((end) => end()))

function start(...args: string[]) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', KIT, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // As the agent's launcher does.
    env: { ...process.env, UV_THREADPOOL_SIZE: '64' },
  })
  ending.push(() => child.kill('SIGTERM'))
  return child
}

async function kit(...args: string[]) {
  const child = start(...args)
  const [told, [code]] = await Promise.all([json(child.stdout), once(child, 'exit')])
  return { code, ...(told as { ok: number; failed: number; skipped: number; cases: Outcome[] }) }
}

/** The cases of these names over the minimal agent, with a fault or none. */
function minimal(names: readonly string[], options: typeof SOUND, fault = '') {
  const words = wordsOfTemplate(
    `'${process.execPath}' '${minimalAgent}' {server} {state_dir} {name} {definitions} ${fault}`,
  )
  const cases = CASES.filter(({ name }) => names.includes(name))
  return runCases(cases, { ...options, words, onOutcome: () => {} })
}

const withWords = (cases: readonly Outcome[]) =>
  cases.map(({ expected = '', seen = '', ...outcome }) => ({ ...outcome, words: `${expected}; ${seen}` }))

const notOk = (cases: readonly Outcome[]) => cases.filter(({ outcome }) => outcome !== 'ok')

describe('the kit', () => {
  /** The arguments that name our agent as it is handed out. */
  let shipped: string[]
  let folder: string
  let ours: ReturnType<typeof kit>
  let built: ReturnType<typeof kit>
  let sound: Promise<Outcome[]>
  const broken = new Map<string, Promise<Outcome[]>>()

  beforeAll(async () => {
    if (!existsSync(pathOf('../../dist/main.js'))) {
      throw new Error('nothing is built: run npx tsc -b packages/agent/tsconfig.build.json')
    }
    folder = await mkdtemp(join(tmpdir(), 'dogwatch-shipped-'))
    minimalAgent = join(folder, 'minimal-agent.mjs')
    // It is started more than a hundred times, and to take its types away would be half of each start.
    await writeFile(minimalAgent, stripTypeScriptTypes(await readFile(pathOf('support/minimal-agent.ts'), 'utf8')))
    shipped = ['--agent', templateOf(await putShippedAgent(folder), AGENT_FLAGS)]
    // Most of their time agents wait for what comes next, so all of this goes on side by side.
    ours = kit('--quick', '--json', ...shipped)
    built = kit('--json', '--case', CONTROL)
    sound = minimal(
      CASES.map(({ name }) => name),
      SOUND,
    )
    let turns: Promise<unknown>[] = Array.from({ length: FAULTS_AT_A_TIME }, () => Promise.resolve())
    for (const [fault, shown] of Object.entries(FAULTS)) {
      const [free, ...others] = turns
      const run = Promise.resolve(free).then(() => minimal([...Object.keys(shown), CONTROL], BROKEN, fault))
      broken.set(fault, run)
      turns = [...others, run]
    }
  })
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))

  async function again(fault: string, names: string[]): Promise<Outcome[]> {
    await Promise.allSettled([ours, built, sound, ...broken.values()])
    return minimal([...names, CONTROL], { ...BROKEN, patience_ms: SOUND.patience_ms }, fault)
  }

  /** Cases look at times, and dozens of agents at once may be more than a machine can do: what failed is tried alone, once. */
  async function onceMore(
    outcomes: readonly Outcome[],
    run: (names: string[]) => Promise<readonly Outcome[]>,
  ): Promise<readonly Outcome[]> {
    const names = notOk(outcomes).map(({ name }) => name)
    if (names.length === 0) return []
    await Promise.allSettled([ours, built, sound, ...broken.values()])
    return run(names)
  }

  test(
    'an agent that somebody else wrote passes every case',
    async () => {
      const outcomes = await sound
      expect(outcomes).toHaveLength(CASES.length)
      const again = await onceMore(outcomes, (names) => minimal(names, SOUND))
      expect(notOk(again)).toEqual([])
    },
    2 * LONGEST_MS,
  )

  test.each(Object.entries(FAULTS))(
    'a fault is found: %s',
    async (fault, shown) => {
      const failed = Object.entries(shown).map(([name, words]) => {
        return expect.objectContaining({ name, outcome: 'FAIL', words: expect.stringContaining(words) })
      })
      const control = CONTROL in shown ? [] : [expect.objectContaining({ name: CONTROL, outcome: 'ok' })]
      const first = withWords((await broken.get(fault)) ?? [])
      const isFound = Object.entries(shown).every(([name, words]) => {
        return first.some((one) => one.name === name && one.outcome === 'FAIL' && one.words.includes(words))
      })
      const isSpared = CONTROL in shown || first.some((one) => one.name === CONTROL && one.outcome === 'ok')
      // The patience is that of a quiet machine: what has not shown by then is given more, alone.
      const outcomes = isFound && isSpared ? first : withWords(await again(fault, Object.keys(shown)))
      expect(outcomes).toHaveLength(failed.length + control.length)
      expect(outcomes).toEqual(expect.arrayContaining([...failed, ...control]))
    },
    2 * LONGEST_MS,
  )

  test(
    'our agent passes every case',
    async () => {
      const { code, skipped, cases } = await ours
      expect([code, skipped]).toEqual([notOk(cases).length > 0 ? 1 : 0, 0])
      expect(cases).toHaveLength(CASES.filter(({ isSlow = false }) => !isSlow).length)
      const again = await onceMore(cases, async (names) => {
        return (await kit('--json', ...shipped, ...names.flatMap((name) => ['--case', name]))).cases
      })
      expect(notOk(again)).toEqual([])
    },
    2 * LONGEST_MS,
  )

  test(
    'without --agent it tries our agent as it is built',
    async () => {
      let found = await built
      if (found.code !== 0) {
        await Promise.allSettled([ours, sound, ...broken.values()])
        found = await kit('--json', '--case', CONTROL)
      }
      expect(found).toMatchObject({ code: 0, ok: 1, cases: [{ name: CONTROL, outcome: 'ok' }] })
    },
    2 * LONGEST_MS,
  )
})

test('there is no case that no fault fails', () => {
  const shown = new Set(Object.values(FAULTS).flatMap((cases) => Object.keys(cases)))
  expect(CASES.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([])
})

test('a case that fails is told with what was expected and seen, and ends it with 1', async () => {
  const agent = `'${process.execPath}' -e 'process.exit(3)' {server} {state_dir}`
  const child = start('--agent', agent, '--case', 'enroll-refused', '--case', 'private-run')
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect(code).toBe(1)
  expect(out).toMatch(/^FAIL +enroll-refused .*\n.*\n +expected +at most 3 enrollments\n +seen +0$/m)
  expect(out).toMatch(/^skipped +private-run .*\n +because +the command line has no \{definitions\}$/m)
  expect(out).toMatch(/^0 ok, 1 failed, 1 skipped$/m)
})

test.each([
  ['an unknown case', ['--case', 'nope'], '--case: there is no case nope'],
  ['a template without the server', ['--agent', 'agent {state_dir}'], '--agent: it has no {server}'],
  ['an unknown placeholder', ['--agent', 'a {server} {state_dir} {x}'], '--agent: there is no placeholder {x}'],
  ['a quote that is not closed', ['--agent', "a '{server} {state_dir}"], '--agent: a quote is not closed'],
  ['no number', ['--jobs', '0'], '--jobs must be a whole number'],
])('%s ends it with 2 and one line', async (_, args, line) => {
  const child = start(...args)
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  expect([code, out, err.split('\n').length]).toEqual([2, '', 2])
  expect(err).toContain(line)
})

test('--list says which cases there are', async () => {
  const child = start('--list')
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect([code, out.trim().split('\n').length]).toEqual([0, CASES.length])
})
