import type { PublicEntry, PublicMaintenance, PublicStatus } from '@dogwatch/domain/status-page/status'
import { jsonPieces } from '@dogwatch/runtime/json-pieces'
import { expect, test } from '@jest/globals'
import { htmlPieces } from './document.tsx'
import { statusJson } from './json.ts'

const NOW = '2026-11-20T08:00:00.000000Z'

const entry = (name: string): PublicEntry => ({
  ...{ name, state: 'up', since: null, unmonitored_since: null, unknown_sec: 0, maintenance_sec: 0 },
  days: [{ day: '2026-11-20', share: { kind: 'runs', runs: 10, failures: 0, watched_sec: 600 } }],
  share: { kind: 'runs', runs: 10, failures: 0, watched_sec: 600 },
})

const window = (name: string, systems: readonly string[]): PublicMaintenance => ({
  ...{ name, state: 'running', begins_at: NOW, ends_at: NOW, systems },
})

function statusOf(names: readonly string[], windows: number): PublicStatus {
  return {
    ...{ title: 'Acme', description: '', computed_at: NOW, history_at: NOW },
    headline: { kind: 'operational', since: null },
    entries: names.map(entry),
    incidents: [],
    maintenance: Array.from({ length: windows }, (_, n) => window(`Move ${n}`, names)),
  }
}

async function piecesOf(pieces: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = []
  for await (const piece of pieces) all.push(piece)
  return all
}

const MANY = Array.from({ length: 2_000 }, (_, n) => `${n} ${'&'.repeat(95)}`)

test('a page of thousands of systems is made in pieces', async () => {
  const status = statusOf(MANY, 20)
  for (const pieces of [await piecesOf(htmlPieces(status, 'acme')), await piecesOf(jsonPieces(statusJson(status)))]) {
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(400_000)
  }
})

test('maintenance of thousands of systems names the first of them on the page, and all of them for programs', async () => {
  const names = MANY.map((_, n) => `System ${n}`)
  const html = (await piecesOf(htmlPieces(statusOf(names, 1), 'acme'))).join('')
  expect(html).toContain('System 18, System 19 and 1980 more')
  const json = JSON.parse((await piecesOf(jsonPieces(statusJson(statusOf(names, 1))))).join('')) as Pick<
    PublicStatus,
    'maintenance'
  >
  expect(json.maintenance[0]?.systems).toEqual(names)
})

test('pieces together are the page, with its entries in their place', async () => {
  const status = statusOf(['Shop', '<!--entries-->'], 2)
  const html = (await piecesOf(htmlPieces(status, 'acme'))).join('')
  expect(html.match(/<h3>[^<]*<\/h3>/g)).toEqual([
    '<h3>Move 0</h3>',
    '<h3>Move 1</h3>',
    '<h3>Shop</h3>',
    '<h3>&lt;!--entries--></h3>',
  ])
  expect(html.endsWith('</html>')).toBe(true)
  expect(JSON.parse((await piecesOf(jsonPieces(statusJson(status)))).join(''))).toMatchObject({
    title: 'Acme',
    systems: [{ name: 'Shop' }, { name: '<!--entries-->' }],
    incidents: [],
    maintenance: [{ systems: ['Shop', '<!--entries-->'] }, { name: 'Move 1' }],
  })
  expect((await piecesOf(htmlPieces(statusOf([], 0), 'acme'))).join('')).not.toContain('Systems')
})
