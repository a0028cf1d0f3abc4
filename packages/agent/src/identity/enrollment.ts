// Enrolls the agent, however long the server is unreachable, and reclaims its monitor after a reset.
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { MonitorClient } from '@dogwatch/monitor-sdk'
import type { Config } from '../process/config.ts'
import { unlessEnded } from '../process/ending.ts'
import { EXIT_HOPELESS, Fatal, wordsOf } from '../process/fatal.ts'
import { type Log, say } from '../process/log.ts'
import { backoff } from '../sync/backoff.ts'
import { type EnrollOptions, enroll, type Identity, loadIdentity, mayBeRepeated, saveIdentity } from './identity.ts'

export interface EnrollmentOptions {
  config: Config
  /** Enrollment token, from DOGWATCH_ENROLLMENT_TOKEN. */
  enrollment_token?: string | undefined
  client: Pick<MonitorClient, 'enroll'>
  /** Returns a random number from 0 up to 1. */
  random: () => number
  log: Log
}

/**
 * Timeout of the request, in milliseconds. It is longer than the time to connect, so that the agent can tell an unreachable
 * server from one that does not respond.
 */
const TIMEOUT_MS = 15_000
const RETRY_MIN_MS = 500

export class Enrollment {
  readonly #options: EnrollmentOptions
  #identity: Identity | undefined
  #ending = new AbortController().signal

  constructor(options: EnrollmentOptions) {
    this.#options = options
  }

  get identity(): Identity | undefined {
    return this.#identity
  }

  /**
   * Whether the monitor is a shared monitor. Such a monitor runs strangers' checks, so the agent connects to public addresses
   * only, whatever its flags say.
   */
  get isShared(): boolean {
    return this.#identity?.class === 'shared'
  }

  /**
   * Stores whether the monitor is private or shared, as the server says. The class applies at once, and stays on disk for a start
   * without a server.
   */
  async noteClass(told: string | undefined): Promise<void> {
    if (!this.#identity || told === undefined || told === this.#identity.class) return
    this.#identity = { ...this.#identity, class: told }
    const { config, log } = this.#options
    say(log, 'info', { event: 'class_told', class: told })
    await saveIdentity(config['state-dir'], this.#identity).catch((error: unknown) => {
      say(log, 'warn', { event: 'identity_not_saved', error: wordsOf(error) })
    })
  }

  /** Resolves with an identity, or with undefined if `signal` aborts before. */
  async begin(signal: AbortSignal): Promise<Identity | undefined> {
    this.#ending = signal
    const { 'state-dir': state_dir, server, supervised } = this.#options.config
    this.#identity =
      (await loadIdentity(state_dir, server, { isMoved: supervised })) ?? (await this.#enrollSometime(signal))
    return this.#identity
  }

  /** Enrolls the monitor again under its id after an operator reset it, which made its key invalid. */
  async takeBack(): Promise<void> {
    if (!this.#identity) return
    try {
      this.#identity = await this.#enroll(this.#identity.monitor_id)
    } catch (error) {
      throw error instanceof Fatal || mayBeRepeated(error) || error === this.#ending.reason ? error : answerLost(error)
    }
  }

  async #enrollSometime(signal: AbortSignal): Promise<Identity | undefined> {
    const { config, random, log } = this.#options
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        return await this.#enroll(config['monitor-id'])
      } catch (error) {
        if (error instanceof Fatal) throw error
        if (error === signal.reason) return undefined
        if (!mayBeRepeated(error)) throw answerLost(error)
        const wait_ms = backoff(failures, RETRY_MIN_MS, random)
        say(log, 'warn', { event: 'enroll_failed', error: wordsOf(error), wait_ms })
        await pause(wait_ms, undefined, { signal }).catch(() => undefined)
      }
    }
    return undefined
  }

  async #enroll(id: string | undefined): Promise<Identity> {
    const identity = await enroll(this.#enrollOptions(), id)
    say(this.#options.log, 'info', { event: 'enrolled', monitor_id: identity.monitor_id })
    return identity
  }

  #enrollOptions(): EnrollOptions {
    const { client, config } = this.#options
    const { server, name, region, country, city, 'state-dir': state_dir } = config
    return {
      state_dir,
      base_url: server,
      place: { name, region, country, city },
      token: () => this.#token(),
      // The request must finish, because the server sends the key only once.
      enroll: (request, token) => client.enroll(request, { token, timeout: TIMEOUT_MS }),
    }
  }

  async #token(): Promise<string | undefined> {
    const { enrollment_token, config } = this.#options
    const path = config['enrollment-token-file']
    if (enrollment_token || path === undefined) return enrollment_token || undefined
    const reading = readFile(path, 'utf8').catch((error: unknown) => {
      throw new Fatal(`cannot read the enrollment token: ${wordsOf(error)}`, EXIT_HOPELESS)
    })
    const text = await unlessEnded(reading, this.#ending)
    if (text === undefined) throw this.#ending.reason
    return text.trim() || undefined
  }
}

/**
 * Returns the error for an enrollment whose response was lost. The monitor may exist now, but its key is lost, and another
 * attempt could create a second monitor.
 */
function answerLost(error: unknown): Fatal {
  const what = `the enrollment was sent, but the response was lost: ${wordsOf(error)}.`
  const orphan =
    'The server may now have a new monitor whose key is lost. If the server lists a monitor without results, reset this monitor and'
  return new Fatal(`${what} ${orphan} start with --monitor-id; otherwise start again.`, EXIT_HOPELESS)
}
