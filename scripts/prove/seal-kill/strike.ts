// Loaded into a program: kills it with -9 at the first of some statements. PROOF_STRIKE is a `Strike` as JSON, or empty.
import { writeFileSync } from 'node:fs'
import pg from 'pg'
import type { Strike } from './steps.ts'

type Query = (this: object, ...given: unknown[]) => unknown

const told = process.env.PROOF_STRIKE
if (told !== undefined && told !== '') arm(JSON.parse(told) as Strike)

function arm({ steps, moment, tell_in }: Strike): void {
  const prototype = pg.Client.prototype as unknown as { query: Query }
  const { query } = prototype
  const wanted = Object.entries(steps).map(([name, { text, isAlone }]) => ({
    name,
    isAlone,
    text: new RegExp(text, 's'),
  }))
  const striking = new WeakSet<object>()
  const die = () => process.kill(process.pid, 'SIGKILL')
  const send = (client: object, given: unknown[], isAnswered: boolean): unknown => {
    const answer = query.apply(client, given)
    // The socket has received it by then.
    if (!isAnswered) setImmediate(die)
    else void Promise.resolve(answer).then(die, die)
    return answer
  }
  let isStruck = false
  prototype.query = function (...given) {
    const [first] = given
    const text = typeof first === 'string' ? first : String((first as { text?: unknown } | undefined)?.text)
    if (striking.has(this) && /^(commit|rollback)$/i.test(text)) return send(this, given, moment === 'committed')
    const step = isStruck ? undefined : wanted.find((one) => one.text.test(text))
    if (!step) return query.apply(this, given)
    isStruck = true
    writeFileSync(tell_in, `${step.name}, ${moment}`)
    if (moment === 'before') die()
    const isCommit = moment === 'commit sent' || moment === 'committed'
    if (!isCommit || step.isAlone) return send(this, given, moment === 'answered' || moment === 'committed')
    striking.add(this)
    return query.apply(this, given)
  }
}
