// Ends a server without losing the response of a request in progress.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Server as Entrance } from 'node:net'

const SWEEP_MS = 50

export class Door {
  readonly #server: Server
  readonly #entrances: readonly Entrance[]
  readonly #underWay = new Set<ServerResponse>()
  #isClosing = false

  /** Watches the connections of a server. `entrances` are its additional listeners. */
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

  /** Makes each further response the last one on its connection, so that clients connect to another server. */
  announce(): void {
    this.#isClosing = true
    for (const res of this.#underWay) if (!res.headersSent) res.setHeader('Connection', 'close')
  }

  /** Accepts no new connections, and waits for requests in progress. Cuts off those that are unfinished when `bound` aborts. */
  async close(bound: AbortSignal): Promise<void> {
    this.announce()
    const all = [this.#server, ...this.#entrances]
    const closed = Promise.all(all.map((each) => new Promise<void>((resolve) => each.close(() => resolve()))))
    // Repeats this, because a keep-alive connection becomes idle only when its request is done.
    const sweep = setInterval(() => this.#server.closeIdleConnections(), SWEEP_MS)
    const end = () => this.#server.closeAllConnections()
    if (bound.aborted) end()
    bound.addEventListener('abort', end)
    await closed
    clearInterval(sweep)
    bound.removeEventListener('abort', end)
  }
}
