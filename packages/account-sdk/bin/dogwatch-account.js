#!/usr/bin/env node
// The command that reads an account from scripts. An older Node may not even parse the rest.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`dogwatch-account: requires Node 20.19 or newer, but this is ${process.version}\n`)
  process.exitCode = 1
} else {
  const { main } = await import('../dist/cli/main.js')
  process.exitCode = await main()
}
