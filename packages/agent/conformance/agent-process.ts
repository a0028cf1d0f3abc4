// An agent as a process of its own, and all that it started.
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'

const KEPT_OUTPUT = 4000
const STOP_MS = 20_000

const alive = new Set<AgentProcess>()
process.on('exit', () => alive.forEach((agent) => agent.signal('SIGKILL')))

export class AgentProcess {
  readonly began = Date.now()
  /** The end of what it wrote to standard output and error. */
  output = ''
  /** Set once it has ended: its status, or the signal that ended it. */
  ended: number | string | undefined
  /** It is to go on running; a case may allow it to end. */
  mayEnd = false
  readonly #child: ChildProcess
  readonly #exit: Promise<void>

  constructor([program = '', ...args]: readonly string[], env: Record<string, string | undefined>) {
    // A group of its own: a launcher in front of the agent must not outlive a kill, nor the agent its launcher.
    this.#child = spawn(program, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    alive.add(this)
    const keep = (piece: Buffer): void => {
      this.output = (this.output + piece.toString()).slice(-KEPT_OUTPUT)
    }
    this.#child.stdout?.on('data', keep)
    this.#child.stderr?.on('data', keep)
    this.#exit = new Promise((resolve) => {
      const end = (how: number | string): void => {
        this.ended ??= how
        resolve()
      }
      this.#child.once('exit', (code, signal) => end(code ?? signal ?? 'unknown'))
      this.#child.once('error', (error) => end(error.message))
    })
  }

  signal(signal: NodeJS.Signals | 0): boolean {
    const { pid } = this.#child
    try {
      return pid !== undefined && process.kill(-pid, signal)
    } catch {
      return false
    }
  }

  /** Asks it to end, and kills it when it does not. Returns false then. */
  async stop(): Promise<boolean> {
    this.mayEnd = true
    this.signal('SIGTERM')
    const inTime = await this.#gone(STOP_MS)
    if (!inTime) await this.kill()
    alive.delete(this)
    return inTime
  }

  /** Ends it as a power cut would. */
  async kill(): Promise<void> {
    this.mayEnd = true
    this.signal('SIGKILL')
    await this.#exit
    await this.#gone(STOP_MS)
    alive.delete(this)
  }

  async #gone(ms: number): Promise<boolean> {
    for (const end = Date.now() + ms; Date.now() < end; await pause(20)) {
      if (this.ended !== undefined && !this.signal(0)) return true
    }
    return false
  }
}
