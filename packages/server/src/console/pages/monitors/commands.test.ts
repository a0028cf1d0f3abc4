import { execFileSync } from 'node:child_process'
import { describe, expect, test } from '@jest/globals'
import { type NewAgent, shellCommands, systemdCommands } from './commands.ts'

const AGENT: NewAgent = {
  public_url: 'https://dogwatch.example/',
  token: 'dogwatch_enroll_x',
  name: 'rack 4',
  region: 'eu-central',
  country: 'DE',
  city: 'Berlin',
}
const UNPLEASANT = `it's "4" $(id) \`id\` \\ ; & é`

/** What a shell makes of them: the token that the agent finds, and its arguments. */
function run(commands: string): string[] {
  const agent = 'npx() { printf "%s\\n" "$DOGWATCH_ENROLLMENT_TOKEN" "$@"; }\n'
  return execFileSync('sh', ['-c', agent + commands], { env: {} })
    .toString()
    .trimEnd()
    .split('\n')
}

describe('in a terminal', () => {
  test('the agent is started with what was filled in, its token in the environment', () => {
    expect(run(shellCommands(AGENT))).toEqual([
      'dogwatch_enroll_x',
      'dogwatch-agent',
      ...['--server', 'https://dogwatch.example', '--state-dir', './dogwatch-agent', '--name', 'rack 4'],
      ...['--region', 'eu-central', '--country', 'DE', '--city', 'Berlin'],
    ])
  })

  test('whatever a name holds, the shell hands it over as it is', () => {
    const args = run(shellCommands({ ...AGENT, name: UNPLEASANT, city: '-rf' }))
    expect(args[args.indexOf('--name') + 1]).toBe(UNPLEASANT)
    expect(args.at(-1)).toBe('-rf')
  })

  test('without a name there is no such flag, and one that was reset is named', () => {
    const args = run(shellCommands({ ...AGENT, name: '', monitor_id: '0123456789ab' }))
    expect(args).not.toContain('--name')
    expect(args.slice(-2)).toEqual(['--monitor-id', '0123456789ab'])
  })
})

describe('for systemd', () => {
  test('the token is in a file of its own, and the settings are quoted as systemd reads them', () => {
    const lines = systemdCommands({ ...AGENT, name: UNPLEASANT }).split('\n')
    expect(lines.slice(0, 3)).toEqual([
      "sudo install -m 0600 /dev/stdin /etc/dogwatch-agent.token <<'END'",
      'dogwatch_enroll_x',
      'END',
    ])
    expect(lines).toContain('DOGWATCH_AGENT_SERVER=https://dogwatch.example')
    expect(lines).toContain('DOGWATCH_AGENT_NAME="it\'s \\"4\\" \\$(id) \\`id\\` \\\\ ; & é"')
  })
})
