// A kind of channel that does not exist: what the recipe in .github/recipes/channel-kind.md asks for, and nothing more.
import { defineKind } from '@dogwatch/channels/kind'

export const pigeon = defineKind({
  name: 'pigeon',
  label: 'Pigeon',
  about: 'A message on the leg of a pigeon.',
  plan: 'solo',
  fields: {
    loft_url: {
      label: 'Loft',
      hint: 'Where pigeons start.',
      input: 'url',
      shown: 'host',
      isSecret: false,
    },
    ring_number: {
      label: 'Ring',
      hint: 'As it stands on the ring of the pigeon.',
      input: 'text',
      shown: 'never',
      isSecret: true,
      matches: { pattern: /^[A-Z]{2}-\d{6}$/, says: 'must be such as DE-123456' },
      note: 'which pigeon flies',
    },
    keeper_email: {
      label: 'Keeper',
      hint: 'Has to allow that pigeons come.',
      input: 'email',
      shown: 'to members',
      isSecret: false,
      isMailbox: true,
      isOptional: true,
    },
  },
  facts: ({ ring_number }) => [{ label: 'Country', value: ring_number.slice(0, 2) }],
  sending: {
    by: 'http',
    server: 'receiver',
    request: ({ destination, message }) => ({
      url: destination.loft_url,
      headers: { 'content-type': 'application/json', 'x-ring': destination.ring_number },
      body: JSON.stringify({ carries: message.title }),
    }),
    explain: (body) => body,
    gone: 404,
  },
  example: { loft_url: 'https://loft.example/', ring_number: 'DE-123456', keeper_email: '' },
})
