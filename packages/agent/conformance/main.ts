// The command dogwatch-conformance: runs the cases against an agent and says which it passed.
import { CASES } from './cases.ts'
import { type Options, readOptions, USAGE, UsageFault } from './options.ts'
import { type Outcome, runCases } from './run.ts'

const NAME_WIDTH = Math.max(...CASES.map(({ name }) => name.length))

// Agents are ended when the kit is.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1))

try {
  process.exit(await main(readOptions(process.argv.slice(2))))
} catch (error) {
  if (!(error instanceof UsageFault)) throw error
  process.stderr.write(`dogwatch-conformance: ${error.message}\n`)
  process.exit(2)
}

async function main({ isHelp, isList, isJson, cases, ...options }: Options): Promise<number> {
  const chosen = CASES.filter(({ name }) => cases.includes(name))
  if (isHelp) process.stdout.write(USAGE)
  else if (isList && isJson) printJson(chosen.map(({ name, fact }) => ({ name, fact })))
  else if (isList) for (const { name, fact } of chosen) process.stdout.write(`${name.padEnd(NAME_WIDTH)}  ${fact}\n`)
  if (isHelp || isList) return 0
  const onOutcome = (outcome: Outcome): void => {
    if (!isJson) process.stdout.write(linesOf(outcome))
  }
  const outcomes = await runCases(chosen, { ...options, onOutcome })
  const count = (kind: Outcome['outcome']): number => outcomes.filter(({ outcome }) => outcome === kind).length
  const totals = { ok: count('ok'), failed: count('FAIL'), skipped: count('skipped') }
  if (isJson) printJson({ ...totals, cases: outcomes })
  else process.stdout.write(`${totals.ok} ok, ${totals.failed} failed, ${totals.skipped} skipped\n`)
  return totals.failed > 0 ? 1 : 0
}

function linesOf({ name, outcome, seconds, fact, expected, seen, why, agent = [] }: Outcome): string {
  const head = `${outcome.padEnd(7)}  ${name.padEnd(NAME_WIDTH)}  ${seconds.toFixed(1).padStart(5)} s`
  const more = [
    outcome === 'FAIL' ? `the agent  ${fact}` : '',
    expected === undefined ? '' : `expected   ${expected}`,
    seen === undefined ? '' : `seen       ${seen}`,
    why === undefined ? '' : `because    ${why}`,
    ...agent.map((line) => `its output ${line.slice(0, 300)}`),
  ]
  return [head, ...more.filter((line) => line !== '').map((line) => `         ${line}`)].join('\n') + '\n'
}

function printJson(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
}
