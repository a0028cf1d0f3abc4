// Defines the command `mcp`: lets a program with a language model query and propose, by the Model Context Protocol.

import type { AccessFlags } from './access.ts'
import { clientFor, tokenOf } from './access.ts'
import { type AddCommand, withAccess } from './command.ts'

export const addMcp: AddCommand = (start, { around }) => {
  withAccess(
    start('mcp').description(
      'Run a Model Context Protocol server on standard input and output, with tools that explain what is down and propose checks.',
    ),
  ).action(async (flags: AccessFlags) => {
    const client = await clientFor(around, flags)
    // Imports the server only in this command, because the other commands never need this library, and loading it takes time.
    const { serveMcp } = await import('../mcp/server.ts')
    const { stdin: input, stdout: output, signal } = around
    await serveMcp({ client, token: await tokenOf(around, flags), input, output, signal })
  })
}
