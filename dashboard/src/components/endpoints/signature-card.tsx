import { Card } from '#components/ui/card.tsx'
import { CodeBlock } from '#components/ui/copy.tsx'
import { textLink } from '#components/ui/text-link.tsx'

const receiver = [
  "import express from 'express'",
  "import { webhooks } from '@countersign/node'",
  '',
  'const app = express()',
  '',
  '// The raw body: JSON that was parsed and written again has another signature.',
  "app.post('/webhooks', express.raw({ type: 'application/json' }), async (request, response) => {",
  '  try {',
  '    const event = await webhooks.verify(request.body, request.headers, process.env.WEBHOOK_SECRET)',
  '    await store(event) // once per event.id: an event can come twice',
  '    response.sendStatus(204)',
  '  } catch {',
  '    response.sendStatus(400)',
  '  }',
  '})',
].join('\n')

export const SignatureCard = () => (
  <Card
    title="Check the signature"
    description="Anyone can post to your address. Trust a request only after checking its signature and time. Answer within ten seconds, and do the rest afterwards."
  >
    <div className="flex flex-col gap-2.5">
      <CodeBlock label="Node, with @countersign/node" code={receiver} />
      <p className="text-sm text-muted">
        The calls behind this page are in the{' '}
        <a
          href="/docs/reference/webhooks#createWebhook"
          target="_blank"
          rel="noreferrer"
          className={textLink}
        >
          API reference
        </a>
        .
      </p>
    </div>
  </Card>
)
