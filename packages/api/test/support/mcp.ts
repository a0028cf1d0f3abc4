// `dogwatch-config mcp` as people's programs start it, spoken to by the official client.
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { World } from './world.ts'

const MAIN = fileURLToPath(new URL('../../../config-sdk/src/cli/main.ts', import.meta.url))

/** Starts the command with a token. The caller closes the client. */
export async function connectMcp(w: World, token: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [
      '--input-type=module',
      '-e',
      `process.exitCode = await (await import(${JSON.stringify(MAIN)})).main()`,
      'dogwatch-config',
      'mcp',
    ],
    env: { DOGWATCH_URL: w.url, DOGWATCH_CONFIG_TOKEN: token },
    stderr: 'pipe',
  })
  await client.connect(transport)
  return client
}

/** Calls a tool, and returns what it said. */
export async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<{ text: string; isError: boolean }> {
  const answer = await client.callTool({ name, arguments: args })
  const [content] = answer.content as { type: string; text: string }[]
  return { text: content?.text ?? '', isError: answer.isError === true }
}
