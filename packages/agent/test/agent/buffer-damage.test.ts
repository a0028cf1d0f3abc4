// What a damaged disk leaves of the buffer is kept, and the agent runs whatever it is.
import { spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import type { BufferEvent } from '../../src/buffer/buffer-options.ts'
import { ResultBuffer } from '../../src/buffer/buffer.ts'
import { keepForPeople } from '../../src/buffer/rejected.ts'
import { openStateDir, tidyStateDir } from '../../src/process/state-dir.ts'
import { asRoot } from './support/as-root.ts'
import { resultOf } from './support/scripted-api.ts'
import { tempDir } from './support/temp-dir.ts'

const STORED = 3500

/** A buffer of 3,000 results in a table and 500 in the write-ahead log. */
async function stored(): Promise<string> {
  const dir = join(await tempDir(), 'buffer')
  await fill(dir, 0, 3000)
  // Opening makes a table of what the log holds.
  await fill(dir, 3000, STORED)
  return dir
}

async function fill(dir: string, from: number, to: number): Promise<void> {
  const buffer = await ResultBuffer.open({ dir, now: () => 1e12 })
  for (let n = from; n < to; n += 1) void buffer.add(resultOf(n))
  await buffer.flush()
  await buffer.close()
}

/** Opens the buffer, takes everything out of it, and sees that it takes something again. */
async function emptied(dir: string) {
  const events: BufferEvent[] = []
  const buffer = await ResultBuffer.open({ dir, now: () => 1e12, log: (event) => events.push(event) })
  const found: number[] = []
  for (let batch = await buffer.oldest(500, 1e6); batch.length > 0; batch = await buffer.oldest(500, 1e6)) {
    for (const { value } of batch) found.push(JSON.parse(value).latency_ms)
    await buffer.remove(batch)
  }
  const added = buffer.add(resultOf(STORED))
  await buffer.flush()
  expect(await added).toBe(true)
  await buffer.close()
  const lost = events.map((event) => (event.event === 'dropped' && event.why === 'damage' ? event.results : 0))
  return { found, lost: lost.reduce((sum, results) => sum + results, 0), events: events.map(({ event }) => event) }
}

async function filesOf(dir: string, kind: RegExp): Promise<string[]> {
  const names = (await readdir(dir)).filter((name) => kind.test(name))
  expect(names).toHaveLength(1)
  return names.map((name) => join(dir, name))
}

const TABLE = /\.ldb$/
const LOG = /\.log$/
const MANIFEST = /^MANIFEST/

function flipInTheMiddle(kind: RegExp) {
  return async (dir: string) => {
    for (const path of await filesOf(dir, kind)) {
      const bytes = await readFile(path)
      const middle = bytes.length >> 1
      await writeFile(path, bytes.fill(0xa5, middle, middle + 20))
    }
  }
}

function cutTo(share: number, kind: RegExp) {
  return async (dir: string) => {
    for (const path of await filesOf(dir, kind)) await truncate(path, Math.floor((await stat(path)).size * share))
  }
}

function removed(kind: RegExp) {
  return async (dir: string) => {
    for (const path of await filesOf(dir, kind)) await rm(path)
  }
}

test.each([
  ['bytes in the middle of a table', flipInTheMiddle(TABLE), 3000],
  ['bytes in the middle of the write-ahead log', flipInTheMiddle(LOG), 3000],
  ['a table cut in half', cutTo(0.5, TABLE), 500],
  ['a manifest that is cut', cutTo(0.1, MANIFEST), STORED],
  ['a manifest that is gone', removed(MANIFEST), STORED],
  ['an empty CURRENT', cutTo(0, /^CURRENT$/), STORED],
  ['a CURRENT that is gone', removed(/^CURRENT$/), STORED],
])('of %s no more is lost than lay there, and it is told once, with how much that is', async (_, damage, kept_min) => {
  const dir = await stored()
  await damage(dir)
  const { found, lost, events } = await emptied(dir)
  expect(found.length).toBeGreaterThanOrEqual(kept_min)
  expect(found).toEqual([...new Set(found)].sort((a, b) => a - b))
  expect(lost).toBe(STORED - found.length)
  expect(events).toEqual(lost > 0 ? ['repaired', 'dropped'] : ['repaired'])
  expect((await emptied(dir)).events).toEqual([])
})

test('a write-ahead log that was cut short looks whole to the database, and what is gone is counted all the same', async () => {
  const dir = await stored()
  const [path = ''] = await filesOf(dir, LOG)
  // Between two entries: LevelDB has nothing to complain about.
  await truncate(path, 0)
  expect(await emptied(dir)).toMatchObject({ lost: 500, events: ['dropped'] })
  expect((await emptied(dir)).events).toEqual([])
})

test('without its count, or with one that cannot be read, a buffer is as good as before', async () => {
  for (const spoil of [(path: string) => rm(path), (path: string) => writeFile(path, 'many')]) {
    const dir = await stored()
    await spoil(`${dir}.count`)
    expect(await emptied(dir)).toMatchObject({ lost: 0, events: [], found: { length: STORED } })
  }
})

test('a kill -9 between any two writes is no loss', async () => {
  const dir = await stored()
  const lower = await readFile(`${dir}.count`, 'latin1')
  expect(Number(lower)).toBe(STORED)
  // As it is when the machine stops before the count is raised, or after it was lowered.
  await writeFile(`${dir}.count`, `${String(STORED - 100).padStart(16, '0')}\n`)
  expect(await emptied(dir)).toMatchObject({ lost: 0, events: [], found: { length: STORED } })
})

test('a database of which nothing can be read is replaced, and repeats are not told', async () => {
  const dir = await stored()
  for (const name of await readdir(dir)) if (name !== 'LOCK') await writeFile(join(dir, name), 'x')
  const { found, events } = await emptied(dir)
  expect([found.length, events]).toEqual([0, ['repaired', 'dropped']])
  expect(await emptied(dir)).toEqual({ found: [STORED], lost: 0, events: [] })
})

test('a result that is none any more is kept for people as it is', async () => {
  const dir = await tempDir()
  await keepForPeople(dir, '{"check_guid":"a', 'status 400')
  await keepForPeople(dir, '{"check_guid":"a"}', 'status 400')
  const lines = (await readFile(join(dir, 'rejected.ndjson'), 'utf8')).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).result)).toEqual(['{"check_guid":"a', { check_guid: 'a' }])
})

