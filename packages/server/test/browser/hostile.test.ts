// Every field that a customer, an agent or a target can fill holds hostile markup, and no page runs it, policy or not.
import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { openChromium } from '../support/chromium.ts'
import { type World, world } from '../support/world.ts'
import { type FullOrg, fullOrg, type Words } from './full-org.ts'
import { pathsOf, PLACES, sendForms, sessionFor } from './tour.ts'
import { OVERFLOW, visitor } from './visitor.ts'

const { browser, test, close } = await openChromium()

/** Whatever runs sets it. */
const MARK = 'window.hostile=1'
/** Out of an attribute, out of a text, out of an element that holds text only, and by templates and entities. */
const BREAKERS = [
  `"'><script>${MARK}</script><img src=x onerror=${MARK}><svg/onload=${MARK}>`,
  `</title></textarea></script></style><script>${MARK}</script>`,
  `" autofocus onfocus=${MARK} x="`,
  `' onmouseover=${MARK} x='`,
  `<a href=javascript:${MARK}>x</a><iframe srcdoc="<script>top.hostile=1</script>">`,
  `&lt;script&gt;${MARK}&lt;/script&gt;&#60;img src=x onerror=${MARK}&#62;`,
  `\${${MARK}}{{${MARK}}}<%=${MARK}%><!--><script>${MARK}</script>-->`,
  `<math><mi xlink:href="javascript:${MARK}">\u202e\u2028]]><script>${MARK}</script>`,
]

let turn = 0
const next = () => BREAKERS[turn++ % BREAKERS.length] ?? ''
let count = 0
const HOSTILE: Words = {
  line: () => next(),
  // An address has no blanks and one @.
  email: () => `"'><script>${MARK}</script><svg/onload=${MARK}>${count++}@x.example`,
  url: () => `https://x.example/"'><script>${MARK}</script>?javascript:${MARK}#<svg/onload=${MARK}>`,
}

let w: World
let full: FullOrg
beforeAll(async () => {
  w = await world()
  full = await fullOrg(w, HOSTILE)
  await spoil()
})
afterAll(async () => {
  await close()
  await w.close()
})

/** Names, kinds and the like, whose form the database or the code depends on. */
const CODES =
  /(^|_)(id|guid|hash|kind|state|type|plan|class|token|op|mode|reason|period|role|secret|key|slug|topic)$|^subject$/
const TABLES = /^(results_|rate_limits|kysely)/
const SHAPES: Readonly<Record<string, string>> = {
  url: `javascript:${MARK}//https://x.example/"><script>${MARK}</script>`,
  webhook_url: `javascript:${MARK}//"><script>${MARK}</script>`,
  email: `"'><script>${MARK}</script><img/src=x/onerror=${MARK}>`,
}
/** The columns that were spoiled; what stands in each tells its number. */
const spoiled: string[] = []

/** What nobody can write today, if only because a rule refuses it, may be there tomorrow: so, whatever text is stored. */
async function spoil(): Promise<void> {
  const columns = (await w.rows(
    `select table_name, column_name from information_schema.columns
     join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and table_type = 'BASE TABLE' and data_type = 'text' order by 1, 2`,
  )) as { table_name: string; column_name: string }[]
  for (const { table_name, column_name } of columns) {
    if (TABLES.test(table_name) || (CODES.test(column_name) && table_name !== 'audit_entries')) continue
    const text = (SHAPES[column_name] ?? next()).replaceAll(MARK, `window.hostile=${100 + spoiled.length}`)
    // The end stays, which tells addresses apart; a blank one says something, too.
    const set = `"${column_name}" = $1 || ' ' || right("${column_name}", 40)`
    await w.rows(`update "${table_name}" set ${set} where "${column_name}" <> ''`, text)
    spoiled.push(`${table_name}.${column_name}`)
  }
  // Pages hide bodies and headers, and whatever repeats a word of them: every text here does.
  await w.rows(`update checks set post_data = '', headers = '{}'`)
  await w.rows('delete from former_secrets')
  // A link is good for the address that its channel has.
  await w.rows(`
    update channel_confirmations l set email = c.email from notification_channels c
    where c.org_id = l.org_id and c.id = l.channel_id`)
  const hook = (SHAPES.webhook_url ?? next()).replaceAll(MARK, `window.hostile=${100 + spoiled.length}`)
  await w.rows(
    `update notification_channels set destination = jsonb_set(destination, '{webhook_url}', to_jsonb($1 || ' ' || right(destination ->> 'webhook_url', 40)))
     where destination ? 'webhook_url'`,
    hook,
  )
  spoiled.push('notification_channels.destination')
  const text = next().replaceAll(MARK, `window.hostile=${100 + spoiled.length}`)
  await w.rows('update audit_entries set detail = detail || jsonb_build_object($1::text, $2::text)', text, `${text} `)
  spoiled.push('audit_entries.detail')
}

