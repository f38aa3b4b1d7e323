import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import './styles.css'

// Radix adds a style element while a dialog is open; the page's content policy allows it by this nonce.
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content
Object.assign(globalThis, { __webpack_nonce__: nonce })

// A held Enter is one press: its repeats would press a button again once its call is answered, or the next thing that
// gets the focus. In a text they make lines.
document.addEventListener(
  'keydown',
  (event) => {
    const isText = event.target instanceof HTMLTextAreaElement
    if (event.repeat && event.key === 'Enter' && !isText) event.preventDefault()
  },
  { capture: true },
)

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
