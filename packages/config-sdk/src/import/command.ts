// `dogwatch-config import-from`: reads another tool's files, writes a dogwatch.yaml, and says what became of every field.
import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { type Command, Option } from 'commander'
import { countsOf, ImportError, SOURCES, type Source, tableOf } from './index.ts'
import { variablesOf, yamlOf } from './write.ts'

export interface ImportIo {
  out(text: string): void
  now(): Date
}

interface Options {
  output: string
  force?: boolean
  envFile?: string
  table: 'text' | 'json'
}

/** Makes a new command into this one. Faults are thrown as ImportError, in one line. */
export function becomeImportFrom(command: Command, io: ImportIo): void {
  const names = SOURCES.map(({ name, files }) => `  ${name.padEnd(14)}${files}`).join('\n')
  command
    .description('move the configuration of another tool into a dogwatch.yaml, and say what became of every field')
    .argument('<tool>', SOURCES.map(({ name }) => name).join(', '))
    .argument('<files...>', 'the files of that tool')
    .addOption(new Option('-o, --output <file>', 'where to write the file').default('dogwatch.yaml'))
    .option('-f, --force', 'replace a file that exists')
    .option('--env-file <file>', 'write the values of the variables there, for you alone to read')
    .addOption(
      new Option('--table <form>', 'how to show what became of every field').choices(['text', 'json']).default('text'),
    )
    .addHelpText('after', `\nTools and their files:\n${names}\n`)
    .action((tool: string, files: string[], options: Options) => {
      runImport(sourceOf(tool), files, options, io)
    })
}

function sourceOf(name: string): Source {
  const source = SOURCES.find((one) => one.name === name)
  if (!source) throw new ImportError(`the tool must be one of ${SOURCES.map((one) => one.name).join(', ')}`)
  return source
}

function runImport(source: Source, files: readonly string[], options: Options, io: ImportIo): void {
  if (files.length > source.most)
    throw new ImportError(`${source.name} takes at most ${source.most} ${source.most === 1 ? 'file' : 'files'}`)
  const moved = source.read(files, io.now())
  const flag = options.force === true ? 'w' : 'wx'
  write(options.output, yamlOf(moved, source.name), { flag })
  if (options.envFile !== undefined) write(options.envFile, variablesOf(moved), { flag, mode: 0o600 })
  const { rows } = moved.audit
  if (options.table === 'text') return io.out(`${tableOf(moved)}\nWrote ${options.output}.\n`)
  const secrets = moved.secrets.map(({ name, from }) => ({ name, from }))
  io.out(`${JSON.stringify({ counts: countsOf(rows), rows, secrets })}\n`)
}

function write(path: string, text: string, how: { flag: string; mode?: number }): void {
  try {
    writeFileSync(path, text, how)
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    throw new ImportError(
      isThere
        ? `${basename(path)} exists: name another with --output, or add --force`
        : `${basename(path)} cannot be written`,
    )
  }
}
