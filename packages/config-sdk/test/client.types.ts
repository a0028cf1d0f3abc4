// Mistakes that must not compile. Checked by tsc, never run.

import {
  ConfigClient,
  createCheck,
  each,
  etagOf,
  getCheck,
  getToken,
  type Input,
  listChecks,
  pages,
  replaceCheck,
  type Schemas,
} from '../src/index.ts'

export async function mistakes(client: ConfigClient): Promise<void> {
  const { scopes } = await getToken(client)
  const [scope]: string[] = scopes
  const check: Schemas['ConfiguredCheck'] = await getCheck(client, { guid: 'g' }, { timeout: 5000, signal: undefined })
  // @ts-expect-error an optional field may be absent
  check.timeout_sec.toFixed()
  // @ts-expect-error a check has a guid
  await getCheck(client)
  // @ts-expect-error what is created has a body
  await createCheck(client, {})
  // @ts-expect-error a creation is based on no version
  await createCheck(client, { body: {}, ifMatch: '"v"' })
  // @ts-expect-error replacing twice is the same as replacing once: it needs no key
  await replaceCheck(client, { guid: 'g', body: {}, idempotencyKey: 'k' })
  await replaceCheck(client, { guid: 'g', body: {}, ifMatch: etagOf(check) })
  // @ts-expect-error a page is no check
  for await (const { guid } of pages(listChecks, client)) void guid
  for await (const { guid } of each(listChecks, client, { tag: 't' })) void [guid.trim(), scope]
  // @ts-expect-error one check has no pages
  each(getCheck, client)
  // @ts-expect-error a limit is a number
  const input: Input<'listChecks'> = { limit: '5' }
  void input
  // @ts-expect-error a token is needed
  new ConfigClient({ baseUrl: 'http://127.0.0.1:8080' })
}
