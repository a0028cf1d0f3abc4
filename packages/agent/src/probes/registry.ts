// Lists the probes, one for each scheme. All other code looks them up here.
import type { Scheme } from '@dogwatch/check-rules/schemes'
import { probeHttp } from './http/probe.ts'
import type { Probe } from './probe.ts'
import { probeTcp } from './tcp/probe.ts'
import { probeTls } from './tls/probe.ts'

const PROBES: { readonly [One in Scheme]: Probe<One> } = {
  http: probeHttp,
  https: probeHttp,
  tcp: probeTcp,
  tls: probeTls,
}

/** Returns the probe of a scheme. The caller must pass it targets of this scheme only. */
export function probeOf(scheme: Scheme): Probe {
  return PROBES[scheme] as Probe
}
