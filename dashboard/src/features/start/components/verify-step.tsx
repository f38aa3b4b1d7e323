import { CodeBlock } from '#components/ui/copy.tsx'
import { Tabs } from '#components/ui/tabs.tsx'
import { textLink } from '#components/ui/text-link.tsx'
import { useMe } from '#lib/session.ts'
import { curlVerify, nodeVerify } from '../lib/snippets.ts'

export function VerifyStep({ secret }: { readonly secret: string | null }) {
  const baseUrl = useMe().installation.base_url
  return (
    <div>
      <Tabs
        label="Language for checking"
        tabs={[
          {
            value: 'curl',
            label: 'curl',
            content: <CodeBlock label="Terminal" code={curlVerify({ baseUrl, secret }, 'otp_…')} />,
          },
          { value: 'node', label: 'Node', content: <CodeBlock label="send.mjs" code={nodeVerify()} /> },
        ]}
      />
      <p className="mt-3 text-sm text-muted">
        The answer says <code className="font-mono text-xs">matched</code>. Your backend asked, so it can rely
        on it. All calls are in the{' '}
        <a href="/docs" target="_blank" rel="noreferrer" className={textLink}>
          API reference
        </a>
        .
      </p>
    </div>
  )
}
