// Proves that DNS checks read answers as `dig` does: serves a zone of 200 names with records of all common types by Debian's bind9, and
// compares each answer, by the assertions of a check that the agent runs once.
// npm run prove -- dns [--seed N]
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Dice, dice } from '../../packages/runtime/test/support/dice.ts'
import { requireProgram } from '../lab/debian.ts'
import { openFolder, readFlags, runProof, SEED } from '../lab/proof.ts'
import { runOnce, startTarget } from '../lab/targets.ts'

const { seed } = readFlags({ seed: SEED })
const NAMES = 200
const ZONE = 'zone.example'
const AT_ONCE = 2
/** Maximum number of records of a name. A check has at most 20 assertions, one of them about the number of records. */
const MOST_RECORDS = 19
const SCRIPT = `
cat >named.conf <<END
options {
  directory "$PWD";
  pid-file none;
  session-keyfile "$PWD/session.key";
  listen-on port $1 { 127.0.0.1; };
  listen-on-v6 { none; };
  recursion no;
  dnssec-validation no;
  check-names primary ignore;
};
controls { };
zone "${ZONE}" { type primary; file "$ZONE"; check-integrity no; };
END
exec $0 -g -c named.conf`

const hex = ({ below }: Dice, bytes: number): string =>
  Array.from({ length: bytes }, () => below(256).toString(16).padStart(2, '0')).join('')
const base64 = (d: Dice, bytes: number): string => Buffer.from(hex(d, bytes), 'hex').toString('base64')
const host = ({ below }: Dice): string => `Host-${below(1e6)}.${ZONE}.`

/** Returns a text in quotes that also contains bytes other than letters. */
function text({ below }: Dice): string {
  const byte = (): string => {
    const code = below(256)
    return /[A-Za-z0-9 ;$@()]/.test(String.fromCharCode(code))
      ? String.fromCharCode(code)
      : `\\${String(code).padStart(3, '0')}`
  }
  return `"${Array.from({ length: below(40) }, byte).join('')}"`
}

/** Functions that make the data of a record, by the record's type, in the form of zone files. */
const DATA: Readonly<Record<string, (d: Dice) => string>> = {
  A: ({ below }) => `192.0.2.${below(256)}`,
  AAAA: ({ below }) => `2001:db8:${below(65_536).toString(16)}::${below(65_536).toString(16)}`,
  CAA: ({ below }) => `${below(2) * 128} issue "ca${below(100)}.example; policy=x"`,
  DS: (d) => `${d.below(65_536)} 13 2 ${hex(d, 32)}`,
  HTTPS: ({ below }) => `${1 + below(9)} . alpn=h2,h3 port=${1 + below(9999)} ipv4hint=192.0.2.${below(256)}`,
  MX: (d) => `${d.below(100)} ${host(d)}`,
  NAPTR: (d) => `${d.below(100)} 10 "u" "E2U+sip" "!^.*$!sip:${d.below(100)}@x.example!" .`,
  PTR: host,
  SMIMEA: (d) => `3 1 1 ${hex(d, 32)}`,
  SRV: (d) => `${d.below(10)} ${d.below(100)} ${d.below(65_536)} ${host(d)}`,
  SSHFP: (d) => `4 2 ${hex(d, 32)}`,
  SVCB: (d) => `${1 + d.below(9)} ${host(d)} port=${1 + d.below(9999)}`,
  TLSA: (d) => `3 1 1 ${hex(d, 32)}`,
  TXT: (d) => Array.from({ length: 1 + d.below(3) }, () => text(d)).join(' '),
  URI: (d) => `${d.below(10)} 1 "https://x.example/${d.below(1000)}?a=b;c"`,
  CNAME: host,
  DNSKEY: (d) => `257 3 13 ${base64(d, 64)}`,
  CDS: (d) => `${d.below(65_536)} 13 2 ${hex(d, 32)}`,
  CDNSKEY: (d) => `257 3 13 ${base64(d, 64)}`,
}
/** Types of records that a name can have only one of. */
const SINGLE = new Set(['CNAME', 'CDS', 'CDNSKEY'])

await runProof('dns', 900_000, async (undo) => {
  const d = dice(Number(seed))
  const program = requireProgram('bind9', '/usr/sbin/named')
  const dig = requireProgram('bind9-dnsutils', '/usr/bin/dig')
  const types = Object.keys(DATA)
  const names = Array.from({ length: NAMES }, (_, n) => [`n${n}.${ZONE}`, types[n % types.length] ?? ''] as const)
  const folder = await openFolder(undo)
  const zone = join(folder, 'zone')
  await writeFile(zone, zoneOf(names, d))
  const plan = { program, ports: 1, script: SCRIPT }
  const [port] = await startTarget(plan, join(folder, 'named'), undo, { ZONE: zone })
  const faults: string[] = []
  let records = 0
  const left = [...names, [ZONE, 'SOA'] as const, [ZONE, 'NS'] as const]
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [name, type] = next
      const words = ['@127.0.0.1', '-p', `${port}`, name, type, '+noall', '+answer', '+nosplit', '+tries=1']
      const { stdout } = await promisify(execFile)(dig, words)
      const data = stdout.split('\n').flatMap((line) => /^\S+\s+\d+\s+IN\s+\S+\s+(.*)$/.exec(line)?.[1] ?? [])
      records += data.length
      const assertions = [
        { on: 'dns_count', is: 'eq', value: data.length },
        ...data.slice(0, MOST_RECORDS).map((value) => ({ on: 'dns_answer', is: 'contains', value })),
      ]
      const found = await runOnce(`dns://127.0.0.1:${port}/${name}?type=${type}`, { fields: { assertions } })
      const fault = data.length === 0 ? 'dig has no answer' : found
      if (fault !== 'ok') faults.push(`${name} ${type}: ${fault}; dig: ${data.join(' | ')}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return { figures: `${NAMES} names of ${types.length + 2} types, ${records} records compared, seed ${seed}`, faults }
})

function zoneOf(names: readonly (readonly [name: string, type: string])[], d: Dice): string {
  const head = '$TTL 300\n@ IN SOA ns admin 1 3600 600 86400 300\n@ IN NS ns\nns IN A 127.0.0.1\n'
  const records = names.flatMap(([name, type]) => {
    const count = SINGLE.has(type) ? 1 : 1 + d.below(5)
    const ttl = d.below(90_000)
    const data = new Set(Array.from({ length: count }, () => DATA[type]?.(d) ?? ''))
    return [...data].map((one) => `${name}. ${ttl} IN ${type} ${one}\n`)
  })
  return head + records.join('')
}
