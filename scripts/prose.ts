// Holds what people read to the writing rules: messages and comments in the sources, and documents. Lists each breach with what to write
// instead, and exceptions that nothing needs any longer.
// node scripts/prose.ts
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { commentBreaches, repeatedTypeBreaches } from './prose/comments.ts'
import { documentBreaches } from './prose/documents.ts'
import { EXCEPTIONS, isExcepted } from './prose/exceptions.ts'
import { type Breach, breachesOf } from './prose/messages.ts'

const root = new URL('..', import.meta.url)
const EXCEPTIONS_MAX = 40
const TEXT_MAX = 160

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

const faults: string[] = all
  .filter((breach) => !isExcepted(breach))
  .map(
    ({ file, line, rule, text, instead }: Breach) =>
      `${file}:${line}: ${rule}: "${text.slice(0, TEXT_MAX)}" (${instead})`,
  )
const unused = EXCEPTIONS.filter(
  (one) => !all.some((breach) => isExcepted(breach) && breach.file.startsWith(one.file) && breach.rule === one.rule),
)
faults.push(...unused.map(({ file, rule }) => `scripts/prose/exceptions.ts: nothing in ${file} breaks ${rule} now`))
if (EXCEPTIONS.length > EXCEPTIONS_MAX) {
  faults.push(`scripts/prose/exceptions.ts: ${EXCEPTIONS.length} exceptions, of at most ${EXCEPTIONS_MAX}`)
}

for (const fault of faults) process.stdout.write(`${fault}\n`)
process.stdout.write(`${faults.length} breaches; ${EXCEPTIONS.length} exceptions\n`)
process.exitCode = faults.length === 0 ? 0 : 1
