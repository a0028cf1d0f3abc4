// Lists real servers of applications, as servers.ts lists others: a broker, databases, time servers and name servers, and the
// kernel, which responds to pings.
import { existsSync } from 'node:fs'
import type { RecordType } from '../../../packages/check-rules/dist/dns.js'
import { assert, type ServerRow, UNTRUSTED } from './servers.ts'

const POSTGRES = ['18', '17', '16', '15', '14'].map((version) => `/usr/lib/postgresql/${version}/bin/postgres`)
/** Option of a target that sends a time request of NTP version 4. The response has the mode 4. */
const TIME = `?send=%23${'%00'.repeat(47)}`
/** Command that permits pings in a new network namespace, which permits none at first. */
const MAY_PING = 'echo 0 0 > /proc/sys/net/ipv4/ping_group_range'
const SHORT = { fields: { timeout_sec: 1 } }
const STRANGER = { isStranger: true } as const
const WRONG_MYSQL = 'protocol: the user or the password is wrong (1045)'

const ZONE = 'zone.example'
const KEY = Buffer.alloc(64, 'key').toString('base64')
const HASH = Buffer.alloc(32, 'hash').toString('hex').toUpperCase()
/** Records of each type that a check can query, in the form in which an answer has them. Those of SOA and NS are the zone's own. */
const RECORDS: Readonly<Record<RecordType, readonly string[]>> = {
  A: ['192.0.2.1', '192.0.2.2'],
  NS: [`ns.${ZONE}.`],
  CNAME: [`Host-1.${ZONE}.`],
  SOA: [`ns.${ZONE}. admin.${ZONE}. 1 3600 600 86400 300`],
  PTR: [`Host-2.${ZONE}.`, `dot\\.ted.${ZONE}.`],
  MX: [`10 Host-3.${ZONE}.`, `20 Host-4.${ZONE}.`],
  // Contains every byte, in texts of 64 bytes, and a record of several texts.
  TXT: [
    ...[0, 64, 128, 192].map((first) => `"${Array.from({ length: 64 }, (_, n) => inText(first + n)).join('')}"`),
    '"a b" "c" ""',
  ],
  AAAA: ['2001:db8:5c::9f', '2001:db8::1'],
  SRV: [`1 2 8443 Host-5.${ZONE}.`, `0 0 65535 Host-6.${ZONE}.`],
  NAPTR: ['100 10 "u" "E2U+sip" "!^.*$!sip:1@x.example!" .'],
  DNAME: ['other.example.'],
  DS: [`12345 13 2 ${HASH}`],
  SSHFP: [`4 2 ${HASH}`],
  DNSKEY: [`257 3 13 ${KEY}`, `256 3 13 ${KEY}`],
  TLSA: [`3 1 1 ${HASH}`],
  SMIMEA: [`3 1 1 ${HASH}`],
  CDS: [`12345 13 2 ${HASH}`],
  CDNSKEY: [`257 3 13 ${KEY}`],
  SVCB: [`1 Host-7.${ZONE}. port=8443`, `2 Host-8.${ZONE}. ipv6hint=2001:db8::1`],
  HTTPS: ['1 . alpn="h2,h3" port=8443 ipv4hint=192.0.2.1,192.0.2.2'],
  URI: ['10 1 "https://x.example/1?a=b;c"'],
  CAA: ['0 issue "ca.example; policy=x"', '128 iodef "mailto:ops@example.com"'],
}
const OWN_TYPES: readonly string[] = ['SOA', 'NS']

