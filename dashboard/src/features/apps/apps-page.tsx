import { Link, useParams } from '@tanstack/react-router'
import Grid2x2 from 'lucide-react/icons/grid-2x2'
import Plus from 'lucide-react/icons/plus'
import { Badge } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { CopyText } from '#components/ui/copy.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Page } from '#components/ui/page.tsx'
import { Pages } from '#components/ui/pages.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { aboveRowLink, nameColumn, rowLinkClass, Table } from '#components/ui/table.tsx'
import { Time } from '#components/ui/values.tsx'
import { useCompany } from '#lib/app.ts'
import { cx } from '#lib/classes.ts'
import { usePermission } from '#lib/session.ts'
import { useOpened } from '#lib/use-opened.ts'
import { useApps } from './api/apps.ts'
import { CreateAppDialog } from './components/create-app-dialog.tsx'

export function AppsPage() {
  const { companyId } = useParams({ from: '/shell/c/$companyId/apps' })
  const company = useCompany(companyId)
  const query = useApps(companyId)
  const { reason } = usePermission(companyId, 'developer')
  const [, setOpen] = useOpened('create-app')
  const createButton = (
    <Button variant="primary" disabledReason={reason} onClick={() => setOpen(true)}>
      <Plus aria-hidden="true" />
      Create an app
    </Button>
  )
  return (
    <Page title="Apps" description={`The products of ${company.name}.`} actions={createButton}>
      <Card isFlush>
        <Loaded
          query={{ ...query, data: query.data?.pages.flatMap((page) => page.apps) }}
          loading={<SkeletonRows />}
        >
          {(apps) =>
            apps.length === 0 ? (
              <Empty title="No apps yet" icon={<Grid2x2 />} action={createButton}>
                An app has its own keys, routing, limits and webhook endpoint. Make one for each product.
              </Empty>
            ) : (
              <Table
                label="Apps"
                rows={apps}
                rowKey={({ app_id }) => app_id}
                columns={[
                  {
                    key: 'name',
                    header: 'Name',
                    className: nameColumn,
                    cell: ({ app_id, name, paused_at }) => (
                      <>
                        <Link to="/a/$appId/overview" params={{ appId: app_id }} className={rowLinkClass}>
                          {name}
                        </Link>{' '}
                        {paused_at && <Badge tone="warn">Paused</Badge>}
                      </>
                    ),
                  },
                  {
                    key: 'id',
                    header: 'Id',
                    from: 'sm',
                    cell: ({ app_id }) => (
                      <CopyText text={app_id} label="Copy the id" className={cx('px-0', aboveRowLink)} />
                    ),
                  },
                  {
                    key: 'created',
                    header: 'Created',
                    align: 'end',
                    cell: ({ created_at }) => <Time value={created_at} />,
                  },
                ]}
              />
            )
          }
        </Loaded>
        {query.hasNextPage && (
          <Pages
            query={query}
            shown={query.data?.pages.flatMap((page) => page.apps).length ?? 0}
            noun={['app', 'apps']}
          />
        )}
      </Card>
      <CreateAppDialog companyId={companyId} />
    </Page>
  )
}
