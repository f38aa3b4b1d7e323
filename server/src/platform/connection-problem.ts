/** Why a connection could not be made: turns Node's error code into words for the person who can fix it. */
const problems: readonly (readonly [RegExp, string])[] = [
  [/^address_refused$/, 'the address is not a public one'],
  [/^(ENOTFOUND|ENODATA|EDNS)$/, 'the name has no address'],
  [/^(ETIMEOUT|EAI_AGAIN|ESERVFAIL)$/, 'the name could not be looked up'],
  [/^CERT_HAS_EXPIRED$/, 'the certificate has expired'],
  [/^CERT_NOT_YET_VALID$/, 'the certificate is not valid yet, or the clock here is slow'],
  [/^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)$/, 'the certificate is self-signed'],
  [
    /^UNABLE_TO_(GET|VERIFY)_/,
    'the certificate is of nobody who is trusted here, or its chain is not complete',
  ],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'the certificate is for another name'],
]

/** Null for a code that needs no explanation. */
export const findConnectionProblem = (code: string): string | null =>
  problems.find(([pattern]) => pattern.test(code))?.[1] ?? null
