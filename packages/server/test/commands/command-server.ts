// Run as a process of its own by the tests: runs many `dogwatch` commands one after another, as they are built. Starting a process
// for each takes ten times as long as most of them. Each finds its own arguments, settings and standard input, and is told by what it
// wrote and by the exit code that it set. One that would keep a process of its own alive is told of, too.
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export interface Command {
  args: readonly string[]
  input: string
  env: Record<string, string>
}

export interface Outcome {
  code: number | null
  out: string
  err: string
}

const PROGRAM = new URL('../../dist/bin/dogwatch.js', import.meta.url)
const ENDS_MS = 60_000

const [stdout, stderr] = [process.stdout, process.stderr]
let count = 0
let last: Promise<unknown> = Promise.resolve()
process.on('message', (command: Command) => {
  last = last.then(() => run(command)).then((outcome) => process.send?.(outcome))
})

async function run({ args, input, env }: Command): Promise<Outcome> {
  const said = { out: '', err: '' }
  const before = keepingAlive()
  process.argv = [process.execPath, fileURLToPath(PROGRAM), ...args]
  process.env = env
  process.exitCode = undefined
  Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from([Buffer.from(input)]) })
  stdout.write = hear((text) => (said.out += text))
  stderr.write = hear((text) => (said.err += text))
  count += 1
  await import(`${PROGRAM.href}?${count}`)
  // The import has set it, if the command was refused.
  const code = (process.exitCode as number | undefined) ?? 0
  const end = performance.now() + ENDS_MS
  while (keepingAlive() !== before) {
    if (performance.now() > end) return { ...said, code: null, err: `${said.err}it does not end: ${keepingAlive()}` }
    await pause(5)
  }
  return { ...said, code }
}

function keepingAlive(): string {
  return process.getActiveResourcesInfo().toSorted().join()
}

function hear(onText: (text: string) => void): typeof process.stdout.write {
  return (chunk: string | Uint8Array, ...rest: unknown[]) => {
    onText(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString())
    const done = rest.find((one) => typeof one === 'function') as (() => void) | undefined
    if (done) process.nextTick(done)
    return true
  }
}
