// Stores the checks of the last sync, also on disk, so that a restart without network can continue.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Check } from '@dogwatch/monitor-sdk'
import { z } from 'zod'
import { replaceFile } from '../process/state-dir.ts'
import type { SavedTime } from './timekeeper.ts'

/**
 * Maximum age of the stored checks that may run after a restart, in milliseconds. In a longer time, too much may have changed.
 */
const AGE_MAX_MS = 24 * 3_600_000

const SAVED = z.object({
  saved_at: z.iso.datetime(),
  clock_ahead_ms: z.number(),
  tells_now: z.boolean().optional(),
  // Other fields of a check are validated when the check is planned, so that one odd check does not remove all others.
  checks: z.array(z.looseObject({ guid: z.string(), url: z.string() })),
})

export interface SavedSet extends SavedTime {
  saved_at: string
  checks: Check[]
}

export type Checks = ReadonlyMap<string, Check>

/** Returns the checks to run after a response: a full one replaces everything, a delta changes the checks that it names. */
export function applyAnswer(held: Checks, rows: readonly Check[], isFull: boolean): Checks {
  const checks = new Map(isFull ? [] : held)
  for (const row of rows) {
    if (row.deleted) checks.delete(row.guid)
    else checks.set(row.guid, row)
  }
  return checks
}

export const checksPath = (state_dir: string): string => join(state_dir, 'checks.json')

/** Stores the checks as the server sent them, without private definitions. */
export async function saveChecks(state_dir: string, saved: SavedSet): Promise<void> {
  await replaceFile(checksPath(state_dir), `${JSON.stringify(saved)}\n`)
}

/** Returns the stored checks of the last sync, or undefined if they cannot be read. */
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
