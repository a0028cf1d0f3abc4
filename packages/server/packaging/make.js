// Makes the archive of the server for this platform: npm run bundle -w @dogwatch/server [-- --out FOLDER]
import { fileURLToPath } from 'node:url'
import { handOver } from '../../../scripts/handover.js'

const program = fileURLToPath(new URL('./make.ts', import.meta.url))
await handOver([program, ...process.argv.slice(2)], { build: true })
