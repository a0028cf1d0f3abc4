// Kills the server with SIGKILL in the moment in which a change by the configuration API is committed, again and again: whoever repeats
// the request with its Idempotency-Key finds everything done once, and nothing lost that was answered.
// npm run prove -- write-kill [--kills N] [--seed N]
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { createConfigurationToken } from '../../packages/server/dist/domain/configuration/tokens.js'
import { createOrganisation, setLimitsGiven } from '../../packages/server/dist/domain/organisations/organisation.js'
import { type Dice, dice } from '../../packages/server/test/support/dice.ts'
import { readFlags } from '../lab/proof-flags.ts'
import { type Outcome, proveInWorld, type Server, until, type World } from '../lab/world.ts'

const flags = readFlags({
  kills: { type: 'string', default: '25' },
  seed: { type: 'string', default: String(Date.now() % 1e9) },
})
const KILLS = Number(flags.kills)
const SEED = Number(flags.seed)
const LANES = 4
/** Checks of a bulk request. */
const MANY = 10
/** So many commits pass before the one that is struck, at most. */
const MOST_COMMITS = 6
const GIVE_UP_MS = 120_000
const BETWEEN_MS = 50
const PORT = 20_000 + (SEED % 20_000)
const URL_OF_API = `http://127.0.0.1:${PORT}/config-api/v1`

await proveInWorld('write-kill', 120_000 + KILLS * 40_000, prove)

/** A request that is sent until it is answered. */
interface Wanted {
  key: string
  path: string
  body: string
  /** The names of the checks that it makes. */
  names: string[]
}

interface Book {
  done: { wanted: Wanted; token: string; text: string }[]
  faults: string[]
  /** Requests whose answer was lost, and those of them that had been carried out. */
  unanswered: number
  carried_out: number
}

async function prove(world: World): Promise<Outcome> {
  const d = dice(SEED)
  const book: Book = { done: [], faults: [], unanswered: 0, carried_out: 0 }
  const ending = new AbortController()
  const tokens = await Promise.all(Array.from({ length: LANES }, (_, lane) => tokenOfLane(world, lane)))
  const lanes = tokens.map((token, lane) => work(world, book, { token, d: dice(SEED + lane), signal: ending.signal }))
  for (let kill = 1; kill <= KILLS; kill++) {
    await strike(world, d)
    process.stderr.write(`kill ${kill} of ${KILLS}: ${book.done.length} requests done\n`)
  }
  const last = await world.serve({ PORT: String(PORT), ADDRESS_RATE_LIMIT: 'off' })
  ending.abort()
  await Promise.all(lanes)
  await requireSameAnswers(book)
  await last.stop()
  return judge(world, book)
}

/** An organisation for each lane: together they would exceed what one may change in a second. */
async function tokenOfLane({ deps }: World, lane: number): Promise<string> {
  const owner_email = `lane-${lane}@example.com`
  const { org_id } = await createOrganisation(deps, { name: `lane ${lane}`, plan: 'team', owner_email })
  // However many kills there are, it has room for all that is made meanwhile.
  await setLimitsGiven(deps, org_id, { max_checks: 0 })
  return (await createConfigurationToken(deps, org_id, { name: 'lane', scopes: ['write'] })).token
}

/** Lets the server live until it has committed a few changes, and kills it as it is told of the last. */
async function strike(world: World, d: Dice): Promise<void> {
  const server: Server = await world.serve({ PORT: String(PORT), ADDRESS_RATE_LIMIT: 'off' })
  const listener = await world.deps.database.pools.machines.connect()
  let left = 1 + d.below(MOST_COMMITS)
  const killed = new Promise<void>((resolve) => {
    server.child.once('exit', () => resolve())
    listener.on('notification', () => {
      left -= 1
      if (left === 0) server.child.kill('SIGKILL')
    })
  })
  await listener.query('listen dogwatch_changes')
  await killed
  await listener.query('unlisten *')
  listener.removeAllListeners('notification')
  listener.release()
}

interface Lane {
  token: string
  d: Dice
  signal: AbortSignal
}

