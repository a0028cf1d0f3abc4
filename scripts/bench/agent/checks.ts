// The checks of this bench, with every rule that their scheme supports.
import { randomUUID } from 'node:crypto'
import type { Check } from '../../../packages/monitor-sdk/dist/index.js'

export const SCHEMES = ['http', 'https', 'tcp', 'tls', 'dns', 'icmp'] as const
export type Scheme = (typeof SCHEMES)[number]

export const WORDS = 'all is well'
export const BANNER = '220 ready'
export const NAME = 'a.zone.example'
export const ADDRESS = '192.0.2.7'

const WEB: Partial<Check> = {
  ...{ status_code_op: 'eq', status_code_value: 200, match_string: WORDS, headers: { 'x-probe': 'bench' } },
}
const DNS: Partial<Check> = {
  assertions: [
    { on: 'dns_rcode', is: 'eq', value: 'NOERROR' },
    { on: 'dns_answer', is: 'contains', value: ADDRESS },
  ],
}
const RULES: Readonly<Record<Scheme, Partial<Check>>> = {
  ...{ http: WEB, https: WEB, tcp: { match_string: BANNER }, tls: { match_string: '127.0.0.1' } },
  ...{ dns: DNS, icmp: {} },
}

export function checkOf(scheme: Scheme, url: string, interval_sec = 60): Check {
  return {
    ...{ guid: randomUUID(), name: 'bench', url, enabled: true, deleted: false, interval_sec, timeout_sec: 10 },
    ...{ max_response_time_ms: 8000, cert_expiry_warn_days: 14, result_detail_max_chars: 256 },
    ...{ updated_at: '2026-11-20T10:00:00.000000Z', match_string: '', ...RULES[scheme] },
  }
}
