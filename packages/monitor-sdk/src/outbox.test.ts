// Results that wait on disk: none is lost, none holds up the others.

import { mkdtempSync, readdirSync, readFileSync, rmSync, appendFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import { answer, json, serve, text } from '../test/misbehaving-server.ts'
import { type OutboxOptions, ResultOutbox } from './agent.ts'
import { MonitorClient, type Result } from './index.ts'

const folders: string[] = []
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })))

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dogwatch-outbox-'))
  folders.push(folder)
  return folder
}

function result(number: number): Result {
  const ran_at = new Date(Date.parse('2026-11-20T10:00:00Z') + number).toISOString()
  return { check_guid: 'g', monitor_id: 'm', ran_at, success: true, latency_ms: number, http_status: 200 }
}

const many = (count: number, first = 0): Result[] => Array.from({ length: count }, (_, index) => result(first + index))

const acceptAll = answer((arrived) => json({ accepted: JSON.parse(arrived.body).results.length }))

async function world(script: Parameters<typeof serve>, folder = newFolder(), options: OutboxOptions = {}) {
  const { baseUrl, arrived } = await serve(...script)
  const client = new MonitorClient({ baseUrl, token: 'dogwatch_key_x', retries: 0 })
  const sizes = () => arrived.map(({ body }) => (JSON.parse(body) as { results: Result[] }).results.length)
  const sent = () => arrived.flatMap(({ body }) => (JSON.parse(body) as { results: Result[] }).results)
  return { client, arrived, sizes, sent, folder, outbox: await ResultOutbox.open(folder, options) }
}

test('results are uploaded oldest first, 500 at a time, and leave no file', async () => {
  const { outbox, client, sizes, sent, folder } = await world([acceptAll])
  for (const one of many(1201)) outbox.add(one)
  expect(outbox.size).toBe(1201)
  expect(await outbox.upload(client)).toEqual({ submitted: 1201, accepted: 1201 })
  expect(sizes()).toEqual([500, 500, 201])
  expect(sent()).toEqual(many(1201))
  expect([outbox.size, readdirSync(folder)]).toEqual([0, []])
  expect(await outbox.upload(client)).toEqual({ submitted: 0, accepted: 0 })
})

test('what was added is there when the process begins anew, without an end to the one before', async () => {
  const { outbox, client, sent, folder } = await world([acceptAll])
  for (const one of many(3)) outbox.add(one)
  const next = await ResultOutbox.open(folder)
  expect(next.size).toBe(3)
  next.add(result(3))
  expect(await next.upload(client)).toMatchObject({ submitted: 4 })
  expect(sent()).toEqual(many(4))
})

test('a line that was cut by a crash is left out, and so is one that the disk damaged', async () => {
  const { outbox, client, sent, folder } = await world([acceptAll])
  outbox.add(result(0))
  const [file = ''] = readdirSync(folder)
  appendFileSync(join(folder, file), 'damaged\n{"check_guid":"g","ran_')
  const next = await ResultOutbox.open(folder)
  next.add(result(1))
  expect(await next.upload(client)).toEqual({ submitted: 2, accepted: 2 })
  expect(sent()).toEqual(many(2))
  expect([next.size, readdirSync(folder)]).toEqual([0, []])
})

test('a failed upload keeps what was not confirmed, and what comes meanwhile', async () => {
  const { outbox, client, sent } = await world([acceptAll, text(503, 'overloaded'), acceptAll])
  for (const one of many(700)) outbox.add(one)
  const failing = outbox.upload(client)
  outbox.add(result(700))
  await expect(failing).rejects.toMatchObject({ status: 503 })
  expect(outbox.size).toBe(201)
  await outbox.upload(client)
  expect(sent().slice(-201)).toEqual(many(201, 500))
  expect(outbox.size).toBe(0)
})

test('a refused result is set aside with the reason, and offered again by the next process', async () => {
  let isStrict = true
  const script = answer(({ body }) => {
    const { results }: { results: Result[] } = JSON.parse(body)
    return isStrict && results.some(({ latency_ms }) => latency_ms === 7)
      ? text(400, 'results[7].latency_ms is bad luck', { 'x-request-id': 'r-1' })
      : json({ accepted: results.length })
  })
  const refused: string[] = []
  const onRefused = ({ ran_at }: Result, why: Error) => void refused.push(`${ran_at} ${why.message}`)
  const { outbox, client, sent, folder } = await world([script], newFolder(), { onRefused })
  for (const one of many(20)) outbox.add(one)
  expect(await outbox.upload(client)).toEqual({ submitted: 20, accepted: 19 })
  expect(refused).toEqual(['2026-11-20T10:00:00.007Z results[7].latency_ms is bad luck'])
  expect([outbox.size, readdirSync(folder)]).toEqual([0, ['refused.ndjson']])
  const [line = ''] = readFileSync(join(folder, 'refused.ndjson'), 'utf8').split('\n')
  expect(JSON.parse(line)).toMatchObject({ why: 'results[7].latency_ms is bad luck', result: result(7) })
  isStrict = false
  const next = await ResultOutbox.open(folder)
  expect(next.size).toBe(1)
  await next.upload(client)
  expect(sent().at(-1)).toEqual(result(7))
  expect(readdirSync(folder)).toEqual([])
})

test('a refused result is not sent again when the rest of its batch has to wait', async () => {
  const busy = text(503, 'overloaded')
  let calls = 0
  const script = answer(({ body }) => {
    const { results }: { results: Result[] } = JSON.parse(body)
    calls += 1
    if (calls > 3) return busy
    return results.some(({ latency_ms }) => latency_ms === 0)
      ? text(400, 'no', { 'x-request-id': 'r-1' })
      : json({ accepted: results.length })
  })
  const { outbox, client, folder } = await world([script])
  for (const one of many(4)) outbox.add(one)
  await expect(outbox.upload(client)).rejects.toMatchObject({ status: 503 })
  expect(outbox.size).toBe(3)
  rmSync(join(folder, 'refused.ndjson'))
  expect((await ResultOutbox.open(folder)).size).toBe(3)
})

test('beyond its bound the oldest results are dropped, and said to be', async () => {
  let dropped = 0
  const options = { maxResults: 1000, onDropped: (count: number) => (dropped += count) }
  const { outbox, client, sent } = await world([acceptAll], newFolder(), options)
  for (const one of many(1001)) outbox.add(one)
  expect([outbox.size, dropped]).toEqual([501, 500])
  await outbox.upload(client)
  expect(sent()[0]).toEqual(result(500))
  await expect(ResultOutbox.open(newFolder(), { maxResults: 10 })).rejects.toThrow('maxResults must be at least 1000')
})

test('files that are not its own are left alone', async () => {
  const { outbox, client, folder } = await world([acceptAll])
  appendFileSync(join(folder, 'notes.txt'), 'mine')
  outbox.add(result(0))
  await outbox.upload(client)
  expect(readdirSync(folder)).toEqual(['notes.txt'])
})
