// Tests of what holds on one Postgres alone, which run in a plain database also beside a cluster, and of what holds on a given cluster alone.
// Each file says why.
import { afterAll, beforeAll, describe, test } from '@jest/globals'
import { IS_ON_CLUSTER } from '../../../store/test/support/cluster.ts'
import { createTestDatabase } from '../../../store/test/support/database.ts'
import { type World, type WorldOptions, world } from './world.ts'

export const testOnCluster = IS_ON_CLUSTER ? test : test.skip

/** A world in a database that is not distributed. */
export const plainWorld = async (given: WorldOptions = {}): Promise<World> =>
  world(IS_ON_CLUSTER ? { ...given, testDatabase: await createTestDatabase('dogwatch_plain') } : given)

/** Puts a world in the place of the one that a file's tests have, and returns what undoes that. */
type Use = (plain: World) => (() => void) | Promise<() => void>

/** Tests of a file that want a plain world, among others that run on a cluster. */
export function describeOnOne(use: Use, tests: () => void): void {
  describe('in a plain database', () => {
    if (IS_ON_CLUSTER) {
      let plain: World
      let undo: () => void
      beforeAll(async () => {
        plain = await plainWorld()
        undo = await use(plain)
      })
      afterAll(async () => {
        undo()
        await plain.close()
      })
    }
    tests()
  })
}
