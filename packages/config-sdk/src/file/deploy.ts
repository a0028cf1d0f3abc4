// Plans and applies a file: asks the server what would change, or has it changed. Both are the same request.

import { ApiError, changeInBulk, type ConfigClient, moveRoute, type Schemas } from '../index.ts'
import { type Asked, changesOf, MAX_CHANGES } from './changes.ts'
import type { Section } from './format.ts'
import { FaultyFile, pathText } from './place.ts'
import { namesOf, shownOf } from './differences.ts'
import { type Wrong, wrongsOf } from './problem.ts'
import { type ReadFile, SECTIONS } from './read.ts'
import { isOver, keyed, type Listed, readThings } from './server.ts'

export interface DeployOptions {
  /** Deletes what the sections of the file do not name. What has no key is not touched, nor windows that are over. */
  prune: boolean
  /** Keeps nothing: the answer says what would change. */
  dryRun: boolean
  signal?: AbortSignal
}

/** What was changed, or would be. No secret is in it. */
export interface Deployed {
  changes: Schemas['BulkChanged'][]
  counts: Schemas['BulkCounts']
  /** The keys of the routes in the order of the file, if the server has them in another one. */
  order?: string[]
  /** Why the routes are not in that order, though all else was changed. */
  unordered?: string
}

export function isDifferent({ counts, order }: Deployed): boolean {
  return counts.created + counts.replaced + counts.deleted > 0 || order !== undefined
}

/** @throws FaultyFile when the server refuses something of the file, with its place. */
export async function deploy(
  client: ConfigClient,
  { source, config }: ReadFile,
  { prune, dryRun, signal }: DeployOptions,
): Promise<Deployed> {
  const options = signal ? { signal } : {}
  const sections = SECTIONS.filter((section) => config[section] && (prune || section === 'routes'))
  const things = await readThings(client, sections, options)
  const asked = changesOf(config, prune ? keyed(things.filter((thing) => !isOver(thing))) : [])
  if (asked.length > MAX_CHANGES) {
    const line = `the file has ${asked.length} things, and at most ${MAX_CHANGES} can be changed together: make it several files`
    throw new FaultyFile(source.file, [{ at: source.placeOf([]), line }])
  }
  const body = { dry_run: dryRun, changes: asked.map(({ change }) => change) }
  const answer = await changeInBulk(client, { body }, options).catch((error: unknown) => {
    throw withPlaces(error, asked, { source, config })
  })
  const order = orderOfRoutes(source.keysOf(['routes']), things, answer.changes)
  const unordered =
    order && !dryRun ? await orderRoutes(client, order, options).then(() => undefined, reasonOf) : undefined
  const show = shownOf(source, namesOf(things, answer.changes))
  return {
    changes: answer.changes.map((changed, index) => ({
      ...changed,
      fields: changed.fields.map((field) => show(asked[index]?.path, field)),
    })),
    counts: answer.counts,
    ...(order && { order }),
    ...(unordered !== undefined && { unordered }),
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

const PART = /^changes\[(\d+)\](?:\.body)?\.?(.*)$/s

/** A refusal of the server, told by the places of the file. */
function withPlaces(error: unknown, asked: readonly Asked[], { source }: ReadFile): unknown {
  if (!(error instanceof ApiError) || error.status === 401 || error.status === 403) return error
  const wrongs = wrongsOf(error)
  // Of a refusal that is one line, each part begins with the change that it is about.
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

/** The order of the file, where the server has or would have another one. */
function orderOfRoutes(
  wanted: readonly string[],
  things: readonly Listed[],
  changes: readonly Schemas['BulkChanged'][],
): string[] | undefined {
  const made = changes.flatMap(({ kind, action, key }) =>
    kind === 'route' && action === 'created' && key ? [key] : [],
  )
  const held = things.flatMap(({ section, key }) => (section === 'routes' && key !== undefined ? [key] : []))
  const after = [...held.filter((key) => wanted.includes(key)), ...made]
  return after.every((key, index) => key === wanted[index]) ? undefined : [...wanted]
}

/** Moves the routes of a file until they are in its order. The others keep their places as far as they can. */
async function orderRoutes(
  client: ConfigClient,
  order: readonly string[],
  options: { signal?: AbortSignal },
): Promise<void> {
  const now = (await readThings(client, ['routes'] satisfies Section[], options)).map(({ key }) => key)
  const places = now.flatMap((key, index) => (key !== undefined && order.includes(key) ? [index] : []))
  for (const [turn, place] of places.entries()) {
    const wanted = order[turn]
    if (wanted === undefined || now[place] === wanted) continue
    await moveRoute(client, { guid: `key:${wanted}`, body: { position: place + 1 } }, options)
    now.splice(now.indexOf(wanted), 1)
    now.splice(place, 0, wanted)
  }
}
