// Reads the server URL and the token from flags and the environment, never from an argument that others can see.

import { readFile } from 'node:fs/promises'
import { askingForProblems } from '../file/problem.ts'
import { ConfigClient } from '../index.ts'
import { VERSION } from '../version.ts'
import { Refusal } from './refusal.ts'
import type { Surroundings } from './surroundings.ts'

export interface AccessFlags {
  server?: string
  tokenFile?: string
}

/** Returns the token. No output may contain any part of it. */
export async function tokenOf({ env }: Pick<Surroundings, 'env'>, flags: AccessFlags): Promise<string> {
  const token = flags.tokenFile === undefined ? env.DOGWATCH_CONFIG_TOKEN : await readToken(flags.tokenFile)
  if (!token) throw new Refusal('no token given; set DOGWATCH_CONFIG_TOKEN or use --token-file FILE')
  return token.trim()
}

export async function clientFor({ env, stderr }: Surroundings, flags: AccessFlags): Promise<ConfigClient> {
  const baseUrl = flags.server ?? env.DOGWATCH_URL
  if (!baseUrl) throw new Refusal('no server given; set DOGWATCH_URL or use --server URL')
  const token = await tokenOf({ env }, flags)
  return new ConfigClient({
    baseUrl,
    token,
    userAgent: `dogwatch-config/${VERSION}`,
    timeout: 120_000,
    fetch: askingForProblems,
    log: (event) => {
      if (event.type !== 'wait' || !stderr.isTTY) return
      stderr.write(`\r\u001b[Kwaiting ${Math.ceil(event.wait_ms / 1000)} s\r`)
    },
  })
}

async function readToken(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    const why = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new Refusal(`cannot read the token file ${file}: ${why}`)
  })
}
