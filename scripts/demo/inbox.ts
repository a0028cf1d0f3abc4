// The inbox of the demo's channel: accepts the webhooks that the server sends, keeps them in a file, and shows them on a page.
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

/** Body of a webhook, and its id, which is the same for a repeat. */
export interface Letter {
  id: string
  type: string
  timestamp: string
  data: Readonly<Record<string, unknown>>
}

const KEPT = 1000
const SHOWN = 200
const REFRESH_SEC = 5

export class Inbox {
  readonly #file: string
  /** Path of the webhook. It is secret, because other programs of this machine must not send letters. */
  readonly #path: string
  /** Oldest first. */
  #letters: Letter[]

  private constructor(file: string, path: string, letters: Letter[]) {
    this.#file = file
    this.#path = path
    this.#letters = letters
  }

  /** Opens the inbox of a file. `secret` is the last part of the path that accepts webhooks. */
  static async open(file: string, secret: string): Promise<Inbox> {
    const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').flatMap(parse)
    const letters = lines.slice(-KEPT)
    if (letters.length < lines.length) await writeFile(file, letters.map(lineOf).join(''), { mode: 0o600 })
    return new Inbox(file, `/inbox/${secret}`, letters)
  }

  get path(): string {
    return this.#path
  }

  /** Whether the inbox with this secret is open at a port of this machine. */
  static async isOpen(port: number, secret: string): Promise<boolean> {
    const answer = await fetch(`http://127.0.0.1:${port}/inbox/${secret}`).catch(() => undefined)
    return answer?.status === 204
  }

  /** Replaces the letters by those of the invented history. */
  async fill(letters: readonly Letter[]): Promise<void> {
    this.#letters = [...letters].slice(-KEPT)
    await writeFile(this.#file, this.#letters.map(lineOf).join(''), { mode: 0o600 })
  }

  /** Answers requests for the inbox. Returns false for other paths. */
  async answer(path: string, req: IncomingMessage, res: ServerResponse): Promise<boolean> {
    if (path === this.#path) {
      const id = String(req.headers['webhook-id'] ?? '')
      const body = req.method === 'POST' ? (JSON.parse(await text(req)) as object) : undefined
      for (const letter of body ? parse(JSON.stringify({ ...body, id })) : []) await this.#take(letter)
      res.writeHead(204).end()
      return true
    }
    if (path !== '/inbox') return false
    const headers = {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
    }
    res.writeHead(200, headers).end(pageOf(this.#letters.slice(-SHOWN).reverse()))
    return true
  }

  async #take(letter: Letter): Promise<void> {
    if (this.#letters.some(({ id }) => id === letter.id)) return
    this.#letters = [...this.#letters, letter].slice(-KEPT)
    await appendFile(this.#file, lineOf(letter), { mode: 0o600 })
  }
}

function lineOf(letter: Letter): string {
  return `${JSON.stringify(letter)}\n`
}

function parse(line: string): Letter[] {
  try {
    const { id, type, timestamp, data } = JSON.parse(line) as Partial<Letter>
    return type === undefined ? [] : [{ id: id ?? '', type, timestamp: timestamp ?? '', data: data ?? {} }]
  } catch {
    return []
  }
}

function pageOf(letters: readonly Letter[]): string {
  const rows = letters.map(
    (letter) =>
      `<tr class="${letter.type.split('.')[1] ?? ''}"><td>${escape(letter.timestamp.slice(0, 19).replace('T', ' '))}</td><td>${escape(letter.type)}</td><td>${escape(nameOf(letter))}</td><td>${escape(wordsOf(letter))}</td></tr>`,
  )
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="${REFRESH_SEC}"><title>Demo inbox</title><style>
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #8886;vertical-align:top}
.down td:nth-child(2){font-weight:700}</style></head><body><h1>Demo inbox</h1>
<p>Every alert that was sent to the channel “Demo inbox”, newest first. Times are UTC. Alerts from before the first start of the demo are made up.</p>
<table><thead><tr><th>Sent</th><th>Alert</th><th>About</th><th>Details</th></tr></thead><tbody>
${rows.join('\n') || '<tr><td colspan="4">No alerts yet.</td></tr>'}
</tbody></table></body></html>`
}

function nameOf({ data }: Letter): string {
  const one = (data.check ?? data.heartbeat ?? data.monitor ?? data.channel) as { name?: string } | undefined
  if (one?.name !== undefined) return one.name
  const many = (data.checks ?? data.monitors ?? []) as { name?: string }[]
  return many.map(({ name }) => name ?? '').join(', ')
}

function wordsOf({ data }: Letter): string {
  const { error, reason, duration_sec } = data
  const words = [error, reason].filter((one) => typeof one === 'string')
  if (typeof duration_sec === 'number') words.push(`after ${Math.max(1, Math.round(duration_sec / 60))} min`)
  return words.join(', ')
}

function escape(given: string): string {
  return given.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}
