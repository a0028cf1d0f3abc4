// Makes one attempt to reach a target, and records its phases, its deadline, its socket and how it ends.
import type { EventEmitter } from 'node:events'
import { OwnTrouble } from '../process/own-trouble.ts'
import type { Bounds } from './bounds.ts'
import type { Facts } from './facts.ts'
import { faultOf } from './faults.ts'
import type { Certificate, Fault, Observation, Phase, Phases } from './observation.ts'

const WHILE: Record<Phase, string> = {
  dns: 'while looking up the name',
  connect: 'while connecting',
  tls: 'during the TLS handshake',
  first_byte: 'while waiting for a response',
  body: 'while reading the response',
}

/**
 * Starts an attempt with `start`, and resolves with its observation. Rejects with the signal's reason, and for faults of this
 * machine.
 */
export function observe(bounds: Bounds, start: (attempt: Attempt) => void): Promise<Observation> {
  return new Promise((resolve, reject) => {
    bounds.signal?.throwIfAborted()
    const attempt = new Attempt(bounds, resolve, reject)
    attempt.guard(() => start(attempt))
  })
}

/** Notes about the content of a response. */
type Notes = Pick<Observation, 'read' | 'unknown_encoding'>

/** A socket, or a group of sockets that compete for the connection. */
interface SocketHandle {
  destroy: () => unknown
}

export class Attempt {
  readonly bounds: Bounds
  readonly certificates: (Certificate | undefined)[] = []
  readonly redirects: string[] = []
  readonly facts: Facts = {}
  http_status = 0
  /** Name or address of the responding machine, which faults then mention. Absent if faults are about the target as a whole. */
  via: string | undefined
  /** Latency that the probe measured itself. Absent if the latency is the duration of the attempt. */
  latency_ms: number | undefined
  address: string | undefined
  readonly #resolve: (observation: Observation) => void
  readonly #reject: (reason: unknown) => void
  readonly #phases: Phases = {}
  /** Start of the first phase. Earlier work of this machine does not count as the target's time. */
  #began = performance.now()
  readonly #deadline: NodeJS.Timeout
  #phase: Phase | undefined
  #phaseBegan: number | undefined
  #socket: SocketHandle | undefined
  #answered: number | undefined
  #isOver = false
  #isSealed = false
  #waitsSince: number | undefined
  #hindered_ms = 0
  #lookup_age_ms = 0

