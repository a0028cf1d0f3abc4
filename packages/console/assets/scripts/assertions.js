// Adds and removes assertions. Empty ones, which are for browsers without scripts, disappear.
for (const part of document.querySelectorAll('fieldset.assertions')) {
  const [list, add] = [part.querySelector('ol'), part.querySelector('[data-add]')]
  const fieldsOf = (row) => row.querySelectorAll('select, input')
  // Shows the inputs that the part of the response has, and those that are filled in.
  const fit = (row) => {
    const [on, at, is, value] = fieldsOf(row)
    const show = (field, isUsed) => {
      field.style.visibility = isUsed || field.value !== '' ? '' : 'hidden'
    }
    at.placeholder = on.selectedOptions[0].dataset.example ?? ''
    at.setAttribute('list', `at-${on.value}`)
    show(at, at.placeholder !== '')
    show(value, !['exists', 'absent'].includes(is.value))
  }
  const settle = () => {
    for (const [index, row] of [...list.children].entries()) {
      row.querySelector('[data-remove]').hidden = false
      for (const field of fieldsOf(row)) field.id = field.id.replace(/\d+/, index)
      for (const field of row.querySelectorAll('[aria-label]'))
        field.ariaLabel = field.ariaLabel.replace(/\d+/, index + 1)
      fit(row)
    }
    add.hidden = list.children.length >= part.dataset.most
  }
  const blank = list.lastElementChild.cloneNode(true)
  for (const row of [...list.children]) if ([0, 1, 3].every((at) => fieldsOf(row)[at].value === '')) row.remove()
  settle()
  add.addEventListener('click', () => {
    list.append(blank.cloneNode(true))
    list.dispatchEvent(new CustomEvent('added', { bubbles: true }))
    settle()
    list.lastElementChild.querySelector('select').focus()
  })
  list.addEventListener('change', ({ target }) => fit(target.closest('li')))
  list.addEventListener('click', ({ target }) => {
    if (!target.closest('[data-remove]')) return
    target.closest('li').remove()
    settle()
    add.focus()
  })
}
