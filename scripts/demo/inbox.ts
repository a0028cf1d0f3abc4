// Runs the inbox of the demo's channel: accepts the webhooks that the server sends, keeps them in a file, and shows them on a
// page.
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'

/** A webhook in the inbox: its body, and its id, which is the same if the server sends it again. */
export interface Letter {
  id: string
  type: string
  timestamp: string
  data: Readonly<Record<string, unknown>>
}

const KEPT = 1000
const SHOWN = 200
const REFRESH_SEC = 5
const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
}

export class Inbox {
  /** Path at which the inbox accepts webhooks. It is secret, because other programs of this machine must not send any. */
  readonly path: string
  readonly #file: string
  /** Webhooks in the inbox, oldest first. */
  #letters: readonly Letter[] = []

  private constructor(file: string, path: string) {
    this.#file = file
    this.path = path
  }

  /** Opens the inbox of a file. `secret` is the last part of the path that accepts webhooks. */
  static async open(file: string, secret: string): Promise<Inbox> {
    const inbox = new Inbox(file, `/inbox/${secret}`)
    const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n')
    await inbox.fill(lines.flatMap((line) => lettersIn(line)))
    return inbox
  }

  /** Whether the inbox with this secret answers at a port of this machine. */
  static async isOpen(port: number, secret: string): Promise<boolean> {
    const answer = await fetch(`http://127.0.0.1:${port}/inbox/${secret}`).catch(() => undefined)
    return answer?.status === 204
  }

  /** Replaces all webhooks in the inbox. */
  async fill(letters: readonly Letter[]): Promise<void> {
    this.#letters = letters.slice(-KEPT)
    await writeFile(this.#file, this.#letters.map(lineOf).join(''), { mode: 0o600 })
  }

  /** Handles requests for the inbox. Returns false for other paths. */
  async answer(path: string, req: IncomingMessage, res: ServerResponse): Promise<boolean> {
    if (path === '/inbox') {
      res.writeHead(200, PAGE_HEADERS).end(pageOf(this.#letters.slice(-SHOWN).reverse()))
      return true
    }
    if (path !== this.path) return false
    if (req.method === 'POST')
      await this.#take({ ...((await json(req)) as Letter), id: String(req.headers['webhook-id']) })
    res.writeHead(204).end()
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

/** Returns the webhook in a line of the file, or none if a crash cut the line off. */
function lettersIn(line: string): Letter[] {
  try {
    return [JSON.parse(line) as Letter]
  } catch {
    return []
  }
}

function pageOf(letters: readonly Letter[]): string {
  const rows = letters.map((letter) => {
    const cells = [letter.timestamp.slice(0, 19).replace('T', ' '), letter.type, nameOf(letter), wordsOf(letter)]
    const shown = cells.map((cell) => `<td>${escape(cell)}</td>`).join('')
    return `<tr class="${escape(letter.type.split('.')[1] ?? '')}">${shown}</tr>`
  })
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
  const many = (data.checks ?? data.monitors ?? []) as { name?: string }[]
  return (one?.name === undefined ? many : [one]).map(({ name }) => name ?? '').join(', ')
}

function wordsOf({ data: { error, reason, duration_sec } }: Letter): string {
  const after = typeof duration_sec === 'number' && `after ${Math.max(1, Math.round(duration_sec / 60))} min`
  return [error, reason, after].filter((one) => typeof one === 'string').join(', ')
}

function escape(given: string): string {
  return given.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}
