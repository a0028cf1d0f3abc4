// Ways to ask servers whose costs are compared, each on a database of its own: the same arms on each side.
import type { Meter } from '../../lab/cpu.ts'
import { CHECKS_EACH, type FleetMonitor } from '../../lab/fleet.ts'
import { Lane, request } from '../../lab/lane.ts'
import type { BenchServer, Stage } from '../../lab/stage.ts'
import { type Batch, sentNow, toRequest } from './batches.ts'
import { download } from './download.ts'
import type { Arm } from './rounds.ts'

/** One of those that are compared. */
export interface Side {
  readonly name: string
  readonly stage: Stage
  /** Of what works for it besides its server. */
  readonly meters: readonly Meter[]
  readonly server: BenchServer
}

/** The same arm on each, as `SIDE WHAT`. */
function arm({ name, server, meters }: Side, what: string, rest: Omit<Arm, 'name' | 'meters'>): Arm {
  return { name: `${name} ${what}`, meters: [server.meter, ...meters], ...rest }
}

/** Opened when they are needed: the server closes connections that say nothing while the other arms have their turns. */
function lanesTo({ server }: Side): (lane: number) => Promise<Lane> {
  const open: Lane[] = []
  return async (lane) => {
    const found = open[lane]
    return found?.isOpen ? found : (open[lane] = await Lane.open(server.port))
  }
}

/** One answer, before anything is measured. */
export async function askOnce(side: Side, asked: Buffer): Promise<Buffer> {
  const lane = await Lane.open(side.server.port)
  const body = await lane.send(asked)
  lane.close()
  return body
}

/** Requests that are sent in turn. */
export function requests(side: Side, what: string, ready: readonly Buffer[]): Arm {
  const lanes = lanesTo(side)
  return arm(side, what, {
    unitsPerStep: 1,
    step: async (index, lane) => void (await (await lanes(lane)).send(ready[index % ready.length] as Buffer)),
  })
}

/** A sync that has nothing new, and one of everything. */
export async function syncs(side: Side, monitors: readonly FleetMonitor[]): Promise<[idle: Arm, full: Arm]> {
  const of = (path: string) => monitors.map(({ key }) => request('GET', path, { key }))
  const [first] = of('/checks')
  const { server_time } = JSON.parse((await askOnce(side, first as Buffer)).toString()) as { server_time: string }
  return [requests(side, 'idle sync', of(`/checks?since=${server_time}`)), requests(side, 'full sync', of('/checks'))]
}

/** Uploads of batches that are made before the clock runs. */
export function uploads(side: Side, what: string, makeBatch: () => Batch): Arm {
  const lanes = lanesTo(side)
  const expected = JSON.stringify({ accepted: CHECKS_EACH })
  let ready: Buffer[] = []
  return arm(side, what, {
    unitsPerStep: CHECKS_EACH,
    prepare: (steps) => {
      ready = Array.from({ length: steps }, () => toRequest(makeBatch()))
    },
    step: async (index, lane) => {
      const body = await (await lanes(lane)).send(sentNow(ready[index] as Buffer))
      if (body.toString() !== expected) throw new Error(`an upload was answered ${body.toString()}`)
    },
  })
}

/** Exports of an organisation with so many results, each with its next token. */
export function exports(side: Side, tokens: readonly string[], rows: number): Arm {
  const headers = { Connection: 'close', 'Accept-Encoding': 'identity' }
  let used = 0
  return arm(side, 'export', {
    unitsPerStep: rows,
    step: async () => {
      const key = tokens[used++ % tokens.length] ?? ''
      await download(side.server.port, request('GET', '/export', { key, api: 'account-api', headers }))
    },
  })
}
