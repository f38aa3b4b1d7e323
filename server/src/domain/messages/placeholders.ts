export type PlaceholderName = 'code' | 'app' | 'minutes' | 'reference'

const anyPlaceholder = /\{(code|app|minutes|reference)\}/g

/** Fills in one pass, so that nothing inside a value is taken for a placeholder. */
export function fill(template: string, values: Readonly<Partial<Record<PlaceholderName, string>>>): string {
  return template.replace(anyPlaceholder, (whole, name: PlaceholderName) => values[name] ?? whole)
}

/**
 * An app's name as a value: one line (a line break could forge an email header or an autofill line), and without the
 * invisible marks that reverse the text around them.
 */
export function nameAsValue(appName: string): string {
  return appName
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\p{Bidi_Control}/gu, '')
    .trim()
}
