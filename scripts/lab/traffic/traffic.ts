// Traffic of a fleet, made in a process of its own.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { systemRandom } from '../../../packages/runtime/dist/random.js'
import { type BareStage, end } from '../stage.ts'
import type { AcknowledgedTick, Manner, Order, Window } from './orders.ts'
import type { Receiver, Unit } from './units.ts'

const GENERATOR = fileURLToPath(new URL('./generator.ts', import.meta.url))

export interface Traffic {
  readonly pid: number
  readonly receiver: Receiver
  takeOn(units: Unit[]): Promise<void>
  drive(port: number, units: number, manner: Manner): Promise<void>
  pingHeartbeats(port: number, paths: string[], every_ms: number): Promise<void>
  crowd(port: number, count: number): Promise<void>
  rest(): Promise<void>
  /** Returns the window since the last call. */
  tell(): Promise<Window>
  account(): Promise<AcknowledgedTick[]>
}

export async function startTraffic(stage: Pick<BareStage, 'undo'>): Promise<Traffic> {
  const child = fork(GENERATOR, { execArgv: ['--disable-warning=ExperimentalWarning'], serialization: 'advanced' })
  stage.undo(() => end(child, 'SIGKILL'))
  const [{ receiver_url }] = (await once(child, 'message')) as [{ receiver_url: string }]
  const order = inTurn(child)
  return {
    pid: child.pid ?? 0,
    receiver: { url: receiver_url, secret: `whsec_${Buffer.from(systemRandom(32)).toString('base64')}` },
    takeOn: (units) => order({ do: 'take on', units }) as Promise<void>,
    drive: (port, units, manner) => order({ do: 'drive', port, units, manner }) as Promise<void>,
    pingHeartbeats: (port, paths, every_ms) => order({ do: 'heartbeat', port, paths, every_ms }) as Promise<void>,
    crowd: (port, count) => order({ do: 'crowd', port, count }) as Promise<void>,
    rest: () => order({ do: 'rest' }) as Promise<void>,
    tell: () => order({ do: 'tell' }) as Promise<Window>,
    account: () => order({ do: 'account' }) as Promise<AcknowledgedTick[]>,
  }
}

/** Sends orders in turn, and waits for each response. */
function inTurn(child: ChildProcess): (order: Order) => Promise<unknown> {
  let last: Promise<unknown> = Promise.resolve()
  const ended = once(child, 'exit').then(() => {
    throw new Error('the process that makes the traffic has ended')
  })
  ended.catch(() => undefined)
  return (order) => {
    const next = last.then(async () => {
      const answered = once(child, 'message')
      child.send(order)
      const [{ answer }] = (await Promise.race([answered, ended])) as [{ answer: unknown }]
      return answer
    })
    last = next.catch(() => undefined)
    return next
  }
}
