// A browser without scripts: keeps cookies, follows redirects, fills in forms as they stand on the page.
import { type HTMLElement, parse } from 'node-html-parser'
import { UNCOMPRESSED } from '../../../api/test/support/raw-http.ts'

export interface Page {
  status: number
  path: string
  html: string
  headers: Headers
}

export class Browser {
  readonly #origin: string
  readonly #cookies = new Map<string, string>()
  page: Page = { status: 0, path: '', html: '', headers: new Headers() }
  #parsed: { html: string; tree: HTMLElement } | undefined

  /** With the token of a session it is signed in already. */
  constructor(origin: string, session?: string) {
    this.#origin = origin
    if (session !== undefined) this.#cookies.set('dogwatch-session', session)
  }

  /** Takes cookies over, as a browser sends them. */
  keep(cookies: string): void {
    for (const pair of cookies.split('; ')) this.#keep(pair)
  }

  /** The cookies that the browser sends. */
  cookies(): string {
    return Array.from(this.#cookies, ([name, value]) => `${name}=${value}`).join('; ')
  }

  /** Goes to a path, and on wherever it is sent. */
  async open(path: string): Promise<Page> {
    return this.#request('GET', path)
  }

  /** Sends the form of that action on this page, with these fields filled in. */
  async submit(action: string, fields: Readonly<Record<string, string | readonly string[]>> = {}): Promise<Page> {
    const form = this.#form(action)
    const body = new URLSearchParams()
    const given = new Set(Object.keys(fields))
    for (const [name, value] of defaultsOf(form)) if (!given.has(name)) body.append(name, value)
    for (const [name, value] of Object.entries(fields)) {
      for (const one of typeof value === 'string' ? [value] : value) body.append(name, one)
    }
    return this.#request('POST', action, body)
  }

  /** Sends a body of one's own, past any form. */
  async post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Record<string, string> = {},
  ): Promise<Page> {
    return this.#request('POST', path, new URLSearchParams(fields), headers)
  }

  /** What a reader sees. */
  text(): string {
    return (this.#tree().querySelector('main')?.structuredText ?? this.page.html).trim()
  }

  all(selector: string): HTMLElement[] {
    return this.#tree().querySelectorAll(selector)
  }

  /** Read once for each page: tests look at many parts of it. */
  #tree(): HTMLElement {
    if (this.#parsed?.html !== this.page.html) this.#parsed = { html: this.page.html, tree: parse(this.page.html) }
    return this.#parsed.tree
  }

  #form(action: string): HTMLElement {
    // A button may send its form elsewhere.
    const form = this.all('form').find(
      (one) => one.getAttribute('action') === action || one.querySelector(`[formaction^="${action}"]`) !== null,
    )
    if (!form) throw new Error(`no form for ${action} on ${this.page.path}:\n${this.text()}`)
    return form
  }

  async #request(
    method: string,
    path: string,
    body?: URLSearchParams,
    headers: Record<string, string> = {},
  ): Promise<Page> {
    const response = await fetch(this.#origin + path, {
      method,
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        ...UNCOMPRESSED,
        cookie: this.cookies(),
        ...(body && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      ...(body && { body: body.toString() }),
    })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    const to = response.headers.get('location')
    const html = await response.text()
    if (to !== null && response.status >= 300 && response.status < 400) return this.#request('GET', to)
    return (this.page = { status: response.status, path, html, headers: response.headers })
  }

  #keep(line: string): void {
    const [pair = ''] = line.split(';')
    const at = pair.indexOf('=')
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
    if (value === '') this.#cookies.delete(name)
    else this.#cookies.set(name, value)
  }
}

function defaultsOf(form: HTMLElement): [string, string][] {
  return form.querySelectorAll('input, textarea, select').flatMap((field): [string, string][] => {
    const name = field.getAttribute('name')
    if (name === undefined) return []
    if (field.tagName === 'TEXTAREA') return [[name, field.textContent.replace(/^\n/, '')]]
    if (field.tagName === 'SELECT') {
      const options = field.querySelectorAll('option')
      if (field.hasAttribute('multiple')) {
        const chosen = options.filter((option) => option.hasAttribute('selected'))
        return chosen.map((option) => [name, option.getAttribute('value') ?? ''])
      }
      const chosen = options.find((option) => option.hasAttribute('selected')) ?? options[0]
      return chosen ? [[name, chosen.getAttribute('value') ?? '']] : []
    }
    const isBox = ['checkbox', 'radio'].includes(field.getAttribute('type') ?? '')
    if (isBox && !field.hasAttribute('checked')) return []
    return [[name, field.getAttribute('value') ?? (isBox ? 'on' : '')]]
  })
}
