// The agent as its user starts it: the commands of a page, typed into a shell.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CHILD_ENVIRONMENT } from '../support/child-environment.ts'

const PROGRAM = fileURLToPath(new URL('../../../agent/dist/main.js', import.meta.url))
// The installer itself is proven elsewhere; in its place the agent that was built is enrolled and started.
const STAND_INS = `
curl() { for url; do :; done; server=\${url%/install/install.sh}; }
sh() { shift; export DOGWATCH_ENROLLMENT_TOKEN=$(cat); exec "$NODE" "$PROGRAM" --server "$server" --state-dir ./state "$@"; }
`

export interface RealAgent {
  /** What it said, for whoever wonders. */
  said(): string
  stop(): Promise<void>
}

/** Runs the commands in a folder of their own. */
export async function typeIntoShell(commands: string): Promise<RealAgent> {
  const cwd = await mkdtemp(join(tmpdir(), 'dogwatch-agent-'))
  const child = spawn('sh', ['-c', STAND_INS + commands], {
    cwd,
    // This machine may have no way out at all, and is not to be taken for cut off.
    env: { ...CHILD_ENVIRONMENT, NODE: process.execPath, PROGRAM, DOGWATCH_AGENT_CONNECTIVITY: 'off' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = once(child, 'exit')
  return {
    said: () => said,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
      await rm(cwd, { recursive: true, force: true })
    },
  }
}
