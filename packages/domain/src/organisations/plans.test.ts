// The plans, as the service description has them. Its table is copied here as it stands.
import { expect, test } from '@jest/globals'
import { isPlanName, PLANS } from './plans.ts'

const TABLE = `
| Limit | Free | Solo | Double | Team |
|---|---|---|---|---|
| Checks | 10 | 20 | 40 | 100 |
| Heartbeat checks | 1 | 5 | 10 | 25 |
| Shortest check interval | 2 min | 1 min | 45 s | 30 s |
| Longest check timeout | 10 s | 30 s | 45 s | 60 s |
| Notification channels | 2 | 5 | 10 | unlimited |
| Channel types | ntfy, email | ntfy, email | plus webhook | plus Slack |
| Members | 1 | 1 | 2 | unlimited |
| Certificate-expiry warnings | no | yes | yes | yes |
| Public status page | no | yes | yes | yes |
| Result history | 30 days | 6 months | 9 months | 12 months |`

/** As decisions.md counts months. */
const MONTHS: Readonly<Record<string, number>> = { '6 months': 183, '9 months': 274, '12 months': 365 }

test.each(Object.entries(PLANS).map(([name, plan], column) => ({ name, plan, column })))(
  'the $name plan is the column of the table',
  ({ name, plan, column }) => {
    expect(columnNames()[column]).toBe(name)
    expect({ ...plan, channel_kinds: plan.channel_kinds.filter((kind) => channelKinds(3).includes(kind)) }).toEqual({
      max_checks: Number(cell('Checks', column)),
      max_heartbeats: Number(cell('Heartbeat checks', column)),
      min_interval_sec: seconds(cell('Shortest check interval', column)),
      max_timeout_sec: seconds(cell('Longest check timeout', column)),
      max_channels: count(cell('Notification channels', column)),
      channel_kinds: channelKinds(column),
      max_members: count(cell('Members', column)),
      allows_cert_expiry: cell('Certificate-expiry warnings', column) === 'yes',
      allows_status_page: cell('Public status page', column) === 'yes',
      retention_days: days(cell('Result history', column)),
    })
  },
)

test('there are these four, in this order', () => {
  expect(Object.keys(PLANS)).toEqual(['free', 'solo', 'double', 'team'])
})

test.each(['free', 'solo', 'double', 'team'])('%s is a plan', (name) => expect(isPlanName(name)).toBe(true))

test.each(['', 'Free', 'custom', ' free', 'toString', '__proto__', 'constructor'])('%j is none', (name) =>
  expect(isPlanName(name)).toBe(false),
)

function cells(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((text) => text.trim())
}

function columnNames(): string[] {
  return cells(TABLE.trim().split('\n')[0] ?? '')
    .slice(1)
    .map((name) => name.toLowerCase())
}

function cell(limit: string, column: number): string {
  const row = TABLE.split('\n')
    .map(cells)
    .find(([name]) => name === limit)
  const text = row?.[column + 1]
  if (text === undefined) throw new Error(`the table has no ${limit}`)
  return text
}

function seconds(text: string): number {
  const [number, unit] = text.split(' ')
  return Number(number) * (unit === 'min' ? 60 : 1)
}

function days(text: string): number | undefined {
  return MONTHS[text] ?? Number(text.replace(' days', ''))
}

function count(text: string): number {
  return text === 'unlimited' ? 0 : Number(text)
}

/** `plus webhook`: what the plan to the left has, and one more. */
function channelKinds(column: number): string[] {
  const text = cell('Channel types', column).toLowerCase()
  if (!text.startsWith('plus ')) return text.split(', ')
  return [...channelKinds(column - 1), text.slice('plus '.length)]
}
