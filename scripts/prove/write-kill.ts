// Kills the server with SIGKILL in the moment in which it commits a change by the configuration API, again and again: a client on the SDK,
// which repeats the request with its Idempotency-Key, finds everything done once, and nothing lost that had a response.
// npm run prove -- write-kill [--kills N] [--seed N]
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { ConfigClient, changeInBulk, createCheck } from '../../packages/config-sdk/dist/index.js'
import { createConfigurationToken } from '../../packages/domain/dist/configuration/tokens.js'
import { setLimitsGiven } from '../../packages/domain/dist/organisations/organisation.js'
import { type Dice, dice } from '../../packages/runtime/test/support/dice.ts'
import { freePort, readFlags, runProof, SEED } from '../lab/proof.ts'
import { newServer, type Server } from '../lab/server.ts'
import { numberOf, openOrg, openWorld, query, type World } from '../lab/world.ts'

const flags = readFlags({ kills: { type: 'string', default: '25' }, seed: SEED })
const [KILLS, SEED_OF_ALL] = [Number(flags.kills), Number(flags.seed)]
const LANES = 4
/** Number of checks that a bulk request creates. */
const MANY = 10
const MOST_COMMITS = 6
const AGAIN_MS = 200
/** Maximum number of retries of a request. They take two minutes. */
const RETRIES = 600

/** A request that creates checks. The SDK repeats it until it has a response. */
interface Change {
  /** Names of the checks that the request creates. */
  names: string[]
  send: () => Promise<object>
}

interface Book {
  done: { change: Change; answer: string }[]
  faults: string[]
  /** Number of requests that lost their response. The next field is the number of those that the server had carried out. */
  unanswered: number
  carried_out: number
}

await runProof('write-kill', 120_000 + KILLS * 40_000, async (undo) => {
  const world = await openWorld(undo)
  const env = { DATABASE_URL: world.url, ADDRESS_RATE_LIMIT: 'off', LOG_LEVEL: 'fatal', PORT: `${await freePort()}` }
  const server = newServer({ env }, undo)
  const book: Book = { done: [], faults: [], unanswered: 0, carried_out: 0 }
  const ending = new AbortController()
  const baseUrl = `http://127.0.0.1:${env.PORT}`
  const lanes = Array.from({ length: LANES }, (_, n) => work(world, book, { baseUrl, n }, ending.signal))
  const d = dice(SEED_OF_ALL)
  for (let kill = 1; kill <= KILLS; kill++) await strike(world, server, d)
  await server.start()
  ending.abort()
  await Promise.all(lanes)
  for (const { change, answer } of book.done.slice(-20)) {
    if (JSON.stringify(await change.send()) !== answer)
      book.faults.push(`a repeat of ${change.names[0]} had another response`)
  }
  const { done, faults, unanswered, carried_out } = book
  const text = 'select name, count(*)::integer as count from checks group by name'
  const rows = await query<{ name: string; count: number }>(world.deps, text)
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
})

/** Starts the server, and kills it when it has committed a random number of changes. */
async function strike({ deps }: World, server: Server, d: Dice): Promise<void> {
  await server.start()
  const listener = await deps.database.pools.machines.connect()
  let left = 1 + d.below(MOST_COMMITS)
  const ended = once(server.child, 'exit')
  listener.on('notification', () => {
    left -= 1
    if (left === 0) server.child.kill('SIGKILL')
  })
  await listener.query('listen dogwatch_changes')
  await ended
  await listener.query('unlisten *')
  listener.removeAllListeners('notification')
  listener.release()
}

/**
 * Sends one request after the other. Each lane uses an organisation of its own, because all lanes together would make more
 * changes in a second than one organisation may.
 */
async function work(
  world: World,
  book: Book,
  { baseUrl, n }: { baseUrl: string; n: number },
  signal: AbortSignal,
): Promise<void> {
  const { deps } = world
  const { org_id } = await openOrg(deps, `lane ${n}`)
  await setLimitsGiven(deps, org_id, { max_checks: 0 })
  const { token } = await createConfigurationToken(deps, org_id, { name: 'lane', scopes: ['write'] })
  /**
   * Number of checks that the present request had already created when its response was first lost. Empty if no response was
   * lost.
   */
  const stored: Promise<number>[] = []
  let names: string[] = []
  const client = new ConfigClient({
    ...{ baseUrl, token, timeout: 10_000, retries: RETRIES },
    clock: { sleep: (ms) => pause(Math.min(ms, AGAIN_MS)) },
    log: ({ type }) => {
      if (type === 'failure' && stored.length === 0)
        stored.push(numberOf(deps, 'select count(*) from checks where name = any($1)', names))
    },
  })
  for (const d = dice(SEED_OF_ALL + n); !signal.aborted; await pause(50)) {
    const change = newChange(client, d)
    names = change.names
    try {
      book.done.push({ change, answer: JSON.stringify(await change.send()) })
    } catch (error) {
      book.faults.push(`${names[0]}: ${String(error)}`)
    }
    const [count] = await Promise.all(stored.splice(0))
    if (count !== undefined) book.unanswered += 1
    if (count) book.carried_out += 1
  }
}

function newChange(client: ConfigClient, d: Dice): Change {
  const idempotencyKey = randomBytes(8).toString('hex')
  const check = (name: string) => ({ name, url: 'https://example.com/', interval_sec: 60 })
  if (d.below(2) === 0) {
    const body = check(idempotencyKey)
    return { names: [body.name], send: () => createCheck(client, { body, idempotencyKey }) }
  }
  const names = Array.from({ length: MANY }, (_, n) => `${idempotencyKey}-${n}`)
  const changes = names.map((name) => ({
    action: 'put' as const,
    kind: 'check' as const,
    key: name,
    body: check(name),
  }))
  return { names, send: () => changeInBulk(client, { body: { changes }, idempotencyKey }) }
}