/** What would run, or could be made to, told by where it stands. */
const FOUND_IN_PAGE = `[
  ...(window.hostile === undefined ? [] : ['it ran']),
  ...[...document.querySelectorAll('a[href], area[href], form[action], button[formaction], iframe, object, embed, base, use')]
    .filter((one) => /^\\s*(javascript|data|vbscript):/i.test(one.href ?? one.action ?? one.formAction ?? 'data:'))
    .map((one) => one.outerHTML),
  ...[...document.querySelectorAll('script')].filter((one) => one.src === '' || one.textContent !== '').map((one) => one.outerHTML),
  ...[...document.querySelectorAll('*')].filter((one) => [...one.attributes].some(({ name }) => /^on|^srcdoc$|^xlink/.test(name)))
    .map((one) => one.outerHTML),
  ...[...document.querySelectorAll('img, math, iframe, svg[onload], object, embed, base')].map((one) => one.outerHTML),
].map((html) => String(html).slice(0, 200))`

/** All that is asked of a page, with the numbers of the markup that can be read in it. */
const ASKED = `({
  found: ${FOUND_IN_PAGE},
  overflow: ${OVERFLOW},
  numbers: [...new Set([...document.documentElement.outerHTML.matchAll(/window\\.hostile=(\\d{3})/g)].map(([, n]) => Number(n)))],
})`

interface BadPage {
  path: string
  status: number | 'file' | undefined
  found: string[]
  /** Long words are hostile, too. */
  overflow: string[]
  trouble: string[]
}

/** Goes to every page there is; returns what was amiss, and what of the markup was there to be read. */
async function tour(bypassCSP: boolean): Promise<{ amiss: BadPage[]; shown: Set<string> }> {
  const amiss: BadPage[] = []
  const shown = new Set<string>()
  for (const session of [undefined, full.owner, full.admin]) {
    const {
      page,
      open,
      trouble,
      close: leave,
    } = await visitor(browser, w.direct, {
      session,
      bypassCSP,
      viewport: { width: 360, height: 800 },
    })
    const places = PLACES.filter((place) => sessionFor(full, place) === session)
    for (const path of places.flatMap((place) => pathsOf(full, place))) {
      const status = await open(path)
      if (status === 'file') continue
      const asked = await page.evaluate<{ found: string[]; overflow: string[]; numbers: number[] }>(ASKED)
      const { found, overflow, numbers } = asked
      const bad: BadPage = { path, status, found, overflow, trouble: trouble() }
      if (status !== 200 || [found, overflow, bad.trouble].some((faults) => faults.length > 0)) {
        amiss.push(bad)
      }
      for (const n of numbers) shown.add(spoiled[n - 100] ?? '')
    }
    await leave()
  }
  return { amiss, shown }
}

test('a page that wrote it as it is would run it, and is found out', async () => {
  const { page, close: leave } = await visitor(browser, w.direct, { bypassCSP: true })
  for (const breaker of BREAKERS.slice(0, 2)) {
    await page.goto('/sign-in')
    await page.setContent(`<input value="${breaker}"><p>${breaker}</p>`)
    expect(await page.evaluate<string[]>(FOUND_IN_PAGE)).toContain('it ran')
  }
  await page.goto('/sign-in')
  await page.setContent(`<a href="${SHAPES.url?.replaceAll('"', '&quot;')}">x</a>`)
  expect(await page.evaluate<string[]>(FOUND_IN_PAGE)).toHaveLength(1)
  await leave()
})

/** What pages show of it. */
const SHOWN = [
  'audit_entries.actor',
  'audit_entries.detail',
  'audit_entries.subject',
  'checks.match_string',
  'checks.name',
  'checks.url',
  'configuration_tokens.name',
  'deliveries.last_error',
  'heartbeats.name',
  'invitations.email',
  'monitors.city',
  'monitors.country',
  'monitors.name',
  'monitors.region',
  'monitors.version',
  'notification_channels.destination',
  'notification_channels.email',
  'notification_channels.name',
  'organisations.name',
  'people.email',
  'personal_access_tokens.name',
  'pings.body',
  'pings.rid',
  'results.error',
  'results.response_sample',
  'status_page_entries.public_name',
  'status_pages.description',
  'status_pages.title',
]

describe('no page runs it, and no link would', () => {
  for (const bypassCSP of [false, true]) {
    test(bypassCSP ? 'without the policy' : 'under the policy', async () => {
      const { amiss, shown } = await tour(bypassCSP)
      expect(amiss).toEqual([])
      // Were it not there to be read, its not running would show nothing.
      expect(SHOWN.filter((column) => !shown.has(column))).toEqual([])
    })
  }

  test('nor when a form shows again what was written into it', async () => {
    let sent = 0
    for (const session of [undefined, full.owner]) {
      const one = await visitor(browser, w.direct, { session, bypassCSP: true })
      const look = async () => {
        const seen = { at: one.page.url(), found: await one.page.evaluate<string[]>(FOUND_IN_PAGE) }
        expect(seen).toEqual({ at: seen.at, found: [] })
      }
      const places = PLACES.filter((place) => sessionFor(full, place) === session)
      // What ends the visit, or goes on in another org, is left out.
      for (const { path } of places.filter((place) => !/secret|sign-up|organisations/.test(place.path))) {
        const [first = ''] = pathsOf(full, { path, access: 'owner' })
        sent += await sendForms(one, first, BREAKERS[sent % BREAKERS.length] ?? '', look)
      }
      await one.close()
    }
    expect(sent).toBeGreaterThan(15)
  })
})
