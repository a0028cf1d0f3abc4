// The built-in monitor of `dogwatch serve`: one agent, kept running, ended with the server.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCheck } from '@dogwatch/domain/checks/create-or-edit'
import { retireMonitor } from '@dogwatch/domain/monitors/switches'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { settingsFor } from '../../../store/test/support/database.ts'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { eventually } from '../support/world.ts'
import { type Operator, operator } from './operator.ts'

let o: Operator
let dataDir: string
let server: ServerProcess
let site: Server
const settings = (more: Record<string, string> = {}) => ({
  ...settingsFor(o.databaseUrl),
  LOCAL_MONITOR: 'on',
  LOG_LEVEL: 'info',
  DOGWATCH_DATA_DIR: dataDir,
  // This machine may have no way out at all, and is not to be taken for cut off.
  DOGWATCH_AGENT_CONNECTIVITY: 'off',
  ...more,
})

beforeAll(async () => {
  o = await operator()
  dataDir = await mkdtemp(join(tmpdir(), 'dogwatch-local-'))
  site = createServer((_, response) => void response.end('all is well'))
  await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve))
  server = await startServer(settings(), 'all')
})
afterAll(async () => {
  await server.stop()
  site.closeAllConnections()
  site.close()
  await o.close()
  await rm(dataDir, { recursive: true, force: true })
})

/** The agents of this data directory that run. */
async function agents(): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(
    pids.map(async (pid) => ({ pid, words: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') })),
  )
  return lines
    .filter(({ words }) => words.includes(dataDir) && words.includes('--supervised'))
    .map(({ pid }) => Number(pid))
}

const monitors = () => o.rows('select id, org_id, name, last_seen_at from monitors order by id')
const enrolled = async (count: number) => eventually(async () => (await monitors()).length === count, 'it is enrolled')
const onLinux = process.platform === 'linux' ? test : test.skip

test('waits for an organisation, and then enrolls as a private monitor of it', async () => {
  expect(await monitors()).toEqual([])
  const org_id = await o.org()
  await enrolled(1)
  expect(await monitors()).toMatchObject([{ org_id, name: 'Built-in monitor' }])
  const valid = () => o.rows('select from enrollment_tokens where revoked_at is null')
  await eventually(async () => (await valid()).length === 0, 'its token lets nobody in any more')
})

test('runs a new check of an internal address within a minute, long before its next turn', async () => {
  const [org] = await o.rows('select org_id, person_id, email from memberships join people using (person_id)')
  const [org_id, person_id] = [Number(org?.org_id), Number(org?.person_id)]
  const by = { org_id, actor: { person_id, email: String(org?.email), impersonator_email: null } }
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
  // Turns are an hour apart, so a run within a minute is almost always the first run of a new check.
  await createCheck(o.deps, by, { name: 'shop', url, interval_sec: 3600 }, 'all')
  const found = async () => {
    const times = 'extract(epoch from ran_at - created_at)::float8 as after_sec'
    return (await o.rows(`select success, ${times} from results join checks using (org_id, check_id)`))[0]
  }
  await eventually(async () => (await found()) !== undefined, 'there is a result')
  const first = await found()
  expect(first).toMatchObject({ success: true })
  expect(first?.after_sec).toBeLessThan(60)
})

onLinux('is started again when it dies, and its log lines carry its name', async () => {
  const [before] = await agents()
  process.kill(before ?? 0, 'SIGKILL')
  await eventually(async () => {
    const now = await agents()
    return now.length === 1 && now[0] !== before
  }, 'there is another agent')
  expect(server.log()).toMatch(/"source":"built-in monitor".*built-in monitor: enrolled/)
  expect(server.log()).toMatch(/"signal":"SIGKILL","wait_ms":1000,.*the built-in monitor exited/)
  expect(server.log()).not.toMatch(/dogwatch_(key|enroll)_/)
  expect(await monitors()).toHaveLength(1)
})

onLinux(
  'leaves no orphan when the server is killed, and the next server has one agent and the same monitor',
  async () => {
    const known = (await monitors()).map(({ id }) => id)
    server.kill('SIGKILL')
    await server.ended
    server = await startServer(settings(), 'all')
    await eventually(() => /built-in monitor: started/.test(server.log()), 'it runs')
    await eventually(async () => (await agents()).length === 1, 'there is one')
    expect((await monitors()).map(({ id }) => id)).toEqual(known)
  },
)

onLinux('ends with the server; a server that is told not to, and one of the role web, run none', async () => {
  await server.stop()
  expect(await agents()).toEqual([])
  for (const [role, LOCAL_MONITOR] of [
    ['all', 'off'],
    ['web', 'on'],
  ] as const) {
    server = await startServer(settings({ LOCAL_MONITOR }), role)
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
    await server.stop()
    expect(server.log()).not.toContain('built-in monitor')
  }
})

onLinux('is not enrolled anew once it was removed, and the log says why', async () => {
  const [{ id } = { id: '' }] = (await monitors()) as { id: string }[]
  await retireMonitor(o.deps, id)
  server = await startServer(settings(), 'all')
  await eventually(() => server.log().includes(`monitor ${id} was removed`), 'it says so')
  expect(await agents()).toEqual([])
  expect(await monitors()).toHaveLength(1)
})
