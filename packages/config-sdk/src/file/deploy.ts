// Plans and applies a file with the same request, which asks the server either to return the changes, or to make them.

import { ApiError, type ConfigClient, changeInBulk, type Schemas } from '../index.ts'
import { changesOf, MAX_CHANGES, type RequestedChange } from './changes.ts'
import { namesOf, shownOf } from './differences.ts'
import { FaultyFile, pathText } from './place.ts'
import { type Wrong, wrongsOf } from './problem.ts'
import { type ReadFile, SECTIONS } from './read.ts'
import { isOver, keyed, readThings } from './server.ts'

export interface DeployOptions {
  /**
   * Whether to delete items on the server that the sections of the file omit. Items without a key and completed windows are never
   * deleted.
   */
  prune: boolean
  /** Whether to save nothing and only return the changes. */
  dryRun: boolean
  signal?: AbortSignal
  /** Changes of an earlier plan. The server makes them only if every item is still as the plan found it. */
  planned?: readonly PlannedChange[] | undefined
}

type Change = Schemas['BulkChange']

/** The part of a planned change that is needed to apply the plan. */
export type PlannedChange = Pick<Schemas['BulkChanged'], 'kind' | 'key' | 'found'>

/** Error for a plan that does not match the file. */
export class PlanMismatch extends Error {
  override readonly name = 'PlanMismatch'
}

/** Changes that were made or would be made, without secrets. */
export interface DeployResult {
  changes: Schemas['BulkChanged'][]
  counts: Schemas['BulkCounts']
  /** Keys of the routes in the order of the file. Absent if the server already has this order. */
  order?: readonly string[]
}

export function isDifferent({ counts, order }: DeployResult): boolean {
  return counts.created + counts.replaced + counts.deleted > 0 || order !== undefined
}

/** Plans or applies the file. @throws FaultyFile if the server refuses a part of the file, with its place. */
export async function deploy(
  client: ConfigClient,
  { source, config }: ReadFile,
  { prune, dryRun, signal, planned }: DeployOptions,
): Promise<DeployResult> {
  const options = signal ? { signal } : {}
  const sections = SECTIONS.filter((section) => config[section] && prune)
  const things = await readThings(client, sections, options)
  const asked = changesOf(config, prune ? keyed(things.filter((thing) => !isOver(thing))) : [])
  if (asked.length > MAX_CHANGES) {
    const line = `the file has ${asked.length} items, but one request can change at most ${MAX_CHANGES}; split the file into several files`
    throw new FaultyFile(source.file, [{ at: source.placeOf([]), line }])
  }
  const changes = asked.map(({ change }) => change)
  const keys = source.keysOf(['routes'])
  const body = {
    dry_run: dryRun,
    changes: planned ? asPlanned(changes, planned) : changes,
    ...(keys.length > 0 && { route_order: keys.map((key) => `key:${key}`) }),
  }
  const answer = await changeInBulk(client, { body }, options).catch((error: unknown) => {
    throw withPlaces(error, asked, { source })
  })
  const show = shownOf(source, namesOf(things, answer.changes))
  return {
    changes: answer.changes.map((changed, index) => ({
      ...changed,
      fields: changed.fields.map((field) => show(asked[index]?.path, field)),
    })),
    counts: answer.counts,
    ...(answer.reordered === true && { order: keys }),
  }
}

/** Adds to each change the condition that its item is still as the plan found it. */
function asPlanned(changes: readonly Change[], planned: readonly PlannedChange[]): Change[] {
  const nameOf = ({ kind, key }: Pick<PlannedChange, 'kind' | 'key'>) => `${kind} ${key ?? ''}`.trim()
  const found = new Map(planned.map((one) => [nameOf(one), one.found]))
  const unplanned = changes.find((change) => found.get(nameOf(change)) === undefined)
  const [less] = planned.length > changes.length ? planned : []
  if (unplanned || less) {
    const what = unplanned ? `does not cover the ${nameOf(unplanned)}` : 'contains more items than the file'
    throw new PlanMismatch(`the plan ${what}, so it does not match this file; create a new plan`)
  }
  return changes.map((change) => ({ ...change, if_match: found.get(nameOf(change)) }) as Change)
}

const PART = /^changes\[(\d+)\](?:\.body)?\.?(.*)$/s

/** Translates a refusal of the server into faults at their places in the file. */
function withPlaces(error: unknown, asked: readonly RequestedChange[], { source }: Pick<ReadFile, 'source'>): unknown {
  if (!(error instanceof ApiError) || error.status === 401 || error.status === 403) return error
  const wrongs = wrongsOf(error)
  // If the server refuses with a single line, each part of the line begins with the change at fault.
  const lines = error.message.split(/; (?=changes\[)/).map((detail): Wrong => ({ detail, steps: [] }))
  const parts = wrongs.length > 0 ? wrongs : lines
  const faults = parts.map(({ detail, steps }) => {
    const [, index = '', rest = ''] = PART.exec(detail) ?? []
    const path = index === '' ? undefined : asked[Number(index)]?.path
    if (!path) return { at: source.placeOf([]), line: detail }
    const [field = ''] = rest.split(' ', 1)
    const [, , , ...inBody] = steps
    const within = inBody.length > 0 ? inBody : field.split(/[.[\]]/).filter((step) => step !== '')
    const at = source.placeOf([...path, ...within.map((step) => (/^\d{1,4}$/.test(step) ? Number(step) : step))])
    return { at, line: `${pathText(path)}.${rest}` }
  })
  return parts.some(({ detail }) => PART.test(detail)) ? new FaultyFile(source.file, faults) : error
}
