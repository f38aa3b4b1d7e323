/** The oldest browsers that the pages are made for, as docs/dashboard.md says: those that Tailwind's stylesheets need. */
export const browsers = ['chrome111', 'edge111', 'firefox128', 'ios16.4', 'safari16.4']
