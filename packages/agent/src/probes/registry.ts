// Lists the probes, one for each scheme that monitors run. Loads each probe at the first check of its scheme. All other code gets
// probes from this file.
import { DIALOGUE_SCHEMES } from '@dogwatch/check-rules/dialogues'
import type { ProbedScheme } from '@dogwatch/check-rules/schemes'
import type { Probe } from './probe.ts'

type Loaders<Some extends ProbedScheme> = { readonly [One in Some]: () => Promise<Probe<One>> }

/** Loaders of the schemes that have a script in dialogue/probe.ts. */
const DIALOGUES = Object.fromEntries(
  Object.keys(DIALOGUE_SCHEMES).map((scheme) => [
    scheme,
    async () => (await import('./dialogue/probe.ts')).probeDialogue,
  ]),
) as Loaders<keyof typeof DIALOGUE_SCHEMES>

const LOADERS: Loaders<ProbedScheme> = {
  ...DIALOGUES,
  http: async () => (await import('./http/probe.ts')).probeHttp,
  https: async () => (await import('./http/probe.ts')).probeHttp,
  tcp: async () => (await import('./tcp/probe.ts')).probeTcp,
  tls: async () => (await import('./tls/probe.ts')).probeTls,
  dns: async () => (await import('./dns/probe.ts')).probeDns,
  icmp: async () => (await import('./icmp/probe.ts')).probeIcmp,
  udp: async () => (await import('./udp/probe.ts')).probeUdp,
  ws: async () => (await import('./ws/probe.ts')).probeWebSocket,
  wss: async () => (await import('./ws/probe.ts')).probeWebSocket,
  grpc: async () => (await import('./grpc/probe.ts')).probeGrpc,
  grpcs: async () => (await import('./grpc/probe.ts')).probeGrpc,
  mqtt: async () => (await import('./mqtt/probe.ts')).probeMqtt,
  mqtts: async () => (await import('./mqtt/probe.ts')).probeMqtt,
  postgres: async () => (await import('./postgres/probe.ts')).probePostgres,
  mysql: async () => (await import('./mysql/probe.ts')).probeMysql,
  ntp: async () => (await import('./ntp/probe.ts')).probeNtp,
}

const loaded = new Map<ProbedScheme, Promise<Probe>>()

/** Resolves with the probe of a scheme. The caller must use the probe only for targets of this scheme. */
export function probeOf(scheme: ProbedScheme): Promise<Probe> {
  const probe = loaded.get(scheme) ?? (LOADERS[scheme]() as Promise<Probe>)
  loaded.set(scheme, probe)
  return probe
}
