// What an account holds, as the server would answer it.

import type { AccountExport, CheckArrivalsPage, CheckResultsPage, Result } from '../src/index.ts'
import type { Reply } from '../../monitor-sdk/test/misbehaving-server.ts'

export const GUID = '8f4f6c1e-52c1-4f0e-9c58-6d2f3f0f4f11'

export function result(minute: number, over: Partial<Result> = {}): Result {
  const ran_at = `2026-11-20T10:${String(minute).padStart(2, '0')}:00.123456Z`
  return { ran_at, monitor_id: '7k2m9x0c4v5b', success: true, latency_ms: minute, ...over }
}

export function page(...results: Result[]): CheckResultsPage {
  const last = results.at(-1)
  return last ? { results, next: { after: last.ran_at, after_monitor: last.monitor_id } } : { results }
}

export function arrivals(cursor: string, ...results: Result[]): CheckArrivalsPage {
  return { results, cursor }
}

export const EXPORT: AccountExport = {
  org_name: 'Shop \u00e9',
  generated_at: '2026-11-20T10:00:00.000000Z',
  entitlements: { Plan: 'solo' },
  plan_usage: { Checks: 2 },
  checks: [],
  monitors: [],
  heartbeats: [],
  notification_channels: [],
  members: [],
  results: {
    [GUID]: [result(1, { response_sample: '"}]\u00e9\u{1F600}\\' }), result(2)],
    empty: [],
    'a.b': [result(3)],
  },
}

/** The document of an export with so many results of one check. */
export function exportOf(results: number): string {
  const rows = Array.from({ length: results }, (_, index) => JSON.stringify(result(index % 60)))
  return JSON.stringify({ ...EXPORT, results: {} }).replace(
    '"results":{}',
    () => `"results":{"${GUID}":[${rows.join()}]}`,
  )
}

/** Sends an export, in so many pieces, then ends as told: whole, silent, or with its connection broken. */
export function sendExport(
  text: string,
  { pieces = 1, then = 'end' }: { pieces?: number; then?: 'end' | 'silence' | 'break' } = {},
): Reply {
  return async (res) => {
    const bytes = Buffer.from(text)
    const headers = {
      'content-type': 'application/json',
      'content-disposition': 'attachment; filename="dogwatch.json"',
    }
    res.writeHead(200, headers)
    const size = Math.ceil(bytes.length / pieces)
    for (let at = 0; at < bytes.length; at += size) {
      await new Promise((resolve) => res.write(bytes.subarray(at, at + size), resolve))
    }
    if (then === 'end') res.end()
    if (then === 'break') res.socket?.destroy()
  }
}
