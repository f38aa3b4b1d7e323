import { Card } from '#components/ui/card.tsx'
import { CodeBlock } from '#components/ui/copy.tsx'
import { Page } from '#components/ui/page.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { useOperators } from './api/operators.ts'
import { LinksCard } from './components/links-card.tsx'
import { OperatorsTable } from './components/operators-table.tsx'

export const OperatorsPage = () => (
  <Page
    title="Operators"
    description="People who can do everything in all companies of this installation. There is always at least one."
  >
    <Card title="Operators" isFlush>
      <Loaded query={useOperators()} loading={<SkeletonRows rows={2} />}>
        {({ operators }) => <OperatorsTable operators={operators} />}
      </Loaded>
    </Card>
    <LinksCard />
    <Card
      title="Make someone an operator"
      description="Run this on the machine that runs the service. It prints a link to pass on."
    >
      <CodeBlock label="Terminal" code="npm run --silent countersign -- sign-in-link you@example.com --new" />
    </Card>
  </Page>
)
