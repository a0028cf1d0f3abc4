// GET /export: the header whole, then the results of each check as they are read.
import { readHeader, streamResults } from '../../domain/export.ts'
import type { Reading } from '../../domain/reading.ts'
import { streamed } from '../implement.ts'
import type { AccountAnswer, AccountInput } from './contract.ts'
import { type AccountExport, toExportHeader, toResult } from './wire.ts'

export async function getExport(
  reading: Reading,
  { caller, reply }: AccountInput<'exportAccount'>,
): AccountAnswer<'exportAccount'> {
  const header = await reading((deps) => readHeader(deps, caller.org_id))
  const results = streamResults(reading, caller.org_id, header.checks)
  const document = writeDocument(JSON.stringify(toExportHeader(header)), results)
  const day = header.generated_at.toISOString().slice(0, 10)
  return reply(200, streamed<AccountExport>(document), {
    'Content-Disposition': `attachment; filename="dogwatch-export-${day}.json"`,
  })
}

/** The document in pieces of a page each; only the last piece makes it valid. */
async function* writeDocument(header: string, chunks: ReturnType<typeof streamResults>): AsyncGenerator<string> {
  yield `${header.slice(0, -1)},"results":{`
  let guid: string | undefined
  for await (const chunk of chunks) {
    const rows = chunk.rows.map((row) => JSON.stringify(toResult(row))).join()
    if (chunk.guid !== guid) yield `${guid === undefined ? '' : '],'}${JSON.stringify(chunk.guid)}:[${rows}`
    else if (rows !== '') yield `,${rows}`
    guid = chunk.guid
  }
  yield guid === undefined ? '}}' : ']}}'
}
