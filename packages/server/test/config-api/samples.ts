// For each operation of the configuration API: a request that succeeds.
import type { operations } from '@dogwatch/contract/config'
import type { Org, World } from '../support/world.ts'

export interface Sample {
  /** What stands in the path, by parameter. */
  path?: Readonly<Record<string, string>>
  body?: object
}

/** Makes what the request is about, in an organisation. */
type MakeSample = (w: World, org: Org) => Promise<Sample>

const CHECK = { name: 'c', url: 'https://example.com/', interval_sec: 60 }

async function ofCheck(w: World, org: Org): Promise<{ path: Record<string, string> }> {
  const [guid = ''] = await w.checks(org, [{}])
  return { path: { guid } }
}

export const SAMPLES: Readonly<Record<keyof operations, MakeSample>> = {
  getToken: async () => ({}),
  listChecks: async () => ({}),
  createCheck: async () => ({ body: CHECK }),
  getCheck: ofCheck,
  replaceCheck: async (w, org) => ({ ...(await ofCheck(w, org)), body: CHECK }),
  changeCheck: async (w, org) => ({ ...(await ofCheck(w, org)), body: CHECK }),
  deleteCheck: ofCheck,
  pauseCheck: ofCheck,
  resumeCheck: ofCheck,
}