  constructor(bounds: Bounds, resolve: (observation: Observation) => void, reject: (reason: unknown) => void) {
    this.bounds = bounds
    this.#resolve = resolve
    this.#reject = reject
    // A timer limits the whole attempt, because sockets have only idle timeouts, which a target that drips bytes never reaches.
    this.#deadline = setTimeout(
      this.guarded(() => this.#runOut()),
      bounds.timeout_ms,
    )
    bounds.signal?.addEventListener('abort', this.#abort)
  }

  get isOver(): boolean {
    return this.#isOver
  }

  get phase(): Phase | undefined {
    return this.#phase
  }

  /** Starts a phase. The time of each phase is summed over redirects. */
  enter(phase: Phase | undefined): void {
    const now = performance.now()
    const since = this.#phaseBegan ?? now
    if (this.#phase) this.#phases[this.#phase] = (this.#phases[this.#phase] ?? 0) + now - since
    if (this.#phaseBegan === undefined) this.#began = now
    this.#phase = phase
    this.#phaseBegan = now
  }

  /**
   * Records that a part of the response arrived. The latency ends with the last part, not when the probe stops waiting for more.
   */
  answered(): void {
    this.#answered = performance.now()
  }

  /**
   * Records that the probe has read the response. From now on, only this machine works on it, and the target can no longer affect
   * the attempt.
   */
  seal(): void {
    this.answered()
    this.enter(undefined)
    this.#isSealed = true
    clearTimeout(this.#deadline)
    this.#socket?.destroy()
  }

  /** Records that the attempt waits for this machine, until the probe calls `goesOn`. */
  waits(): void {
    this.#waitsSince = performance.now()
  }

  goesOn(): void {
    if (this.#waitsSince !== undefined) this.#hindered_ms += performance.now() - this.#waitsSince
    this.#waitsSince = undefined
  }

  /** Records when the lookup of the target's name began. Another attempt may have started that lookup. */
  asksSince(since: number): void {
    this.#lookup_age_ms = Math.max(0, this.#began - since)
  }

  /** Sets the socket to close when the attempt ends. */
  hold(socket: SocketHandle): void {
    this.#socket = socket
  }

  /**
   * Ends the attempt with a response: a complete one, or the part that the probe reads. In the second case, `notes` say how much
   * was read.
   */
  finish(content = '', notes: Notes = {}): void {
    this.#end(notes, content, this.#answered)
  }

  fail(fault: Fault, content = ''): void {
    if (this.#isSealed) return
    const words = this.via === undefined ? fault.words : `${this.via}: ${fault.words}`
    this.#end({ fault: { ...fault, words } }, content, undefined)
  }

  /** Ends the attempt with an error of a socket. */
  failBy(error: unknown): void {
    if (this.#isSealed) return
    const fault = faultOf(error, this.#phase)
    if (fault instanceof OwnTrouble) this.crash(fault)
    else this.fail(fault)
  }

  /** Ends the attempt with an error of a socket or a request. */
  failOnErrorOf(source: Pick<EventEmitter, 'on'>): void {
    source.on(
      'error',
      this.guarded((error: unknown) => this.failBy(error)),
    )
  }

  /** Ends the attempt with an error that says nothing about the target. */
  crash(error: unknown): void {
    if (this.#close()) this.#reject(error)
  }

  /** Runs a callback of a socket, which runs outside any promise. An exception ends the attempt instead of the process. */
  guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.crash(error)
    }
  }

  /** Wraps a function that a socket or a stream will call. An exception in it ends the attempt. */
  guarded<Given extends unknown[]>(work: (...given: Given) => void): (...given: Given) => void {
    return (...given) => {
      try {
        work(...given)
      } catch (error) {
        this.crash(error)
      }
    }
  }

  /** Returns the part of a response that has arrived when time runs out, or an empty text. */
  onTimeout: (() => string) | undefined

  /** Returns what the attempt is waiting for, and the content that it has received so far. */
  whileWaiting: (() => { words: string | undefined; content: string }) | undefined

  #runOut(): void {
    const content = this.onTimeout?.()
    if (content) return this.finish(content)
    const { words, content: heard = '' } = this.whileWaiting?.() ?? {}
    this.fail({ kind: 'timeout', words: words ?? WHILE[this.#phase ?? 'connect'] }, heard)
  }

  readonly #abort = (): void => this.crash(this.bounds.signal?.reason)

  #end(found: Pick<Observation, 'fault'> & Notes, content: string, answered: number | undefined): void {
    const failed_in = found.fault && this.#phase
    if (!this.#close()) return
    this.#resolve({
      ...found,
      ...(failed_in === undefined ? {} : { failed_in }),
      http_status: this.http_status,
      latency_ms: Math.round(this.latency_ms ?? (answered ?? this.#phaseBegan ?? this.#began) - this.#began),
      content,
      facts: this.facts,
      certificates: this.certificates,
      ...(this.redirects.length === 0 ? {} : { redirects: this.redirects }),
      phases: this.#phases,
      hindered_ms: this.#hindered_ms,
      lookup_age_ms: this.#lookup_age_ms,
      ...(this.address === undefined ? {} : { address: this.address }),
    })
  }

  /** Closes the attempt. Returns false if it had already ended. */
  #close(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.enter(undefined)
    this.goesOn()
    clearTimeout(this.#deadline)
    this.bounds.signal?.removeEventListener('abort', this.#abort)
    this.#socket?.destroy()
    return true
  }
}
