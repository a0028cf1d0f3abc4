// Words of a page never run into each other where text meets an element.

import { openSession } from '@dogwatch/domain/people/sessions'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type HTMLElement, type Node, NodeType, parse } from 'node-html-parser'
import { type FullOrg, fullOrg } from '../browser/full-org.ts'
import { PLACES, pathsOf, sessionFor } from '../browser/tour.ts'
import { Browser } from '../support/browser.ts'
import { result, type World, world } from '../support/world.ts'

let w: World
let full: FullOrg
beforeAll(async () => {
  w = await world()
  full = await fullOrg(w)
})
afterAll(() => w.close())

const INLINE = new Set(['A', 'ABBR', 'B', 'CODE', 'EM', 'I', 'KBD', 'SMALL', 'SPAN', 'STRONG', 'TIME'])

function textOf(node: Node): string | undefined {
  if (node.nodeType === NodeType.TEXT_NODE) return node.text
  const element = node as HTMLElement
  return INLINE.has(element.tagName) ? element.text : undefined
}

/** Returns where a sentence runs into what follows it. Elements beside each other, such as badges, may have space by their style. */
function joinsOf(html: string): string[] {
  const found: string[] = []
  const look = (element: HTMLElement): void => {
    if (['SCRIPT', 'STYLE', 'PRE', 'TEXTAREA', 'svg'].includes(element.tagName)) return
    for (const [index, child] of element.childNodes.entries()) {
      const next = element.childNodes[index + 1]
      const [left, right] = [textOf(child), next && textOf(next)]
      const isProse =
        [child, next].some((one) => one?.nodeType === NodeType.TEXT_NODE) || /[.,;:!?)”]$/.test(left ?? '')
      if (isProse && left && right && /[\p{L}\p{N}.,;:!?)”]$/u.test(left) && /^[\p{L}\p{N}(“]/u.test(right)) {
        found.push(
          `${element.tagName}.${element.getAttribute('class') ?? ''}: ${left.slice(-30)}|${right.slice(0, 30)}`,
        )
      }
      if (child.nodeType === NodeType.ELEMENT_NODE) look(child as HTMLElement)
    }
  }
  const main = parse(html).querySelector('main')
  if (main) look(main)
  return found
}

/** The page of all components shows what other pages have. */
const SEEN_ELSEWHERE = '/design'

test('on every page, what follows a sentence or a word has a space before it', async () => {
  const found: string[] = []
  for (const place of PLACES.filter(({ path }) => path !== SEEN_ELSEWHERE)) {
    const browser = new Browser(w.direct, sessionFor(full, place))
    for (const path of pathsOf(full, place)) {
      const { html } = await browser.open(path)
      for (const join of joinsOf(html)) found.push(`${place.path}: ${join}`)
    }
  }
  expect([...new Set(found)]).toEqual([])
})

test('nor where no one is notified yet, and nothing is acknowledged', async () => {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{ name: 'shop' }], 'all')
  const ran_at = w.clock.now().toISOString()
  await monitor.client.upload([result(guid, { ran_at, success: false, error: 'status: 503' })])
  const [row] = await w.rows('select incident_id from incidents where org_id = $1', org.org_id)
  const browser = new Browser(w.direct, await openSession(w.deps, org.owner_id, org.org_id))
  const found: string[] = []
  for (const path of ['/', `/checks/${guid}`, '/incidents', `/incidents/${String(row?.incident_id)}`]) {
    const { status, html } = await browser.open(path)
    expect(status).toBe(200)
    for (const join of joinsOf(html)) found.push(`${path}: ${join}`)
  }
  expect(found).toEqual([])
})