/** Sends one request after the other, each until it is answered. */
async function work(world: World, book: Book, { token, d, signal }: Lane): Promise<void> {
  while (!signal.aborted) {
    const wanted = newRequest(d)
    await pause(BETWEEN_MS)
    const ends = performance.now() + GIVE_UP_MS
    let isLost = false
    for (;;) {
      const answer = await send(token, wanted).catch(() => undefined)
      if (answer && answer.status < 300) {
        book.done.push({ wanted, token, text: answer.text })
        break
      }
      if (answer && answer.status !== 429 && answer.status !== 503) {
        book.faults.push(`${wanted.path} was answered ${answer.status} ${answer.text}`)
        break
      }
      if (!answer && !isLost) {
        isLost = true
        book.unanswered += 1
        if ((await stored(world, wanted.names)) > 0) book.carried_out += 1
      }
      if (performance.now() > ends) {
        book.faults.push(`${wanted.path} was not answered within ${GIVE_UP_MS / 1000} s`)
        break
      }
      await pause(50)
    }
  }
}

function newRequest(d: Dice): Wanted {
  const key = randomBytes(8).toString('hex')
  const check = (name: string) => ({ name, url: 'https://example.com/', interval_sec: 60 })
  if (d.below(2) === 0) return { key, path: '/checks', body: JSON.stringify(check(key)), names: [key] }
  const names = Array.from({ length: MANY }, (_, n) => `${key}-${n}`)
  const changes = names.map((name) => ({ action: 'put', kind: 'check', key: name, body: check(name) }))
  return { key, path: '/bulk', body: JSON.stringify({ changes }), names }
}

async function send(token: string, { key, path, body }: Wanted): Promise<{ status: number; text: string }> {
  const headers = { Authorization: `Bearer ${token}`, 'Idempotency-Key': key, 'Content-Type': 'application/json' }
  const signal = AbortSignal.timeout(10_000)
  const answer = await fetch(`${URL_OF_API}${path}`, { method: 'POST', headers, body, signal })
  return { status: answer.status, text: await answer.text() }
}

async function stored({ deps }: World, names: readonly string[]): Promise<number> {
  const { rows } = await deps.database.pools.machines.query<{ count: number }>(
    'select count(*)::integer as count from checks where name = any($1)',
    [names],
  )
  return rows[0]?.count ?? 0
}

/** Repeated once more, each of the newest requests is answered with the same bytes. */
async function requireSameAnswers({ done, faults }: Book): Promise<void> {
  for (const { wanted, token, text } of done.slice(-20)) {
    if ((await sendPatiently(token, wanted)) !== text)
      faults.push(`a repeat of ${wanted.path} was answered with other bytes`)
  }
}

async function sendPatiently(token: string, wanted: Wanted): Promise<string> {
  let text = ''
  await until(async () => {
    const answer = await send(token, wanted)
    text = answer.text
    return answer.status < 300
  }, GIVE_UP_MS)
  return text
}

async function judge({ deps }: World, { done, faults, unanswered, carried_out }: Book): Promise<Outcome> {
  const { rows } = await deps.database.pools.machines.query<{ name: string; count: number }>(
    'select name, count(*)::integer as count from checks group by name',
  )
  const counts = new Map(rows.map(({ name, count }) => [name, count]))
  const wanted = new Set(done.flatMap((one) => one.wanted.names))
  const off = [...wanted].filter((name) => counts.get(name) !== 1)
  const unknown = rows.filter(({ name }) => !wanted.has(name)).length
  return {
    faults: [
      ...faults,
      ...(off.length > 0 ? [`lost or doubled: ${off.slice(0, 5).join(', ')}`] : []),
      ...(unknown > 0 ? [`${unknown} checks that nobody was told of`] : []),
      ...(carried_out < KILLS / 8 ? [`only ${carried_out} requests were struck between commit and answer`] : []),
    ],
    figures: [
      `${KILLS} kills (seed ${SEED})`,
      `${done.length} requests`,
      `${unanswered} without an answer`,
      `${carried_out} of them were carried out`,
      `${rows.length} checks`,
      `${off.length} lost or doubled`,
    ].join(', '),
  }
}
