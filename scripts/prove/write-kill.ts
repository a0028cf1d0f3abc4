// Kills the server with SIGKILL in the moment in which it commits a change by the configuration API, again and again: a client that repeats
// the request with its Idempotency-Key finds everything done once, and nothing lost that had a response.
// npm run prove -- write-kill [--kills N] [--seed N]
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { createConfigurationToken } from '../../packages/server/dist/domain/configuration/tokens.js'
import { setLimitsGiven } from '../../packages/server/dist/domain/organisations/organisation.js'
import { type Dice, dice } from '../../packages/server/test/support/dice.ts'
import { freePort, type Outcome, readFlags, runProof, SEED, until } from '../lab/proof.ts'
import { newServer, type Server } from '../lab/server.ts'
import { numberOf, openOrg, openWorld, query, type World } from '../lab/world.ts'

const flags = readFlags({ kills: { type: 'string', default: '25' }, seed: SEED })
const [KILLS, SEED_OF_ALL] = [Number(flags.kills), Number(flags.seed)]
const LANES = 4
/** Checks of a bulk request. */
const MANY = 10
const MOST_COMMITS = 6
const GIVE_UP_MS = 120_000

/** A request that a client repeats until it has a response. */
interface Change {
  key: string
  path: string
  body: string
  /** Names of the checks that it creates. */
  names: string[]
}

interface Lane {
  url: string
  token: string
}

interface Book {
  done: { change: Change; lane: Lane; text: string }[]
  faults: string[]
  /** Number of requests that lost their response, and of those that the server had carried out. */
  unanswered: number
  carried_out: number
}

await runProof('write-kill', 120_000 + KILLS * 40_000, async (undo) => {
  const world = await openWorld(undo)
  const env = { DATABASE_URL: world.url, ADDRESS_RATE_LIMIT: 'off', LOG_LEVEL: 'fatal', PORT: `${await freePort()}` }
  const server = newServer({ env }, undo)
  const url = `http://127.0.0.1:${env.PORT}/config-api/v1`
  const book: Book = { done: [], faults: [], unanswered: 0, carried_out: 0 }
  const ending = new AbortController()
  const d = dice(SEED_OF_ALL)
  const lanes: Promise<void>[] = []
  for (let n = 0; n < LANES; n += 1) {
    const token = await tokenOfLane(world, n)
    lanes.push(work(world, book, { url, token }, dice(SEED_OF_ALL + n), ending.signal))
  }
  for (let kill = 1; kill <= KILLS; kill++) {
    await strike(world, server, d)
    process.stderr.write(`kill ${kill} of ${KILLS}: ${book.done.length} requests done\n`)
  }
  await server.start()
  ending.abort()
  await Promise.all(lanes)
  for (const { change, lane, text } of book.done.slice(-20)) {
    let again = ''
    await until(async () => {
      const response = await send(lane, change)
      again = response.text
      return response.status < 300
    }, GIVE_UP_MS)
    if (again !== text) book.faults.push(`a repeat of ${change.path} had another response`)
  }
  return judge(world, book)
})

/** Creates an organisation for each lane, because together they would exceed what one may change in a second. */
async function tokenOfLane({ deps }: World, lane: number): Promise<string> {
  const { org_id } = await openOrg(deps, `lane ${lane}`)
  await setLimitsGiven(deps, org_id, { max_checks: 0 })
  return (await createConfigurationToken(deps, org_id, { name: 'lane', scopes: ['write'] })).token
}

/** Starts the server, and kills it after some commits. */
async function strike({ deps }: World, server: Server, d: Dice): Promise<void> {
  await server.start()
  const listener = await deps.database.pools.machines.connect()
  let left = 1 + d.below(MOST_COMMITS)
  await new Promise<void>((resolve) => {
    server.child.once('exit', () => resolve())
    listener.on('notification', () => {
      left -= 1
      if (left === 0) server.child.kill('SIGKILL')
    })
    void listener.query('listen dogwatch_changes')
  })
  await listener.query('unlisten *')
  listener.removeAllListeners('notification')
  listener.release()
}

/** Sends requests in turn, each until it has a response. */
async function work(world: World, book: Book, lane: Lane, d: Dice, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const change = newChange(d)
    let isLost = false
    const isDone = async (): Promise<boolean> => {
      const response = await send(lane, change).catch(() => undefined)
      if (response && response.status < 300) book.done.push({ change, lane, text: response.text })
      else if (response && response.status !== 429 && response.status !== 503) {
        book.faults.push(`the response to ${change.path} was ${response.status} ${response.text}`)
      } else if (!response && !isLost) {
        isLost = true
        book.unanswered += 1
        if ((await countStored(world, change.names)) > 0) book.carried_out += 1
        return false
      } else return false
      return true
    }
    if (!(await until(isDone, GIVE_UP_MS))) book.faults.push(`${change.path} had no response within two minutes`)
    await pause(50)
  }
}

function newChange(d: Dice): Change {
  const key = randomBytes(8).toString('hex')
  const check = (name: string) => ({ name, url: 'https://example.com/', interval_sec: 60 })
  if (d.below(2) === 0) return { key, path: '/checks', body: JSON.stringify(check(key)), names: [key] }
  const names = Array.from({ length: MANY }, (_, n) => `${key}-${n}`)
  const changes = names.map((name) => ({ action: 'put', kind: 'check', key: name, body: check(name) }))
  return { key, path: '/bulk', body: JSON.stringify({ changes }), names }
}

async function send({ url, token }: Lane, { key, path, body }: Change): Promise<{ status: number; text: string }> {
  const headers = { Authorization: `Bearer ${token}`, 'Idempotency-Key': key, 'Content-Type': 'application/json' }
  const signal = AbortSignal.timeout(10_000)
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body, signal })
  return { status: response.status, text: await response.text() }
}

function countStored({ deps }: World, names: readonly string[]): Promise<number> {
  return numberOf(deps, 'select count(*) from checks where name = any($1)', names)
}

async function judge({ deps }: World, { done, faults, unanswered, carried_out }: Book): Promise<Outcome> {
  const text = 'select name, count(*)::integer as count from checks group by name'
  const rows = await query<{ name: string; count: number }>(deps, text)
  const counts = new Map(rows.map(({ name, count }) => [name, count]))
  const wanted = new Set(done.flatMap(({ change }) => change.names))
  const off = [...wanted].filter((name) => counts.get(name) !== 1)
  const unknown = rows.filter(({ name }) => !wanted.has(name)).length
  return {
    faults: [
      ...faults,
      off.length > 0 && `lost or doubled: ${off.slice(0, 5).join(', ')}`,
      unknown > 0 && `${unknown} checks that no client knows`,
      carried_out < KILLS / 8 && `only ${carried_out} requests were struck between commit and response`,
    ],
    figures: [
      `${KILLS} kills (seed ${SEED_OF_ALL})`,
      `${done.length} requests, ${unanswered} without a response, of which the server carried out ${carried_out}`,
      `${rows.length} checks, ${off.length} lost or doubled`,
    ],
  }
}
