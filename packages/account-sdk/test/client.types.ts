// Mistakes that must not compile. Checked by tsc, never run.

import { AccountClient, type Check, cursorAfter, type ResultsCursor, type Schemas } from '../src/index.ts'

export async function mistakes(client: AccountClient, cursor: ResultsCursor): Promise<void> {
  const [check]: Check[] = await client.checks({ signal: undefined, timeout: 5000 })
  const same: Schemas['Check'] = await client.check('g')
  // @ts-expect-error an optional field may be absent
  check?.timeout_sec.toFixed()
  // @ts-expect-error deletions are for monitors
  void same.deleted
  // @ts-expect-error a check has a guid
  await client.check()

  for await (const page of client.pages('g', { ...cursor, retries: 0 })) {
    const next: ResultsCursor = page.next
    client.results('g', next)
    client.results('g', cursorAfter(page.results[0]!))
  }
  // @ts-expect-error a cursor has two parts, and neither is a date
  client.pages('g', { after: new Date() })
  for await (const { results, cursor: reached } of client.follow('g', { cursor: 'c', pollMs: 5000 })) {
    const mark: string = reached
    void [mark, results[0]?.ran_at]
    break
  }
  // @ts-expect-error the cursor of pages is another one
  client.follow('g', { cursor })
  // @ts-expect-error results are read one after the other
  ;(await client.results('g')).length

  const { header, results } = await client.exportResults()
  // @ts-expect-error the header is what comes before the results
  void header.results
  for await (const { guid, result } of results) void [guid.trim(), result.latency_ms.toFixed()]
  const { stream, filename } = await client.exportStream()
  // @ts-expect-error the server may give no name
  filename.trim()
  await stream.cancel()
  void (await client.export()).results['g']?.[0]?.ran_at

  // @ts-expect-error this API has nothing to write
  await client.http.POST('/checks')
  // @ts-expect-error a token is needed
  new AccountClient({ baseUrl: 'http://127.0.0.1:8080' })
  // @ts-expect-error the log is told no token
  new AccountClient({ baseUrl: '', token: '', log: (event) => event.token })
}
