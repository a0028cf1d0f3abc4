// Opens what every call of a client goes through: the typed openapi-fetch client, and the transport that it sends with.

import createFetchClient, { type Client } from 'openapi-fetch'
import { API_PREFIX } from './api.ts'
import { type ClientOptions, checkedBaseUrl, checkedUserAgent, clockOf, DEFAULT_LIMITS, limitsOf } from './options.ts'
import { CatchingRequest, type Sending, Transport } from './transport.ts'

export interface Connection<Paths extends object> {
  readonly http: Client<Paths>
  /** A `fetch` for openapi-fetch that obeys a call's options and throws for whatever is not a success. */
  readonly strictly: (options: Sending) => (request: Request) => Promise<Response>
}

/** Sends nothing yet. Throws a TypeError or a RangeError for an option that cannot be right. */
export function connect<Paths extends object>(options: ClientOptions): Connection<Paths> {
  const apiUrl = checkedBaseUrl(options.baseUrl) + API_PREFIX
  const { fetch } = options
  const transport = new Transport({
    apiUrl,
    token: options.token,
    fetch: async (url, init) => (fetch ?? globalThis.fetch)(url, init),
    limits: limitsOf(options, DEFAULT_LIMITS),
    clock: clockOf(options.clock),
    userAgent: checkedUserAgent(options.userAgent),
    signal: options.signal,
    log: options.log,
  })
  return {
    http: createFetchClient<Paths>({
      baseUrl: apiUrl,
      Request: CatchingRequest,
      fetch: (request) => transport.send(request, {}),
    }),
    strictly: (sending) => async (request) => transport.demandSuccess(request, await transport.send(request, sending)),
  }
}
