import type { Turn } from '@dogwatch/store/alerting/delivery-turns'
import { expect, test } from '@jest/globals'
import { AT_ONCE, chooseTurns, placeOf, type UnderWay } from './turns.ts'

const due = (org_id: number, count: number, given: Partial<Turn> = {}): Turn[] =>
  Array.from({ length: count }, (_, i) => ({
    org_id,
    delivery_id: org_id * 1000 + i,
    channel_id: org_id * 100 + (i % 15),
    kind: 'webhook',
    destination: { webhook_url: `https://of-${org_id}.example/${i}` },
    email: '',
    attempts: 0,
    subject: `check:${i}`,
    created_at: '2026-11-20T12:00:00.000000Z',
    is_charged: false,
    has_summary: false,
    group_id: null,
    paced_until: null,
    ...given,
  }))
const orgs = (turns: readonly { org_id: number }[]) => turns.map(({ org_id }) => org_id)
const choose = (turns: Turn[], underWay: UnderWay[] = [], limit = 100, ofKind = {}) =>
  chooseTurns(turns, { limit, underWay, ofKind })

test('organisations take turns, however much each has waiting', () => {
  expect(orgs(choose([...due(1, 50), ...due(2, 2), ...due(3, 1)], [], 6))).toEqual([1, 2, 3, 1, 2, 1])
})

test('who has nothing under way comes before who has', () => {
  const underWay = due(1, 3).map(placeOf)
  expect(orgs(choose([...due(1, 9), ...due(2, 9)], underWay, 5))).toEqual([2, 2, 2, 1, 2])
})

test('one organisation holds no more than its share, with however many channels that hang', () => {
  expect(choose(due(1, 99))).toHaveLength(AT_ONCE.organisation - AT_ONCE.keptForChannels)
  expect(choose(due(1, 99), due(1, AT_ONCE.organisation).map(placeOf))).toEqual([])
})

test('channels of one organisation that hang leave places for its other channels', () => {
  const underWay = due(1, 20).map(placeOf)
  expect(choose(due(1, 99), underWay)).toEqual([])
  const quick = due(1, 3, { channel_id: 7 })
  expect(choose([...due(1, 99), ...quick], underWay)).toEqual([quick[0]])
})

test('many organisations with something under way leave places for first attempts of others', () => {
  const underWay = [1, 2, 3].flatMap((org) => due(org, 25)).map(placeOf)
  expect(underWay).toHaveLength(AT_ONCE.all - AT_ONCE.kept)
  expect(choose([...due(1, 5), ...due(4, 5, { attempts: 1 })], underWay)).toEqual([])
  expect(orgs(choose([...due(1, 5), ...due(4, 5), ...due(5, 5)], underWay))).toEqual([4, 5])
})

test('retries hold half of the places at most, and few of one host', () => {
  const retries = Array.from({ length: 30 }, (_, org) => due(org + 1, 5, { attempts: 3 })).flat()
  expect(choose(retries)).toHaveLength(AT_ONCE.retries)
  const ofOneHost = retries.map((turn) => ({ ...turn, destination: { webhook_url: 'https://hangs.example/' } }))
  expect(choose(ofOneHost)).toHaveLength(AT_ONCE.retriesOfHost)
})

test('one host holds no more than its share, whoever sends there', () => {
  const turns = Array.from({ length: 100 }, (_, org) =>
    due(org + 1, 1, { destination: { webhook_url: 'https://one.example/' } }),
  ).flat()
  expect(choose(turns)).toHaveLength(AT_ONCE.host)
})

test('one organisation leaves the last mail connection to others', () => {
  const mail = { kind: 'email', destination: { email: 'a@b.example' }, email: 'a@b.example' }
  const ofKind = { email: 5 }
  expect(orgs(choose(due(1, 9, mail), [], 50, ofKind))).toEqual([1, 1, 1, 1])
  expect(orgs(choose([...due(1, 9, mail), ...due(2, 1, mail)], due(1, 4, mail).map(placeOf), 50, ofKind))).toEqual([2])
  expect(choose(due(1, 9, mail), [], 50, { email: 1 })).toHaveLength(1)
})
