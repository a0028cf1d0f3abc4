// The command line flags of proofs.
import { readFileSync } from 'node:fs'
import { type ParseArgsConfig, parseArgs } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>
type Values<Of extends Options> = ReturnType<typeof parseArgs<{ options: Of }>>['values']

/** Reads the flags. With `--help`, or when one is not right, it prints what stands at the top of the proof and exits. */
export function readFlags<const Of extends Options>(options: Of): Values<Of> {
  return readArguments(options, false).values
}

/** The same for a proof that takes other arguments as well. */
export function readFlagsAndPatterns<const Of extends Options>(
  options: Of,
): { values: Values<Of>; positionals: string[] } {
  return readArguments(options, true)
}

function readArguments<const Of extends Options>(options: Of, allowPositionals: boolean) {
  if (process.argv.includes('--help')) exit(0, '')
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals })
    return { values, positionals }
  } catch (error) {
    return exit(2, `${(error as Error).message}\n`)
  }
}

function exit(code: number, complaint: string): never {
  const out = code === 0 ? process.stdout : process.stderr
  out.write(`${complaint}${aboutProof()}\n`)
  process.exit(code)
}

/** The first comment of the program that runs. */
function aboutProof(): string {
  const lines = readFileSync(process.argv[1] ?? '', 'utf8').split('\n')
  const end = lines.findIndex((line) => !line.startsWith('//'))
  return lines
    .slice(0, end)
    .map((line) => line.slice(3))
    .join('\n')
}
