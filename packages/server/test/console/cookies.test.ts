// The cookies of the console are those that the security model lists, with what it says of them.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { LIFE_SEC } from '../../../console/src/cookies.ts'
import { ACCOUNT, type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const UNITS: Readonly<Record<string, number>> = { minute: 60, hour: 3600, day: 86_400, year: 365 * 86_400 }

function listed() {
  const rows = readFileSync(at('docs/security.md'), 'utf8').matchAll(
    /^\| `dogwatch-(\w+)` \|.*?\| (\d+) (\w+?)s?(?:,.*?)? \| (yes|no) \|$/gm,
  )
  return Array.from(rows, ([, name = '', count, unit = '', read]) => ({
    name,
    life: Number(count) * (UNITS[unit] ?? NaN),
    read,
  }))
}

test('the list has each cookie, its lifetime, and whether scripts can read it', () => {
  const script = readFileSync(at('../console/assets/scripts/time.js'), 'utf8')
  const wanted = Object.entries(LIFE_SEC).map(([name, life]) => ({
    ...{ name, life },
    read: script.includes(`dogwatch-${name}=`) ? 'yes' : 'no',
  }))
  const order = (rows: { name: string }[]) => rows.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  expect(order(listed())).toEqual(order(wanted))
  expect(script).toContain(`Max-Age=${LIFE_SEC.zone}; SameSite=Lax`)
})

test.each([
  ['http', {}],
  ['https', { console: { public_url: 'https://dogwatch.example' } }],
] as const)('over %s each that the server sets has the attributes that the list says', async (scheme, options) => {
  const other = await world(options)
  try {
    const { headers } = await fetch(`${other.direct}/sign-in`)
    const seen = headers.getSetCookie().map((line) => line.split('; '))
    expect(seen.length).toBeGreaterThan(0)
    for (const [pair = '', ...attributes] of seen) {
      expect(pair).toMatch(scheme === 'https' ? /^__Host-dogwatch-\w+=/ : /^dogwatch-\w+=/)
      const secure = scheme === 'https' ? ['Secure'] : []
      expect(attributes.filter((one) => !one.startsWith('Max-Age='))).toEqual([
        'Path=/',
        'HttpOnly',
        'SameSite=Lax',
        ...secure,
      ])
    }
  } finally {
    await other.close()
  }
})

test('public status pages and the APIs set none', async () => {
  for (const path of ['/status/none', '/status/none.json', `${ACCOUNT}/checks`, '/install/', '/ping/none']) {
    const { headers } = await fetch(w.direct + path, { headers: { cookie: 'dogwatch-session=x' } })
    expect([path, headers.getSetCookie()]).toEqual([path, []])
  }
})
