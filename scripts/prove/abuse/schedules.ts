// Recurrence rules and cron expressions that are dear to expand: in dry runs, in windows that are stored, and in their list.
import { type Attack, attackFor, openToken } from './config.ts'
import type { Story } from './lab.ts'

const DEAR_RULE = 'FREQ=HOURLY;COUNT=15000;BYDAY=1MO,2TU,3WE,4TH,5FR'
const LANES = 6

const windowOf = (rule: string, year: number, n: number) => ({
  name: `window ${n}`,
  scope: { all: true },
  starts_at: `${year}-11-29T02:00`,
  duration_sec: 600,
  zone: 'Europe/Paris',
  rule,
})

function bulk(kind: string, count: number, bodyOf: (n: number) => object): Attack {
  const changes = Array.from({ length: count }, (_, n) => ({ action: 'put', kind, key: `k${n}`, body: bodyOf(n) }))
  return { method: 'POST', path: '/bulk', body: { dry_run: true, changes } }
}

function attacks(year: number): readonly Attack[] {
  const heartbeat = (n: number) => ({
    name: `job ${n}`,
    cron: n % 2 === 0 ? '0 0 29 2 1' : `${n % 60} 1-23/${1 + (n % 11)} 31 */${1 + (n % 5)} *`,
    cron_zone: 'Australia/Lord_Howe',
    grace_sec: 60,
  })
  return [
    bulk('window', 19, (n) => windowOf(DEAR_RULE, year - 4, n)),
    { method: 'POST', path: '/maintenance', body: windowOf(DEAR_RULE, year - 4, 0) },
    bulk('window', 100, (n) => windowOf('FREQ=HOURLY', year, n)),
    bulk('heartbeat', 300, heartbeat),
    { method: 'POST', path: '/maintenance', body: windowOf('FREQ=DAILY;UNTIL=20251201T000000Z', year - 4, 0) },
    { method: 'GET', path: '/maintenance' },
  ]
}

export const schedules: Story = {
  name: 'schedules',
  run: async (lab) => {
    const token = await openToken(lab, lab.attacker.org_id)
    const given = attacks(new Date().getUTCFullYear())
    const figure = await attackFor(lab, token, { network: '127.71.0', lanes: LANES }, (n) => {
      return given[n % given.length] as Attack
    })
    return [`rules and cron: ${figure}`]
  },
}
