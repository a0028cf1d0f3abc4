// Measures how long dogwatch-config takes for a file of 500 checks: the process and the server together.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createConfigurationToken } from '../../packages/server/dist/domain/configuration/tokens.js'
import { depsOf, makeOrg } from '../lab/archive.ts'
import { onStage, say } from '../lab/stage.ts'
import { median, printFacts } from './support/report.ts'

const CHECKS = 500
const COMMAND = fileURLToPath(new URL('../../packages/config-sdk/bin/dogwatch-config.js', import.meta.url))

/** Runs of the command, in order, each with its file and the exit code that it must have. */
const RUNS = [
  { what: 'plan of 500 new checks, s', args: ['plan'], file: 'first.yaml', code: 2, atMost: 2 },
  { what: 'apply of 500 new checks, s', args: ['apply'], file: 'first.yaml', code: 0, atMost: 5 },
  { what: 'plan without a difference, s', args: ['plan'], file: 'first.yaml', code: 0, atMost: 2 },
  { what: 'apply of 500 changed checks, s', args: ['apply', '--prune'], file: 'second.yaml', code: 0, atMost: 5 },
] as const

await onStage(async (stage) => {
  const folder = await mkdtemp(join(tmpdir(), 'dogwatch-configure-'))
  stage.undo(() => rm(folder, { recursive: true }))
  for (const [name, interval_sec] of [
    ['first.yaml', 60],
    ['second.yaml', 120],
  ] as const)
    await writeFile(join(folder, name), textOf(interval_sec))
  const { port } = await stage.serve()
  const seconds = RUNS.map((): number[] => [])
  // The first round warms up.
  for (let round = 0; round <= stage.flags.rounds; round++) {
    say(`round ${round} of ${stage.flags.rounds}`)
    // Each round has a new organisation, because changes are limited for each.
    const { org_id } = await makeOrg(stage, 0, 'none', CHECKS)
    const { token } = await createConfigurationToken(depsOf(stage), org_id, { name: 'bench', scopes: ['write'] })
    const env = { ...process.env, DOGWATCH_URL: `http://127.0.0.1:${port}`, DOGWATCH_CONFIG_TOKEN: token }
    for (const [index, { args, file, code: wanted }] of RUNS.entries()) {
      const began = performance.now()
      const command = [COMMAND, ...args, join(folder, file)]
      const child = spawn(process.execPath, command, { env, stdio: ['ignore', 'ignore', 'inherit'] })
      const [code] = (await once(child, 'exit')) as [number | null]
      if (code !== wanted) throw new Error(`dogwatch-config ${args.join(' ')} exited with ${code}`)
      if (round > 0) seconds[index]?.push((performance.now() - began) / 1000)
    }
  }
  printFacts(RUNS.map(({ what, atMost }, index) => [what, median(seconds[index] ?? []), 2, { atMost }]))
})

function textOf(interval_sec: number): string {
  const checks = Array.from(
    { length: CHECKS },
    (_, n) =>
      `  shop-${n}:\n    name: Shop ${n}\n    url: https://shop-${n}.example.com/health\n    match_string: OK\n    tags: [web, t${n % 7}]\n`,
  )
  return `version: 1\ndefaults:\n  checks: { interval_sec: ${interval_sec} }\nchecks:\n${checks.join('')}`
}
