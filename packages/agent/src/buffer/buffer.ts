// Stores results on their way to the server: on disk before they count as kept, oldest first, safe through restarts and kill -9.
import { join } from 'node:path'
import type { Result } from '@dogwatch/monitor-sdk'
import { wordsOf } from '../process/fatal.ts'
import { ASIDE_PREFIX, type Aside, AsideIndex } from './aside.ts'
import { delOf, isHeld, putOf, sizeOf, sizeOfAll, tickOf } from './buffer-keys.ts'
import type { BufferEvent, BufferOptions, DropReason } from './buffer-options.ts'
import { type Operation, openStore, reopenStore, type Store, type StoredResult } from './buffer-store.ts'
import { HeldBack } from './held-back.ts'
import { Tally } from './tally.ts'

const BYTES_MAX = 256 * 1024 * 1024
const AGE_MAX_MS = 7 * 86_400_000
const MEMORY_MAX = 10_000
const GROUP_MAX = 100
/** Time within which arriving results are written and synced together, in milliseconds. */
export const GROUP_MS = 200
const RETRY_MS = 2000
/** Number of results that a full buffer drops at once, so that it does not have to drop one for each new result. */
const DROP_STEP = 500
/** Interval at which the age of the oldest results is checked, in milliseconds. */
const AGE_LOOK_MS = 60_000

interface Pending extends StoredResult {
  settle: (stored: boolean) => void
}

export class ResultBuffer {
  /** Time at which the last result arrived, in microseconds, as in its key. */
  lastTick = 0
  readonly dropped: Record<DropReason, number> = { overflow: 0, age: 0, memory: 0, damage: 0 }
  readonly #options: BufferOptions
  readonly #tally: Tally
  readonly #aside: AsideIndex
  readonly #held = new HeldBack()
  #store: Store
  /** Results that are not on disk yet. */
  #pending: Pending[] = []
  /** Number of results on disk whose keys are above `#head`. Held-back and refused results do not count. */
  #count = 0
  #bytes = 0
  /** Key up to and including the last result that the buffer no longer needs, even if earlier ones are still on disk. */
  #head = ''
  /** Keys above `#head` of results that the buffer no longer needs, because they were uploaded, moved or dropped. */
  readonly #done = new Set<string>()
  /** Operations for deletions, held-back and refused results. One write stores them, so that each result exists exactly once. */
  #undone: Operation[] = []
  /** Decrease in the number of results on disk once the operations in `#undone` are written. */
  #leaving = 0
  #forgetting: Promise<void> = Promise.resolve()
  #agedAt = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #writing: Promise<void> | undefined
  #failing = false

  private constructor(options: BufferOptions, store: Store, tally: Tally) {
    this.#options = options
    this.#store = store
    this.#tally = tally
    this.#aside = new AsideIndex(options.aside_bytes_max)
  }

