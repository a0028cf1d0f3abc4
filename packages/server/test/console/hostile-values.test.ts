// Every parameter of every page and every field of every form, with infinities, extremes, dates far off and names of the prototype.
// The names are those that pages render and those that the code reads: a new page or field is tried by itself. No answer is a 5xx,
// refusals say what is at fault, and what is refused has changed nothing.

import { findRoute } from '@dogwatch/console/find-route'
import type { Access, Route } from '@dogwatch/console/route'
import { setPassword } from '@dogwatch/domain/people/edit'
import { openSession } from '@dogwatch/domain/people/sessions'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { PROTOTYPE_NAMES } from '../../../api/test/support/hostile-values.ts'
import { UNCOMPRESSED } from '../../../api/test/support/raw-http.ts'
import { Form } from '../../../console/src/form.ts'
import { ROUTES } from '../../../console/src/routes.ts'
import { type FullOrg, fullOrg } from '../browser/full-org.ts'
import { PLACES, pathsOf } from '../browser/tour.ts'
import { Browser } from '../support/browser.ts'
import { lookAtAll } from '../support/look-at-all.ts'
import { type World, world } from '../support/world.ts'

let w: World
let full: FullOrg
let state: () => Promise<string>
/** Names that the code reads from queries and forms, by `METHOD path` of the route. */
const read = new Map<string, Set<string>>()

beforeAll(async () => {
  // A page waits for a run that somebody asks for.
  w = await world({ console: { run_wait_ms: 1 } })
  full = await fullOrg(w)
  const [owner] = await w.rows('select email from people where person_id = $1', full.owner_id)
  await setPassword(w.deps, String(owner?.email), 'correct horse battery')
  const stateOf = await lookAtAll(w)
  state = () => stateOf(full)
  for (const route of ROUTES) listenTo(route)
})
afterAll(() => w.close())

/** Notes the names that a route reads, and changes nothing about what it does. */
function listenTo(route: Route): void {
  const names = new Set<string>()
  read.set(`${route.method} ${route.path}`, names)
  const handle = route.handle as (context: { query: object; form: Form }) => ReturnType<Route['handle']>
  route.handle = (context: { query: object; form: Form }) => {
    const query = new Proxy(context.query, {
      get: (target, name) => {
        names.add(String(name))
        return Reflect.get(target, name) as unknown
      },
    })
    return handle({ ...context, query, form: new ListeningForm(context.form, names) })
  }
}

class ListeningForm extends Form {
  readonly #form: Form
  readonly #names: Set<string>

  constructor(form: Form, names: Set<string>) {
    super()
    this.#form = form
    this.#names = names
  }

  override text(name: string): string {
    this.#names.add(name)
    return this.#form.text(name)
  }

  override all(name: string): string[] {
    this.#names.add(name)
    return this.#form.all(name)
  }

  override isOn(name: string): boolean {
    this.#names.add(name)
    return this.#form.isOn(name)
  }
}

const [CONSTRUCTOR, PROTO] = PROTOTYPE_NAMES
/** For every field: what a list of choices may take for one of them. */
const CHOICES = [CONSTRUCTOR, '1e400', '-1']
/** For a field into which something is written. */
const WRITTEN = [...CHOICES, '2147483648', '9'.repeat(40), '0001-01-01T00:00', '9999-12-31T23:59']
const IN_QUERY = [...WRITTEN, PROTO, 'NaN', '9223372036854775808']

interface RenderedForm {
  page: string
  action: string
  /** The values that a browser sends, by field. */
  values: Map<string, string[]>
  /** The fields into which something is written. */
  written: Set<string>
}

/** An alert, the sentence of a page for problems, or a line of text for clients that are no browsers. */
const SAYS_WHY = /role="?alert|<h1>[^<]+<\/h1><p>[^<]+|^[^<\n]+$/

const forms: RenderedForm[] = []
const faults: string[] = []
const statuses = new Map<number, number>()

