// Keeps and uploads results on a disk that is full and has room again. Tells as JSON what was seen. `dir` is a small disk.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Result } from '@dogwatch/monitor-sdk'
import { ResultBuffer } from '../../../src/buffer/buffer.ts'

const [dir = ''] = process.argv.slice(2)
const filler = join(dir, 'filler')
const events: string[] = []
const buffer = await ResultBuffer.open({
  dir: join(dir, 'buffer'),
  now: Date.now,
  log: ({ event }) => events.push(event),
})
const uploaded: number[] = []

const [on_disk, in_all] = [300, 1000]
for (let n = 0; n < on_disk; n += 1) void buffer.add(result(n))
await settled(() => buffer.bytes > on_disk * 200)
fillUp()
for (let n = on_disk; n < in_all; n += 1) void buffer.add(result(n))
await settled(() => events.includes('disk_failed'))
// Long enough for the disk to be tried again in vain.
await pause(5000)
const full = { size: buffer.size, uploaded: await uploadBatches(4) }
rmSync(filler)
await settled(() => events.includes('disk_works_again'))
await uploadBatches(Number.POSITIVE_INFINITY)
process.stdout.write(JSON.stringify({ full, uploaded, size: buffer.size, bytes: buffer.bytes, events }))
await buffer.close()

function result(n: number): Result {
  const ran_at = new Date().toISOString()
  const found = { success: true, http_status: 200, latency_ms: n, response_sample: 'y'.repeat(200) }
  return { check_guid: 'a', monitor_id: '', ran_at, ...found }
}

/** To the last byte, whatever part of a block that takes. */
function fillUp(): void {
  for (let bytes = 1 << 20; bytes >= 512; bytes /= 2) {
    for (;;) {
      try {
        writeFileSync(filler, Buffer.alloc(bytes), { flag: 'a' })
      } catch {
        break
      }
    }
  }
}

async function uploadBatches(most: number): Promise<number> {
  let count = 0
  for (let batches = 0; batches < most; batches += 1) {
    const kept = await buffer.oldest(100, 1e6)
    if (kept.length === 0) break
    uploaded.push(...kept.map(({ value }) => (JSON.parse(value) as Result).latency_ms))
    await buffer.remove(kept)
    count += kept.length
  }
  return count
}

async function settled(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 60_000; !holds() && Date.now() < end; ) await pause(20)
}
