// Defines how an operation becomes a function that sends its request.

import type { HandOut } from '#core/operation'
import type { ConfigClient } from './client.ts'
import type { OperationName } from './core-types.ts'
import type { Answer, Arguments } from './inputs.ts'
import { sendAs } from './operations.ts'

/** Facts about an operation that the client needs in addition to its types. */
interface Facts {
  /** Fields that the body of a success must have. */
  readonly has?: readonly string[]
  /** Whether the client sends an `Idempotency-Key`, so that it can repeat the request. */
  readonly once?: true
  /** Reads the body of a success that is not JSON. */
  readonly handOut?: HandOut
}

/** Input that several operations have in addition to their parameters. */
interface SharedInput {
  body?: unknown
  ifMatch?: string
  idempotencyKey?: string
}

/** One operation of the configuration API. */
export interface Call<Name extends OperationName> {
  (client: ConfigClient, ...given: Arguments<Name>): Promise<Answer<Name>>
  /** Path of the operation in the contract, with its parameters in braces. */
  readonly path: string
}

/** Makes the function for the operation with a method and a path of the contract. */
export function operation<Name extends OperationName>(
  name: Name,
  method: string,
  path: string,
  { has = [], once, handOut }: Facts = {},
): Call<Name> {
  const call = async (client: ConfigClient, ...[given, options]: Arguments<Name>) => {
    const { body, ifMatch, idempotencyKey, ...rest } = (given ?? {}) as SharedInput & Record<string, unknown>
    let segments = path
    const query = new URLSearchParams()
    for (const [field, value] of Object.entries(rest)) {
      if (path.includes(`{${field}}`)) segments = segments.replace(`{${field}}`, () => segmentOf(value))
      else if (value !== undefined) query.append(field, `${value as string | number}`)
    }
    const headers = {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      ...(once && { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() }),
    }
    // A change with `ifMatch` creates a new version. If its response is lost, the server would refuse a repeat.
    const repeatable = method === 'POST' ? once === true : ifMatch === undefined
    const isAnswer = (answer: unknown) => has.every((field) => field in Object(answer))
    const response = await sendAs({ name, repeatable, isAnswer }, () =>
      client.send(method, segments + (query.size > 0 ? `?${query}` : ''), {
        init: { headers, ...(body !== undefined && { body: JSON.stringify(body) }) },
        sending: { ...options, handOut },
      }),
    )
    const data: unknown = await (handOut ? response.text() : response.json())
    const etag = response.headers.get('etag')
    if (etag !== null) etags.set(data as object, etag)
    return data as Answer<Name>
  }
  return Object.assign(call, { path })
}

const etags = new WeakMap<object, string>()

/**
 * Returns the `ETag` of a response. If you send it as `ifMatch`, the server refuses a change if there was another change since
 * that response.
 */
export function etagOf(answer: object): string | undefined {
  return etags.get(answer)
}

function segmentOf(value: unknown): string {
  const segment = String(value)
  // A URL drops a segment of dots, and cannot contain half a surrogate pair.
  if (/^\.{0,2}$|\p{Surrogate}/u.test(segment)) throw new TypeError('this guid, id or key is not valid in a URL')
  return encodeURIComponent(segment)
}
