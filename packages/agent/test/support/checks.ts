// Checks and runs of them with only what a test cares about.
import type { Check } from '@dogwatch/monitor-sdk'
import { type RunOptions, runCheck } from '../../src/run/run-check.ts'
import type { RunResult } from '../../src/run/run-result.ts'

export function aCheck(url: string, fields: Partial<Check> = {}): Check {
  return {
    guid: '6f0c3f0e-3c51-4e0a-9d0b-6f2d3c0b7a11',
    name: 'shop',
    url,
    enabled: true,
    deleted: false,
    interval_sec: 60,
    match_string: '',
    result_detail_max_chars: 256,
    updated_at: '2026-11-20T10:00:00.000000Z',
    ...fields,
  }
}

export function run(url: string, fields: Partial<Check> = {}, options: Partial<RunOptions> = {}): Promise<RunResult> {
  const check = aCheck(url, { timeout_sec: 5, ...fields })
  return runCheck(check, { public_targets_only: false, now: () => new Date(), ...options })
}

/** The verdict in a line, such as `ok 200` or `status 404`. */
export async function verdict(...given: Parameters<typeof run>): Promise<string> {
  const { kind, http_status } = await run(...given)
  return `${kind} ${http_status}`
}
