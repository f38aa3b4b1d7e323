/** The look of a link within text. */
export const textLink =
  'text-accent underline decoration-line-strong underline-offset-2 hover:decoration-accent'
