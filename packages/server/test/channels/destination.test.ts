// The database refuses a destination without any text.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type World, world } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

test.each([{}, [], { webhook_url: '' }, { webhook_url: 7 }, { webhook_url: ['x'] }])(
  'a destination of %j is refused',
  async (destination) => {
    const { org_id } = await w.org()
    const insert = w.rows(
      "insert into notification_channels (org_id, name, kind, destination) values ($1, 'ops', 'webhook', $2)",
      org_id,
      JSON.stringify(destination),
    )
    await expect(insert).rejects.toThrow('destination_has_text')
  },
)
