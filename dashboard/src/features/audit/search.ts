export interface AuditSearch {
  /** Shows only what this person changed or tried. */
  readonly person?: string | undefined
}

export const parseAuditSearch = ({ person }: Record<string, unknown>): AuditSearch => ({
  person: typeof person === 'string' && /^usr_\w+$/.test(person) ? person : undefined,
})
