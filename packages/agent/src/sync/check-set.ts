// The checks that the server wants run, as of the last sync; on disk too, so that a restart without network goes on.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Check } from '@dogwatch/monitor-sdk'
import { z } from 'zod'
import { replaceFile } from '../process/state-dir.ts'
import type { SavedTime } from './timekeeper.ts'

/** A set older than this is not run after a restart: too much may have changed. */
const AGE_MAX_MS = 24 * 3_600_000

const SAVED = z.object({
  saved_at: z.iso.datetime(),
  clock_ahead_ms: z.number(),
  tells_now: z.boolean().optional(),
  // What else a row must have is looked at when it is planned: one that is odd does not take the others away.
  checks: z.array(z.looseObject({ guid: z.string(), url: z.string() })),
})

export interface SavedSet extends SavedTime {
  saved_at: string
  checks: Check[]
}

export type Checks = ReadonlyMap<string, Check>

/** What is to be run after an answer: a full one replaces everything, a delta changes what it names. */
export function applyAnswer(held: Checks, rows: readonly Check[], isFull: boolean): Checks {
  const checks = new Map(isFull ? [] : held)
  for (const row of rows) {
    if (row.deleted) checks.delete(row.guid)
    else checks.set(row.guid, row)
  }
  return checks
}

export const checksPath = (state_dir: string): string => join(state_dir, 'checks.json')

/** Rows as the server sent them: what is private is not among them. */
export async function saveChecks(state_dir: string, saved: SavedSet): Promise<void> {
  await replaceFile(checksPath(state_dir), `${JSON.stringify(saved)}\n`)
}

/** The set of the last sync; undefined when there is none that can be read. */
export async function loadChecks(state_dir: string): Promise<SavedSet | undefined> {
  try {
    return SAVED.parse(JSON.parse(await readFile(checksPath(state_dir), 'utf8'))) as unknown as SavedSet
  } catch {
    return undefined
  }
}

export function isFresh({ saved_at }: SavedSet, now: number): boolean {
  const age = now - Date.parse(saved_at)
  return age <= AGE_MAX_MS && age >= -AGE_MAX_MS
}
