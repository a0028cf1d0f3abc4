// What a summary says of the alerts that it stands for.

import type { SummaryData } from '@dogwatch/domain/events/event'
import { NATURES } from '@dogwatch/domain/routing/natures'
import { expect, test } from '@jest/globals'
import { summaryWords } from '../src/summary-words.ts'
import { EVENTS } from './support/events.ts'

const SAMPLE = Object.values(EVENTS).find(({ type }) => type === 'alerts.summary')?.data as unknown as SummaryData

test('a summary has words for each type of alert; only coverage is told as being about monitoring', () => {
  const general = Object.entries(NATURES).flatMap(([type, nature]) => {
    const { lines } = summaryWords({ ...SAMPLE, counts: [{ type, count: 1 }] })
    return nature && lines[1] === 'Alerts in this summary: 1 about monitoring.' ? [type] : []
  })
  expect(general).toEqual([
    'check.unmonitored',
    'check.monitored',
    'monitor.offline',
    'monitor.online',
    'monitor.failing',
    'monitor.settled',
  ])
})
