// Runs the commands of docs/guides/backup.md word for word.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Debian } from '../../lab/postgres.ts'

const PAGE = readFileSync(new URL('../../../packages/server/docs/guides/backup.md', import.meta.url), 'utf8')
/** Pattern of a fenced block with a name after its language. A block in a list is indented. */
const BLOCK = /^( *)```\w+ (\w+)\n([\s\S]*?)^\1```$/gm

/** Returns the content of the block with this name. */
export function block(name: string): string {
  for (const [, indent = '', found, body = ''] of PAGE.matchAll(BLOCK)) {
    if (found === name) return body.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
  }
  throw new Error(`docs/guides/backup.md has no block that is called ${name}`)
}

/** Runs the block with this name as the operating system user of Postgres. */
export function runBlock(name: string, { bin, account }: Debian, env: Readonly<Record<string, string>>): void {
  const all = { PATH: `${bin}:/usr/bin:/bin`, LC_ALL: 'C', ...env }
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-euc', block(name)], {
    ...{ cwd: '/', env: all, encoding: 'utf8', ...account },
  })
  if (status !== 0 || stdout !== '') throw new Error(`the block ${name} ended with ${status}: ${stdout}${stderr}`)
}
