// Defines the command `import-from`: reads another tool's files, writes a dogwatch.yaml, and reports the outcome of every field.

import { Option } from 'commander'
import { variableLines } from '../file/variables.ts'
import { countsOf, ImportError, SOURCES, type Source, tableOf } from '../import/index.ts'
import { yamlOf } from '../import/write.ts'
import type { AddCommand } from './command.ts'
import { DEFAULT_FILE } from './config-file.ts'
import { Refusal } from './refusal.ts'
import { type Surroundings, write } from './surroundings.ts'
import { type OutputFile, writeFiles } from './write-files.ts'

interface Options {
  output: string
  force?: boolean
  variablesFile?: string
  table: 'text' | 'json'
}

export const addImportFrom: AddCommand = (start, { around }) => {
  const names = SOURCES.map(({ name, files, about }) => `  ${name}\n    ${about}\n    from ${files}`).join('\n')
  start('import-from')
    .description('Convert the configuration of another tool to a file, and report how each field was handled.')
    .argument('<tool>', SOURCES.map(({ name }) => name).join(', '))
    .argument('<files...>', 'files exported from that tool')
    .addOption(new Option('-o, --output <file>', 'output file; - for standard output').default(DEFAULT_FILE))
    .option('-f, --force', 'overwrite existing files')
    // The flag cannot be --env-file, because Node interprets that flag itself, wherever it is in the command.
    .option('--variables-file <file>', 'write the values of the variables to this file, readable only by you')
    .addOption(
      new Option('--table <form>', 'format of the report on each field').choices(['text', 'json']).default('text'),
    )
    .addHelpText('after', `\nTools:\n${names}`)
    .action(async (tool: string, files: string[], options: Options) => {
      try {
        await move(sourceOf(tool), files, options, around)
      } catch (error) {
        throw error instanceof ImportError ? new Refusal(error.message) : error
      }
    })
}

function sourceOf(name: string): Source {
  const source = SOURCES.find((one) => one.name === name)
  if (!source) throw new Refusal(`unknown tool; use one of ${SOURCES.map((one) => one.name).join(', ')}`)
  return source
}

async function move(source: Source, files: readonly string[], options: Options, around: Surroundings): Promise<void> {
  if (files.length > source.most) {
    throw new Refusal(
      `an import from ${source.name} accepts at most ${source.most} ${source.most === 1 ? 'file' : 'files'}`,
    )
  }
  const moved = source.read(files, new Date())
  const text = yamlOf(moved, source.name)
  const isStreamed = options.output === '-'
  const variables = { path: options.variablesFile ?? '', text: variableLines(moved.secrets), mode: 0o600 }
  const wanted: readonly OutputFile[] = [
    ...(options.variablesFile === undefined ? [] : [variables]),
    ...(isStreamed ? [] : [{ path: options.output, text }]),
  ]
  writeFiles(wanted, options.force === true)
  const { rows } = moved.audit
  const secrets = moved.secrets.map(({ name, from }) => ({ name, from }))
  const table =
    options.table === 'text' ? tableOf(moved) : `${JSON.stringify({ counts: countsOf(rows), rows, secrets })}\n`
  if (isStreamed) {
    around.stderr.write(table)
    await write(around, text)
  } else await write(around, options.table === 'text' ? `${table}\nWrote ${options.output}.\n` : table)
}
