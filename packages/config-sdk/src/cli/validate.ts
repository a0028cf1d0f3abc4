// Defines the command `validate`: checks a file without the server.

import type { AddCommand } from './command.ts'
import { DEFAULT_FILE, openConfigFile } from './config-file.ts'
import { SECTIONS } from '../file/read.ts'
import { write } from './surroundings.ts'

export const addValidate: AddCommand = (start, { around }) => {
  start('validate')
    .description(
      'Check the file without a server: structure, references and check rules. Also lists variables that are not set.',
    )
    .argument('[file]', 'configuration file; - for standard input', DEFAULT_FILE)
    .action(async (name: string) => {
      const { source, config } = await openConfigFile(around, name, { withoutVariables: true })
      const counts = SECTIONS.flatMap((section) => {
        const count = Object.keys(config[section] ?? {}).length
        return count === 0 ? [] : [`${section} ${count}`]
      })
      await write(around, `${source.file} is valid: ${counts.join(', ') || 'the file is empty'}\n`)
      const missing = [...source.missing]
      if (missing.length > 0) await write(around, `Not set in the environment: ${missing.join(', ')}\n`)
    })
}
