// Defines the connection of all operations: the server URL, the token, and the limits of requests.

import { checkedApiUrl, type Token } from '#core/options'
import { CatchingRequest, openTransport } from '#core/transport'
import { API } from './api.ts'
import type { ClientOptions } from './core-types.ts'

export interface ConfigClientOptions extends ClientOptions {
  /** A configuration token, `dogwatch_cfg_...`. It can make changes within its scopes, so keep it like a password. */
  token: Token
}

/** Parts of a request: what to send, and how to send it. */
export interface RequestParts {
  init: RequestInit
  sending: object
}

/**
 * Connection to the configuration API. Pass it to the operations: `await createCheck(client, { body })`. They reject with an
 * `ApiError`, a `ConnectionError`, or the reason of an aborted signal.
 */
export class ConfigClient {
  readonly #url: string
  readonly #send: (request: Request, sending: object) => Promise<Response>

  /** @throws TypeError or RangeError for an invalid option. */
  constructor(options: ConfigClientOptions) {
    this.#url = checkedApiUrl(options.baseUrl, API.prefix)
    this.#send = openTransport(this.#url, API, options)
  }

  /** Sends a request of an operation. The parameters are untyped, so call the function of the operation instead. */
  send(method: string, path: string, { init, sending }: RequestParts): Promise<Response> {
    return this.#send(new CatchingRequest(this.#url + path, { ...init, method }), sending)
  }
}
