// What nobody caught ends the agent with a line in its log, and that line tells nothing of a target.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { CHILD_ENVIRONMENT } from '../support/child-environment.ts'
import { scriptedApi } from './support/scripted-api.ts'
import { tempDir } from './support/temp-dir.ts'

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
/** A bug that comes when it is called for. */
const BUG = 'process.on("SIGUSR2", () => { throw new TypeError("vault" + ".internal") })'

test('an error that nobody caught is logged without its words, and ends the agent with 1', async () => {
  const [api, dir] = [await scriptedApi(), await tempDir()]
  const place = ['--name', 'n', '--region', 'eu', '--country', 'DE', '--city', 'Kiel', '--connectivity', 'off']
  const child = spawn(process.execPath, [PROGRAM, '--state-dir', join(dir, 'state'), ...place], {
    env: {
      ...CHILD_ENVIRONMENT,
      UV_THREADPOOL_SIZE: '64',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(BUG)}`,
      DOGWATCH_AGENT_SERVER: api.url,
      DOGWATCH_ENROLLMENT_TOKEN: 'enroll-token',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const said = textOf(child.stderr)
  const ended = once(child, 'exit')
  await api.until(() => api.arrived.some(({ route }) => route === 'GET /checks'))
  child.kill('SIGUSR2')
  const [code] = (await ended) as [number | null]
  expect(code).toBe(1)
  expect(await said).toMatch(/"error":"TypeError","at":\["at .*"event":"bug"/)
  expect(await said).not.toContain('vault.internal')
})
