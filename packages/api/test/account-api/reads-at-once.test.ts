// One organisation that reads with many tokens at once, beside one that reads once.
import { connect } from 'node:net'
import { createPersonalToken } from '@dogwatch/domain/organisations/personal-tokens'
import { Metrics } from '@dogwatch/runtime/metrics'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { lanesFor } from '../../src/lanes.ts'
import { ACCOUNT, eventually, type World, world } from '../support/world.ts'

/** An organisation may have five of these places, and two of the four connections. */
const PLACES = 24
const READS = {
  ...lanesFor(4)['account-api'],
  share: { most: PLACES, limit: 'account-api-org' },
  turns: { at_once: 4, of_client: 2 },
}

const metrics = new Metrics()
const excess = async () =>
  (await metrics.limited.get()).values.find(({ labels }) => labels.limit === 'account-api-org')?.value

let w: World
let holder: pg.Client
beforeAll(async () => {
  w = await world({ account_api: {}, lanes: { ...lanesFor(4), 'account-api': READS }, metrics })
  holder = new pg.Client({ connectionString: w.databaseUrl })
  await holder.connect()
})
afterAll(async () => {
  await holder.end()
  await w.close()
})

async function read(token: string, path: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${w.direct}${ACCOUNT}/${path}`, { headers: { Authorization: `Bearer ${token}` } })
  return { status: answer.status, text: await answer.text() }
}

const lockWaits = async () =>
  (await holder.query("select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"))
    .rowCount

const connections = () => new Promise<number>((resolve) => w.server.getConnections((_error, count) => resolve(count)))

test('all tokens of an organisation share its places and its turns, and another organisation reads meanwhile', async () => {
  const [greedy, honest] = [await w.org(), await w.org()]
  const tokens: string[] = []
  for (let n = 0; n < 8; n++) tokens.push((await createPersonalToken(w.deps, greedy.org_id)).token)
  const one = await w.pat(honest)
  const locking = new pg.Client({ connectionString: w.databaseUrl })
  await locking.connect()
  await locking.query('begin; lock table heartbeats in access exclusive mode')
  try {
    const flood = tokens.map((token) => read(token, 'heartbeats'))
    await eventually(
      async () => (await lockWaits()) === 2 && (await excess()) === 3,
      'two are answered, three wait, three are refused',
    )
    expect((await read(one, 'checks')).status).toBe(200)
    await locking.query('rollback')
    const answers = await Promise.all(flood)
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429, 429, 429])
    expect(answers.find(({ status }) => status === 429)?.text).toBe('rate limit exceeded')
  } finally {
    await locking.end()
  }
})

test('clients that go away while their token is looked for keep no place', async () => {
  const org = await w.org()
  const [token, other] = [await w.pat(org), await w.pat(org)]
  const port = Number(new URL(w.direct).port)
  const locking = new pg.Client({ connectionString: w.databaseUrl })
  await locking.connect()
  await locking.query('begin; lock table personal_access_tokens in access exclusive mode')
  try {
    const sockets = Array.from({ length: PLACES }, () => connect(port, '127.0.0.1').on('error', () => {}))
    for (const socket of sockets) {
      socket.write(`GET ${ACCOUNT}/settings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
    }
    await eventually(async () => (await lockWaits()) === 4, 'tokens are looked for')
    await eventually(async () => (await connections()) >= PLACES, 'all of them have come')
    for (const socket of sockets) socket.destroy()
    await eventually(async () => (await connections()) < PLACES, 'all of them have gone')
    await locking.query('rollback')
    await eventually(async () => (await read(other, 'settings')).status === 200, 'there is a place')
  } finally {
    await locking.end()
  }
})
