// Keeps results as fast as it can, and says the number of each once it is kept. For tests that kill it.
import { writeSync } from 'node:fs'
import { ResultBuffer } from '../../../src/buffer/buffer.ts'

const [dir = '', first = '0'] = process.argv.slice(2)
const buffer = await ResultBuffer.open({ dir, now: Date.now })
writeSync(1, `open ${buffer.size}\n`)
for (let n = Number(first); ; ) {
  const group = Array.from({ length: 100 }, () => n++)
  await Promise.all(
    group.map(async (number) => {
      const ran_at = new Date().toISOString()
      const result = {
        check_guid: String(number),
        monitor_id: '',
        ran_at,
        success: true,
        http_status: 200,
        latency_ms: 1,
      }
      if (await buffer.add(result)) writeSync(1, `${number}\n`)
    }),
  )
}
