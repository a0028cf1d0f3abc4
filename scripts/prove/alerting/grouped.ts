// An organisation whose alerts are grouped: many checks go down and come up together, and a channel that people read learns of each change by
// a message or by a line of a group. Matrix carries it, because its requests name their message.
import { importChecks } from '../../../packages/server/dist/domain/checks/import.js'
import type { Deps } from '../../../packages/server/dist/domain/deps.js'
import { createChannel } from '../../../packages/server/dist/domain/channels/edit.js'
import { dice } from '../../../packages/server/test/support/dice.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { type Format, openReceiver, type ReadAlert, type Receiver, type Temper } from './receiver.ts'
import type { World } from '../../lab/world.ts'
import type { Course, Side, Story } from './stories.ts'

/** How long the checks of a fault stay in one state, at most. */
const REST_MS = 9000
const CHECKS = 22

const TYPES = new Map(Object.entries({ Down: 'check.down', Recovered: 'check.up' }))

export type BegunGroups = Omit<Grouped, 'rows'> & { running: Promise<unknown> }

/** Gives an organisation its checks and its channel, and begins their stories. */
export async function beginGrouped(
  deps: Deps,
  { side, temper, undo }: { side: Side; temper: Temper; undo: World['undo'] },
  course: Course,
): Promise<BegunGroups> {
  const guids = await openGroupedChecks(deps, side.org_id, CHECKS)
  const format = matrixFormat((name) => guids.get(name))
  const receiver = await openReceiver('grouped receiver', temper, undo, format)
  const channel_id = await openMatrix(deps, side.org_id, receiver)
  const heard = { ...side, hearers: [{ ...receiver, channel_id }] }
  const stories = [...guids.values()].map((guid): Story => ({ guid, side: heard, changes: [] }))
  return { side: heard, stories, running: groupedStory(stories, course) }
}

/** Reads what Matrix is sent: the id of the message in the path, and the name of a check in each line. */
function matrixFormat(guidOf: (name: string) => string | undefined): Format {
  return {
    read: ({ url = '' }, body) => {
      const { body: said } = JSON.parse(body) as { body: string }
      const [title = '', ...lines] = said.split('\n')
      const numbered = lines.filter((line) => /^\d+\. /.test(line))
      const alerts = (numbered.length > 0 ? numbered : [title]).map((line): ReadAlert => {
        const [, word = '', name = ''] = /(Down|Recovered): (grouped \d+)/.exec(line) ?? []
        return {
          type: TYPES.get(word) ?? '',
          about: guidOf(name) ?? '',
          incident_id: '',
          since: NaN,
          ended_at: undefined,
        }
      })
      return { webhook_id: decodeURIComponent(url.split('/').at(-1) ?? ''), alerts }
    },
    answer: JSON.stringify({ event_id: '$taken' }),
  }
}

/** Creates the channel of a receiver. */
async function openMatrix(deps: Deps, org_id: number, { name, url }: Receiver): Promise<number> {
  const matrix_url = new URL('/', url).href
  const given = { kind: 'matrix', name, matrix_url, matrix_room: '!alerts:example.org', matrix_token: 'a token' }
  return (await createChannel(deps, org_id, given)).id
}

/** Creates checks that are told apart by their names. */
async function openGroupedChecks(deps: Deps, org_id: number, count: number): Promise<Map<string, string>> {
  const entries = Array.from({ length: count }, (_, n) => ({
    name: `grouped ${n}`,
    url: `https://grouped-${n}.example.com/`,
    interval_sec: 60,
    alert_every_change: true,
  }))
  const { guids } = await importChecks(deps, org_id, entries, 'all')
  return new Map(entries.map(({ name }, n) => [name, guids[n] ?? '']))
}

/** Lets some of the checks, or all, go down together and come up together, by one upload or by several. */
async function groupedStory(stories: readonly Story[], { seed, isOver }: Course): Promise<void> {
  const d = dice(seed)
  let latest = Date.now()
  const report = async (some: readonly Story[], success: boolean, type?: string): Promise<void> => {
    const uploads = some.map(async (story) => {
      latest = Math.max(Date.now(), latest + 1)
      const at = latest
      await d.one([...story.side.uploaders]).upload([{ guid: story.guid, at, success }])
      if (type !== undefined) story.changes.push({ type, from: at, to: at })
    })
    await Promise.all(uploads)
  }
  await report(stories, true)
  while (!isOver()) {
    await pause(d.below(REST_MS))
    const some = d.below(3) === 0 ? stories : d.some(stories, stories.length)
    await report(some, false, 'check.down')
    await pause(d.below(REST_MS))
    await report(some, true, 'check.up')
  }
}

export interface Grouped {
  side: Side
  stories: readonly Story[]
  rows: readonly GroupedDelivery[]
}

export interface GroupedDelivery {
  event_id: string
  group_id: string | null
  state: string
}

export const GROUPED_DELIVERIES = `
  select event_id, group_id, state from deliveries where org_id = $1`

/** Every change was told once and in order, and one id always stands for the same changes. */
export function judgeGrouped({ side, stories, rows }: Grouped): string[] {
  const groups = rows.flatMap(({ group_id }) => group_id ?? [])
  return [
    ...rows
      .filter(({ state }) => state !== 'delivered')
      .map(({ event_id, state }) => `${side.name}: ${event_id} is ${state}`),
    ...side.hearers.flatMap((hearer) =>
      stories.flatMap(({ guid, changes }) => {
        const told = hearer.takenAbout(guid).map(({ type }) => type)
        const expected = changes.map(({ type }) => type)
        return told.join() === expected.join()
          ? []
          : [`${hearer.name}: ${guid}: ${told.join()} in place of ${expected.join()}`]
      }),
    ),
    ...(groups.length > 0 ? [] : ['nothing was grouped: that is no trial']),
  ]
}

/** Says how many messages told how many changes. */
export function countGrouped({ side, stories, rows }: Grouped): string {
  const changes = stories.flatMap((story) => story.changes).length
  const messages = new Set(side.hearers.flatMap(({ arrivals }) => arrivals.map(({ webhook_id }) => webhook_id))).size
  const sizes = [...Map.groupBy(rows, ({ group_id }) => group_id)].flatMap(([id, { length }]) =>
    id === null ? [] : length,
  )
  return `${changes} changes of ${stories.length} grouped checks in ${messages} messages, ${sizes.length} of them groups of up to ${Math.max(0, ...sizes)}`
}
