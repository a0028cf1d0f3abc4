// The settings of HAProxy for the proof.

export const BACKEND = 'web'
/** Longer than HAProxy takes to see that a server is not ready. */
export const DRAIN_SEC = 3

export interface Frontage {
  port: number
  /** The path of its stats socket. */
  socket: string
  servers: readonly { name: string; port: number }[]
}

export function haproxySettings({ port, socket, servers }: Frontage): string {
  return `
global
  maxconn 2000
  stats socket ${socket} mode 600
defaults
  mode http
  timeout connect 2s
  timeout client 75s
  timeout server 75s
  timeout http-request 15s
  timeout http-keep-alive 80s
  retries 3
  option redispatch 1
frontend front
  bind 127.0.0.1:${port}
  option forwardfor
  default_backend ${BACKEND}
backend ${BACKEND}
  balance roundrobin
  option httpchk GET /readyz
  http-check expect status 200
  default-server inter 500ms fall 2 rise 2
${servers.map((server) => `  server ${server.name} 127.0.0.1:${server.port} check`).join('\n')}
`
}
