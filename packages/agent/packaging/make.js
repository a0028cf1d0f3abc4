// Makes the archives that a server offers under /install/: npm run bundle -w @dogwatch/agent [-- --platform NAME,...|all]
import { fileURLToPath } from 'node:url'
import { handOver } from '../../../scripts/handover.js'

const program = fileURLToPath(new URL('./make.ts', import.meta.url))
await handOver([program, ...process.argv.slice(2)], { build: true })
