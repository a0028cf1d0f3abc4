// Proves that DNS checks read answers as `dig` does: serves a zone of 200 names with records of all common types by Debian's bind9, and
// compares each answer, by the assertions of a check that the agent runs once.
// npm run prove -- dns [--names 200] [--seed N]
import { execFile, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Dice, dice } from '../../packages/server/test/support/dice.ts'
import { requireProgram } from '../lab/debian.ts'
import { freePort, need, openFolder, readFlags, runProof, SEED } from '../lab/proof.ts'

const flags = readFlags({ names: { type: 'string', default: '200' }, seed: SEED })
const NAMES = Number(flags.names)
const AGENT = fileURLToPath(new URL('../../packages/agent/bin/dogwatch-agent.js', import.meta.url))
const ZONE = 'zone.example'
const LISTENS_WITHIN_MS = 20_000
const AT_ONCE = 2
/** Maximum number of assertions of a check. One is about the number of records. */
const MOST_RECORDS = 19
const run = promisify(execFile)

const hex = ({ below }: Dice, bytes: number): string =>
  Array.from({ length: bytes }, () => below(256).toString(16).padStart(2, '0')).join('')
const base64 = (d: Dice, bytes: number): string => Buffer.from(hex(d, bytes), 'hex').toString('base64')
const host = ({ below }: Dice): string => `Host-${below(1e6)}.${ZONE}.`

/** Returns a text in quotes, with bytes that are not letters among it. */
function text({ below }: Dice): string {
  const byte = (): string => {
    const code = below(256)
    return /[A-Za-z0-9 ;$@()]/.test(String.fromCharCode(code))
      ? String.fromCharCode(code)
      : `\\${String(code).padStart(3, '0')}`
  }
  return `"${Array.from({ length: below(40) }, byte).join('')}"`
}

/** Data of a record of each type, in the form of zone files. */
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
/** Types of which a name has one record. */
const SINGLE = new Set(['CNAME', 'CDS', 'CDNSKEY'])

await runProof('dns', 900_000, async (undo) => {
  const d = dice(Number(flags.seed))
  const named = requireProgram('bind9', '/usr/sbin/named')
  const dig = requireProgram('bind9-dnsutils', '/usr/bin/dig')
  const folder = await openFolder(undo)
  const port = await freePort()
  const types = Object.keys(DATA)
  const apex = ['SOA', 'NS'].map((type) => ({ name: ZONE, type }))
  const names = Array.from({ length: NAMES }, (_, n) => ({
    name: `n${n}.${ZONE}`,
    type: types[n % types.length] ?? 'A',
  }))
  await mkdir(join(folder, 'answers'))
  await writeFile(join(folder, 'zone'), zoneOf(names, d))
  await writeFile(join(folder, 'named.conf'), configurationOf(folder, port))
  const server = spawn(named, ['-g', '-c', join(folder, 'named.conf')], { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  server.stderr.on('data', (line) => (log = (log + String(line)).slice(-4000)))
  undo(() => server.kill('SIGKILL'))
  const ask = async (name: string, type: string) => {
    const words = [...['@127.0.0.1', '-p', String(port), name, type], ...['+noall', '+answer', '+nosplit', '+tries=1']]
    const { stdout } = await run(dig, words)
    return stdout.split('\n').flatMap((line) => /^\S+\s+\d+\s+IN\s+\S+\s+(.*)$/.exec(line)?.[1] ?? [])
  }
  await need(
    async () => (await ask(`n0.${ZONE}`, 'A').catch(() => [])).length > 0,
    LISTENS_WITHIN_MS,
    () => `does not answer: ${log}`,
  )
  const faults: string[] = []
  let records = 0
  const left = [...apex, ...names]
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) {
      const data = await ask(next.name, next.type)
      if (data.length === 0) faults.push(`${next.name} ${next.type}: dig has no answer`)
      records += data.length
      const fault = await compare({ ...next, data, port, folder })
      if (fault !== undefined) faults.push(`${next.name} ${next.type}: ${fault}; dig: ${data.join(' | ')}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return {
    figures: `${NAMES} names of ${types.length + apex.length} types, ${records} records compared, seed ${flags.seed}`,
    faults,
  }
})

interface Comparison {
  name: string
  type: string
  data: readonly string[]
  port: number
  folder: string
}

/** Runs a check whose assertions are the records of `dig`. Returns its error, if it has one. */
async function compare({ name, type, data, port, folder }: Comparison): Promise<string | undefined> {
  const assertions = [
    { on: 'dns_count', is: 'eq', value: data.length },
    ...data.slice(0, MOST_RECORDS).map((value) => ({ on: 'dns_answer', is: 'contains', value })),
  ]
  const file = join(folder, 'answers', `${name} ${type}.json`)
  await writeFile(file, JSON.stringify({ assertions }))
  const args = ['run-once', '--json', '--fields', file, `dns://127.0.0.1:${port}/${name}?type=${type}`]
  const { stdout, stderr } = await run(process.execPath, [AGENT, ...args]).catch(
    (failed: { stdout: string; stderr: string }) => failed,
  )
  if (stdout === '') return stderr.trim()
  const { success, error } = JSON.parse(stdout) as { success: boolean; error: string }
  return success ? undefined : error
}

function zoneOf(names: readonly { name: string; type: string }[], d: Dice): string {
  const head = `$TTL 300\n@ IN SOA ns admin 1 3600 600 86400 300\n@ IN NS ns\nns IN A 127.0.0.1\n`
  const records = names.flatMap(({ name, type }) => {
    const make = DATA[type]
    const count = SINGLE.has(type) ? 1 : 1 + d.below(5)
    const ttl = d.below(90_000)
    return [...new Set(Array.from({ length: count }, () => make?.(d) ?? ''))].map(
      (data) => `${name}. ${ttl} IN ${type} ${data}`,
    )
  })
  return `${head}${records.join('\n')}\n`
}

function configurationOf(folder: string, port: number): string {
  return `options {
  directory "${folder}";
  pid-file none;
  session-keyfile "${folder}/session.key";
  listen-on port ${port} { 127.0.0.1; };
  listen-on-v6 { none; };
  recursion no;
  dnssec-validation no;
  check-names primary ignore;
};
controls { };
zone "${ZONE}" { type primary; file "${folder}/zone"; check-integrity no; };
`
}
