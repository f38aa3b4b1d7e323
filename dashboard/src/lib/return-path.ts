/** Where to go back to: only a path of the dashboard itself, since an address from outside must not lead elsewhere. */
export function pathWithin(wanted: string | undefined): string {
  const isOurs = wanted?.startsWith('/') && !wanted.startsWith('//') && !/^\/(sign-in|passkey)\b/.test(wanted)
  return `${import.meta.env.BASE_URL.replace(/\/$/, '')}${isOurs ? wanted : '/'}`
}
