// npm run bench -- NAME: runs scripts/bench/NAME.ts.
import { runNamed } from './named-scripts.ts'

await runNamed('bench', process.argv.slice(2))
