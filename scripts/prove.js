// The long proofs: npm run prove -- NAME or all.
import { handOverToScript } from './handover.js'

await handOverToScript('prove', { build: true })