function judge(what: string, { status, html }: { status: number; html: string }): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
  if (status >= 500) faults.push(`${what}: ${status}`)
  if (status === 400 && !SAYS_WHY.test(html)) faults.push(`${what}: nothing is said`)
}

async function browserFor(access: Access): Promise<Browser> {
  if (access === 'anyone') return new Browser(w.direct)
  if (access === 'admin') return new Browser(w.direct, full.admin)
  return new Browser(w.direct, await openSession(w.deps, full.owner_id, full.org_id))
}

/** Reads the forms of a page, and those of pages that it links to with a query, such as one for each kind of channel. */
async function visit(browser: Browser, path: string, seen: Set<string>): Promise<void> {
  if (seen.has(path)) return
  seen.add(path)
  judge(path, await browser.open(path))
  forms.push(...browser.all('form').flatMap((form) => readForm(path, form)))
  const links = browser.all('a[href*="?"]').map((link) => link.getAttribute('href')?.replaceAll('&amp;', '&') ?? '')
  for (const link of links.filter((one) => one.includes('kind='))) {
    if (findRoute('GET', link)?.path.endsWith('/new')) await visit(browser, link, seen)
  }
}

type Element = ReturnType<Browser['all']>[number]

function readForm(page: string, form: Element): RenderedForm[] {
  const values = new Map<string, string[]>()
  const written = new Set<string>()
  for (const field of form.querySelectorAll('input, textarea, select, button')) {
    const name = field.getAttribute('name')
    if (name === undefined || name === 'csrf') continue
    const type = field.getAttribute('type') ?? ''
    const isBox = ['checkbox', 'radio'].includes(type)
    const sent = field.tagName === 'BUTTON' || (isBox && !field.hasAttribute('checked')) ? [] : [valueOf(field)]
    values.set(name, [...(values.get(name) ?? []), ...sent])
    if (field.tagName === 'TEXTAREA' || (field.tagName === 'INPUT' && !isBox && type !== 'hidden')) written.add(name)
  }
  const actions = [form, ...form.querySelectorAll('[formaction]')].map(
    (one) => one.getAttribute('formaction') ?? one.getAttribute('action'),
  )
  return actions.flatMap((action) => (action === undefined ? [] : [{ page, action, values, written }]))
}

function valueOf(field: Element): string {
  if (field.tagName === 'TEXTAREA') return field.textContent
  if (field.tagName !== 'SELECT') return field.getAttribute('value') ?? ''
  const option = field.querySelector('option[selected]') ?? field.querySelector('option')
  return option?.getAttribute('value') ?? ''
}

test('pages', async () => {
  const seen = new Set<string>()
  for (const place of PLACES) {
    const browser = await browserFor(place.access)
    const paths = pathsOf(full, place)
    for (const path of paths) await visit(browser, path, seen)
    const [path = ''] = paths
    for (const name of read.get(`GET ${place.path}`) ?? ['page']) {
      for (const value of IN_QUERY) {
        const odd = `${path}?${new URLSearchParams([[name, value]]).toString()}`
        judge(odd, await browser.open(odd))
      }
    }
    const names = place.path.split('/')
    const variable = names.flatMap((name, i) => (name.startsWith(':') ? [i] : []))
    for (const value of [...PROTOTYPE_NAMES, '1e400', '9'.repeat(15), '9223372036854775808']) {
      for (const i of variable) {
        const odd = path.split('/').with(i, value).join('/')
        judge(odd, await browser.open(odd))
      }
    }
  }
  expect(faults).toEqual([])
  expect(forms.length).toBeGreaterThan(100)
  expect(new Set([...read.values()].flatMap((names) => [...names])).size).toBeGreaterThan(20)
}, 600_000)

/** Fields of which a form has many: of `step0-after` and `step1-after`, the first is tried. */
function oneOfEach(names: Iterable<string>): string[] {
  const byShape = new Map<string, string>()
  for (const name of names) {
    const shape = name.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g, '#')
    if (!byShape.has(shape)) byShape.set(shape, name)
  }
  return [...byShape.values()]
}

