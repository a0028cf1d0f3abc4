// Ending a server so that nobody loses an answer.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Server as Entrance } from 'node:net'

const SWEEP_MS = 50

export class Door {
  readonly #server: Server
  readonly #entrances: readonly Entrance[]
  readonly #underWay = new Set<ServerResponse>()
  #isClosing = false

  /** `entrances`: what takes connections for it beside itself. */
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

  /** From now on each answer is the last on its connection: who comes again, comes by another. */
  announce(): void {
    this.#isClosing = true
    for (const res of this.#underWay) if (!res.headersSent) res.setHeader('Connection', 'close')
  }

  /** Takes no new connection and finishes what is under way; at `bound`, what has not come to an end is ended. */
  async close(bound: AbortSignal): Promise<void> {
    this.announce()
    const all = [this.#server, ...this.#entrances]
    const closed = Promise.all(all.map((each) => new Promise<void>((resolve) => each.close(() => resolve()))))
    // Again and again: a connection that is kept alive is idle only once its request is done.
    const sweep = setInterval(() => this.#server.closeIdleConnections(), SWEEP_MS)
    const end = () => this.#server.closeAllConnections()
    if (bound.aborted) end()
    bound.addEventListener('abort', end)
    await closed
    clearInterval(sweep)
    bound.removeEventListener('abort', end)
  }
}
