// What one case has to itself: a server, a target, a state directory, and the agent under test.
import { rmSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { AgentProcess } from './agent-process.ts'
import { Breach, expect, Skip, shown } from './breach.ts'
import { fill } from './command-line.ts'
import { type Check, type Result, ScriptedServer, type Upload } from './server.ts'
import { Target, type Visit } from './target.ts'

export interface WorldOptions {
  /** The words of the agent's command line, with placeholders. */
  words: readonly string[]
  /** How long what the agent does at its own pace may take. */
  patience_ms: number
  /** How long a server that is being restored knows no key. */
  restoring_ms: number
  /** What the server's clock is ahead of this machine's. */
  ahead_ms: number
  /** What its cursor is ahead of its clock. */
  cursor_ahead_ms: number
}

export interface StartOptions {
  /** Whether the enrollment token is in the environment. */
  hasToken?: boolean
}

const LOOK_MS = 50
/** A run may begin so long before the target sees it, on a machine that is busy. */
const BEFORE_MS = 3000
/** The agent's idea of server time may be so much ahead. */
const AHEAD_MS = 600
/** A run that an agent is still busy with when it is told to stop may go on so long. */
export const UNDER_WAY_MS = 1200

// A kit that is ended leaves nothing behind either. The agents are ended before, by a listener that is older.
const dirs = new Set<string>()
process.on('exit', () => dirs.forEach((dir) => rmSync(dir, { recursive: true, force: true, maxRetries: 3 })))

export class World {
  readonly name: string
  readonly server: ScriptedServer
  readonly target = new Target()
  readonly agents: AgentProcess[] = []
  readonly #options: WorldOptions
  #dir = ''

  constructor(name: string, options: WorldOptions) {
    this.name = name
    this.#options = options
    this.server = new ScriptedServer(options.ahead_ms, options.cursor_ahead_ms)
  }

  async open(): Promise<void> {
    this.#dir = await mkdtemp(join(tmpdir(), 'dogwatch-conformance-'))
    dirs.add(this.#dir)
    await this.define({})
    await this.server.open()
    await this.target.open()
  }

  async close(): Promise<void> {
    await Promise.all(this.agents.map((agent) => agent.kill()))
    await Promise.all([this.server.close(), this.target.close()])
    await rm(this.#dir, { recursive: true, force: true, maxRetries: 3 })
    dirs.delete(this.#dir)
  }

  get monitorName(): string {
    return `conformance ${this.name}`
  }

  get takesName(): boolean {
    return this.#takes('{name}')
  }

  /** Writes the private definitions, by guid. @throws Skip when the agent takes none. */
  async define(definitions: Record<string, Record<string, unknown>>): Promise<void> {
    if (Object.keys(definitions).length > 0 && !this.#takes('{definitions}')) {
      throw new Skip('the command line has no {definitions}')
    }
    await writeFile(this.#definitions, JSON.stringify(definitions), { mode: 0o600 })
  }

  start({ hasToken = true }: StartOptions = {}): AgentProcess {
    const values = {
      server: this.server.url,
      state_dir: join(this.#dir, 'state'),
      name: this.monitorName,
      definitions: this.#definitions,
    }
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('DOGWATCH_'))
    const token = hasToken ? { DOGWATCH_ENROLLMENT_TOKEN: this.server.enrollment_token } : {}
    const agent = new AgentProcess(fill(this.#options.words, values), { ...Object.fromEntries(inherited), ...token })
    this.agents.push(agent)
    return agent
  }

  /** A check of a page of the target; its guid names the page. */
  watch(guid: string, row: Partial<Check> = {}): Check {
    return this.server.put({ guid, url: `${this.target.url}/${guid}`, ...row })
  }

  get patience_ms(): number {
    return this.#options.patience_ms
  }

  get restoring_ms(): number {
    return this.#options.restoring_ms
  }

  /** Looks until there is something, for as long as the agent may take. */
  async until<T>(
    expected: string,
    look: () => T,
    { seen, within_ms = this.#options.patience_ms }: { seen?: () => unknown; within_ms?: number } = {},
  ): Promise<NonNullable<T>> {
    for (const end = Date.now() + within_ms; ; await pause(LOOK_MS)) {
      const found = look()
      if (found !== undefined && found !== null && found !== false) return found
      this.#seeAlive(expected)
      if (Date.now() > end) throw new Breach(expected, shown(seen?.() ?? `nothing of it in ${within_ms / 1000} s`))
    }
  }

  /** Lets time pass in which something is not to happen. */
  async watchFor(ms: number): Promise<void> {
    await pause(ms)
    this.#seeAlive('the agent runs on')
  }

  /** Resolves when this many results of a check are stored. */
  async untilResults(guid: string, count = 1, since = 0): Promise<Result[]> {
    const found = () => this.server.results.filter((one) => one.check_guid === guid && timeOf(one) >= since)
    await this.until(`${count} results of ${guid}`, () => found().length >= count, {
      seen: () => `${found().length}; requests: ${this.#requests()}`,
    })
    return found()
  }

  async untilVisits(guid: string, count: number, since = 0): Promise<Visit[]> {
    const found = () => this.target.of(`/${guid}`, since)
    const turns_ms = (count + 1) * this.server.turnOf(guid)
    await this.until(`${count} runs of ${guid}`, () => found().length >= count, {
      within_ms: this.#options.patience_ms + turns_ms,
      seen: () => `${found().length}; requests: ${this.#requests()}`,
    })
    return found()
  }

  /** Resolves when `count` syncs have been answered with checks, with the time of the last. */
  async untilSynced(count: number): Promise<number> {
    const answered = () => this.server.of('GET /checks').filter((sync) => sync.answered?.status === 200)
    await this.until(`${count} syncs`, () => answered().length >= count, { seen: () => this.#requests() })
    return answered()[count - 1]?.at ?? 0
  }

  get syncs(): number {
    return this.server.of('GET /checks').filter((sync) => sync.answered?.status === 200).length
  }

  /** Holds when a check is not run any more from a moment on, but for what was under way. */
  async expectNoRuns(guid: string, from: number, why: string): Promise<void> {
    const quiet = from + UNDER_WAY_MS
    await this.watchFor(Math.max(0, quiet + 3000 - Date.now()))
    const runs = this.target.of(`/${guid}`, quiet).length
    expect(`no run of ${guid} ${why}`, runs === 0, `${runs} runs in the 3 s after`)
  }

  /** Resolves when every visit of the target up to a moment has come to a stored result. */
  async untilAllArrived(until: number, from = 0): Promise<void> {
    await this.until(
      'each run to come to a result that the server has stored',
      () => this.#withoutResult(from, until).length === 0,
      {
        seen: () => `${this.#withoutResult(from, until).length} runs without one; requests: ${this.#requests()}`,
      },
    )
  }

  /** Uploads as the server first saw them, one for each answer. */
  get uploads(): Upload[] {
    return this.server.uploads
  }

  #withoutResult(from: number, until: number): Visit[] {
    const { ahead_ms } = this.server.time
    const times = Map.groupBy(this.server.results, ({ check_guid }) => `/${check_guid}`)
    const visits = Map.groupBy(this.target.visits, ({ path }) => path)
    return [...visits].flatMap(([path, visited]) => {
      const left = (times.get(path) ?? []).map((result) => timeOf(result) - ahead_ms).sort((a, b) => a - b)
      return visited.filter(({ at }) => !takeOne(left, at)).filter(({ at }) => at >= from && at <= until)
    })
  }

  #seeAlive(expected: string): void {
    const dead = this.agents.find(({ ended, mayEnd }) => ended !== undefined && !mayEnd)
    if (dead) throw new Breach(expected, `the agent ended (${dead.ended})`)
  }

  #requests(): string {
    const counts = new Map<string, number>()
    for (const { route, answered } of this.server.arrived) {
      const key = `${route} ${answered?.status ?? 'no answer'}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    return [...counts].map(([key, count]) => `${count} x ${key}`).join(', ') || 'none'
  }

  get #definitions(): string {
    return join(this.#dir, 'definitions.json')
  }

  #takes(placeholder: string): boolean {
    return this.#options.words.some((word) => word.includes(placeholder))
  }
}

/** Takes the first of the times (rising) that can be that of a run seen at `at`. False when there is none. */
function takeOne(times: number[], at: number): boolean {
  const index = times.findIndex((time) => time > at - BEFORE_MS && time < at + AHEAD_MS)
  if (index !== -1) times.splice(index, 1)
  return index !== -1
}

export function timeOf({ ran_at }: Pick<Result, 'ran_at'>): number {
  return Date.parse(ran_at)
}
