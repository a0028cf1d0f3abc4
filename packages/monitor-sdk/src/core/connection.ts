// Opens the connection of a client: the typed openapi-fetch client, and the transport that it sends with.

import createFetchClient, { type Client } from 'openapi-fetch'
import type { Api } from './operation.ts'
import { type ClientOptions, checkedApiUrl } from './options.ts'
import { CatchingRequest, openTransport, type Sending } from './transport.ts'

export interface Connection<Paths extends object> {
  readonly http: Client<Paths>
  /**
   * Returns a `fetch` for openapi-fetch, which applies a call's options and throws unless the response has a status of success.
   */
  readonly strictly: (options: Sending) => (request: Request) => Promise<Response>
}

/** Opens a connection, without sending anything. Throws a TypeError or a RangeError for an invalid option. */
export function connect<Paths extends object, Name extends string>(
  api: Api<Name>,
  options: ClientOptions<Name>,
): Connection<Paths> {
  const apiUrl = checkedApiUrl(options.baseUrl, api.prefix)
  const send = openTransport(apiUrl, api, options)
  return {
    http: createFetchClient<Paths>({
      baseUrl: apiUrl,
      Request: CatchingRequest,
      fetch: (request) => send(request),
    }),
    strictly: (sending) => (request) => send(request, sending),
  }
}