/** Runs `work` with a file system that has room for little. */
async function onSmallDisk(work: (disk: string) => Promise<void>): Promise<void> {
  const disk = join(await tempDir(), 'disk')
  await mkdir(disk)
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'none', disk])
  expect(status).toBe(0)
  await work(disk).finally(() => spawnSync('umount', ['--lazy', disk]))
}

/** Takes all the room that is left. */
async function takeRoom(path: string): Promise<void> {
  await writeFile(path, Buffer.alloc(4 * 1024 * 1024)).catch(() => undefined)
}

asRoot('on a full disk the newest results are held in memory, and written once there is room', () =>
  onSmallDisk(async (disk) => {
    const [dir, ballast] = [join(disk, 'buffer'), join(disk, 'ballast')]
    const events: BufferEvent[] = []
    const open = () => ResultBuffer.open({ dir, now: () => 1e12, memory_max: 1000, log: (event) => events.push(event) })
    const buffer = await open()
    void buffer.add(resultOf(0))
    await buffer.flush()
    await takeRoom(ballast)
    const adding = Array.from({ length: 3000 }, (_, n) => buffer.add(resultOf(n + 1)))
    await buffer.flush()
    expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(['disk_failed', 'dropped']))
    expect(buffer.dropped.memory).toBe(2000)
    await rm(ballast)
    await buffer.flush()
    expect((await Promise.all(adding)).filter((kept) => kept)).toHaveLength(1000)
    expect(events.at(-1)).toEqual({ event: 'disk_works_again' })
    await buffer.close()
    const again = await open()
    const [oldest] = await again.oldest(1, 1e6)
    expect([again.size, JSON.parse(oldest?.value ?? '').latency_ms]).toEqual([1001, 0])
    await again.close()
  }),
)

asRoot('a full disk at the start is something that a restart may put right', () =>
  onSmallDisk(async (disk) => {
    const dir = join(disk, 'state')
    await openStateDir(dir)
    await takeRoom(join(disk, 'ballast'))
    await expect(tidyStateDir(dir)).rejects.toMatchObject({ exitCode: 1, message: expect.stringContaining('ENOSPC') })
  }),
)
