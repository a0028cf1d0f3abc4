// What every operation is sent through: where the server is, the token, and how patient to be.

import { checkedApiUrl, type Token } from '#core/options'
import type { ClientOptions } from './core-types.ts'
import { CatchingRequest, openTransport } from '#core/transport'
import { API } from './api.ts'

export interface ConfigClientOptions extends ClientOptions {
  /** A configuration token, `dogwatch_cfg_...`. It may change what its scopes say, so keep it like a password. */
  token: Token
}

/** How one request is made: the request itself, and what the call says of sending it. */
export interface Made {
  init: RequestInit
  sending: object
}

/**
 * A connection to the configuration API. Hand it to the operations: `await createCheck(client, { body })`. They reject with an `ApiError`
 * when the server refuses, with a `ConnectionError` when no usable answer comes, and with the signal's own reason when it is aborted.
 */
export class ConfigClient {
  readonly #url: string
  readonly #send: (request: Request, sending: object) => Promise<Response>

  /** @throws TypeError or RangeError for an option that cannot be right. */
  constructor(options: ConfigClientOptions) {
    this.#url = checkedApiUrl(options.baseUrl, API.prefix)
    this.#send = openTransport(this.#url, API, options)
  }

  /** What the operations send with. It knows no types: call the operations. */
  send(method: string, path: string, { init, sending }: Made): Promise<Response> {
    return this.#send(new CatchingRequest(this.#url + path, { ...init, method }), sending)
  }
}
