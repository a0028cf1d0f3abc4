// The destination of a channel, and the columns that copy it for scripts which read the database.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type World, world } from '../support/world.ts'

const COLUMNS = 'ntfy_topic, email, webhook_url, webhook_secret'
const NONE = { ntfy_topic: '', email: '', webhook_url: '', webhook_secret: '' }

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

async function insert(destination: unknown): Promise<unknown> {
  const { org_id } = await w.org()
  const [row] = await w.rows(
    "insert into notification_channels (org_id, name, kind, destination) values ($1, 'ops', 'webhook', $2) returning id",
    org_id,
    JSON.stringify(destination),
  )
  return row?.id
}

test('a statement may write either, and the other follows', async () => {
  const id = await insert({ webhook_url: 'https://example.com/hook', webhook_secret: 'secret' })
  const read = async () =>
    (await w.rows(`select destination, ${COLUMNS} from notification_channels where id = $1`, id))[0]
  const hook = { webhook_url: 'https://example.com/hook', webhook_secret: 'secret' }
  expect(await read()).toEqual({ ...NONE, ...hook, destination: hook })
  await w.rows("update notification_channels set webhook_secret = '' where id = $1", id)
  expect(await read()).toMatchObject({ destination: { webhook_url: 'https://example.com/hook' } })
  await w.rows('update notification_channels set destination = $2 where id = $1', id, '{"ntfy_topic": "dogs"}')
  expect(await read()).toEqual({ ...NONE, ntfy_topic: 'dogs', destination: { ntfy_topic: 'dogs' } })
  await w.rows('update notification_channels set enabled = false where id = $1', id)
  expect(await read()).toMatchObject({ destination: { ntfy_topic: 'dogs' } })
})

test.each([{}, [], { webhook_url: '' }, { webhook_url: 7 }, { webhook_url: ['x'] }])(
  'a destination of %j is refused',
  async (destination) => {
    await expect(insert(destination)).rejects.toThrow('destination_has_text')
  },
)
