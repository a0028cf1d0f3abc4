// Many checks at once of a target with a lot to say, in a process run as the agent is: `URL COUNT`. Tells the verdicts and
// the most memory it took.
import { verdict } from './checks.ts'

const [url = '', count = ''] = process.argv.slice(2)
// Not the maximum that the system tells: it begins with the size of the process that this one was forked from.
let highest = 0
const look = () => (highest = Math.max(highest, process.memoryUsage.rss()))
const looking = setInterval(look, 5)
const verdicts = await Promise.all(
  Array.from({ length: Number(count) }, () => verdict(url, { match_string: 'the end', timeout_sec: 60 })),
)
look()
clearInterval(looking)
process.send?.({ verdicts: [...new Set(verdicts)], highest_mib: highest / 1024 ** 2 })
