// Lists the probes, one for each scheme that monitors run, and loads each on the first check of its scheme. All other code looks them up here.
import type { ProbedScheme } from '@dogwatch/check-rules/schemes'
import type { Probe } from './probe.ts'

const LOADERS: { readonly [One in ProbedScheme]: () => Promise<Probe<One>> } = {
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
  smtp: async () => (await import('./dialogue/probe.ts')).probeDialogue,
  smtps: async () => (await import('./dialogue/probe.ts')).probeDialogue,
  imap: async () => (await import('./dialogue/probe.ts')).probeDialogue,
  imaps: async () => (await import('./dialogue/probe.ts')).probeDialogue,
  pop3: async () => (await import('./dialogue/probe.ts')).probeDialogue,
  pop3s: async () => (await import('./dialogue/probe.ts')).probeDialogue,
  ftp: async () => (await import('./dialogue/probe.ts')).probeDialogue,
  ftps: async () => (await import('./dialogue/probe.ts')).probeDialogue,
  ssh: async () => (await import('./dialogue/probe.ts')).probeDialogue,
  redis: async () => (await import('./dialogue/probe.ts')).probeDialogue,
  rediss: async () => (await import('./dialogue/probe.ts')).probeDialogue,
  ldap: async () => (await import('./dialogue/probe.ts')).probeDialogue,
  ldaps: async () => (await import('./dialogue/probe.ts')).probeDialogue,
}

const loaded = new Map<ProbedScheme, Promise<Probe>>()

/** Resolves with the probe of a scheme. The caller must pass it targets of this scheme only. */
export function probeOf(scheme: ProbedScheme): Promise<Probe> {
  const probe = loaded.get(scheme) ?? (LOADERS[scheme]() as Promise<Probe>)
  loaded.set(scheme, probe)
  return probe
}
