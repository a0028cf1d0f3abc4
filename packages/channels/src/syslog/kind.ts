// Sends a line to a syslog server, according to RFC 5424.
import { CHOICE, defineKind, RECEIVER_URL } from '../kind.ts'
import { FACILITIES, syslogMessage } from './message.ts'
import { syslogChannel } from './socket.ts'

export const syslog = defineKind({
  name: 'syslog',
  label: 'Syslog',
  about: 'Sends messages to a syslog server (RFC 5424) over TLS, TCP or UDP.',
  plan: 'double',
  fields: {
    syslog_url: {
      ...RECEIVER_URL,
      label: 'Server URL',
      hint: 'For example, tls://logs.example.com:6514. tcp:// and udp:// also work, but UDP cannot confirm delivery.',
      schemes: ['tls', 'tcp', 'udp'],
      fault: (value) => (isPlain(value) ? undefined : 'must not contain a username, path or query'),
    },
    syslog_facility: {
      ...CHOICE,
      label: 'Facility',
      hint: 'The syslog facility to send messages under.',
      options: Object.keys(FACILITIES),
    },
  },
  facts: ({ syslog_url }) => [
    { label: 'Transport', value: syslog_url.slice(0, syslog_url.indexOf(':')).toUpperCase() },
  ],
  sending: { by: 'other', server: 'receiver', open: syslogChannel, render: syslogMessage },
  example: { syslog_url: 'tls://logs.example.com:6514', syslog_facility: 'local0' },
})

function isPlain(value: string): boolean {
  const { username, password, pathname, search, hash } = new URL(value)
  return username + password + search + hash === '' && (pathname === '' || pathname === '/')
}
