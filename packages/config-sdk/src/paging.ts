// Reads lists page by page.

import { ConnectionError, DogwatchError } from '#core/errors'
import type { CallOptions } from '#core/options'
import type { Call } from './call.ts'
import type { ConfigClient } from './client.ts'
import type { Answer, Arguments, Input, Item, PagedOperation } from './inputs.ts'

/** Arguments of a paged operation. Set `after` to the `next` of a page to begin after that page. */
type From<Name extends PagedOperation> = [input?: Input<Name>, options?: CallOptions]

/**
 * Yields the pages of a list: `for await (const { checks } of pages(listChecks, client))`.
 *
 * @throws ApiError or ConnectionError with `resumeFrom`: the `after` of the failed page, except for the first page.
 */
export async function* pages<Name extends PagedOperation>(
  list: Call<Name>,
  client: ConfigClient,
  ...[input, options]: From<Name>
): AsyncGenerator<Answer<Name>, undefined, undefined> {
  let after = (input as { after?: string } | undefined)?.after
  for (;;) {
    const asked = [
      { ...(input as object), ...(after !== undefined && { after }) },
      options,
    ] as unknown as Arguments<Name>
    const page = await list(client, ...asked).catch((error: unknown) => {
      if (error instanceof DogwatchError && after !== undefined) Object.assign(error, { resumeFrom: after })
      throw error
    })
    const { next } = page as unknown as { next?: string }
    // A server that repeats a page would make this loop endless.
    if (next !== undefined && next === after) {
      throw new ConnectionError('the response does not match the contract', { method: 'GET', path: list.path })
    }
    yield page
    if (next === undefined) return
    after = next
  }
}

/** Yields the items of a list one by one: `for await (const check of each(listChecks, client, { tag: 'shop' }))`. */
export async function* each<Name extends PagedOperation>(
  list: Call<Name>,
  client: ConfigClient,
  ...given: From<Name>
): AsyncGenerator<Item<Name>, undefined, undefined> {
  for await (const page of pages(list, client, ...given)) {
    yield* Object.values(page as unknown as object).find(Array.isArray) as Item<Name>[]
  }
}
