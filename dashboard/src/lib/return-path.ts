/** Where to go back to: only a path of the dashboard itself, since a link from outside must not lead to another site. */
export function pathWithin(wanted: string | undefined): string {
  const isOurs = wanted?.startsWith('/') && !wanted.startsWith('//') && !/^\/(sign-in|passkey)\b/.test(wanted)
  return `${import.meta.env.BASE_URL.replace(/\/$/, '')}${isOurs ? wanted : '/'}`
}
