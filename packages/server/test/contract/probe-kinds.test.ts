// Each scheme that monitors run is on the page of kinds, is probed at a real server, and is probed at a hostile one.
import { readFileSync } from 'node:fs'
import { SCHEME_ROWS } from '@dogwatch/check-rules/schemes'
import { expect, test } from '@jest/globals'
import { ANSWERS } from '../../../../scripts/prove/hostile/answers.ts'
import { APPS } from '../../../../scripts/prove/kinds/apps.ts'
import { SERVERS } from '../../../../scripts/prove/kinds/servers.ts'

const PAGE = readFileSync(new URL('../../docs/reference/kinds.md', import.meta.url), 'utf8')
const PROBED = SCHEME_ROWS.filter(({ judged_by }) => judged_by === undefined).map(({ name }) => name)
/** Schemes without a conversation that could be damaged: of datagrams, and of a handshake alone. */
const WITHOUT_ANSWERS = ['icmp', 'tls', 'udp', 'ntp']

test('the page of kinds has each scheme in its table', () => {
  expect(PROBED.filter((name) => !new RegExp(`^\\|.*\`${name}://.*\\|$`, 'm').test(PAGE))).toEqual([])
})

test('each scheme has real servers', () => {
  const targets = [...Object.values(SERVERS), ...Object.values(APPS)].flatMap(({ checks }) =>
    checks.map(([target]) => target),
  )
  expect(PROBED.filter((name) => !targets.some((target) => target.startsWith(`${name}://`)))).toEqual([])
})

test('each scheme has answers that a hostile server damages', () => {
  const isAnswered = (name: string): boolean =>
    ANSWERS.has(name) || (name.endsWith('s') && ANSWERS.has(name.slice(0, -1)))
  expect(PROBED.filter((name) => !isAnswered(name) && !WITHOUT_ANSWERS.includes(name))).toEqual([])
})
