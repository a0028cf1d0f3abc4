// Defines the command `pull`: writes the server's configuration to a file.

import { adopt } from '../file/adopt.ts'
import { fileOf, notesOf, variablesOf } from '../file/pull.ts'
import { SECTIONS } from '../file/read.ts'
import { readSchema } from '../file/schema.ts'
import { isOver, keyed, readStatusPage, readThings } from '../file/server.ts'
import { type Variable, writeConfigFile } from '../file/write.ts'
import { type AccessFlags, clientFor } from './access.ts'
import { type AddCommand, withAccess } from './command.ts'
import { DEFAULT_FILE } from './config-file.ts'
import { Refusal } from './refusal.ts'
import { variableLines } from '../file/variables.ts'
import { write } from './surroundings.ts'
import { type OutputFile, writeFiles } from './write-files.ts'

interface Flags extends AccessFlags {
  adopt: boolean
  force: boolean
  variablesFile?: string
}

/** Path of the file's schema for editors. */
const SCHEMA = './node_modules/@dogwatch/config-sdk/schema/dogwatch.schema.json'

export const addPull: AddCommand = (start, { around }) => {
  withAccess(start('pull').description("Write the server's configuration to a file."))
    .argument('[file]', 'output file; - for standard output', DEFAULT_FILE)
    .option('--adopt', 'give a key, derived from its name, to everything without one', false)
    .option('--force', 'overwrite existing files', false)
    .option(
      '--variables-file <file>',
      'write the values of the variables to this file; requires a token with checks:secrets',
    )
    .action(async (name: string, flags: Flags) => {
      const client = await clientFor(around, flags)
      const options = { signal: around.signal }
      const listed = await readThings(client, SECTIONS, options)
      const found = listed.filter((thing) => !isOver(thing))
      const things = flags.adopt ? await adopt(client, found, options) : found
      const config = fileOf(things, await readSchema(), await readStatusPage(client, options))
      const routes = keyed(things).flatMap(({ section, key }) => (section === 'routes' ? [key] : []))
      const variables = variablesOf(config)
      const names = [...new Set(variables.map((variable) => variable.name))]
      const comments = commentsOf(names.length, listed.length - found.length)
      const text = writeConfigFile(config, SCHEMA, { notes: notesOf(things), comments, variables, routes })
      const files = flags.variablesFile === undefined ? [] : [valuesFile(flags.variablesFile, variables)]
      if (name !== '-') files.push({ path: name, text, mode: PRIVATE })
      writeFiles(files, flags.force)
      if (name === '-') await write(around, text)
      if (names.length > 0)
        around.stderr.write(`Set these variables before you plan or apply the file: ${names.join(', ')}\n`)
      const unnamed = things.filter(({ key }) => key === undefined).length
      if (unnamed > 0)
        around.stderr.write(`Items without a key are omitted (${unnamed}); use --adopt to give them keys\n`)
    })
}

/** Mode of the files: only the owner can read the pulled configuration. */
const PRIVATE = 0o600

function valuesFile(path: string, variables: readonly Variable[]): OutputFile {
  if (variables.some(({ value }) => value === undefined)) {
    throw new Refusal('the token cannot read secrets; --variables-file requires a token with the scope checks:secrets')
  }
  return { path, text: variableLines(variables), mode: PRIVATE }
}

/** Returns the comments at the top of the file. */
function commentsOf(variables: number, over: number): string[] {
  return [
    ...(variables > 0
      ? ['Secrets are replaced by variables. Set the variables before you plan or apply this file.']
      : []),
    ...(over === 1 ? ['1 completed maintenance window is omitted.'] : []),
    ...(over > 1 ? [`${over} completed maintenance windows are omitted.`] : []),
  ]
}
