// Serves the tools over standard input and output, by the Model Context Protocol.

import type { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { ApiError, type ConfigClient, DogwatchError, getToken, type Schemas } from '../index.ts'
import { VERSION } from '../version.ts'
import { INSTRUCTIONS, TOOLS, type Tool } from './tools.ts'
import { line, textOf } from './words.ts'

export interface Serving {
  client: ConfigClient
  /** The token, which is removed from all texts. */
  token: string
  input: Readable
  output: Writable
  signal: AbortSignal
}

const MOST_MESSAGE_BYTES = 1024 * 1024

/** Serves the tools until the client closes the connection, or `signal` aborts. First asks the server for the token's scopes. */
export async function serveMcp(serving: Serving): Promise<void> {
  const { client, input, output, signal } = serving
  const { scopes } = await getToken(client, {}, { signal })
  const tools = TOOLS.filter(({ needs }) => needs === undefined || mayDo(scopes, needs))
  const transport = new StdioServerTransport(input, output, { maxBufferSize: MOST_MESSAGE_BYTES })
  const handle = serveStdio(() => serverOf(tools, serving), { transport })
  try {
    await finished(input, { writable: false, signal }).catch((error: unknown) => {
      // The client has closed the connection, which is the normal end.
      if (signal.aborted) throw error
    })
  } finally {
    await handle.close()
  }
}

function mayDo(scopes: Schemas['Token']['scopes'], scope: string): boolean {
  const held: readonly string[] = scopes
  return held.includes('write') || held.includes(scope)
}

function serverOf(tools: readonly Tool[], serving: Serving): McpServer {
  const server = new McpServer({ name: 'dogwatch', version: VERSION }, { instructions: INSTRUCTIONS })
  for (const tool of tools) {
    const config = {
      title: tool.title,
      description: tool.description,
      inputSchema: fromJsonSchema<Record<string, unknown>>(tool.schema),
      annotations: {
        readOnlyHint: tool.needs === undefined,
        destructiveHint: tool.name === 'apply_check',
        openWorldHint: true,
      },
    }
    server.registerTool(tool.name, config, async (input) => answer(tool, input, serving))
  }
  return server
}

/** Runs a tool. If the tool fails, the result is the failure in one line. */
async function answer(tool: Tool, input: Record<string, unknown>, { client, token, signal }: Serving) {
  const hide = (text: string) => (token === '' ? text : text.replaceAll(token, '***'))
  try {
    const text = hide(textOf(await tool.run(input, { client, signal })))
    return { content: [{ type: 'text' as const, text }] }
  } catch (error) {
    return { content: [{ type: 'text' as const, text: hide(line(wordsOf(error))) }], isError: true }
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof ApiError) return `${error.status}: ${error.message}`
  if (error instanceof DogwatchError) return error.message
  return 'internal error in dogwatch-config'
}
