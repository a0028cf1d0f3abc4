// Queues emails for the few connections to the mail server. Kinds of email take turns, and within each its senders do.
// A sender of many waits for itself. Waiting emails are limited in number and age.

/** The sender of an email, for the order of the queue. */
export interface Behalf {
  kind: 'reset' | 'sign-up' | 'invitation' | 'notice' | 'report'
  /** An organisation, or the network of a visitor who is not signed in. */
  sender: string
}

export interface MailQueueBounds {
  /** Maximum number of emails that are sent at once: in all, of one kind, and of one sender. */
  at_once: number
  of_kind: number
  of_sender: number
  /** Maximum number of waiting emails of one kind: in all, and of one sender. */
  waiting: number
  waiting_of_sender: number
}

export type QueueFault = Error & { code: 'MAIL_QUEUE_FULL' | 'MAIL_TOO_LATE' }

/** Whether sending an email was not even attempted. */
export function isQueueFault(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  return code === 'MAIL_QUEUE_FULL' || code === 'MAIL_TOO_LATE'
}

interface Waiter {
  start: () => void
  giveUp: (fault: QueueFault) => void
}

export class MailQueue {
  readonly #bounds: MailQueueBounds
  /** Waiting emails by kind and sender, in the order of their turns. */
  readonly #waiting = new Map<string, Map<string, Waiter[]>>()
  readonly #running = new Map<string, number>()
  #runningCount = 0

  constructor(bounds: MailQueueBounds) {
    this.#bounds = bounds
  }

  /**
   * Sends when it is the sender's turn. Rejects with a `QueueFault` if that takes longer than `wait_ms`, or if too many emails
   * wait already, of this sender or in all.
   */
  run<T>(behalf: Behalf, wait_ms: number, send: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const line = this.#waiting.get(behalf.kind) ?? new Map<string, Waiter[]>()
      const own = line.get(behalf.sender) ?? []
      if (!this.#makeRoom(line, own.length)) return reject(full())
      const waiter: Waiter = {
        start: () => {
          clearTimeout(timer)
          void this.#count(behalf, send).then(resolve, reject)
        },
        giveUp: (fault) => {
          clearTimeout(timer)
          forget(line, behalf.sender, waiter)
          reject(fault)
        },
      }
      const timer = setTimeout(() => waiter.giveUp(late()), wait_ms)
      timer.unref()
      this.#waiting.set(behalf.kind, line.set(behalf.sender, [...own, waiter]))
      this.#start()
    })
  }

  /** Gives up all waiting emails. */
  close(): void {
    for (const line of this.#waiting.values()) {
      for (const waiters of [...line.values()]) for (const waiter of [...waiters]) waiter.giveUp(late())
    }
  }

  /** Makes the sender with the most emails of a full line give up its newest one, if the newcomer has at least two fewer. */
  #makeRoom(line: Map<string, Waiter[]>, own: number): boolean {
    const { waiting, waiting_of_sender } = this.#bounds
    if (own >= waiting_of_sender) return false
    let count = 0
    let most: readonly Waiter[] = []
    for (const waiters of line.values()) {
      count += waiters.length
      if (waiters.length > most.length) most = waiters
    }
    if (count < waiting) return true
    if (most.length <= own + 1) return false
    most.at(-1)?.giveUp(full())
    return true
  }

  #start(): void {
    while (this.#runningCount < this.#bounds.at_once) {
      const next = this.#next()
      if (!next) return
      next.start()
    }
  }

  /**
   * Returns the first email of the kind with the fewest in progress, of the sender whose turn it is, who then moves to the end of
   * the line.
   */
  #next(): Waiter | undefined {
    const kinds = [...this.#waiting].sort(([a], [b]) => this.#of(a) - this.#of(b))
    for (const [kind, line] of kinds) {
      if (this.#of(kind) >= this.#bounds.of_kind) continue
      for (const [sender, [first]] of line) {
        if (!first || this.#of(`${kind} ${sender}`) >= this.#bounds.of_sender) continue
        forget(line, sender, first)
        const rest = line.get(sender)
        if (rest) {
          line.delete(sender)
          line.set(sender, rest)
        }
        // Of equals, the one that was served longest ago is next.
        this.#waiting.delete(kind)
        this.#waiting.set(kind, line)
        return first
      }
    }
    return undefined
  }

  async #count<T>({ kind, sender }: Behalf, send: () => Promise<T>): Promise<T> {
    const keys = [kind, `${kind} ${sender}`]
    this.#runningCount++
    for (const key of keys) this.#running.set(key, this.#of(key) + 1)
    try {
      return await send()
    } finally {
      this.#runningCount--
      for (const key of keys) {
        if (this.#of(key) > 1) this.#running.set(key, this.#of(key) - 1)
        else this.#running.delete(key)
      }
      this.#start()
    }
  }

  #of(key: string): number {
    return this.#running.get(key) ?? 0
  }
}

function forget(line: Map<string, Waiter[]>, sender: string, waiter: Waiter): void {
  const rest = (line.get(sender) ?? []).filter((one) => one !== waiter)
  if (rest.length > 0) line.set(sender, rest)
  else line.delete(sender)
}

function full(): QueueFault {
  return Object.assign(new Error('too many emails are waiting'), { code: 'MAIL_QUEUE_FULL' as const })
}

function late(): QueueFault {
  return Object.assign(new Error('the email waited too long to be sent'), { code: 'MAIL_TOO_LATE' as const })
}
