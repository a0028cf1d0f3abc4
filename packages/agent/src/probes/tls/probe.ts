// Probes a tls:// target: makes a handshake, and nothing else.
import { dial } from '../dial.ts'
import type { Probe } from '../probe.ts'

export const probeTls: Probe<'tls'> = (attempt, { host, port }, check) => {
  const secure = { name: host, may_be_anyone: check.insecure_skip_verify ?? false, shows_certificate: true }
  dial(attempt, { host, port, answers: false, secure }, (socket) => {
    socket.on(
      'error',
      attempt.guarded((error) => attempt.failBy(error)),
    )
    socket.on(
      'secureConnect',
      attempt.guarded(() => attempt.finish(attempt.certificates[0]?.summary)),
    )
  })
}
