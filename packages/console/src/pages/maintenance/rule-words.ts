// Describes how often a maintenance window repeats. A rule that the words do not cover is shown as it is written.
const DAYS = new Map(
  Object.entries({
    MO: 'Monday',
    TU: 'Tuesday',
    WE: 'Wednesday',
    TH: 'Thursday',
    FR: 'Friday',
    SA: 'Saturday',
    SU: 'Sunday',
  }),
)
const NTH = new Map(Object.entries({ 1: 'first', 2: 'second', 3: 'third', 4: 'fourth', '-1': 'last' }))
const UNITS = new Map(Object.entries({ DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' }))
const DAY = /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/

/** Describes a rule: `Every week on Saturday`, `Every 2 months on the second Tuesday`. */
export function ruleWords(rule: string | null): string {
  if (rule === null) return 'Once'
  const parts = new Map(rule.split(';').map((part) => part.split('=', 2) as [string, string]))
  const { FREQ = '', INTERVAL = '1', BYDAY, ...others } = Object.fromEntries(parts)
  const unit = UNITS.get(FREQ)
  if (unit === undefined || Object.keys(others).length > 0 || !/^\d{1,4}$/.test(INTERVAL)) return rule
  const every = INTERVAL === '1' ? `Every ${unit}` : `Every ${INTERVAL} ${unit}s`
  if (BYDAY === undefined) return every
  const days = BYDAY.split(',').map(dayWords)
  return days.some((day) => day === undefined)
    ? rule
    : `${every} on ${new Intl.ListFormat('en-GB').format(days as string[])}`
}

function dayWords(text: string): string | undefined {
  const [, nth, day = ''] = DAY.exec(text) ?? []
  const name = DAYS.get(day)
  if (name === undefined || nth === undefined) return name
  const which = NTH.get(String(Number(nth)))
  return which === undefined ? undefined : `the ${which} ${name}`
}
