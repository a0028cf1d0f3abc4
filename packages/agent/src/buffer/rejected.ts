// Stores results that were given up, so that a person can look at them.
import { appendFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

const BYTES_MAX = 1024 * 1024

/** Appends a result to `rejected.ndjson` in the state directory, which grows up to 1 MiB. */
export async function keepForPeople(state_dir: string, value: string, why: string): Promise<void> {
  const path = join(state_dir, 'rejected.ndjson')
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  )
  const line = `${JSON.stringify({ why, result: readable(value) ?? value })}\n`
  if (size + line.length <= BYTES_MAX) await appendFile(path, line, { mode: 0o600 })
}

/** Returns the parsed entry, or undefined if disk damage made it unreadable. */
export function readable(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}
