// Lists the servers that respond to datagrams, like servers.ts: time and name servers, and the kernel, which responds to pings.
import { assert, type RunPlan, type ServerRow } from './servers.ts'

const HOST = '127.0.0.1'
const ZONE = 'zone.example'
/** Request for the time in version 4 of NTP. A response has the mode 4. */
const TIME = `?send=%23${'%00'.repeat(47)}`

export const DATAGRAMS: readonly ServerRow[] = [
  ...([true, false] as const).map(chrony),
  {
    server: 'bind9',
    program: '/usr/sbin/named',
    ports: 2,
    files: ({ folder, ports: [plain, secure], cert, key }) => ({
      zone: `$TTL 300\n@ IN SOA ns admin 1 3600 600 86400 300\n@ IN NS ns\nns IN A ${HOST}\nwww IN A 192.0.2.1\n`,
      'named.conf': `options {
  directory "${folder}";
  pid-file none;
  session-keyfile "${folder}/session.key";
  listen-on port ${plain} { ${HOST}; };
  listen-on port ${secure} tls own { ${HOST}; };
  listen-on-v6 { none; };
  recursion no;
  dnssec-validation no;
};
tls own { cert-file "${cert}"; key-file "${key}"; };
controls { };
zone "${ZONE}" { type primary; file "${folder}/zone"; };
`,
    }),
    start: { args: ({ folder }) => ['-g', '-c', `${folder}/named.conf`] },
    targets: ([plain, secure]) => [
      [`dns://${HOST}:${plain}/www.${ZONE}`, 'ok', assert({ on: 'dns_answer', is: 'eq', value: '192.0.2.1' })],
      [`dns://${HOST}:${plain}/www.${ZONE}?transport=tcp`, 'ok'],
      [`dns://${HOST}:${secure}/www.${ZONE}?transport=tls`, 'ok'],
      [`dns://${HOST}:${plain}/www.${ZONE}?type=MX`, 'dns: there is no record of this type'],
      [`dns://${HOST}:${plain}/nosuch.${ZONE}`, 'dns: NXDOMAIN'],
      [`dns://${HOST}:${plain}/other.example`, 'dns: REFUSED'],
      [`dns://${HOST}:${plain}/www.${ZONE}`, /^match: /, { fields: { match_string: '192.0.2.2' } }],
      // The first bytes of a handshake are the length of a query, whose rest the server awaits.
      [
        `dns://${HOST}:${plain}/www.${ZONE}?transport=tls`,
        'timeout: during the TLS handshake',
        { fields: { timeout_sec: 1 } },
      ],
      [
        `dns://${HOST}:${secure}/www.${ZONE}?transport=tls`,
        'tls: the issuer of the certificate is unknown',
        { isStranger: true },
      ],
    ],
  },
  {
    server: 'kernel',
    program: '/usr/bin/unshare',
    ports: 0,
    targets: () => [
      [`icmp://${HOST}?count=5`, 'ok', { ...assert({ on: 'loss', is: 'eq', value: 0 }), ...inNetwork(MAY_PING) }],
      [
        `icmp://${HOST}`,
        'dogwatch-agent: this machine could not run the check: icmp_permission',
        inNetwork('echo 1 0 > /proc/sys/net/ipv4/ping_group_range'),
      ],
      [
        `icmp://${HOST}`,
        'timeout: while waiting for a response',
        { fields: { timeout_sec: 1 }, ...inNetwork(`${MAY_PING} && echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_all`) },
      ],
      ['icmp://192.0.2.1', 'unreachable: no route to the network', inNetwork(MAY_PING)],
    ],
  },
]

/** Command that permits pings in a new network. A network permits none at first. */
const MAY_PING = 'echo 0 0 > /proc/sys/net/ipv4/ping_group_range'

/** Runs the agent in a network of its own, which has only a loopback. */
function inNetwork(setUp: string): Pick<RunPlan, 'within'> {
  return { within: ['unshare', '-n', 'sh', '-c', `ip link set lo up && ${setUp} && exec "$@"`, 'sh'] }
}

/** Returns the row of a time server that is its own reference, or has none. */
function chrony(isSynchronised: boolean): ServerRow {
  return {
    server: isSynchronised ? 'chrony' : 'chrony-alone',
    program: '/usr/sbin/chronyd',
    ports: 1,
    isDatagram: true,
    files: ({ folder, ports: [port] }) => ({
      'chrony.conf': `port ${port}
bindaddress ${HOST}
allow ${HOST}
cmdport 0
bindcmdaddress /
pidfile ${folder}/pid
user root
${isSynchronised ? 'local stratum 5' : ''}
`,
    }),
    // Without control over the clock of this machine.
    start: { args: ({ folder }) => ['-x', '-d', '-f', `${folder}/chrony.conf`] },
    targets: ([port]) =>
      isSynchronised
        ? [
            [`ntp://${HOST}:${port}`, 'ok', assert({ on: 'stratum', is: 'eq', value: 5 })],
            [`ntp://${HOST}:${port}`, 'ok', assert({ on: 'offset_ms', is: 'lt', value: 100 })],
            [`ntp://${HOST}:${port}`, /^assertion: /, assert({ on: 'stratum', is: 'lt', value: 5 })],
            [`udp://${HOST}:${port}${TIME}&expect=%24`, 'ok'],
            [`udp://${HOST}:${port}${TIME}&expect=busy`, 'protocol: the response does not contain the expected bytes'],
            [`udp://${HOST}:${port}?send=x&expect=y`, /^timeout: /, { fields: { timeout_sec: 1 } }],
          ]
        : [[`ntp://${HOST}:${port}`, 'protocol: the clock of the server is not synchronised']],
  }
}
