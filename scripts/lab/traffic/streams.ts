// Due times: each member once per period, at a time of its own, whatever happened the time before.
export interface Stream {
  period_ms: number
  members: number
  /** Fires a member. `due` is on the clock of performance.now(), and `round` counts the periods. */
  fire(member: number, round: number, due: number): void
}

const LOOK_EVERY_MS = 4

/** Fires what is due until it is stopped, and reports how late each was. */
export function runStreams(streams: readonly Stream[], onLate: (ms: number) => void): () => void {
  const begun = performance.now()
  const courses = streams.map((stream) => ({ stream, order: order(stream.members), next: 0 }))
  const look = () => {
    const now = performance.now()
    for (const course of courses) {
      const { stream, order } = course
      for (;;) {
        const member = order[course.next % order.length]
        if (!member) break
        const round = Math.floor(course.next / order.length)
        const due = begun + (round + member.phase) * stream.period_ms
        if (due > now) break
        onLate(now - due)
        stream.fire(member.index, round, due)
        course.next++
      }
    }
  }
  const timer = setInterval(look, LOOK_EVERY_MS)
  return () => clearInterval(timer)
}

/** Returns members at random phases, as machines start. */
function order(members: number): { index: number; phase: number }[] {
  const all = Array.from({ length: members }, (_, index) => ({ index, phase: Math.random() }))
  return all.sort((a, b) => a.phase - b.phase)
}
