// Runs the built-in monitor: an agent as a child process of the server, which the server restarts when necessary and
// ends when it ends itself.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Deps } from '@dogwatch/domain/deps'
import { createEnrollmentToken, revokeEnrollmentToken } from '@dogwatch/domain/monitors/enrollment-tokens'
import { findLocalMonitor, type LocalMonitor } from '@dogwatch/domain/monitors/local-monitor'
import type { Log } from '@dogwatch/runtime/log'
import { SYNC_CHANNEL } from '@dogwatch/store/checks/checks'
import type { Listener } from '@dogwatch/store/postgres/listen'

/** Path of the agent's program in `packages/agent`, seen from `src/` and `dist/` alike. No other code knows this path. */
const AGENT_PROGRAM = fileURLToPath(new URL('../../../agent/dist/main.js', import.meta.url))

const PLACE = ['--name', 'Built-in monitor', '--region', 'local', '--country', 'local', '--city', 'this server']
const NAME = 'built-in monitor'
const TOKEN_SEC = 300
/**
 * Interval in milliseconds between two searches for an organisation to join, while the server is being set up. `LOOK_MS`: the same
 * for later.
 */
const SOON_MS = 1_000
const LOOK_MS = 30_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000
/** Exit code of an agent that a restart would not help, for example because the organisation may have no more monitors. */
const HOPELESS = 78
const HOPELESS_WAIT_MS = 600_000
/** Runtime in milliseconds after which the end of an agent is not a failed start. */
const RAN_WELL_MS = 60_000
/** Delay in milliseconds before the agent learns of changes, so that several changes cause a single sync. */
const HINT_MS = 300
/**
 * Time in milliseconds for the agent to stop. After that, it is killed, which loses no results, because it writes them to disk
 * first.
 */
const STOP_MS = 6_000
const PASSED_ON =
  /^(PATH|HOME|TMPDIR|TEMP|TZ|LANG|SYSTEMROOT|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|DOGWATCH_AGENT_.*)$/i

type Agent = ChildProcessByStdio<Writable, null, Readable>

export interface LocalMonitorOptions {
  /** Address of this server for the agent. */
  server_url: string
  data_dir: string
  log_level: string
  /** Source of notifications about changes. If absent, the agent learns of changes at its next sync. */
  listener?: Pick<Listener, 'on'> | undefined
  program?: string
}

/** Keeps the agent running until the caller calls the returned function, which resolves when the agent has ended. */
export function runLocalMonitor(deps: Deps, options: LocalMonitorOptions): (hurry?: AbortSignal) => Promise<void> {
  const { program = AGENT_PROGRAM } = options
  if (!existsSync(program)) {
    deps.log.info({ program }, `the ${NAME} is not installed`)
    return async () => {}
  }
  const monitor = new Supervisor(deps, { ...options, program })
  return (hurry) => monitor.stop(hurry)
}

class Supervisor {
  readonly #deps: Deps
  readonly #options: LocalMonitorOptions & { program: string }
  readonly #dir: string
  readonly #stopping = new AbortController()
  readonly #leave: (() => void) | undefined
  readonly #running: Promise<void>
  #child: Agent | undefined
  /** Enrollment token. Set only until the agent has enrolled. */
  #token: string | undefined
  #hint: NodeJS.Timeout | undefined
  #wait_ms = FIRST_WAIT_MS
  /** Last logged reason why no monitor runs, so that each reason is logged once. */
  #why = ''

  constructor(deps: Deps, options: LocalMonitorOptions & { program: string }) {
    this.#deps = deps
    this.#options = options
    this.#dir = join(options.data_dir, 'local-monitor')
    this.#leave = options.listener?.on(SYNC_CHANNEL, () => this.#hintSoon())
    this.#running = this.#run()
  }

