import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Suspense } from 'react'
import { SpendPanel } from '#components/spend/spend-panel.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Field } from '#components/ui/field.tsx'
import { Select } from '#components/ui/input.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { appsQuery } from '#lib/app.ts'
import type { AnswerOf } from '#lib/client.ts'

const route = getRouteApi('/shell/c/$companyId/billing')

export function AppSpend({ companyId }: { readonly companyId: string }) {
  return (
    <Loaded query={useQuery(appsQuery(companyId))} loading={<SkeletonRows />}>
      {({ apps }) => <ChosenApp apps={apps} />}
    </Loaded>
  )
}

function ChosenApp({ apps }: { readonly apps: AnswerOf<'listApps'>['apps'] }) {
  const { app: wanted } = route.useSearch()
  const navigate = useNavigate()
  const app = apps.find(({ app_id }) => app_id === wanted) ?? apps[0]
  if (!app) return <Empty title="No apps yet">Caps belong to apps. Create one first.</Empty>
  return (
    <div className="flex flex-col gap-5">
      {apps.length > 1 && (
        <Field label="App" className="max-w-72">
          {(control) => (
            <Select
              {...control}
              value={app.app_id}
              onChange={({ target }) =>
                void navigate({
                  to: '.',
                  search: (before) => ({ ...before, app: target.value }),
                  replace: true,
                })
              }
            >
              {apps.map(({ app_id, name }) => (
                <option key={app_id} value={app_id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <Suspense fallback={<SkeletonRows />}>
        <SpendPanel appId={app.app_id} />
      </Suspense>
    </div>
  )
}
