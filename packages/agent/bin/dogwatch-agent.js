#!/usr/bin/env node
// The command people type: makes sure that there is something to run, then runs it on the pinned Node.
import { fileURLToPath } from 'node:url'
import { handOver } from '../../../scripts/handover.js'
import { AGENT_ENVIRONMENT, AGENT_FLAGS } from './node-flags.js'

// Before there is a Node to run it: once it runs, this is too late.
for (const [name, value] of Object.entries(AGENT_ENVIRONMENT)) process.env[name] ||= value
const program = fileURLToPath(new URL('../dist/main.js', import.meta.url))
await handOver([...AGENT_FLAGS, program, ...process.argv.slice(2)], { build: true })
