// Stories in which a crowd of connections sends the same bytes: long paths, forms, pings, silence, guesses at a password, and patterns.
import { setTimeout as pause } from 'node:timers/promises'
import { systemRandom } from '../../../packages/runtime/dist/random.js'
import { newToken } from '../../../packages/runtime/dist/tokens.js'
import { sum, tally } from '../../lab/proof.ts'
import { type Crowd, type CrowdPlan, formPost, readForm, startCrowd } from './crowd.ts'
import { type Lab, type Story, sessionOf } from './lab.ts'

/** Sends the bytes of a crowd for a share of the attack. */
async function attack({ port, seconds }: Lab, plans: readonly Omit<CrowdPlan, 'port'>[], share = 1): Promise<Crowd[]> {
  const crowds = plans.map((plan) => startCrowd({ port, ...plan }))
  await pause(seconds * 1000 * share)
  for (const crowd of crowds) crowd.stop()
  return crowds
}

/** Attacks in several ways, one after the other. */
async function attackInTurn(
  lab: Lab,
  network: string,
  connections: number,
  ways: Readonly<Record<string, () => string>>,
) {
  const figures: string[] = []
  for (const [n, [way, say]] of Object.entries(ways).entries()) {
    const plan = { address: `${network}.${n + 1}`, connections, say }
    const [crowd] = await attack(lab, [plan], 1 / Object.keys(ways).length)
    figures.push(`${way} on ${connections} connections: ${tally(crowd?.statuses ?? new Map())}`)
  }
  return { figures }
}

/** Sends paths that cannot be decoded, as long as a request may be. */
export const paths: Story = (lab) => {
  const bytes = `GET /status/%${'a.'.repeat(7500)} HTTP/1.1\r\nHost: x\r\n\r\n`
  return attackInTurn(lab, '127.66.2', 20, { 'long paths': () => bytes })
}

/** Sends forms of a million fields, without a session or form token. */
export const forms: Story = (lab) => {
  const bytes = formPost('/sign-in', 'a&'.repeat(500_000))
  return attackInTurn(lab, '127.66.3', 20, { 'long forms': () => bytes })
}

const MADE_UP = 5000

/** Pings one URL, unknown tokens, and with bodies that do not come. */
export const pings: Story = (lab) => {
  // Made before, because to make one costs as much as to refuse it.
  const made_up = Array.from({ length: MADE_UP }, () => newToken('beat', systemRandom))
  let n = 0
  const get = (token: string) => `GET /ping/${token} HTTP/1.1\r\nHost: x\r\n\r\n`
  return attackInTurn(lab, '127.66.0', 700, {
    'one URL': () => get(lab.ping_token),
    'one URL, each ping another': () => get(`${lab.ping_token}/log?rid=${n++}`),
    'unknown tokens': () => get(made_up[n++ % MADE_UP] ?? ''),
    'slow bodies': () => `POST /ping/${lab.ping_token} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc`,
  })
}

/** Opens more idle connections than the server accepts, from one address. */
export const connections: Story = async (lab) => {
  const [crowd] = await attack(lab, [{ address: '127.66.1.1', connections: 10_300 }])
  return { figures: [`10300 silent connections: opened ${crowd?.opened} times, closed by the server ${crowd?.closed}`] }
}

const GUESSING = 100

/** Guesses at a person's password from many addresses. */
export const guesses: Story = async (lab) => {
  const { csrf, cookie } = await readForm(lab.port, '/sign-in')
  let n = 0
  const say = () => {
    const guess = { csrf, to: '', email: 'honest@example.com', password: `a guess, number ${n++}` }
    return formPost('/sign-in', new URLSearchParams(guess).toString(), cookie)
  }
  const plans = Array.from({ length: GUESSING }, (_, i) => ({ address: `127.67.0.${i + 1}`, connections: 2, say }))
  const answered = addStatuses(await attack(lab, plans))
  return { figures: [`${n} guesses from ${GUESSING} addresses: ${answered}`] }
}

const PATTERNS = {
  'patterns far too large': `${'('.repeat(20)}a*${')*'.repeat(20)}{1000}`,
  'patterns as large as possible': 'x{0,1000}',
}

/** Imports checks with patterns that are large once they are compiled. */
export const patterns: Story = async (lab) => {
  const session = await sessionOf(lab.deps, lab.attacker)
  const { csrf, cookie } = await readForm(lab.port, '/checks/import', session)
  const check = { url: 'https://example.com/', interval_sec: 300, match_mode: 'regex' }
  const ways = Object.entries(PATTERNS).map(([way, match_string]) => {
    const file = Array.from({ length: 10 }, (_, n) => ({ ...check, name: `check ${n}`, match_string }))
    const body = new URLSearchParams({ csrf, who: 'keep', file: JSON.stringify(file) }).toString()
    const bytes = formPost('/checks/import', body, cookie)
    return [way, () => bytes] as const
  })
  return attackInTurn(lab, '127.66.4', 8, Object.fromEntries(ways))
}

/** Formats the responses of several crowds. */
export function addStatuses(crowds: readonly Pick<Crowd, 'statuses'>[]): string {
  const names = new Set(crowds.flatMap(({ statuses }) => [...statuses.keys()]))
  const total = (name: string) => sum(crowds.map(({ statuses }) => statuses.get(name) ?? 0))
  return tally(new Map([...names].map((name) => [name, total(name)])))
}
