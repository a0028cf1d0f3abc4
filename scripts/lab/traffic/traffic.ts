// Starts the process that makes the traffic of a fleet, and calls its functions.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { systemRandom } from '../../../packages/runtime/dist/random.js'
import type { BareStage } from '../stage.ts'
import type { AcknowledgedTick, Manner, Window } from './orders.ts'
import type { Receiver, Unit } from './units.ts'

const GENERATOR = fileURLToPath(new URL('./generator.ts', import.meta.url))

/** Functions of the generator, which another process calls. */
export interface Calls {
  takeOn(units: Unit[]): void
  /** Makes this many units send requests to this port, and their jobs ping. Other units are silent. */
  drive(port: number, units: number, manner: Manner): void
  /** Stops all traffic, and drops requests that wait. Requests in progress finish. */
  rest(): void
  /** Returns the figures since the previous call. */
  tell(): Window
  /** Returns the ticks whose results the server acknowledged. */
  account(): AcknowledgedTick[]
}

type Remote = { [Name in keyof Calls]: (...args: Parameters<Calls[Name]>) => Promise<ReturnType<Calls[Name]>> }

export interface Traffic extends Remote {
  readonly pid: number
  readonly receiver: Receiver
}

export async function startTraffic(stage: Pick<BareStage, 'undo'>): Promise<Traffic> {
  const child = fork(GENERATOR, { execArgv: ['--disable-warning=ExperimentalWarning'], serialization: 'advanced' })
  stage.undo(() => child.kill('SIGKILL'))
  const [{ receiver_url }] = (await once(child, 'message')) as [{ receiver_url: string }]
  const ended = once(child, 'exit').then(() =>
    Promise.reject(new Error('the process that makes the traffic has ended')),
  )
  ended.catch(() => undefined)
  let last: Promise<unknown> = Promise.resolve()
  /** Sends the calls one after the other. */
  const remote = (name: keyof Calls) => {
    return (...args: unknown[]) => {
      const next = last.then(async () => {
        const answered = once(child, 'message')
        child.send({ name, args })
        return ((await Promise.race([answered, ended])) as [{ answer: unknown }])[0].answer
      })
      last = next.catch(() => undefined)
      return next
    }
  }
  const names: (keyof Calls)[] = ['takeOn', 'drive', 'rest', 'tell', 'account']
  return {
    pid: child.pid ?? 0,
    receiver: { url: receiver_url, secret: `whsec_${Buffer.from(systemRandom(32)).toString('base64')}` },
    ...(Object.fromEntries(names.map((name) => [name, remote(name)])) as unknown as Remote),
  }
}
