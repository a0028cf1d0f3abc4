// Changes of a bulk request, as they are sent and as they are worked on.
import type { Input } from './kind.ts'

/** A change as it is sent. */
export interface BulkChange {
  action: 'put' | 'delete'
  kind: string
  key?: string | undefined
  id?: string | undefined
  body?: Input | undefined
}

export type Action = 'created' | 'replaced' | 'deleted' | 'unchanged'

/** A change, by its place in the request. */
export interface Put {
  index: number
  key: string | undefined
  /** A guid or id, or `key:NAME`, of something that exists. */
  id: string | undefined
  input: Input
}

/** What became of a change: the states of a thing of its kind. */
export interface Outcome {
  index: number
  action: Action
  id: string
  key: string | null
  before?: unknown
  after?: unknown
}
