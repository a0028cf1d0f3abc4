// What a buffer keeps, what it gives up, and in which order it hands out.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from '@jest/globals'
import { ClassicLevel } from 'classic-level'
import type { BufferEvent, BufferOptions } from '../../src/buffer/buffer-options.ts'
import { AsideIndex } from '../../src/buffer/aside.ts'
import { ResultBuffer } from '../../src/buffer/buffer.ts'
import type { StoredResult, Store } from '../../src/buffer/buffer-store.ts'
import { resultOf } from './support/scripted-api.ts'
import { tempDir } from './support/temp-dir.ts'

const DAY_MS = 86_400_000

async function setUp(options: Partial<BufferOptions> = {}) {
  const dir = join(await tempDir(), 'buffer')
  const events: BufferEvent[] = []
  const time = { now: Date.parse('2026-11-20T10:00:00Z') }
  const open = () => ResultBuffer.open({ dir, now: () => time.now, log: (event) => events.push(event), ...options })
  return { dir, events, time, open, buffer: await open() }
}

async function fill(buffer: ResultBuffer, from: number, to: number): Promise<boolean[]> {
  const adding = []
  for (let n = from; n < to; n += 1) adding.push(buffer.add(resultOf(n)))
  await buffer.flush()
  return Promise.all(adding)
}

function numbers(kept: readonly StoredResult[]): number[] {
  return kept.map(({ value }) => JSON.parse(value).latency_ms)
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n)

test('results come out oldest first, and again until they are removed', async () => {
  const { buffer } = await setUp()
  await fill(buffer, 0, 250)
  const first = await buffer.oldest(100, 1e6)
  expect(numbers(first)).toEqual(range(0, 100))
  expect(numbers(await buffer.oldest(100, 1e6))).toEqual(range(0, 100))
  await buffer.remove(first)
  expect([numbers(await buffer.oldest(500, 1e6)), buffer.size]).toEqual([range(100, 250), 150])
  await buffer.close()
})

test('a batch is bounded in bytes, and holds one result at least', async () => {
  const { buffer } = await setUp()
  await fill(buffer, 0, 20)
  const [one] = await buffer.oldest(1, 1e6)
  const size = (one?.value.length ?? 0) + 1
  expect(await buffer.oldest(500, size * 5)).toHaveLength(5)
  expect(await buffer.oldest(500, 1)).toHaveLength(1)
  await buffer.close()
})

test('a restart keeps everything and its order', async () => {
  const { buffer, open, time } = await setUp()
  await fill(buffer, 0, 120)
  await buffer.remove(await buffer.oldest(20, 1e6))
  const bytes = buffer.bytes
  await buffer.close()
  // A clock that was put back does not mix the order up.
  time.now -= DAY_MS
  const again = await open()
  expect([again.size, again.bytes]).toEqual([100, bytes])
  await fill(again, 120, 130)
  expect(numbers(await again.oldest(500, 1e6))).toEqual(range(20, 130))
  await again.close()
})

test('a second agent on the same directory is told so', async () => {
  const { buffer, open } = await setUp()
  await expect(open()).rejects.toThrow('another dogwatch-agent is already using this state directory')
  await buffer.close()
})

test('beyond its size the oldest are dropped and counted', async () => {
  const { buffer, events } = await setUp({ bytes_max: 100_000 })
  await fill(buffer, 0, 2000)
  expect(buffer.bytes).toBeLessThanOrEqual(100_000)
  expect(buffer.bytes).toBeGreaterThan(90_000)
  expect(buffer.size + buffer.dropped.overflow).toBe(2000)
  expect(numbers(await buffer.oldest(1, 1e6))).toEqual([buffer.dropped.overflow])
  expect(events[0]).toMatchObject({ event: 'dropped', why: 'overflow' })
  await buffer.close()
})

test('no result is too old by one clock alone', async () => {
  const wall = { now: Date.parse('2026-11-20T10:00:00Z') }
  const { buffer, time } = await setUp({ wall: () => wall.now })
  await fill(buffer, 0, 10)
  time.now += 400 * DAY_MS
  await fill(buffer, 10, 20)
  time.now -= 400 * DAY_MS
  wall.now += 400 * DAY_MS
  await fill(buffer, 20, 30)
  expect([buffer.dropped.age, buffer.size]).toEqual([0, 30])
  await buffer.close()
})

