#!/usr/bin/env node
// The conformance kit for monitor agents: makes sure that there is something to run, then runs it on the pinned Node.
import { fileURLToPath } from 'node:url'
import { handOver } from '../../../scripts/handover.js'

const program = fileURLToPath(new URL('../conformance/main.ts', import.meta.url))
await handOver([program, ...process.argv.slice(2)], { build: true })
