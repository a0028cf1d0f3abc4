// Runs the commands of docs/guides/backup.md word for word.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { Account } from '../../../packages/embedded-postgres/dist/account.js'

const PAGE = readFileSync(new URL('../../../packages/server/docs/guides/backup.md', import.meta.url), 'utf8')
/** Fenced block, with a name after its language. A block in a list is indented. */
const BLOCK = /^( *)```\w+ (\w+)\n([\s\S]*?)^\1```$/gm

/** Returns the content of a block. */
export function block(name: string): string {
  for (const [, indent = '', found, body = ''] of PAGE.matchAll(BLOCK)) {
    if (found === name) return body.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
  }
  throw new Error(`docs/guides/backup.md has no block that is called ${name}`)
}

/** Runs a block as the user of Postgres. `bin` is the directory of its programs. */
export async function runBlock(
  name: string,
  { bin, account, env }: { bin: string; account: Account; env: Readonly<Record<string, string>> },
): Promise<void> {
  const child = spawn('/bin/sh', ['-euc', block(name)], {
    cwd: '/',
    env: { PATH: `${bin}:/usr/bin:/bin`, LC_ALL: 'C', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...account,
  })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (code !== 0 || out !== '') throw new Error(`the block ${name} ended with ${String(code)}: ${out}${err}`)
}
