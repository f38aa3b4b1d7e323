/** The oldest browsers that the pages support, as docs/dashboard.md says: those that Tailwind's stylesheets need. */
export const browsers = ['chrome111', 'edge111', 'firefox128', 'ios16.4', 'safari16.4']
