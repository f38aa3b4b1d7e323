import { useNavigate, useSearch } from '@tanstack/react-router'
import Building from 'lucide-react/icons/building'
import Plus from 'lucide-react/icons/plus'
import Search from 'lucide-react/icons/search'
import { useEffect, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Input } from '#components/ui/input.tsx'
import { Page } from '#components/ui/page.tsx'
import { Pages } from '#components/ui/pages.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { useOpened } from '#lib/use-opened.ts'
import { useCompanies } from './api/companies.ts'
import { CompaniesTable } from './components/companies-table.tsx'
import { CreateCompanyDialog } from './components/create-company-dialog.tsx'

export function CompaniesPage() {
  const { search } = useSearch({ from: '/shell/operator/companies' })
  const query = useCompanies(search)
  const [, setOpen] = useOpened('create-company')
  return (
    <Page
      title="Companies"
      description="The tenants of this installation. Each has its own balance, team and apps."
      actions={
        <Button variant="primary" onClick={() => setOpen(true)}>
          <Plus aria-hidden="true" />
          Create a company
        </Button>
      }
    >
      <SearchBox search={search ?? ''} />
      <Card isFlush>
        <Loaded query={query} loading={<SkeletonRows rows={8} />}>
          {({ pages }) => {
            const companies = pages.flatMap((page) => page.companies)
            return companies.length === 0 ? (
              <Empty title={search ? 'No company has that name' : 'No companies yet'} icon={<Building />}>
                {search
                  ? 'Search for part of the name, or for the whole id.'
                  : 'Create the first one to get started.'}
              </Empty>
            ) : (
              <>
                <CompaniesTable companies={companies} />
                <Pages query={query} shown={companies.length} noun={['company', 'companies']} />
              </>
            )
          }}
        </Loaded>
      </Card>
      <CreateCompanyDialog />
    </Page>
  )
}

const settleMs = 250

/** Puts what is typed into the address, a moment after the last key. */
function SearchBox({ search }: { readonly search: string }) {
  const navigate = useNavigate({ from: '/operator/companies' })
  const [text, setText] = useState(search)
  useEffect(() => {
    if (text === search) return
    const timer = setTimeout(
      () =>
        void navigate({
          to: '.',
          search: (current) => ({ ...current, search: text || undefined }),
          replace: true,
        }),
      settleMs,
    )
    return () => clearTimeout(timer)
  }, [text, search, navigate])
  return (
    <search className="relative max-w-sm">
      <Search
        className="pointer-events-none absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-faint"
        aria-hidden="true"
      />
      <Input
        type="search"
        aria-label="Search companies"
        placeholder="Part of the name, or an id"
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="pl-8"
      />
    </search>
  )
}
