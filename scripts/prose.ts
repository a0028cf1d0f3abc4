// Holds what people read to the writing rules: messages and comments in the sources, and documents. Lists each breach with what to write
// instead, and exceptions that nothing needs any longer.
// node scripts/prose.ts
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { commentBreaches, repeatedTypeBreaches } from './prose/comments.ts'
import { documentBreaches } from './prose/documents.ts'
import { type Breach, breachesOf } from './prose/messages.ts'

const root = new URL('..', import.meta.url)
const TEXT_MAX = 160
/** Texts that may break a rule, each with the beginning of the file's path and the reason. There may be at most 40. */
const EXCEPTIONS = [
  {
    file: 'packages/embedded-postgres/src/account.ts',
    rule: 'M4',
    text: 'no user postgres or nobody',
    reason: '"nobody" is the name of a user account',
  },
]
const EXCEPTIONS_MAX = 40

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => !/\/(test|fixtures)\/|\.test\.|\.gen\.|generated\.|\.d\.ts$|^openapi\/released/.test(file))
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8')

const messages = files
  .filter((file) => /^(packages\/.*|scripts\/(start|run|demo\/.*))\.(tsx?|js)$/.test(file))
  .flatMap((file) => breachesOf(file, read(file)))
const documents = Object.fromEntries(files.filter((file) => file.endsWith('.md')).map((file) => [file, read(file)]))
const sources = new Map(
  files.filter((file) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(file)).map((file) => [file, read(file)]),
)
const comments = [...sources].flatMap(([file, source]) => commentBreaches(file, source))
const all = [...messages, ...comments, ...repeatedTypeBreaches(sources), ...(await documentBreaches(documents))]

const isExcepted = ({ file, rule, text }: Breach, one: (typeof EXCEPTIONS)[number]): boolean =>
  file.startsWith(one.file) && rule === one.rule && text.includes(one.text)
const faults = all
  .filter((breach) => !EXCEPTIONS.some((one) => isExcepted(breach, one)))
  .map(({ file, line, rule, text, instead }) => `${file}:${line}: ${rule}: "${text.slice(0, TEXT_MAX)}" (${instead})`)
const unused = EXCEPTIONS.filter((one) => !all.some((breach) => isExcepted(breach, one)))
faults.push(...unused.map(({ file, rule }) => `scripts/prose.ts: nothing in ${file} breaks ${rule} now`))
if (EXCEPTIONS.length > EXCEPTIONS_MAX) {
  faults.push(`scripts/prose.ts: ${EXCEPTIONS.length} exceptions, of at most ${EXCEPTIONS_MAX}`)
}

for (const fault of faults) process.stdout.write(`${fault}\n`)
process.stdout.write(`${faults.length} breaches; ${EXCEPTIONS.length} exceptions\n`)
process.exitCode = faults.length === 0 ? 0 : 1
