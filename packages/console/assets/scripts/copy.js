// Buttons that copy a text. Browsers offer the clipboard on https alone; on plain http the selection is copied.
const copied = async (text) => {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'heard'
  // In a dialog that is open, nothing outside it can be selected.
  ;(document.querySelector('dialog[open]') ?? document.body).append(area)
  area.select()
  const isDone = document.execCommand('copy')
  area.remove()
  if (!isDone) throw new Error('blocked')
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('button[data-copy]')
  if (!button || button.dataset.label !== undefined) return
  const text = document.getElementById(button.dataset.copy)?.textContent ?? ''
  const show = (label) => {
    button.dataset.label = button.textContent
    button.textContent = label
    setTimeout(() => {
      button.textContent = button.dataset.label
      delete button.dataset.label
    }, 1500)
  }
  copied(text.trim()).then(
    () => show('Copied'),
    () => show('Copy failed. Select the text'),
  )
})
