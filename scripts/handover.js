// Hands over from the Node that started us to the pinned one: same arguments, terminal, signals and exit.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { childEnvironment, Fault, pinnedNode, prepare, root, say } from './bootstrap.js'

// npm passes on a signal that the terminal has already sent to all of us: within this time the two count as one.
const SAME_SIGNAL_MS = 1_000

/** Prepares the tree and becomes `scripts/<name>.ts`. */
export function handOverToScript(name, { build, progress }) {
  return handOver([join(root, 'scripts', `${name}.ts`), ...process.argv.slice(2)], { build, progress, cwd: root })
}

/** Prepares the tree and becomes the pinned Node with these arguments. `progress`: that is its first stage. */
export async function handOver(args, { build, progress, cwd }) {
  try {
    const onWork = progress && ((what) => progress.show(1, what))
    await prepare({ build, onWork }).finally(() => progress?.clear())
    await runPinned(args, { cwd })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    say(error.message)
    process.exitCode = 1
  }
}

/** Runs the pinned Node to its end and ends as it did. */
export async function runPinned(args, { cwd = process.cwd() } = {}) {
  const node = pinnedNode()
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', ...args], {
    cwd,
    env: childEnvironment(node),
    stdio: 'inherit',
  })
  const stopForwarding = forwardSignals(child)
  const [code, signal] = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (...end) => resolve(end))
  })
  stopForwarding()
  if (signal) process.kill(process.pid, signal)
  else process.exitCode = code
}

function forwardSignals(child) {
  const last = new Map()
  const onSignal = (name) => {
    const now = performance.now()
    const repeated = now - (last.get(name) ?? Number.NEGATIVE_INFINITY) < SAME_SIGNAL_MS
    last.set(name, now)
    if (!repeated && !reachesChildAnyway(name)) child.kill(name)
  }
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const name of names) process.on(name, onSignal)
  return () => names.forEach((name) => process.off(name, onSignal))
}

// Ctrl-C goes to the terminal's whole foreground group; without a terminal, the signal was for us alone.
function reachesChildAnyway(name) {
  return name === 'SIGINT' && (process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY)
}
