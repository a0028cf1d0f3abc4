// Handles GET /export: sends the header, then the results of each check, which it reads while sending.

import type { Deps } from '@dogwatch/domain/deps'
import { readHeader, streamResults } from '@dogwatch/domain/export'
import { requireReader } from '@dogwatch/domain/organisations/personal-tokens'
import { openStandbyReads, type StandbyReads } from '@dogwatch/domain/standby-reads'
import { keepHeapSmall } from '@dogwatch/runtime/heap'
import { jsonPieces } from '@dogwatch/runtime/json-pieces'
import { streamed } from '../implement.ts'
import type { AccountAnswer, AccountInput } from './contract.ts'
import type { ExportPlace, ExportQueue } from './export-queue.ts'
import { type AccountExport, toExportHeader } from './wire.ts'
import { writeResults } from './written-results.ts'

/** Interval between two verifications of the token during an export, in milliseconds. */
const PROVED_FOR_MS = 1000

export async function getExport(
  deps: Deps,
  queue: ExportQueue,
  { caller, connection, reply }: AccountInput<'exportAccount'>,
): AccountAnswer<'exportAccount'> {
  const over = connection.closed()
  const place = await queue.enter(caller.org_id, over)
  const letGrow = keepHeapSmall()
  const leave = (): void => {
    place.leave()
    letGrow()
  }
  over.addEventListener('abort', leave)
  // No further event reports a client that disconnected while its export waited.
  if (over.aborted) leave()
  try {
    const reading = openStandbyReads(deps)
    let proved_at = performance.now()
    // Suspending the org, revoking the token or removing the member ends an export in progress.
    const readInTurn: StandbyReads = (read) =>
      place.read(async () => {
        if (performance.now() - proved_at >= PROVED_FOR_MS) {
          await requireReader(deps, caller)
          proved_at = performance.now()
        }
        return reading(read)
      })
    const header = await readInTurn((from) => readHeader(from, caller.org_id))
    const results = streamResults(readInTurn, caller.org_id, header.checks)
    const document = writeDocument(jsonPieces(toExportHeader(header)), results, place)
    place.onCut(() => {
      deps.log.info(
        { org_id: caller.org_id },
        'an export was stopped because its client read too slowly while others were waiting',
      )
      connection.cut()
    })
    const day = header.generated_at.toISOString().slice(0, 10)
    return reply(200, streamed<AccountExport>(document), {
      'Content-Disposition': `attachment; filename="dogwatch-export-${day}.json"`,
    })
  } catch (error) {
    leave()
    throw error
  }
}

/** Yields the document in pieces of a page each. The document is valid JSON only with the last piece. */
async function* writeDocument(
  header: AsyncIterable<string>,
  chunks: ReturnType<typeof streamResults>,
  place: ExportPlace,
): AsyncGenerator<string | Uint8Array> {
  for await (const piece of piecesOf(header, chunks)) {
    place.hand(piece.length)
    yield piece
    place.taken()
  }
}

async function* piecesOf(
  header: AsyncIterable<string>,
  chunks: ReturnType<typeof streamResults>,
): AsyncGenerator<string | Uint8Array> {
  let last = ''
  for await (const piece of header) {
    if (last !== '') yield last
    last = piece
  }
  yield `${last.slice(0, -1)},"results":{`
  let guid: string | undefined
  for await (const chunk of chunks) {
    const { rows } = chunk
    if (chunk.guid !== guid)
      yield writeResults(`${guid === undefined ? '' : '],'}${JSON.stringify(chunk.guid)}:[`, rows)
    else if (rows.length > 0) yield writeResults(',', rows)
    guid = chunk.guid
  }
  yield guid === undefined ? '}}' : ']}}'
}
