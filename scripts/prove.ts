// npm run prove -- NAME: runs scripts/prove/NAME.ts.
import { runNamed } from './named-scripts.ts'

await runNamed('prove', process.argv.slice(2))