  /** Opens the buffer. @throws Fatal when another agent has it open. */
  static async open(options: BufferOptions): Promise<ResultBuffer> {
    const buffer = await openStore(options, async (store) => {
      const tally = await Tally.open(`${options.dir}.count`)
      const opened = new ResultBuffer(options, store, tally)
      await opened.#takeStock().catch(async (error: unknown) => {
        await tally.close()
        throw error
      })
      return opened
    })
    await buffer.#countLosses()
    await buffer.#dropSurplus()
    return buffer
  }

  /** Number of results that wait for their first upload. */
  get size(): number {
    return this.#count + this.#pending.length
  }

  get bytes(): number {
    return this.#bytes + this.#held.bytes
  }

  /** Number of held-back results: those that the server could not store for now. */
  get heldSize(): number {
    return this.#held.size
  }

  /** Number of refused results that wait until the agent sends them again. */
  get asideSize(): number {
    return this.#aside.size
  }

  /** Stores a result. Resolves with true once the result is on disk, or with false if the buffer dropped it before that. */
  add(result: Result): Promise<boolean> {
    return new Promise((resolve) => {
      this.#pending.push({ key: this.#nextKey(), value: JSON.stringify(result), settle: resolve })
      if (this.#pending.length >= GROUP_MAX && !this.#failing) void this.flush()
      else this.#timer ??= setTimeout(() => void this.flush(), this.#failing ? RETRY_MS : GROUP_MS)
      this.#boundMemory()
    })
  }

  /** Writes and syncs pending results. Does not reject, because results that fail to be written stay in memory for a retry. */
  async flush(): Promise<void> {
    await this.#writing
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
    await this.#writing
  }

  /** Returns the oldest results, at least one if there are any: at most `results_max` of them and `bytes_max` bytes. */
  async oldest(results_max: number, bytes_max: number): Promise<StoredResult[]> {
    const found: StoredResult[] = []
    let bytes = 0
    const take = (key: string, value: string): boolean => {
      bytes += sizeOf(value) + 1
      if (found.length > 0 && (bytes > bytes_max || found.length >= results_max)) return false
      found.push({ key, value })
      return true
    }
    try {
      const range = { gt: this.#head, lt: ASIDE_PREFIX, limit: results_max + this.#done.size }
      for await (const [key, value] of this.#store.iterator(range)) {
        if (!this.#done.has(key) && !take(key, value)) break
      }
    } catch (error) {
      if (!this.#failing) throw error
    }
    // Results in memory must not wait until the disk is writable again. They are newer than the results on disk, so they come
    // last.
    const isDiskDone = this.#count === 0 && found.length === 0
    if (isDiskDone && this.#failing) for (const { key, value } of this.#pending) if (!take(key, value)) break
    return found
  }

  /** Deletes results that `oldest` or `heldBack` returned. */
  async remove(results: readonly StoredResult[]): Promise<void> {
    for (const one of results.filter(isHeld)) {
      const operation = this.#held.remove(one)
      if (!operation) continue
      this.#leaving += 1
      this.#undone.push(operation)
    }
    const kept = results.filter((one) => !isHeld(one))
    const last = kept.at(-1)
    if (last && last.key > this.#head) {
      const inMemory = new Set(this.#pending.filter(({ key }) => key <= last.key).map(({ key }) => key))
      for (const one of kept) {
        if (one.key <= this.#head || inMemory.has(one.key) || this.#done.has(one.key)) continue
        this.#leaving += 1
        this.#takeOff(one)
      }
      this.#passTo(last.key)
      for (const pending of this.#pending) if (inMemory.has(pending.key)) pending.settle(true)
      this.#pending = this.#pending.filter(({ key }) => !inMemory.has(key))
      this.#undone.push(...kept.map(({ key }) => delOf(key)))
    }
    await this.#forget()
  }

  /**
   * Holds back results of a batch that `oldest` returned, so that later results need not wait for them. While the disk is not
   * writable, holds back nothing and returns false.
   */
  async holdBack(results: readonly StoredResult[], batch: readonly StoredResult[]): Promise<boolean> {
    if (this.#failing) return false
    for (const one of results) {
      if (one.key <= this.#head || this.#done.has(one.key)) continue
      this.#takeOff(one)
      this.#done.add(one.key)
      this.#undone.push(this.#held.put(one), delOf(one.key))
    }
    const last = batch.at(-1)
    if (last && results.length === batch.length) this.#passTo(last.key)
    await this.#forget()
    return true
  }

  /** Whether the buffer holds back earlier results of the same check, so that this result must follow them. */
  isBehind({ value }: StoredResult): boolean {
    return this.#held.isBehind(value)
  }

  /** Returns the next held-back results, with the limits of `oldest`. After the newest, the next call begins with the oldest. */
  heldBack(results_max: number, bytes_max: number): Promise<StoredResult[]> {
    return this.#held.next(this.#store, results_max, bytes_max)
  }

  #takeOff({ key, value }: StoredResult): void {
    this.#count -= 1
    this.#bytes -= sizeOf(key) + sizeOf(value)
  }

  #passTo(head: string): void {
    if (head > this.#head) this.#head = head
    for (const key of this.#done) if (key <= this.#head) this.#done.delete(key)
  }

  /**
   * Sets aside refused results that `oldest` or `heldBack` returned, so that other results need not wait for them. If there are
   * too many, drops and returns those that were refused longest ago.
   */
  async setAside(kept: readonly StoredResult[], why: string): Promise<Aside[]> {
    const since = this.#options.now()
    for (const { value } of kept) this.#putAside({ value, since, why })
    const surplus: Aside[] = []
    while (this.#aside.isOverfull) {
      const first = await this.#aside.first(this.#store)
      if (!first) break
      surplus.push(first)
      this.#takeAside(first.key)
    }
    await this.remove(kept)
    return surplus
  }

  /** Returns the refused result at the head of the queue, or undefined if there is none. */
  firstAside(): Promise<Aside | undefined> {
    return this.#aside.first(this.#store)
  }

  /** Deletes a refused result. */
  async removeAside({ key }: Aside): Promise<void> {
    this.#takeAside(key)
    await this.#forget()
  }

  /** Moves a refused result to the end of the queue of refused results. */
  async postponeAside(aside: Aside): Promise<void> {
    this.#takeAside(aside.key)
    this.#putAside(aside)
    await this.#forget()
  }

  #putAside(aside: Omit<Aside, 'key'>): void {
    this.#undone.push(this.#aside.put(`${ASIDE_PREFIX}${this.#nextKey()}`, aside))
    this.#leaving -= 1
  }

  #takeAside(key: string): void {
    this.#undone.push(this.#aside.remove(key))
    this.#leaving += 1
  }

  async close(): Promise<void> {
    await this.flush()
    clearTimeout(this.#timer)
    await this.#store.close()
    await this.#tally.close()
  }

  #nextKey(): string {
    // The clock may be set back, but the key must never repeat or decrease.
    this.lastTick = Math.max(this.lastTick + 1, Math.floor(this.#options.now() * 1000))
    return String(this.lastTick).padStart(17, '0')
  }

  async #takeStock(): Promise<void> {
    for await (const [key, value] of this.#store.iterator()) {
      if (isHeld({ key })) this.#held.found(key, value)
      else if (key.startsWith(ASIDE_PREFIX)) this.#aside.found(key, value)
      else {
        this.#count += 1
        this.#bytes += sizeOf(key) + sizeOf(value)
      }
      const tick = tickOf(key)
      // A damaged key contains no time.
      if (tick > this.lastTick) this.lastTick = tick
    }
  }

  /** Counts lost results by comparing the disk with the tally. A file that was cut between two entries looks complete. */
  async #countLosses(): Promise<void> {
    const there = this.#count + this.#held.size + this.#aside.size
    const lost = (this.#tally.found ?? 0) - there
    if (lost > 0) this.#countDropped('damage', lost)
    await this.#tally.begin(there)
  }

  async #write(): Promise<void> {
    const group = this.#pending.slice()
    if (group.length > 0) {
      try {
        if (this.#failing) await reopenStore(this.#store, this.#options.dir, sizeOfAll(group))
        await this.#store.batch(group.map(putOf), { sync: true })
      } catch (error) {
        return this.#diskFailed(error)
      }
      await this.#tally.raise(this.#settle(group))
    }
    if (this.#failing) this.#say({ event: 'disk_works_again' })
    this.#failing = false
    if (this.#pending.length > 0) this.#timer ??= setTimeout(() => void this.flush(), GROUP_MS)
    await this.#forget()
    await this.#dropSurplus().catch((error: unknown) => this.#diskFailed(error))
  }

  /** Resolves the promises of results that were written, and returns by how many the number of results on disk increased. */
  #settle(group: readonly Pending[]): number {
    const count = this.#count
    const written = new Set(group)
    this.#pending = this.#pending.filter((pending) => !written.has(pending))
    for (const { key, value, settle } of group) {
      settle(true)
      // During the write, the agent uploaded the result from memory or dropped it.
      if (key <= this.#head) this.#undone.push(delOf(key))
      else {
        this.#count += 1
        this.#bytes += sizeOf(key) + sizeOf(value)
      }
    }
    return this.#count - count
  }

  #diskFailed(error: unknown): void {
    if (!this.#failing) this.#say({ event: 'disk_failed', error: wordsOf(error) })
    this.#failing = true
    this.#timer ??= setTimeout(() => void this.flush(), RETRY_MS)
    this.#boundMemory()
  }

  #boundMemory(): void {
    const surplus = this.#failing ? this.#pending.length - (this.#options.memory_max ?? MEMORY_MAX) : 0
    if (surplus <= 0) return
    for (const { settle } of this.#pending.splice(0, surplus)) settle(false)
    this.#countDropped('memory', surplus)
  }

  async #dropSurplus(): Promise<void> {
    const bytes_max = this.#options.bytes_max ?? BYTES_MAX
    while (this.bytes > bytes_max) {
      const old = await this.#oldestOfAll(bytes_max / 50)
      if (old.length === 0) break
      await this.#drop('overflow', old)
    }
    const { now: serverNow, wall = serverNow } = this.#options
    const now = Math.min(serverNow(), wall())
    if (Math.abs(now - this.#agedAt) < AGE_LOOK_MS) return
    this.#agedAt = now
    const oldest_key = (now - (this.#options.age_max_ms ?? AGE_MAX_MS)) * 1000
    for (;;) {
      const old = (await this.#oldestOfAll(BYTES_MAX)).filter(({ key }) => tickOf(key) < oldest_key)
      if (old.length === 0) return
      await this.#drop('age', old)
    }
  }

  async #oldestOfAll(bytes_max: number): Promise<StoredResult[]> {
    const held = await this.#held.oldest(this.#store, DROP_STEP, bytes_max)
    return held.length > 0 ? held : this.oldest(DROP_STEP, bytes_max)
  }

  async #drop(why: DropReason, kept: readonly StoredResult[]): Promise<void> {
    await this.remove(kept)
    this.#countDropped(why, kept.length)
  }

  #countDropped(why: DropReason, results: number): void {
    this.dropped[why] += results
    this.#say({ event: 'dropped', why, results })
  }

  /** Writes `#undone` after earlier writes, because a result that is refused and deleted at once must not come back. */
  #forget(): Promise<void> {
    this.#forgetting = this.#forgetting.then(() => this.#forgetNow())
    return this.#forgetting
  }

  /** Writes `#undone` without a sync. A result that comes back after a crash is uploaded again, which changes nothing. */
  async #forgetNow(): Promise<void> {
    const operations = this.#undone
    const leaving = this.#leaving
    if (operations.length === 0) return
    this.#undone = []
    this.#leaving = 0
    await this.#tally.lower(Math.max(0, leaving))
    try {
      await this.#store.batch(operations)
      this.#aside.written(operations)
      this.#held.written(operations)
      await this.#tally.raise(Math.max(0, -leaving))
    } catch {
      this.#undone.unshift(...operations)
    }
  }

  #say(event: BufferEvent): void {
    this.#options.log?.(event)
  }
}

export const bufferDir = (state_dir: string): string => join(state_dir, 'buffer')
