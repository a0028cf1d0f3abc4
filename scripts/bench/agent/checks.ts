// The checks of this bench, with every rule that their scheme supports.
import { randomUUID } from 'node:crypto'
import type { Check } from '../../../packages/monitor-sdk/dist/index.js'
import { BANNER, type Scheme, WORDS } from './targets.ts'

export const EXPIRY_WARN_DAYS = 14
const SLOW_MS = 8000

const RULES: Readonly<Record<Scheme, Partial<Check>>> = {
  http: { status_code_op: 'eq', status_code_value: 200, match_string: WORDS, headers: { 'x-probe': 'bench' } },
  https: { status_code_op: 'eq', status_code_value: 200, match_string: WORDS, headers: { 'x-probe': 'bench' } },
  tcp: { match_string: BANNER },
  tls: { match_string: '127.0.0.1' },
}

export function checkOf(scheme: Scheme, url: string, interval_sec = 60): Check {
  return {
    guid: randomUUID(),
    name: 'bench',
    url,
    enabled: true,
    deleted: false,
    interval_sec,
    timeout_sec: 10,
    max_response_time_ms: SLOW_MS,
    cert_expiry_warn_days: EXPIRY_WARN_DAYS,
    result_detail_max_chars: 256,
    updated_at: '2026-11-20T10:00:00.000000Z',
    match_string: '',
    ...RULES[scheme],
  }
}
