import type { CompanyAnswer } from '@countersign/contract'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { useMe } from '#lib/session.ts'
import { useMove } from '#lib/use-move.ts'
import { useOpened } from '#lib/use-opened.ts'
import { useCloseCompany } from '../api/company.ts'
import { TypedQuestion } from './typed-question.tsx'

/** Only operators see this card. */
export function CloseCard({ company }: { readonly company: CompanyAnswer }) {
  const [isOpen, setOpen] = useOpened('close-company')
  const close = useCloseCompany()
  const move = useMove()
  if (!useMe().is_operator) return null
  return (
    <Card
      title="Close the company"
      description="Its apps, provider accounts and members are removed, and their data is erased. Its ledger is kept as a single total."
    >
      <Button variant="danger" onClick={() => setOpen(true)}>
        Close the company…
      </Button>
      <TypedQuestion
        isOpen={isOpen}
        onOpenChange={setOpen}
        title={`Close ${company.name}?`}
        description="Every key of the company stops working within a second. This cannot be undone."
        name={company.name}
        action="Close the company"
        onConfirm={async () => {
          await close.mutateAsync({ params: { company_id: company.company_id } })
          await move({ to: '/operator/companies' })
        }}
      />
    </Card>
  )
}
