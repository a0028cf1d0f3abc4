// Questions before something is done, and pages that open in a dialog. Without scripts, both are pages of their own.
const ask = (question, label) => {
  const dialog = document.createElement('dialog')
  const text = document.createElement('p')
  text.id = 'question'
  text.textContent = question
  dialog.setAttribute('aria-labelledby', text.id)
  const row = document.createElement('div')
  row.className = 'actions'
  const [yes, no] = [label, 'Cancel'].map((name) => {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = name
    button.addEventListener('click', () => dialog.close(name))
    return button
  })
  yes.className = 'danger'
  row.append(yes, no)
  dialog.append(text, row)
  document.body.append(dialog)
  dialog.showModal()
  no.focus()
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove()
      resolve(dialog.returnValue === label)
    })
  })
}

document.addEventListener('submit', (event) => {
  const button = event.submitter
  const question = button?.dataset.confirm
  if (!question || button.dataset.confirmed !== undefined) return
  event.preventDefault()
  void ask(question, button.textContent.trim()).then((isSure) => {
    if (!isSure) return button.focus()
    button.dataset.confirmed = ''
    button.form.requestSubmit(button)
    delete button.dataset.confirmed
  })
})

// A link to a short page, such as the question before a deletion, opens it in a dialog.
document.addEventListener('click', async (event) => {
  const link = event.target.closest('a[data-dialog]')
  if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  const answer = await fetch(link.href).catch(() => undefined)
  const html = answer?.ok && !answer.redirected ? await answer.text().catch(() => '') : ''
  const content = new DOMParser().parseFromString(html, 'text/html').querySelector('main')
  if (!content?.querySelector('form')) return location.assign(link.href)
  const dialog = document.createElement('dialog')
  dialog.append(...content.childNodes)
  const heading = dialog.querySelector('h1')
  if (heading) {
    heading.id = 'dialog-heading'
    dialog.setAttribute('aria-labelledby', heading.id)
  }
  // The way back from such a page leads to this one.
  dialog.addEventListener('click', (click) => {
    if (click.target !== dialog && !click.target.closest('a[data-cancel]')) return
    click.preventDefault()
    dialog.close()
  })
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
})
