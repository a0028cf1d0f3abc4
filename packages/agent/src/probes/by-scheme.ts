// Maps each scheme to the probe for its targets.
import type { Scheme } from '@dogwatch/check-rules/target'
import { probeHttp } from './http.ts'
import type { Probe } from './probe.ts'
import { probeTcp } from './tcp.ts'
import { probeTls } from './tls.ts'

export const PROBES: Readonly<Record<Scheme, Probe>> = {
  http: probeHttp,
  https: probeHttp,
  tcp: probeTcp,
  tls: probeTls,
}
