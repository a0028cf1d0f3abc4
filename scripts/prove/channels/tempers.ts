// The bad moods of receivers: at most one for each message, and what became of it.
import type { Dice } from '../../../packages/server/test/support/dice.ts'
import type { Asked, Mood, Vendor } from '../../../packages/server/test/channels/fakes/vendor.ts'

interface Met {
  mood: Mood
  at: number
  /** Set when the message comes again. */
  again_at?: number
}

const MOODS: readonly Mood[] = [
  'limited',
  'limited',
  'lies',
  'fails',
  'fails',
  'hangs',
  'hangs up',
  'breaks off',
  'takes in silence',
]
/** This many of a hundred messages meet a bad mood. */
const BAD_PERCENT = 30

export interface Tempers {
  mood(vendor: Vendor, asked: Asked): Mood | undefined
  /** How often each mood was met. */
  counts(): Map<Mood, number>
  /** Messages that came again sooner than their receiver had asked for. */
  tooSoon(): string[]
}

/** `titleOf`: what a request says, such as `Down c1`. */
export function openTempers(
  vendors: readonly Vendor[],
  d: Dice,
  titleOf: (vendor: Vendor, asked: Asked) => string,
): Tempers {
  const met = new Map<string, Met | undefined>()
  /** The last state of each heartbeat on each kind, and which change it was: what says the same again is a repeat. */
  const changes = new Map<string, { state: string; number: number }>()
  const changeOf = (vendor: Vendor, asked: Asked): string => {
    const [state = '', name = ''] = titleOf(vendor, asked).split(' ')
    const about = `${vendor.kind} ${name}`
    const { state: before, number } = changes.get(about) ?? { state: '', number: 0 }
    const change = { state, number: state === before ? number : number + 1 }
    changes.set(about, change)
    return `${about} change ${change.number}`
  }
  return {
    mood: (vendor, asked) => {
      const key = changeOf(vendor, asked)
      if (met.has(key)) {
        const before = met.get(key)
        if (before) before.again_at ??= Date.now()
        return undefined
      }
      const mood = d.below(100) < BAD_PERCENT ? d.one(MOODS) : undefined
      met.set(key, mood && { mood, at: Date.now() })
      return mood
    },
    counts: () => {
      const counts = new Map<Mood, number>()
      for (const one of met.values()) if (one) counts.set(one.mood, (counts.get(one.mood) ?? 0) + 1)
      return counts
    },
    tooSoon: () =>
      [...met].flatMap(([key, one]) => {
        const { limited } = vendors.find(({ kind }) => key.startsWith(`${kind} `)) ?? {}
        if (one?.mood !== 'limited' || one.again_at === undefined || limited?.wait_sec === undefined) return []
        const waited_sec = (one.again_at - one.at) / 1000
        return waited_sec < limited.wait_sec - 0.1
          ? [`${key} came again after ${waited_sec.toFixed(1)} s of ${limited.wait_sec} s`]
          : []
      }),
  }
}