test('after seven days results are dropped and counted', async () => {
  const { buffer, time } = await setUp()
  await fill(buffer, 0, 600)
  time.now += 7 * DAY_MS - 1000
  await fill(buffer, 600, 700)
  expect(buffer.dropped.age).toBe(0)
  time.now += 2 * 60_000
  await fill(buffer, 700, 701)
  expect([buffer.dropped.age, buffer.size]).toEqual([600, 101])
  expect(numbers(await buffer.oldest(1, 1e6))).toEqual([600])
  await buffer.close()
})

/** A real database whose writes fail while `disk.full`, and which cannot be opened while `disk.shut`. */
function fullDisk() {
  const disk = { full: false, shut: false }
  const openStore = async (dir: string): Promise<Store> => {
    const level = new ClassicLevel(dir)
    await level.open()
    const batch = level.batch.bind(level) as (...args: unknown[]) => Promise<void>
    const open = level.open.bind(level)
    return Object.assign(level, {
      open: () => (disk.shut ? Promise.reject(new Error('no space left')) : open()),
      batch: (...args: unknown[]) => (disk.full ? Promise.reject(new Error('no space left')) : batch(...args)),
    })
  }
  return { disk, openStore }
}

test('while the disk is full the newest are held in memory and can be uploaded', async () => {
  const { disk, openStore } = fullDisk()
  const { buffer, events, open } = await setUp({ openStore, memory_max: 50 })
  await fill(buffer, 0, 10)
  disk.full = true
  const adding = range(10, 80).map((n) => buffer.add(resultOf(n)))
  await buffer.flush()
  expect([buffer.size, buffer.dropped.memory]).toEqual([60, 20])
  expect(await Promise.all(adding.slice(0, 20))).toEqual(Array(20).fill(false))
  await buffer.remove(await buffer.oldest(500, 1e6))
  expect(numbers(await buffer.oldest(5, 1e6))).toEqual(range(30, 35))
  await buffer.remove(await buffer.oldest(5, 1e6))
  disk.full = false
  await buffer.flush()
  expect(await Promise.all(adding.slice(20))).toEqual(Array(50).fill(true))
  expect(numbers(await buffer.oldest(500, 1e6))).toEqual(range(35, 80))
  expect(events.map(({ event }) => event)).toEqual(['disk_failed', 'dropped', 'disk_works_again'])
  await buffer.close()
  // What was uploaded while the disk could forget nothing is forgotten now.
  const again = await open()
  expect(numbers(await again.oldest(500, 1e6))).toEqual(range(35, 80))
  await again.close()
})

test('what is on a disk that cannot be read is not passed over by what is in memory', async () => {
  const { disk, openStore } = fullDisk()
  const { buffer } = await setUp({ openStore })
  await fill(buffer, 0, 30)
  disk.full = disk.shut = true
  const adding = range(30, 60).map((n) => buffer.add(resultOf(n)))
  await buffer.flush()
  await buffer.flush()
  expect(await buffer.oldest(500, 1e6)).toEqual([])
  disk.full = disk.shut = false
  await buffer.flush()
  expect(await Promise.all(adding)).toEqual(Array(30).fill(true))
  expect([numbers(await buffer.oldest(500, 1e6)), buffer.size]).toEqual([range(0, 60), 60])
  await buffer.close()
})

test('where nothing waits on a disk that cannot be read, what is in memory goes', async () => {
  const { disk, openStore } = fullDisk()
  const { buffer } = await setUp({ openStore })
  disk.full = disk.shut = true
  const adding = range(0, 5).map((n) => buffer.add(resultOf(n)))
  await buffer.flush()
  await buffer.flush()
  const kept = await buffer.oldest(500, 1e6)
  expect(numbers(kept)).toEqual(range(0, 5))
  await buffer.remove(kept)
  expect([await Promise.all(adding), buffer.size]).toEqual([Array(5).fill(true), 0])
  disk.full = disk.shut = false
  await buffer.close()
})

