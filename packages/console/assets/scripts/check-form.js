// Whoever ticks a monitor means this one, and not all of them: the choice above it follows. The server reads it likewise.
document.addEventListener('change', ({ target }) => {
  if (target.name !== 'monitors' || !target.checked) return
  const chosen = target.form?.querySelector('input[name=who][value=chosen]')
  if (chosen) chosen.checked = true
})

// A browser cannot show what is wrong with a field in a folded section.
document.addEventListener(
  'invalid',
  ({ target }) => {
    for (let part = target.closest('details'); part; part = part.parentElement.closest('details')) part.open = true
  },
  true,
)

// The form of a check shows the fields of the kind that was chosen. What is filled in or faulty is shown in any case.
const checkForm = document.getElementById('check-form')
if (checkForm) {
  const target = checkForm.elements.url
  const kinds = checkForm.querySelector('.kinds')
  const radios = [...kinds.querySelectorAll('input')]
  const radioOf = (scheme) =>
    radios.find(({ dataset, value }) => value === scheme || dataset.also.split(' ').includes(scheme))
  // The targets of some kinds have no slashes after the scheme.
  const startOf = (scheme) => (hasSlashes(scheme) ? `${scheme}://` : `${scheme}:`)
  const hasSlashes = (scheme) => radioOf(scheme)?.dataset.start.endsWith('/')
  const typedScheme = () => {
    const text = target.value.trim().toLowerCase()
    const [, scheme] = /^([a-z]+):/.exec(text) ?? []
    return radioOf(scheme) && text.startsWith(startOf(scheme)) ? scheme : undefined
  }
  let kind = typedScheme() ?? radios.find(({ checked }) => checked).value
  // What was typed for each type, which it gets back when it is selected again.
  const typed = new Map()
  // The host of what was typed fits most other types, with its port if they need one.
  const hostIn = (text, needsPort) => {
    const [, host = '', port = ''] =
      /^(?:[^/?#]*@)?(\[[^\]]*\]|[^:/?#]*)(:\d+)?/.exec(text.replace(/^(?:[a-z0-9]+:\/\/|domain:)/i, '')) ?? []
    return needsPort ? `${host}${port}` : host
  }
  const proposal = (to) => {
    const { start, nameStart = start, example } = radioOf(to).dataset
    const text = target.value.trim()
    if (kind === 'composite' || to === 'composite' || text === '') return ''
    const host = hostIn(text.replace(/^dns:\/\/[^/]*\//, ''), /:\d+/.test(example))
    const isAddress = /^(?:\[|[\d.]+$)/.test(host)
    if (host === '' || (isAddress && to === 'domain')) return ''
    if (isAddress && nameStart !== start) return `${start}${host}/`
    return `${nameStart}${host}${example.endsWith('/') ? '/' : ''}`
  }

  const isEmpty = (place) =>
    [...place.querySelectorAll('input, select, textarea')].every((field) =>
      field.type === 'checkbox' ? !field.checked : ['', field.dataset.usual].includes(field.value.trim()),
    )
  // A composite is typed member by member: each suggestion is the target so far with one more.
  const members = document.getElementById('members')
  const suggest = () => {
    if (kind !== 'composite') return target.removeAttribute('list')
    target.setAttribute('list', members.id)
    const typed = target.value.trim().replace(/^composite:/i, '')
    const begun = startOf(kind) + typed.slice(0, typed.lastIndexOf(',') + 1)
    if (begun === members.dataset.begun) return
    members.dataset.begun = begun
    for (const option of members.options) option.value = `${begun}${option.dataset.name}`
  }
  const show = () => {
    for (const radio of radios) radio.checked = radio === radioOf(kind)
    for (const place of checkForm.querySelectorAll('[data-not-for]')) {
      const isForeign = place.dataset.notFor.split(' ').includes(kind)
      // If no monitor runs the check, the server ignores what does not apply.
      const isUnused = isEmpty(place) || !hasSlashes(kind)
      place.hidden = isForeign && isUnused && !place.querySelector('[aria-invalid]')
    }
    for (const place of checkForm.querySelectorAll('[data-option-for]')) {
      place.hidden = !place.dataset.optionFor.split(' ').includes(kind)
    }
    for (const part of checkForm.querySelectorAll('details.part')) {
      part.hidden = [...part.children].slice(1).every((field) => field.hidden)
    }
    for (const option of checkForm.querySelectorAll('option[data-foreign]')) {
      option.hidden = !option.selected && option.dataset.foreign.split(' ').includes(kind)
    }
    const { example, hint } = radioOf(kind).dataset
    target.placeholder = example
    if (target.dataset.hintByKind !== undefined) document.getElementById('field-url-hint').textContent = hint
    suggest()
  }
  target.addEventListener('input', () => {
    kind = typedScheme() ?? kind
    show()
  })
  kinds.addEventListener('change', (event) => {
    event.stopPropagation()
    const to = event.target.value
    typed.set(radioOf(kind), target.value)
    target.value = typed.get(radioOf(to)) || proposal(to)
    kind = typedScheme() ?? to
    show()
  })
  checkForm.addEventListener('added', show)
  show()
}
