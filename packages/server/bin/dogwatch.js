#!/usr/bin/env node
// The command people type: makes sure that there is something to run, then runs it on the pinned Node.
import { fileURLToPath } from 'node:url'
import { handOver } from '../../../scripts/handover.js'
import { SERVER_ENVIRONMENT, SERVER_FLAGS } from '../../../scripts/server-flags.js'

// Before there is a Node to run it: once it runs, this is too late.
Object.assign(process.env, SERVER_ENVIRONMENT)
const program = fileURLToPath(new URL('../dist/bin/dogwatch.js', import.meta.url))
await handOver([...SERVER_FLAGS, program, ...process.argv.slice(2)], { build: true })