export const APPS: Readonly<Record<string, ServerRow>> = {
  mosquitto: {
    program: '/usr/sbin/mosquitto',
    ports: 3,
    script: `
mosquitto_passwd -b -c passwords ana hunter2
cat >mosquitto.conf <<END
user root
per_listener_settings true
listener $1 127.0.0.1
allow_anonymous true
listener $2 127.0.0.1
allow_anonymous false
password_file $PWD/passwords
listener $3 127.0.0.1
allow_anonymous true
certfile $CERT
keyfile $KEY
END
exec $0 -c mosquitto.conf`,
    checks: [
      ['mqtt://{1}', 'ok'],
      // The broker publishes its version as a retained message, which each subscriber gets at once.
      ['mqtt://{1}?topic=$SYS/broker/version', 'ok'],
      ['mqtt://ana:hunter2@{2}', 'ok'],
      ['mqtt://ana:secret1@{2}', 'protocol: the broker does not permit the connection'],
      ['mqtts://{3}', 'ok'],
      ['mqtts://{1}', /^(?:reset|tls): /],
      ['mqtt://{3}', /^reset: /],
    ],
  },
  mariadb: {
    program: '/usr/sbin/mariadbd',
    ports: 1,
    script: `
cat >init.sql <<END
delete from mysql.global_priv where user = '';
flush privileges;
create database shop;
create user ana@'%' identified by 'hunter2';
grant select on shop.* to ana@'%';
create user eve@'%' identified by 'hunter2' require ssl;
END
mariadb-install-db --no-defaults --user=root --datadir=$PWD/data
exec $0 --no-defaults --user=root --datadir=$PWD/data --init-file=$PWD/init.sql --port=$1 --bind-address=127.0.0.1 \\
  --socket=$PWD/socket --pid-file=$PWD/pid --ssl-cert=$CERT --ssl-key=$KEY`,
    checks: [
      ['mysql://ana:hunter2@{1}/shop', 'ok'],
      ['mysql://ana:hunter2@{1}/shop?query=select 6 * 7&tls=yes', 'ok'],
      ['mysql://eve:hunter2@{1}?tls=yes', 'ok'],
      ['mysql://eve:hunter2@{1}?tls=yes', UNTRUSTED, STRANGER],
      ['mysql://eve:hunter2@{1}', WRONG_MYSQL],
      ['mysql://ana:secret1@{1}', WRONG_MYSQL],
      ['mysql://ana:hunter2@{1}/nosuch', /^protocol: the (?:user has no permission|database does not)/],
      ['mysql://ana:hunter2@{1}?query=select nosuch', 'protocol: the query is not valid (1054)'],
      ['postgres://ana:hunter2@{1}', 'protocol: the response is not valid PostgreSQL'],
    ],
  },
  postgres: {
    program: POSTGRES.find((path) => existsSync(path)) ?? '/usr/lib/postgresql',
    ports: 1,
    script: `
echo hunter2 >password
install -o postgres -m 600 $KEY server.key
install -o postgres -m 600 $CERT server.crt
chown postgres .
as_postgres='setpriv --reuid=postgres --regid=postgres --clear-groups'
$as_postgres \${0%/*}/initdb -D $PWD/data -A scram-sha-256 --pwfile=$PWD/password
exec $as_postgres $0 -D $PWD/data -p $1 -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c ssl=on \\
  -c ssl_cert_file=$PWD/server.crt -c ssl_key_file=$PWD/server.key`,
    checks: [
      ['postgres://postgres:hunter2@{1}', 'ok'],
      ['postgres://postgres:hunter2@{1}/postgres?query=select 6 * 7&tls=yes', 'ok'],
      ['postgres://postgres:hunter2@{1}?tls=yes', UNTRUSTED, STRANGER],
      ['postgres://postgres:hunter2@{1}?query=show server_version', 'ok'],
      ['postgres://postgres:secret1@{1}', 'protocol: the user or the password is wrong (28P01)'],
      ['postgres://postgres:hunter2@{1}/nosuch', 'protocol: the database does not exist (3D000)'],
      ['postgres://postgres:hunter2@{1}?query=select nosuch', 'protocol: the query is not valid (42703)'],
      [
        "postgres://postgres:hunter2@{1}?query=select nextval(pg_get_serial_sequence('x', 'y'))",
        /^protocol: the (?:query is not valid|query would change)/,
      ],
      ['mysql://postgres:hunter2@{1}', /^timeout: /],
    ],
  },
  chrony: chrony('local stratum 5', [
    ['ntp://{1}', 'ok', assert({ on: 'stratum', is: 'eq', value: 5 })],
    ['ntp://{1}', 'ok', assert({ on: 'offset_ms', is: 'lt', value: 100 })],
    ['ntp://{1}', /^assertion: /, assert({ on: 'stratum', is: 'lt', value: 5 })],
    [`udp://{1}${TIME}&expect=%24`, 'ok'],
    [`udp://{1}${TIME}&expect=busy`, 'protocol: the response does not contain the expected bytes'],
    ['udp://{1}?send=x&expect=y', /^timeout: /, SHORT],
  ]),
  'chrony-alone': chrony('', [['ntp://{1}', 'protocol: the clock of the server is not synchronised']]),
  bind9: {
    program: '/usr/sbin/named',
    ports: 2,
    script: `
cat >zone <<'END'
$ORIGIN ${ZONE}.
$TTL 300
ns IN A 127.0.0.1
www IN A 192.0.2.1
${zoneLines()}
END
cat >named.conf <<END
options {
  directory "$PWD";
  pid-file none;
  session-keyfile "$PWD/session.key";
  listen-on port $1 { 127.0.0.1; };
  listen-on port $2 tls own { 127.0.0.1; };
  listen-on-v6 { none; };
  recursion no;
  dnssec-validation no;
};
tls own { cert-file "$CERT"; key-file "$KEY"; };
controls { };
zone "${ZONE}" { type primary; file "$PWD/zone"; };
END
exec $0 -g -c named.conf`,
    checks: [
      ['dns://{1}/www.zone.example', 'ok', assert({ on: 'dns_answer', is: 'eq', value: '192.0.2.1' })],
      ['dns://{1}/www.zone.example?transport=tcp', 'ok'],
      ['dns://{2}/www.zone.example?transport=tls', 'ok'],
      ['dns://{1}/www.zone.example?type=MX', 'dns: there is no record of this type'],
      ['dns://{1}/nosuch.zone.example', 'dns: NXDOMAIN'],
      ['dns://{1}/other.example', 'dns: REFUSED'],
      ['dns://{1}/www.zone.example', /^match: /, { fields: { match_string: '192.0.2.2' } }],
      // The server takes the first bytes of a TLS handshake for the length of a query, and waits for the rest of that query.
      ['dns://{1}/www.zone.example?transport=tls', 'timeout: during the TLS handshake', SHORT],
      ['dns://{2}/www.zone.example?transport=tls', UNTRUSTED, STRANGER],
      ...Object.entries(RECORDS).map(([type, data]) => recordsCheck(type, data)),
    ],
  },
  kernel: {
    program: '/usr/bin/unshare',
    ports: 0,
    checks: [
      [
        'icmp://127.0.0.1?count=5',
        'ok',
        { ...assert({ on: 'loss', is: 'eq', value: 0 }), within: ownNetwork(MAY_PING) },
      ],
      [
        'icmp://127.0.0.1',
        'dogwatch-agent: this machine could not run the check: icmp_permission',
        { within: ownNetwork('echo 1 0 > /proc/sys/net/ipv4/ping_group_range') },
      ],
      [
        'icmp://127.0.0.1',
        'timeout: while waiting for a response',
        { ...SHORT, within: ownNetwork(`${MAY_PING} && echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_all`) },
      ],
      ['icmp://192.0.2.1', 'unreachable: no route to the network', { within: ownNetwork(MAY_PING) }],
    ],
  },
}

