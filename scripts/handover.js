// Hands over from the Node that npm uses to the pinned Node, which gets the same arguments, terminal and signals. The exit code
// is the same, too.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { childEnvironment, Fault, pinnedNode, prepare, root, say } from './bootstrap.js'

// Time within which two signals count as one, in milliseconds, because npm passes on a signal that the terminal has already sent
// to all processes.
const SAME_SIGNAL_MS = 1_000

/** Prepares the source tree, and then runs `scripts/<name>.ts` in place of this program. */
export function handOverToScript(name, { build, progress }) {
  return handOver([join(root, 'scripts', `${name}.ts`), ...process.argv.slice(2)], { build, progress, cwd: root })
}

/**
 * Prepares the source tree, and then runs the pinned Node with these arguments in place of this program. Shows the preparation as
 * the first stage of `progress`.
 */
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

/** Runs the pinned Node until it ends, and exits with the same code or signal. */
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

// Whether the terminal has already sent a signal to the child. Ctrl-C goes to all processes in the foreground of the terminal.
// Without a terminal, only this process gets the signal.
function reachesChildAnyway(name) {
  return name === 'SIGINT' && (process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY)
}