/** Returns the forms of a route, each with fields of its own; one without fields where no page renders any. */
function formsOf(route: Route): RenderedForm[] {
  const here = forms.filter(({ action }) => findRoute('POST', action) === route)
  const byFields = new Map(here.map((form) => [[...form.values.keys()].join(' '), form] as const))
  if (byFields.size > 0) return [...byFields.values()]
  const page = route.access === 'anyone' ? '/sign-in' : route.access === 'admin' ? '/admin' : '/account'
  const action = route.path.replace(/:(\w+)/g, (_, name: string) => full.params[name]?.[0] ?? '1')
  return [{ page, action, values: new Map(), written: new Set() }]
}

/** The state after the last form that was tried. */
let lastState: string | undefined

async function trySending(route: Route, form: RenderedForm, known: Set<string>): Promise<void> {
  const browser = await browserFor(route.access)
  const read_csrf = async () => {
    await browser.open(form.page)
    return browser.all('input[name=csrf]')[0]?.getAttribute('value') ?? ''
  }
  let csrf = await read_csrf()
  const before = lastState ?? (await state())
  let isChanged = false
  const attempt = async (name: string, value: string) => {
    const body = new URLSearchParams([['csrf', csrf]])
    for (const [other, values] of form.values) if (other !== name) for (const one of values) body.append(other, one)
    body.append(name, value)
    const headers = { accept: 'text/html', ...UNCOMPRESSED, cookie: browser.cookies() }
    const post = () => fetch(w.direct + form.action, { method: 'POST', redirect: 'manual', body, headers })
    let response = await post()
    if (response.status === 429) {
      // Limits come back with time.
      w.clock.forward(120)
      response = await post()
    }
    judge(`${route.path} ${name}=${value}`, { status: response.status, html: await response.text() })
    isChanged ||= response.status < 400
    if (response.status === 403) csrf = await read_csrf()
  }
  // Their fields are judged by the rules of the forms that create.
  const isFamiliar = /\/(edit|test)$/.test(route.path)
  const tryField = async (name: string) => {
    if (known.has(name)) return
    known.add(name)
    const isWritten = form.values.size === 0 || form.written.has(name)
    for (const value of isWritten && !isFamiliar ? WRITTEN : CHOICES) await attempt(name, value)
  }
  if (form.values.size === 0) await attempt('none', '')
  for (const name of oneOfEach(form.values.keys())) await tryField(name)
  for (const name of oneOfEach(read.get(`POST ${route.path}`) ?? [])) await tryField(name)
  const after = await state()
  lastState = after
  const changed = after
    .split(' ')
    .filter((part) => !before.includes(part))
    .map((part) => part.slice(0, -32))
  if (!isChanged && changed.length > 0) faults.push(`${route.path}: refused, and ${changed.join(', ')} changed`)
}

test('forms', async () => {
  for (const route of ROUTES.filter(({ method }) => method === 'POST')) {
    const known = new Set<string>()
    for (const form of formsOf(route)) await trySending(route, form, known)
  }
  expect(faults).toEqual([])
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 303, 400, 404]))
}, 600_000)

test('what anyone may ask: status pages, pings and installers', async () => {
  const [slug = ''] = full.params.slug ?? []
  const [key] = await w.rows('select token from heartbeat_keys where org_id = $1 limit 1', full.org_id)
  const ping = `/ping/${String(key?.token)}`
  const values = [...IN_QUERY, ...PROTOTYPE_NAMES, '+1', '256', '01', '0x1']
  for (const value of values.map(encodeURIComponent)) {
    const paths = [
      `/status/${value}`,
      `/status/${slug}?page=${value}`,
      `/status/${slug}.json?since=${value}`,
      `/ping/${value}`,
      `${ping}/${value}`,
      `${ping}/start?rid=${value}`,
      `/install/${value}`,
      `/assets/${value}`,
      `/live/version?v=${value}`,
      `/${value}`,
    ]
    for (const path of paths) {
      const response = await fetch(w.direct + path, { headers: UNCOMPRESSED })
      judge(path, { status: response.status, html: await response.text() })
    }
  }
  expect(faults).toEqual([])
})