/** Returns a byte as texts in zone files have it. */
function inText(byte: number): string {
  const char = String.fromCharCode(byte)
  if (char === '"' || char === '\\') return `\\${char}`
  return byte >= 0x20 && byte < 0x7f ? char : `\\${String(byte).padStart(3, '0')}`
}

function zoneLines(): string {
  const nameOf = (type: string) => (OWN_TYPES.includes(type) ? '@' : type.toLowerCase())
  return Object.entries(RECORDS)
    .flatMap(([type, all]) => all.map((data) => `${nameOf(type)} IN ${type} ${data}`))
    .join('\n')
}

/** Returns a check that requires exactly these records of a type. */
function recordsCheck(type: string, data: readonly string[]): ServerRow['checks'][number] {
  const name = OWN_TYPES.includes(type) ? ZONE : `${type.toLowerCase()}.${ZONE}`
  const assertions = [
    { on: 'dns_count', is: 'eq', value: data.length },
    ...data.map((value) => ({ on: 'dns_answer', is: 'contains', value })),
  ]
  return [`dns://{1}/${name}?type=${type}`, 'ok', { fields: { assertions } }]
}

/** Returns the start of a command that runs in a network namespace of its own, which has only a loopback. */
function ownNetwork(setUp: string): string[] {
  return ['unshare', '-n', 'sh', '-c', `ip link set lo up && ${setUp} && exec "$@"`, 'sh']
}

/** Returns the row of a time server that does not set the clock of this machine. */
function chrony(reference: string, checks: ServerRow['checks']): ServerRow {
  const script = `
cat >chrony.conf <<END
port $1
bindaddress 127.0.0.1
allow 127.0.0.1
cmdport 0
bindcmdaddress /
pidfile $PWD/pid
user root
${reference}
END
exec $0 -x -d -f $PWD/chrony.conf`
  return { program: '/usr/sbin/chronyd', ports: 1, isDatagram: true, script, checks }
}
