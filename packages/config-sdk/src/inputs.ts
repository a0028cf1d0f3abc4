// What the operations take and give, from the contract's types alone: a new operation needs no line here.

import type { operations } from './generated.ts'
import type { OperationName } from './core-types.ts'
import type { CallOptions } from '#core/options'

type Parameters<Name extends OperationName> = operations[Name]['parameters']
/** `unknown` vanishes in an intersection. */
type Given<Part> = [NonNullable<Part>] extends [never] ? unknown : NonNullable<Part>
type PathOf<Name extends OperationName> = Parameters<Name> extends { path: infer Path } ? Given<Path> : unknown
type QueryOf<Name extends OperationName> = Parameters<Name> extends { query?: infer Query } ? Given<Query> : unknown
type HeaderOf<Name extends OperationName> = Parameters<Name> extends { header?: infer Header } ? Given<Header> : unknown
type Json<Body> = Body extends { content: { 'application/json': infer Value } } ? Value : never
type BodyOf<Name extends OperationName> = operations[Name] extends { requestBody: infer Body }
  ? { body: Json<Body> }
  : operations[Name] extends { requestBody?: infer Body }
    ? [NonNullable<Body>] extends [never]
      ? unknown
      : { body?: Json<NonNullable<Body>> }
    : unknown

interface IfMatch {
  /** The `etag` of what the change is based on. If somebody else was faster, the call fails with an `ApiError` of status 412. */
  ifMatch?: string | undefined
}

interface Idempotency {
  /** Names this request. Left out, the client makes one; each attempt sends the same one, so that it is carried out once. */
  idempotencyKey?: string | undefined
}

/** Everything that an operation takes: what stands in its path and its query, its `body`, `ifMatch` and `idempotencyKey`. */
export type Input<Name extends OperationName> = PathOf<Name> &
  QueryOf<Name> &
  BodyOf<Name> &
  (HeaderOf<Name> extends { 'If-Match'?: string } ? IfMatch : unknown) &
  (HeaderOf<Name> extends { 'Idempotency-Key'?: string } ? Idempotency : unknown)

type Success<Name extends OperationName> = operations[Name]['responses'] extends infer Responses
  ? Responses[keyof Responses & (200 | 201 | 202)]
  : never

/** What an operation answers: JSON, or text where the contract says text. */
export type Answer<Name extends OperationName> =
  Success<Name> extends infer One
    ? One extends { content: infer Content }
      ? Content[keyof Content]
      : undefined
    : never

/** `input` may be left out where nothing in it is required. */
export type Arguments<Name extends OperationName> =
  Record<never, never> extends Input<Name>
    ? [input?: Input<Name>, options?: CallOptions]
    : [input: Input<Name>, options?: CallOptions]

/** The operations that answer with pages. */
export type Paged = {
  [Name in OperationName]: Answer<Name> extends { next?: string }
    ? Parameters<Name> extends { query?: { after?: string } }
      ? Name
      : never
    : never
}[OperationName]

type ListIn<Page> = { [Field in keyof Page]-?: Page[Field] extends readonly (infer Item)[] ? Item : never }[keyof Page]

/** One of the things that the pages of an operation hold. */
export type Item<Name extends Paged> = ListIn<Answer<Name>>
