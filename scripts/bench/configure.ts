// How long dogwatch-config takes for a file of 500 checks, as whoever calls it sees it: the process and the server together.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createConfigurationToken } from '../../packages/server/dist/domain/configuration/tokens.js'
import { depsOf, makeOrg } from '../lab/archive.ts'
import { type BenchServer, onStage, type Stage, say } from '../lab/stage.ts'
import { median, printFacts } from './support/report.ts'

const CHECKS = 500
const COMMAND = fileURLToPath(new URL('../../packages/config-sdk/bin/dogwatch-config.js', import.meta.url))

/** What is run one after the other, on which file, and the exit code that it must have. */
const RUNS = [
  { what: 'plan of 500 new checks, s', args: ['plan'], file: 'first', code: 2, atMost: 2 },
  { what: 'apply of 500 new checks, s', args: ['apply'], file: 'first', code: 0, atMost: 5 },
  { what: 'plan without a difference, s', args: ['plan'], file: 'first', code: 0, atMost: 2 },
  { what: 'apply of 500 changed checks, s', args: ['apply', '--prune'], file: 'second', code: 0, atMost: 5 },
] as const

await onStage(async (stage) => {
  const folder = await mkdtemp(join(tmpdir(), 'dogwatch-configure-'))
  stage.undo(() => rm(folder, { recursive: true }))
  const files = { first: join(folder, 'first.yaml'), second: join(folder, 'second.yaml') }
  await writeFile(files.first, fileOf(60))
  await writeFile(files.second, fileOf(120))
  const server = await stage.serve()
  const seconds = RUNS.map((): number[] => [])
  // The first one warms up.
  for (let round = 0; round <= stage.flags.rounds; round++) {
    say(`round ${round} of ${stage.flags.rounds}`)
    const token = await newToken(stage)
    for (const [index, { args, file, code }] of RUNS.entries()) {
      const took = await time(server, token, [...args, files[file]], code)
      if (round > 0) seconds[index]?.push(took)
    }
  }
  printFacts(RUNS.map(({ what, atMost }, index) => ({ what, value: median(seconds[index] ?? []), atMost })))
})

function fileOf(interval_sec: number): string {
  const checks = Array.from(
    { length: CHECKS },
    (_, n) =>
      `  shop-${n}:\n    name: Shop ${n}\n    url: https://shop-${n}.example.com/health\n    match_string: OK\n    tags: [web, t${n % 7}]\n`,
  )
  return `version: 1\ndefaults:\n  checks: { interval_sec: ${interval_sec} }\nchecks:\n${checks.join('')}`
}

/** Of an organisation of its own, which has room for them: changes are limited for each organisation. */
async function newToken(stage: Stage): Promise<string> {
  const { org_id } = await makeOrg(stage, 0, 'none', CHECKS)
  const { token } = await createConfigurationToken(depsOf(stage), org_id, { name: 'bench', scopes: ['write'] })
  return token
}

async function time({ port }: BenchServer, token: string, args: readonly string[], wanted: number): Promise<number> {
  const env = { ...process.env, DOGWATCH_URL: `http://127.0.0.1:${port}`, DOGWATCH_CONFIG_TOKEN: token }
  const began = performance.now()
  const child = spawn(process.execPath, [COMMAND, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== wanted) throw new Error(`dogwatch-config ${args.join(' ')} exited with ${code}`)
  return (performance.now() - began) / 1000
}
