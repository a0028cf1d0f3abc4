// Many checks at once of a target with a lot to say, in a process run as the agent is: `URL COUNT`. Tells the verdicts and
// the most memory it took.
import { verdict } from './checks.ts'

const [url = '', count = ''] = process.argv.slice(2)
const verdicts = await Promise.all(
  Array.from({ length: Number(count) }, () => verdict(url, { match_string: 'the end', timeout_sec: 25 })),
)
process.send?.({ verdicts: [...new Set(verdicts)], highest_mib: process.resourceUsage().maxRSS / 1024 })
