// Defines the item that a monitor of Uptime Kuma becomes, while its columns are read.
import type { FileCheck, FileHeartbeat } from '../../file/format.ts'
import { type Fields, onlyWhere, type Rule, type Said } from '../audit.ts'
import type { ItemContext } from '../requests.ts'

export interface MonitorDraft {
  type: string
  check: FileCheck
  heartbeat: FileHeartbeat
  asking: ItemContext
  /** Numbers of days before a certificate's expiry that make Kuma send an alert. */
  certificateDays: readonly number[]
  /** Finds a proxy by its id. */
  proxies: (id: unknown) => Fields | undefined
  /** Outcome of the JSON query. Absent until a rule has read the first of the query's columns. */
  query?: Said
}

export type MonitorRule = Rule<MonitorDraft>

/** Applies a rule only to monitors of some types. Monitors of other types do not use the field. */
export function onlyFor(types: readonly string[], rule: MonitorRule): MonitorRule {
  return onlyWhere(({ draft }) => types.includes(draft.type), rule)
}