  async stop(hurry?: AbortSignal): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#hint)
    this.#leave?.()
    await this.#end(hurry)
    await this.#running
  }

  get #log(): Log {
    return this.#deps.log
  }

  async #run(): Promise<void> {
    while (!this.#isStopping()) {
      let rest_ms = this.#wait_ms
      try {
        rest_ms = await this.#step()
      } catch (err) {
        if (!this.#isStopping()) this.#log.error({ err }, `the ${NAME} could not be started; will retry`)
        this.#waitLonger()
      }
      await this.#rest(rest_ms)
    }
  }

  /**
   * Runs the agent until it ends, if there should be a built-in monitor. Returns the milliseconds to wait before the next step.
   */
  async #step(): Promise<number> {
    const found = await findLocalMonitor(this.#deps, await this.#readId())
    if (found.kind === 'none') return found.isSoon ? SOON_MS : LOOK_MS
    if (found.kind === 'over') {
      if (found.why !== this.#why) this.#log.warn({ why: found.why }, `the ${NAME} is no longer run`)
      this.#why = found.why
      return LOOK_MS
    }
    this.#why = ''
    if (found.kind === 'unknown') return this.#putAside()
    const begun = this.#deps.clock.monotonicMs()
    const code = await this.#supervise(await this.#start(found))
    if (code === HOPELESS) return HOPELESS_WAIT_MS
    if (this.#deps.clock.monotonicMs() - begun >= RAN_WELL_MS) this.#wait_ms = FIRST_WAIT_MS
    const wait_ms = this.#wait_ms
    this.#waitLonger()
    return wait_ms
  }

  async #start(found: Exclude<LocalMonitor, { kind: 'none' | 'over' | 'unknown' }>): Promise<Agent> {
    const { program, server_url, log_level } = this.#options
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    if (found.kind === 'reset') await rm(this.#identityFile, { force: true })
    const args = ['--server', server_url, '--state-dir', this.#dir, ...PLACE, '--supervised']
    const again = found.kind === 'reset' ? ['--monitor-id', found.monitor_id] : []
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED_ON.test(name)))
    if (found.kind !== 'enrolled') {
      this.#token = (await createEnrollmentToken(this.#deps, found.org_id, TOKEN_SEC)).token
      env.DOGWATCH_ENROLLMENT_TOKEN = this.#token
    }
    this.#stopping.signal.throwIfAborted()
    const child = spawn(
      process.execPath,
      [program, ...args, ...again, '--log-format', 'json', '--log-level', levelOf(log_level)],
      {
        env: { ...env, UV_THREADPOOL_SIZE: '64', MALLOC_ARENA_MAX: '2' },
        stdio: ['pipe', 'ignore', 'pipe'],
      },
    )
    // Ignores errors of writing to an agent that has ended.
    child.stdin.on('error', () => {})
    createInterface({ input: child.stderr }).on('line', (line) => this.#pass(line))
    this.#child = child
    return child
  }

  /** Waits until the agent has ended, and returns its exit code. Ends the agent if its monitor no longer exists. */
  async #supervise(child: Agent): Promise<number | null> {
    const over = new AbortController()
    const watching = this.#watch(over.signal)
    try {
      const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
      if (!this.#isStopping())
        this.#log.warn(
          { code, signal, wait_ms: code === HOPELESS ? HOPELESS_WAIT_MS : this.#wait_ms },
          `the ${NAME} exited and is being restarted`,
        )
      return code
    } finally {
      this.#child = undefined
      over.abort()
      await watching
    }
  }

  /**
   * Ends the agent if its monitor was reset or removed. After a reset, the agent enrolls again. The agent of a disabled monitor
   * keeps running, because it handles that itself.
   */
  async #watch(over: AbortSignal): Promise<void> {
    const either = AbortSignal.any([over, this.#stopping.signal])
    for (;;) {
      await sleep(this.#token === undefined ? LOOK_MS : SOON_MS, undefined, { signal: either }).catch(() => {})
      if (either.aborted) return
      const id = await this.#readId()
      if (id !== undefined) await this.#revokeToken()
      const found = id === undefined ? undefined : await findLocalMonitor(this.#deps, id).catch(() => undefined)
      if (found && found.kind !== 'enrolled' && found.kind !== 'none') await this.#end()
    }
  }

  /** Revokes the enrollment token after its use, because users would wonder who made a token that still works. */
  async #revokeToken(): Promise<void> {
    const token = this.#token
    this.#token = undefined
    // If revoking fails, the token expires within minutes.
    if (token !== undefined) await revokeEnrollmentToken(this.#deps, token).catch(() => {})
  }

  /** Ends the agent by closing its standard input. Kills it after a time limit. */
  async #end(hurry?: AbortSignal): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    const kill = (): void => void child.kill('SIGKILL')
    const timer = setTimeout(kill, STOP_MS)
    if (hurry?.aborted) kill()
    else hurry?.addEventListener('abort', kill)
    child.stdin.end()
    await ended
    clearTimeout(timer)
    hurry?.removeEventListener('abort', kill)
  }

  /** Renames the agent files of another database instead of deleting them, because their results may still be needed. */
  async #putAside(): Promise<number> {
    const aside = `${this.#dir}-${(await this.#readId()) ?? 'unknown'}`
    await rm(aside, { recursive: true, force: true })
    await rename(this.#dir, aside)
    this.#log.warn(
      { aside },
      `this database has no record of the ${NAME}; enrolling a new one and setting the old files aside`,
    )
    return 0
  }

  get #identityFile(): string {
    return join(this.#dir, 'identity.json')
  }

  async #readId(): Promise<string | undefined> {
    const text = await readFile(this.#identityFile, 'utf8').catch(() => '{}')
    const { monitor_id } = parse(text) as { monitor_id?: unknown }
    return typeof monitor_id === 'string' ? monitor_id : undefined
  }

  #hintSoon(): void {
    if (this.#isStopping()) return
    this.#hint ??= setTimeout(() => {
      this.#hint = undefined
      this.#child?.stdin.write('sync\n')
    }, HINT_MS)
  }

  /** Passes a line of the agent's log to the server's log, under the agent's name. */
  #pass(line: string): void {
    const { level = 40, event = line, time, ...facts } = parse(line) as Record<string, unknown>
    const say = Number(level) >= 50 ? 'error' : Number(level) >= 40 ? 'warn' : Number(level) >= 30 ? 'info' : 'debug'
    this.#log[say](
      { ...facts, source: NAME, ...(time !== undefined && { agent_time: time }) },
      `${NAME}: ${String(event)}`,
    )
  }

  #waitLonger(): void {
    this.#wait_ms = Math.min(2 * this.#wait_ms, LONGEST_WAIT_MS)
  }

  async #rest(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => {})
  }

  /**
   * Whether the supervisor is stopping. A method, because the compiler would assume that a field keeps its value during a wait.
   */
  #isStopping(): boolean {
    return this.#stopping.signal.aborted
  }
}

/** Returns the log level for the agent, which has fewer levels than the server. */
function levelOf(level: string): string {
  if (level === 'trace') return 'debug'
  return level === 'fatal' ? 'error' : level
}

function parse(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
