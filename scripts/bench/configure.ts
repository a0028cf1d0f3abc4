// Measures how long dogwatch-config takes for a file of 500 checks: the process and the server together.
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createConfigurationToken } from '../../packages/domain/dist/configuration/tokens.js'
import { depsOf, makeOrg } from '../lab/archive.ts'
import { openFolder } from '../lab/proof.ts'
import { onStage, say } from '../lab/stage.ts'
import { median, printFacts } from './support/compare.ts'

const CHECKS = 500
const COMMAND = fileURLToPath(new URL('../../packages/config-sdk/bin/dogwatch-config.js', import.meta.url))

/** Runs of the command, in order, each with the interval in its file and the exit code that it must have. */
const RUNS = [
  { what: 'plan of 500 new checks, s', args: ['plan'], interval_sec: 60, code: 2, atMost: 2 },
  { what: 'apply of 500 new checks, s', args: ['apply'], interval_sec: 60, code: 0, atMost: 5 },
  { what: 'plan without a difference, s', args: ['plan'], interval_sec: 60, code: 0, atMost: 2 },
  { what: 'apply of 500 changed checks, s', args: ['apply', '--prune'], interval_sec: 120, code: 0, atMost: 5 },
]

await onStage(async (stage) => {
  const file = join(await openFolder(stage.undo), 'dogwatch.yaml')
  const { port } = await stage.serve()
  const seconds = RUNS.map((): number[] => [])
  // Ignores the first round, which only warms up.
  for (let round = 0; round <= stage.flags.rounds; round++) {
    say(`round ${round} of ${stage.flags.rounds}`)
    // Each round uses a new organisation, because the server limits the changes of an organisation.
    const { org_id } = await makeOrg(stage, 0, CHECKS)
    const { token } = await createConfigurationToken(depsOf(stage), org_id, { name: 'bench', scopes: ['write'] })
    const env = { ...process.env, DOGWATCH_URL: `http://127.0.0.1:${port}`, DOGWATCH_CONFIG_TOKEN: token }
    for (const [index, { args, interval_sec, code: wanted }] of RUNS.entries()) {
      await writeFile(file, textOf(interval_sec))
      const began = performance.now()
      const code = await new Promise<number | string>((resolve) => {
        execFile(process.execPath, [COMMAND, ...args, file], { env }, (error) => resolve(error?.code ?? 0))
      })
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
