// How people are told to run our commands, and what the commands say under a Node that is too old.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const LEFT_OUT = /^(node_modules|dist|archives|coverage|\..*)$/
const TEXT = /\.(md|ts|tsx|js|json|sh|service|yaml|yml)$|(^|\/)Containerfile$/
/** Outside a checkout this runs whatever a stranger has published under the name. */
const UNSCOPED = /\bnpx(?: -\S+)* dogwatch/

function textsIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (LEFT_OUT.test(entry.name) && entry.name !== '.github') return []
    const path = join(folder, entry.name)
    return entry.isDirectory() ? textsIn(path) : TEXT.test(path) ? [path] : []
  })
}

test('nobody is told to run an unscoped package of the public registry', () => {
  const paths = textsIn(ROOT)
  expect(paths.length).toBeGreaterThan(500)
  expect(paths.filter((path) => UNSCOPED.test(readFileSync(path, 'utf8')))).toEqual([])
  expect(['npx', '--yes', 'dogwatch-agent'].join(' ')).toMatch(UNSCOPED)
})

test.each([
  ['packages/server/dist/bin/dogwatch.js', '20.20.2', 'dogwatch: requires Node 24 or newer, but this is v20.20.2'],
  ['packages/agent/dist/main.js', '22.1.0', 'dogwatch-agent: requires Node 24 or newer, but this is v22.1.0'],
  [
    'packages/account-sdk/bin/dogwatch-account.js',
    '20.18.0',
    'dogwatch-account: requires Node 20.19 or newer, but this is v20.18.0',
  ],
  ['packages/server/bin/dogwatch.js', '18.0.0', 'dogwatch: Node 20 or newer is needed; this is v18.0.0'],
  ['packages/agent/bin/dogwatch-agent.js', '18.0.0', 'dogwatch: Node 20 or newer is needed; this is v18.0.0'],
])('%s under Node %s says so in one line', (program, version, line) => {
  const facts = { version: `v${version}`, versions: { ...process.versions, node: version } }
  const define = `for (const [name, value] of Object.entries(${JSON.stringify(facts)})) Object.defineProperty(process, name, { value })`
  const older = `data:text/javascript,${encodeURIComponent(define)}`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', older, join(ROOT, program), '--help'], {
    encoding: 'utf8',
  })
  expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: '', stderr: `${line}\n` })
})
