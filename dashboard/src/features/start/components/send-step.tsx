import { CodeBlock } from '#components/ui/copy.tsx'
import { Tabs } from '#components/ui/tabs.tsx'
import { useMe } from '#lib/session.ts'
import { curlSend, nodeSend } from '../lib/snippets.ts'

export function SendStep({ secret }: { readonly secret: string | null }) {
  const baseUrl = useMe().installation.base_url
  return (
    <div>
      <Tabs
        label="Language for sending"
        tabs={[
          {
            value: 'curl',
            label: 'curl',
            content: <CodeBlock label="Terminal" code={curlSend({ baseUrl, secret })} />,
          },
          {
            value: 'node',
            label: 'Node',
            content: <CodeBlock label="send.mjs" code={nodeSend({ baseUrl, secret })} />,
          },
        ]}
      />
      <p className="mt-3 text-sm text-muted">
        You do not choose a channel: routing picks it from the recipient and the app’s settings. An email
        address works as well as a phone number.
      </p>
    </div>
  )
}
