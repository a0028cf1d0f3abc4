// Runs benches: npm run bench -- NAME.
import { handOverToScript } from './handover.js'

await handOverToScript('bench', { build: true })
