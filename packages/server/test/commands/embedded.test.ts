// dogwatch serve without DATABASE_URL: the server and its own Postgres.

import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { startServer } from '../support/server-process.ts'
import { eventually } from '../support/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'dogwatch-serve-'))
// Root's Postgres runs as another user, who walks through here.
chmodSync(folder, 0o711)
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))

test('its Postgres killed with -9 runs again, and requests are answered, without a restart', async () => {
  const dataDir = join(folder, 'data')
  const server = await startServer({ DOGWATCH_DATA_DIR: dataDir }, 'all')
  try {
    const isReady = async (): Promise<boolean> => (await fetch(`${server.url}/readyz`)).status === 200
    await eventually(isReady, 'it is ready')
    process.kill(Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10), 'SIGKILL')
    await eventually(() => server.log().includes('the embedded database server stopped and was restarted'), 'it runs')
    await eventually(isReady, 'it is ready again')
    expect((await fetch(`${server.url}/sign-in`)).status).toBe(200)
  } finally {
    await server.stop()
  }
})
