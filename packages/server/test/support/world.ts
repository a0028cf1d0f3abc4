// The world of the APIs' tests, with the pages of the server.
import {
  type WorldOptions as ApiWorldOptions,
  type World,
  world as worldOfApis,
} from '../../../api/test/support/world.ts'
import { type AppOptions, createApp } from '../../src/app.ts'

export {
  ACCOUNT,
  CONFIG,
  eventually,
  type Monitor,
  type Org,
  PLACE,
  PREFIX,
  result,
  type World,
} from '../../../api/test/support/world.ts'

/** Tests sign up as strangers do, on the smallest plan. */
const PAGES = {
  public_url: 'http://dogwatch.example',
  sign_up: 'open',
  default_plan: 'free',
  shows_design: true,
} as const

export interface WorldOptions extends ApiWorldOptions, Pick<AppOptions, 'streams'> {
  /** What differs from the pages that a world has by default. */
  console?: Partial<NonNullable<AppOptions['console']>>
  /** False: the APIs alone. */
  pages?: boolean
}

export function world({ pages = true, console: differing, streams, ...given }: WorldOptions = {}): Promise<World> {
  return worldOfApis({
    ...given,
    createApp: (deps, options) =>
      createApp(deps, {
        ...options,
        ...(streams && { streams }),
        ...((pages || differing) && { console: { ...PAGES, ...differing } }),
      }),
  })
}
