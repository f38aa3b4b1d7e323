/** Features of browsers, each with a fallback for platforms without them. */

/** Must be called within a click, or the browser blocks it as a pop-up. */
export function openInBrowser(url: string): void {
  if (typeof window === 'undefined' || !window.open)
    throw new TypeError('Pass openUrl to createVerification: this platform has no window.')
  const opened = window.open(url, '_blank')
  if (opened) opened.opener = null
  else location.assign(url)
}

/** The DOM's type. If it is missing, this package still compiles. */
type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Type } } ? Type : object

/** https://wicg.github.io/web-otp: the code of an SMS whose last line is `@domain #code`. Undefined if none comes. */
export async function readCodeFromSms(signal: Signal): Promise<string | undefined> {
  if (!('OTPCredential' in globalThis)) return undefined
  const request = { otp: { transport: ['sms'] }, signal } as CredentialRequestOptions
  const credential = await navigator.credentials.get(request).catch(() => null)
  return (credential as { code?: string } | null)?.code
}

/** Calls the listener when the person comes back from WhatsApp: the approval may already be there. */
export function onReturn(listener: () => void): () => void {
  if (typeof document === 'undefined') return () => undefined
  const check = () => document.visibilityState === 'visible' && listener()
  document.addEventListener('visibilitychange', check)
  return () => document.removeEventListener('visibilitychange', check)
}
