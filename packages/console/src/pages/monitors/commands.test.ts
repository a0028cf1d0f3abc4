import { execFileSync } from 'node:child_process'
import { describe, expect, test } from '@jest/globals'
import { containerCommands, enrollRequest, installerCommands, type NewAgent, windowsCommands } from './commands.ts'

const AGENT: NewAgent = {
  public_url: 'https://dogwatch.example/',
  token: 'dogwatch_enroll_x',
  name: 'rack 4',
  region: 'eu-central',
  country: 'DE',
  city: 'Berlin',
}
const UNPLEASANT = `it's "4" $(id) \`id\` \\ ; & é`
const INSTALL = ['https://dogwatch.example/install/install.sh', '--name', 'rack 4', '--region', 'eu-central']

/** What a shell makes of them: the words of each program, and what it reads. */
function run(commands: string): string[] {
  const say = 'printf "%s\\n" "$@"'
  const standIns = `mktemp() { echo /f; }; curl() { shift $(($# - 1)); ${say}; }; sh() { shift; ${say}; cat; }\n`
  return execFileSync('/bin/sh', ['-c', standIns + commands], { env: { PATH: process.env.PATH } })
    .toString()
    .trimEnd()
    .split('\n')
}

describe('the installer', () => {
  test('is given what was filled in, and the token on standard input', () => {
    expect(run(installerCommands(AGENT))).toEqual([...INSTALL, '--country', 'DE', '--city', 'Berlin', AGENT.token])
  })

  test('whatever a name holds, the shell hands it over unchanged', () => {
    const words = run(installerCommands({ ...AGENT, name: UNPLEASANT, city: '-rf' }))
    expect(words[words.indexOf('--name') + 1]).toBe(UNPLEASANT)
    expect(words.at(-2)).toBe('-rf')
  })

  test('without a name there is no such flag, and a monitor that was reset is named', () => {
    const words = run(installerCommands({ ...AGENT, name: '', monitor_id: '0123456789ab' }))
    expect(words).not.toContain('--name')
    expect(words.slice(-3)).toEqual(['--monitor-id', '0123456789ab', AGENT.token])
  })
})

test('in no commands is the token an argument', () => {
  const archive = { platform: 'win32-x64', file: 'agent.tar.gz', sha256: 'abc' }
  for (const text of [installerCommands(AGENT), containerCommands(AGENT), enrollRequest(AGENT)]) {
    expect(text.split('\n').filter((line) => line.includes(AGENT.token))).toEqual([
      expect.stringMatching(/^(Authorization: Bearer )?dogwatch_enroll_x$/),
    ])
    execFileSync('/bin/sh', ['-n'], { input: text })
  }
  expect(windowsCommands(AGENT, archive)).toContain(`'dogwatch_enroll_x' | & "$d\\bin\\dogwatch-agent.cmd" enroll `)
})

test('PowerShell reads a quoted name unchanged', () => {
  const text = windowsCommands({ ...AGENT, name: "it's ’4’" }, { platform: 'win32-x64', file: 'f', sha256: 'abc' })
  expect(text).toContain("--name 'it''s ’’4’’'")
})