test('a kill -9 loses nothing that was kept', async () => {
  const dir = join(await tempDir(), 'buffer')
  const kept = new Set<number>()
  const opened: number[] = []
  for (let round = 0; round < 5; round += 1) {
    const killAfter = 150 + round * 170
    await runUntilKilled(dir, kept, opened, killAfter)
  }
  const events: BufferEvent[] = []
  const buffer = await ResultBuffer.open({ dir, now: Date.now, log: (event) => events.push(event) })
  const found = new Set<number>()
  for (let batch = await buffer.oldest(500, 1e6); batch.length > 0; batch = await buffer.oldest(500, 1e6)) {
    for (const { value } of batch) found.add(Number(JSON.parse(value).check_guid))
    await buffer.remove(batch)
  }
  await buffer.close()
  expect([...kept].filter((n) => !found.has(n))).toEqual([])
  // A write that was cut short is no damage.
  expect(events).toEqual([])
  expect(kept.size).toBeGreaterThan(1500)
  expect(opened.slice(1).every((size) => size > 0)).toBe(true)
})

/** Runs a process that keeps results, and kills it in the middle of its work, some results after `killAfter`. */
async function runUntilKilled(dir: string, kept: Set<number>, opened: number[], killAfter: number): Promise<void> {
  const program = new URL('support/buffer-child.ts', import.meta.url).pathname
  const first = kept.size === 0 ? 0 : Math.max(...kept) + 1000
  const child = spawn(process.execPath, [program, dir, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let told = 0
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith('open ')) opened.push(Number(line.slice(5)))
    else kept.add(Number(line))
    told += 1
    if (told === killAfter) child.kill('SIGKILL')
  }
}

test('what is held back counts for the limits, and is the first to be dropped', async () => {
  const { buffer, time, events, open } = await setUp({ bytes_max: 100_000 })
  await fill(buffer, 0, 100)
  const batch = await buffer.oldest(500, 1e6)
  const odd = batch.filter((_, index) => index % 2 === 1)
  expect(await buffer.holdBack(odd, batch)).toBe(true)
  expect(numbers(await buffer.oldest(500, 1e6))).toEqual(range(0, 100).filter((n) => n % 2 === 0))
  await buffer.remove((await buffer.oldest(10, 1e6)).slice(0, 10))
  expect([buffer.size, buffer.heldSize]).toEqual([40, 50])
  const bytes = buffer.bytes
  await buffer.close()
  const again = await open()
  expect([again.size, again.heldSize, again.bytes]).toEqual([40, 50, bytes])
  await fill(again, 100, 1100)
  expect(again.heldSize).toBeLessThan(50)
  expect(again.bytes).toBeLessThanOrEqual(100_000)
  time.now += 8 * DAY_MS
  await fill(again, 1100, 1101)
  expect([again.heldSize, again.size]).toEqual([0, 1])
  expect(again.dropped.overflow + again.dropped.age).toBe(40 + 50 + 1000)
  expect(events.map(({ event }) => event)).not.toContain('disk_failed')
  await again.close()
})

test('an agent of an older build finds what is held back among what was refused, and offers it again', async () => {
  const { buffer, dir } = await setUp()
  await fill(buffer, 0, 10)
  const batch = await buffer.oldest(500, 1e6)
  await buffer.holdBack(batch.slice(0, 3), batch)
  await buffer.close()
  const level = new ClassicLevel(dir)
  expect(await level.keys({ gt: '', lt: 'r' }).all()).toEqual(batch.slice(3).map(({ key }) => key))
  // What older builds do with all keys that begin with an r.
  const index = new AsideIndex()
  for await (const [key, stored] of level.iterator({ gt: 'r' })) index.found(key, stored)
  expect(index.size).toBe(3)
  const first = await index.first(level)
  expect(first).toMatchObject({ value: batch[0]?.value, since: Math.floor(Number(batch[0]?.key) / 1000) })
  await level.close()
})
