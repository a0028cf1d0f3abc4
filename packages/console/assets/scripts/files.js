// A file is read into the text that is sent.
for (const place of document.querySelectorAll('[data-into]')) {
  const text = document.getElementById(place.dataset.into)
  place.hidden = false
  const input = place.querySelector('input')
  input.addEventListener('change', () => {
    void input.files[0]?.arrayBuffer().then((bytes) => {
      try {
        text.value = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
        input.setCustomValidity('')
      } catch {
        text.value = ''
        input.setCustomValidity('The file is not UTF-8.')
        input.reportValidity()
      }
    })
  })
  text.addEventListener('input', () => input.setCustomValidity(''))
}
