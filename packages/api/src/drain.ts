// Ends a server without losing a response.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Server as Entrance } from 'node:net'

const SWEEP_MS = 50

export class Door {
  readonly #server: Server
  readonly #entrances: readonly Entrance[]
  readonly #underWay = new Set<ServerResponse>()
  #isClosing = false

  /** Watches a server. `entrances` are further listeners of it. */
  constructor(server: Server, entrances: readonly Entrance[] = []) {
    this.#server = server
    this.#entrances = entrances
    const enter = (_req: IncomingMessage, res: ServerResponse): void => {
      if (this.#isClosing) res.setHeader('Connection', 'close')
      this.#underWay.add(res)
      res.once('close', () => this.#underWay.delete(res))
    }
    server.prependListener('request', enter)
    server.prependListener('checkExpectation', enter)
  }

  /** Makes each further response the last on its connection, so that clients reconnect elsewhere. */
  announce(): void {
    this.#isClosing = true
    for (const res of this.#underWay) if (!res.headersSent) res.setHeader('Connection', 'close')
  }

  /** Accepts no new connection and finishes requests in progress. Cuts off unfinished ones at `bound`. */
  async close(bound: AbortSignal): Promise<void> {
    this.announce()
    const all = [this.#server, ...this.#entrances]
    const closed = Promise.all(all.map((each) => new Promise<void>((resolve) => each.close(() => resolve()))))
    // Repeatedly, because a keep-alive connection becomes idle only when its request is done.
    const sweep = setInterval(() => this.#server.closeIdleConnections(), SWEEP_MS)
    const end = () => this.#server.closeAllConnections()
    if (bound.aborted) end()
    bound.addEventListener('abort', end)
    await closed
    clearInterval(sweep)
    bound.removeEventListener('abort', end)
  }
}
