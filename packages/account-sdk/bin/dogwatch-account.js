#!/usr/bin/env node
// The command that reads an account from scripts.
import { main } from '../dist/cli/main.js'

process.exitCode = await main()
