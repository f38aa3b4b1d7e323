import { CodeBlock } from '#components/ui/copy.tsx'
import { Tabs } from '#components/ui/tabs.tsx'
import { type Snippet, snippets } from '../lib/snippets.ts'

interface SnippetTabsProps {
  readonly label: string
  readonly language: string
  readonly onLanguage: (language: string) => void
  readonly code: (snippet: Snippet) => string
}

/** The same call in each language. All steps share the chosen language. */
export const SnippetTabs = ({ label, language, onLanguage, code }: SnippetTabsProps) => (
  <Tabs
    label={label}
    value={language}
    onChange={onLanguage}
    tabs={snippets.map((snippet) => ({
      value: snippet.value,
      label: snippet.label,
      content: <CodeBlock label={snippet.file} code={code(snippet)} />,
    }))}
  />
)
