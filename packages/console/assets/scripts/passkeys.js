// Asks the browser for a passkey, and sends what it answers.
const passkey = document.getElementById('passkey')
if (passkey) {
  const { form } = passkey.querySelector('button')
  const ask = async () => {
    try {
      const Key = window.PublicKeyCredential
      const given = JSON.parse(passkey.dataset.options)
      const isNew = passkey.dataset.kind === 'create'
      const publicKey = isNew ? Key.parseCreationOptionsFromJSON(given) : Key.parseRequestOptionsFromJSON(given)
      const credential = await navigator.credentials[isNew ? 'create' : 'get']({ publicKey })
      form.elements.response.value = JSON.stringify(credential.toJSON())
      form.submit()
    } catch (error) {
      const lines = {
        NotAllowedError: 'The passkey request was cancelled or timed out. Try again.',
        InvalidStateError: 'This device already has a passkey of yours.',
      }
      const line = lines[error.name] ?? 'This browser cannot use passkeys here. Try another browser or your password.'
      passkey.querySelector('[role=status]').textContent = line
    }
  }
  passkey.querySelector('button').addEventListener('click', ask)
  ask()
}
