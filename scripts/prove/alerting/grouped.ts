// An organisation whose alerts are grouped: many checks go down and come up together, and a channel that people read receives each change as
// a message or as a line of a group. The channel is Matrix, because its requests name their message.
import { setTimeout as pause } from 'node:timers/promises'
import { createChannel } from '../../../packages/server/dist/domain/channels/edit.js'
import { dice } from '../../../packages/server/test/support/dice.ts'
import { judgeTypes, type StoredDelivery } from '../../lab/alerts/judge.ts'
import { type Format, openReceiver, type ReadAlert, type Temper } from '../../lab/alerts/receiver.ts'
import { type Course, type Side, Story } from '../../lab/alerts/stories.ts'
import { sum } from '../../lab/proof.ts'
import { shops, type World } from '../../lab/world.ts'

const REST_MS = 9000
const CHECKS = 22
const TYPES = new Map(Object.entries({ Down: 'check.down', Recovered: 'check.up' }))

export interface GroupedSide {
  side: Side
  stories: readonly Story[]
  running: Promise<unknown>
}

export async function beginGrouped(
  { deps, undo }: World,
  given: Side,
  temper: Temper,
  course: Course,
): Promise<GroupedSide> {
  const entries = shops('grouped', CHECKS, () => ({ alert_every_change: true }))
  const guids = await given.addChecks(entries)
  const byName = new Map(entries.map(({ name }, n) => [name, guids[n] ?? '']))
  const receiver = await openReceiver('grouped receiver', temper, undo, matrixFormat(byName))
  const matrix = { matrix_url: new URL('/', receiver.url).href, matrix_room: '!alerts:example.org', matrix_token: 't' }
  const { id } = await createChannel(deps, given.org_id, { kind: 'matrix', name: 'grouped', ...matrix })
  const side = { ...given, hearers: [{ ...receiver, channel_id: id }] }
  const stories = guids.map((guid) => new Story(guid, side))
  return { side, stories, running: tellGrouped(stories, course) }
}

/** Reads the id of the message from the path, and the name of a check from each line. */
function matrixFormat(guids: ReadonlyMap<string, string>): Format {
  return {
    answer: JSON.stringify({ event_id: '$taken' }),
    read: ({ url = '' }, body) => {
      const [title = '', ...lines] = (JSON.parse(body) as { body: string }).body.split('\n')
      const numbered = lines.filter((line) => /^\d+\. /.test(line))
      const alerts = (numbered.length > 0 ? numbered : [title]).map((line): ReadAlert => {
        const [, word = '', name = ''] = /(Down|Recovered): (grouped \d+)/.exec(line) ?? []
        const about = guids.get(name) ?? ''
        return { type: TYPES.get(word) ?? '', about, incident_id: '', since: Number.NaN, ended_at: undefined }
      })
      return { webhook_id: decodeURIComponent(url.split('/').at(-1) ?? ''), alerts }
    },
  }
}

/** Lets some of the checks, or all, go down and come up together. */
async function tellGrouped(stories: readonly Story[], { seed, isOver }: Course): Promise<void> {
  const d = dice(seed)
  const report = (some: readonly Story[], success: boolean, type?: string) =>
    Promise.all(some.map((story) => story.report([success], d, type)))
  await report(stories, true)
  while (!isOver()) {
    await pause(d.below(REST_MS))
    const some = d.below(3) === 0 ? stories : d.some(stories, stories.length)
    await report(some, false, 'check.down')
    await pause(d.below(REST_MS))
    await report(some, true, 'check.up')
  }
}

/** Requires that every change was alerted once and in order. */
export function judgeGrouped({ side, stories }: GroupedSide, rows: readonly StoredDelivery[]): string[] {
  const undone = rows.filter(({ state, written_ms }) => written_ms !== null && state !== 'delivered')
  return [
    ...undone.map(({ event_id, state }) => `${side.name}: ${event_id} is ${state}`),
    ...side.hearers.flatMap((hearer) =>
      stories.flatMap((story) => judgeTypes(hearer, story, hearer.takenAbout(story.guid))),
    ),
    ...(rows.some(({ group_id }) => group_id !== null) ? [] : ['no alert was grouped: that is no trial']),
  ]
}

export function countGrouped({ side, stories }: GroupedSide, rows: readonly StoredDelivery[]): string {
  const changes = sum(stories.map((story) => story.changes.length))
  const messages = new Set(side.hearers.flatMap(({ arrivals }) => arrivals.map(({ webhook_id }) => webhook_id))).size
  const groups = Map.groupBy(
    rows.filter(({ group_id }) => group_id !== null),
    ({ group_id }) => group_id,
  )
  const largest = Math.max(0, ...[...groups.values()].map(({ length }) => length))
  return `${changes} changes of ${stories.length} grouped checks in ${messages} messages, ${groups.size} of them groups of up to ${largest}`
}
