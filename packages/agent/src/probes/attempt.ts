// One attempt to reach a target: its clock and phases, its deadline, its socket, and how it ends.
import { OwnTrouble } from '../process/own-trouble.ts'
import type { Bounds } from './bounds.ts'
import { faultOf } from './faults.ts'
import type { Certificate, Fault, Observation, Phase, Phases } from './observation.ts'

const WHILE: Record<Phase, string> = {
  dns: 'while looking up the name',
  connect: 'while connecting',
  tls: 'during the TLS handshake',
  first_byte: 'while waiting for a response',
  body: 'while reading the response',
}

/** Runs `start` and waits until it ended its attempt. Rejects with the signal's reason, and for faults of this machine. */
export function observe(bounds: Bounds, start: (attempt: Attempt) => void): Promise<Observation> {
  return new Promise((resolve, reject) => {
    bounds.signal?.throwIfAborted()
    const attempt = new Attempt(bounds, resolve, reject)
    attempt.guard(() => start(attempt))
  })
}

/** What there is to say about the content of an answer. */
type Notes = Pick<Observation, 'read' | 'unknown_encoding'>

/** A socket, or several of which one will be it. */
interface Held {
  destroy: () => unknown
}

export class Attempt {
  readonly bounds: Bounds
  readonly certificates: (Certificate | undefined)[] = []
  readonly redirects: string[] = []
  http_status = 0
  address: string | undefined
  readonly #resolve: (observation: Observation) => void
  readonly #reject: (reason: unknown) => void
  readonly #phases: Phases = {}
  /** When its first phase began. What this machine did before is no time of the target's. */
  #began = performance.now()
  readonly #deadline: NodeJS.Timeout
  #phase: Phase | undefined
  #phaseBegan: number | undefined
  #socket: Held | undefined
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
    // Socket timeouts are idle timeouts: a target that drips bytes would never reach them.
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

  /** What happens from now on belongs to this phase; the time of each is summed over redirects. */
  enter(phase: Phase | undefined): void {
    const now = performance.now()
    const since = this.#phaseBegan ?? now
    if (this.#phase) this.#phases[this.#phase] = (this.#phases[this.#phase] ?? 0) + now - since
    if (this.#phaseBegan === undefined) this.#began = now
    this.#phase = phase
    this.#phaseBegan = now
  }

  /** A part of the answer came: until the last of them is how long the target took, not until we stopped waiting for more. */
  answered(): void {
    this.#answered = performance.now()
  }

  /** The answer has come as far as it is read. Only this machine needs more time, and nothing that the target does matters. */
  seal(): void {
    this.answered()
    this.enter(undefined)
    this.#isSealed = true
    clearTimeout(this.#deadline)
    this.#socket?.destroy()
  }

  /** From here on this machine keeps the attempt waiting, until it `goesOn`. */
  waits(): void {
    this.#waitsSince = performance.now()
  }

  goesOn(): void {
    if (this.#waitsSince !== undefined) this.#hindered_ms += performance.now() - this.#waitsSince
    this.#waitsSince = undefined
  }

  /** Its name is asked for since then: it shares the lookup of another attempt. */
  asksSince(since: number): void {
    this.#lookup_age_ms = Math.max(0, this.#began - since)
  }

  /** The socket to close when the attempt ends. */
  hold(socket: Held): void {
    this.#socket = socket
  }

  /** A complete answer came, or as much of it as is read: then the notes say how much that is. */
  finish(content = '', notes: Notes = {}): void {
    this.#end(notes, content, this.#answered)
  }

  fail(fault: Fault, content = ''): void {
    if (this.#isSealed) return
    this.#end({ fault }, content, undefined)
  }

  /** Ends by an error of a socket. */
  failBy(error: unknown): void {
    if (this.#isSealed) return
    const fault = faultOf(error, this.#phase)
    if (fault instanceof OwnTrouble) this.crash(fault)
    else this.fail(fault)
  }

  /** Something went wrong that says nothing about the target. */
  crash(error: unknown): void {
    if (this.#close()) this.#reject(error)
  }

  /** Callbacks of sockets run outside any promise: what they throw ends the attempt and not the process. */
  guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.crash(error)
    }
  }

  /** The same for what is called later, by a socket or a stream. */
  guarded<Given extends unknown[]>(work: (...given: Given) => void): (...given: Given) => void {
    return (...given) => {
      try {
        work(...given)
      } catch (error) {
        this.crash(error)
      }
    }
  }

  /** What has arrived of an answer when time runs out, unless that is nothing. */
  onTimeout: (() => string) | undefined

  #runOut(): void {
    const content = this.onTimeout?.()
    if (content) return this.finish(content)
    this.fail({ kind: 'timeout', words: WHILE[this.#phase ?? 'connect'] })
  }

  readonly #abort = (): void => this.crash(this.bounds.signal?.reason)

  #end(found: Pick<Observation, 'fault'> & Notes, content: string, answered: number | undefined): void {
    const failed_in = found.fault && this.#phase
    if (!this.#close()) return
    this.#resolve({
      ...found,
      ...(failed_in === undefined ? {} : { failed_in }),
      http_status: this.http_status,
      latency_ms: Math.round((answered ?? this.#phaseBegan ?? this.#began) - this.#began),
      content,
      certificates: this.certificates,
      ...(this.redirects.length === 0 ? {} : { redirects: this.redirects }),
      phases: this.#phases,
      hindered_ms: this.#hindered_ms,
      lookup_age_ms: this.#lookup_age_ms,
      ...(this.address === undefined ? {} : { address: this.address }),
    })
  }

  /** False when the attempt had ended before. */
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
